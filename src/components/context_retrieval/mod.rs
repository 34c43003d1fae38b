//! Context and retrieval: searching, reading and condensing documents.

use crate::registry::Component;

mod ctx_rag;
#[cfg(test)]
mod testing;

pub(super) const ALL: &[&Component] = &[&ctx_rag::COMPONENT];
