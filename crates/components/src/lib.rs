//! The built-in components: one crate a cluster.

use svc_contract::registry::{Component, Registry};

/// Every built-in component, cluster by cluster.
pub const ALL: &[&[&Component]] = &[
    svc_context_retrieval::ALL,
    svc_agents_llm::ALL,
    svc_safety_alignment::ALL,
    svc_core_infrastructure::ALL,
];

/// The registry of the built-in components.
pub fn registry() -> Registry {
    ALL.iter().fold(Registry::default(), |it, all| it.with(all))
}
