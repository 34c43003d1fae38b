//! Context and retrieval: searching, reading and condensing documents.

use crate::registry::Component;

pub(super) const ALL: &[&Component] = &[];
