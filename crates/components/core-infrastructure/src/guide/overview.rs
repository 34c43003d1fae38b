//! An overview of svc.

use svc_contract::{
    registry::{
        Component, Compute, Cx, Effect, Example, Field, Op, OpError, Scheme, Tool, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

/// The summary of the language on one page.
const CARD: &str = include_str!("../../../../../docs/card.md");

record! {
    /// An overview for newcomers.
    struct System {
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

params! {
    /// Describes what svc is, its components, and the syntax of its language.
    pub(super) struct Overview {}
}

impl Op for Overview {
    const NAME: &'static str = "system_overview";
    const YIELDS: Scheme = System::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "what is svc",
        "what can this system do",
        "give me an overview",
        "introduce me to the language",
        "where do i start",
        "a tour for newcomers",
        "cheat sheet of the syntax",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("guide_system_overview"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The first step",
        "guide_system_overview >> .next >> first",
        r#""svc guide plan \"what you want\"""#,
    )];
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
