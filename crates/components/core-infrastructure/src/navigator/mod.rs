//! Finds, recommends, inspects, counts and tests the available components.

use svc_contract::registry::{Bias, Component, Effect, Scope, compute};

mod dependencies;
mod discover;
mod health;
mod inspect;
mod list;
mod search;

pub(super) const COMPONENT: Component = Component {
    name: "navigator",
    cluster: "core-infrastructure",
    summary: "Lists and describes the components and ops.",
    version: 1,
    bias: Bias::new(
        "BM25F over the registry's own words",
        &[
            "names say most",
            "a component is as good as its best op",
            "an example that passes the check works",
        ],
    ),
    aliases: &[
        ("nav_discover", "discover"),
        ("nav_search", "search"),
        ("nav_recommend", "recommend"),
        ("nav_inspect", "inspect"),
        ("nav_stats", "stats"),
        ("nav_health", "health"),
        ("list_components", "list"),
        ("dependency_graph", "dependencies"),
    ],
    ops: &[
        compute::<discover::Discover>(),
        compute::<search::Search>(),
        compute::<discover::Recommend>(),
        compute::<inspect::Inspect>(),
        compute::<health::Stats>(),
        compute::<health::Health>(),
        compute::<list::List>(),
        compute::<dependencies::DependencyGraph>(),
    ],
};

/// The registry is not an argument, so reading it is an effect.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("components"))];
