//! The built-in components: one folder per cluster, one file per component.

use crate::registry::Component;

mod agents_llm;
mod context_retrieval;
mod core_infrastructure;
mod safety_alignment;

/// Every built-in component, cluster by cluster.
pub const ALL: &[&[&Component]] =
    &[context_retrieval::ALL, agents_llm::ALL, safety_alignment::ALL, core_infrastructure::ALL];
