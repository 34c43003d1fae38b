//! The whole at a glance.

use svc_contract::{
    registry::{
        Component, Compute, Cx, Effect, Example, Field, Op, OpError, Scheme, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

/// The language on one page.
const CARD: &str = include_str!("../../../../../docs/card.md");

record! {
    /// What there is, for whoever sees svc for the first time.
    struct System {
        /// What svc is, in some lines.
        summary: Text,
        /// The groups of components, with the names that scripts use.
        components: Text,
        /// The language on one page.
        language: Text,
        /// What to do next.
        next: Vec<Text>,
    }
}

params! {
    /// Tells what svc is, what it is built of, and how its language looks.
    pub(super) struct Overview {}
}

impl Op for Overview {
    const NAME: &'static str = "system_overview";
    const YIELDS: Scheme = System::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "Its first step",
        "guide_system_overview >> .next >> first",
        r#""svc guide plan \"what you want\"""#,
    )];
}

const SUMMARY: &str = "svc runs pipelines that are checked before they run. A script joins \
    stages with `>>`; each stage is an op of a component. Before anything runs, every name and \
    type is checked, and what the run takes in tokens, money and time is known. Bounds are kept, \
    failures are handled where the script says so, and runs can be kept and gone on with.";

const NEXT: [&str; 5] = [
    r#"svc guide plan "what you want""#,
    r#"svc find "what you look for""#,
    r#"svc ask "what you want to know""#,
    "svc inspect NAME",
    "svc card",
];

impl Compute for Overview {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let system = System {
            summary: SUMMARY.into(),
            components: by_cluster(catalog.registry().components()).into(),
            language: CARD.into(),
            next: NEXT.map(Text::from).into(),
        };
        Ok(system.encode())
    }
}

/// A line for each group and each component.
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
