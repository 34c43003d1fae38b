//! Alignment, evaluation and safety.

use svc_contract::registry::Component;

mod align_eval;

pub const ALL: &[&Component] = &[&align_eval::COMPONENT];
