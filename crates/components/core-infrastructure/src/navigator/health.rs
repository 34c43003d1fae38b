//! Counts the components and checks their examples.

use std::collections::BTreeMap;

use svc_contract::{
    registry::{
        Catalog, Component, Compute, Cx, Effect, Example, Field, Op, OpDef, OpError, OpRef, Scheme,
        Tool, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// A group of components.
    struct Cluster {
        /// Its name.
        slug: Text,
        /// Its components.
        components: Vec<Text>,
    }
}

record! {
    /// The numbers of components and ops.
    struct Numbers {
        /// The number of components.
        components: i64,
        /// The number of their ops.
        ops: i64,
        /// The number of pure ops: their result depends on their arguments only.
        pure: i64,
        /// The number of ops that may cost money.
        priced: i64,
        /// The number of examples, which are shown and tested.
        examples: i64,
        /// The groups, by name.
        clusters: Vec<Cluster>,
    }
}

record! {
    /// The result of a check of the components.
    struct Diagnosis {
        /// Whether no problem was found.
        ok: bool,
        /// The number of components that were checked.
        components: i64,
        /// The number of example scripts that were checked.
        checked: i64,
        /// The problems, each with its op.
        problems: Vec<Text>,
        /// Whether the environment configures a language model.
        has_model: bool,
    }
}

params! {
    /// Counts the components, their ops, and what kinds of ops they are.
    pub(super) struct Stats {}
}

impl Op for Stats {
    const NAME: &'static str = "stats";
    const YIELDS: Scheme = Numbers::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "how many components are there",
        "count the ops",
        "statistics of the registry",
        "how many ops are pure or priced",
        "components grouped by cluster",
        "inventory of what is installed",
        "size of the library in figures",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("nav_stats"));
    const EXAMPLES: &'static [Example] =
        &[Example::ok("The number of ops", "nav_stats >> (it.ops > 50)", "true")];
}

impl Compute for Stats {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let components = catalog.registry().components();
        let ops: Vec<&OpDef> = components.iter().flat_map(|it| it.ops).collect();
        let of = |wanted: fn(&OpDef) -> bool| count(ops.iter().filter(|it| wanted(it)).count());
        let numbers = Numbers {
            components: count(components.len()),
            ops: count(ops.len()),
            pure: of(OpDef::is_pure),
            priced: of(|it| it.effects.contains(&Effect::Spends)),
            examples: count(ops.iter().map(|it| it.examples.len()).sum()),
            clusters: clusters(components),
        };
        Ok(numbers.encode())
    }
}

fn clusters(components: &[&'static Component]) -> Vec<Cluster> {
    let mut all: BTreeMap<&str, Vec<Text>> = BTreeMap::new();
    for it in components {
        all.entry(it.cluster).or_default().push(it.name.into());
    }
    let cluster = |(slug, components): (&str, _)| Cluster { slug: slug.into(), components };
    all.into_iter().map(cluster).collect()
}

params! {
    /// Checks that all components work: every example of an op must pass the check.
    ///
    /// Nothing is run. A missing language model is not a problem, but is reported.
    pub(super) struct Health {}
}

impl Op for Health {
    const NAME: &'static str = "health";
    const YIELDS: Scheme = Diagnosis::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "check that all components work",
        "is everything in order",
        "self-test of the examples",
        "is a language model configured",
        "diagnose the installation",
        "health check",
        "doctor, does everything still run",
        "smoke test of the whole setup",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("nav_health"));
    const EXAMPLES: &'static [Example] =
        &[Example::ok("No problems", "nav_health >> .problems", "[]")];
}

impl Compute for Health {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let components = catalog.registry().components();
        let (mut checked, mut problems) = (0, Vec::new());
        for component in components.iter().copied() {
            // What this build lacks is said by the ops themselves.
            for op in component.ops.iter().filter(|it| it.lacks().is_none()) {
                cx.check()?;
                // An op that this build cannot call has examples for other builds.
                if op.lacks().is_some() {
                    continue;
                }
                problems.extend(wrong(OpRef { component, op }, catalog.as_ref()));
                checked += op.examples.len();
            }
        }
        let diagnosis = Diagnosis {
            ok: problems.is_empty(),
            components: count(components.len()),
            checked: count(checked),
            problems,
            has_model: cx.host().env("SVC_MODEL").is_some(),
        };
        Ok(diagnosis.encode())
    }
}

/// The problems with the examples of an op: examples that should succeed must pass the check.
fn wrong(op: OpRef, catalog: &dyn Catalog) -> Vec<Text> {
    let shown = op.op.examples.iter().filter(|it| it.yields.is_ok());
    let error = |script: &str| catalog.tried(script).errors.into_iter().next();
    let message = |it: &Example| error(it.script).map(|why| format!("{op}: {}: {why}", it.title));
    shown.filter_map(message).map(Text::from).collect()
}

fn count(items: usize) -> i64 {
    i64::try_from(items).unwrap_or(i64::MAX)
}
