//! The built-in components: one folder a cluster, one file a component.

use crate::registry::Component;

mod agents_llm;
mod context_retrieval;
mod core_infrastructure;

/// Every built-in component, cluster by cluster.
pub const ALL: &[&[&Component]] =
    &[context_retrieval::ALL, agents_llm::ALL, core_infrastructure::ALL];
