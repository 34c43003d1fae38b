//! Alignment, evaluation and safety.

use crate::registry::Component;

mod align_eval;

pub(super) const ALL: &[&Component] = &[&align_eval::COMPONENT];
