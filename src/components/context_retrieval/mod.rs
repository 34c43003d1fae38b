//! Context and retrieval: searching, reading and condensing documents.

use crate::registry::Component;

mod ctx_search;

pub(super) const ALL: &[&Component] = &[&ctx_search::COMPONENT];
