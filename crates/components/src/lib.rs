//! The built-in components: one crate a cluster.

mod missing;

use svc_contract::registry::{Component, Registry};
#[cfg(feature = "data-processing")]
pub use svc_data_processing::{PURPOSE, serve};

/// Every built-in component, cluster by cluster.
pub const ALL: &[&[&Component]] = &[
    #[cfg(feature = "context-retrieval")]
    svc_context_retrieval::ALL,
    #[cfg(feature = "agents-llm")]
    svc_agents_llm::ALL,
    #[cfg(feature = "safety-alignment")]
    svc_safety_alignment::ALL,
    svc_core_infrastructure::ALL,
    #[cfg(feature = "data-processing")]
    svc_data_processing::ALL,
    #[cfg(feature = "creative-media")]
    svc_creative_media::ALL,
    #[cfg(feature = "code-intelligence")]
    svc_code_intelligence::ALL,
    #[cfg(feature = "knowledge-grounding")]
    svc_knowledge_grounding::ALL,
    #[cfg(feature = "ml-optimisation")]
    svc_ml_optimisation::ALL,
    #[cfg(feature = "self-optimisation")]
    svc_self_optimisation::ALL,
];

/// The registry of the built-in components. It knows the names of those that this program is
/// compiled without, too.
pub fn registry() -> Registry {
    let all = ALL.iter().fold(Registry::default(), |it, all| it.with(all));
    missing::features().fold(all, |it, (feature, names)| it.without(feature, names))
}
