//! An overview of svc.

use svc_contract::{
    registry::{Component, Registry, record},
    value::Text,
};

use super::CARD;

record! {
    /// An overview for newcomers.
    pub struct System {
        /// The purpose of svc, in a few lines.
        summary: Text,
        /// The groups of components, with their names in scripts.
        components: Text,
        /// The language on one page.
        language: Text,
        /// The next steps.
        next: Vec<Text>,
    }
}

const SUMMARY: &str = "svc runs pipelines that are checked before they run. A script joins \
    stages with `>>`; each stage is an op of a component. Before anything runs, every name and \
    type is checked, and the use of tokens, money and time is estimated. Bounds are enforced, \
    failures are handled as the script defines, and runs can be kept and resumed.";

const NEXT: [&str; 5] = [
    r#"svc guide plan "what you want""#,
    r#"svc find "what you look for""#,
    r#"svc ask "what you want to know""#,
    "svc inspect NAME",
    "svc card",
];

/// An overview of svc, with these components.
pub fn overview(registry: &Registry) -> System {
    System {
        summary: SUMMARY.into(),
        components: by_cluster(registry.components()).into(),
        language: CARD.into(),
        next: NEXT.map(Text::from).into(),
    }
}

/// One line for each group and each component.
fn by_cluster(components: &[&Component]) -> String {
    let mut clusters: Vec<&str> = Vec::new();
    for it in components {
        if !clusters.contains(&it.cluster) {
            clusters.push(it.cluster);
        }
    }
    let line = |it: &&Component| {
        let aliases: Vec<&str> = it.aliases.iter().map(|(name, _)| *name).collect();
        format!("  {} ({}): {}\n", it.name, aliases.join(" "), it.summary)
    };
    let cluster = |name: &str| {
        let members = components.iter().filter(|it| it.cluster == name).map(line);
        format!("{name}\n{}", members.collect::<String>())
    };
    clusters.into_iter().map(cluster).collect::<Vec<_>>().join("\n")
}
