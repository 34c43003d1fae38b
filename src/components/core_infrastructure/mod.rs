//! Core infrastructure: the pure functions, and files.

use crate::registry::Component;

pub(super) const ALL: &[&Component] = &[];
