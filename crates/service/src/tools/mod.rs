//! The table of tools: what other programs see of an op. Everything here is derived from the op.

mod schema;

use svc_contract::{
    registry::{Effect, OpRef, Price, Registry, Scope, Takes, Tier, Tool},
    value::{Value, json},
};

use crate::components::core::META;

pub use schema::{
    input as input_schema, of_params as params_schema, of_type as type_schema,
    output as output_schema,
};

/// An op as other programs call it.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: &'static str,
    pub tier: Tier,
    /// How much one call counts in a rate limit.
    pub weight: u32,
    pub op: OpRef,
    /// The first paragraph of its documentation, at most 240 characters.
    pub description: String,
    /// The JSON Schema of its arguments: a closed object.
    pub input_schema: Value,
    /// The JSON Schema of its result: always an object, `{ result: .. }` around anything else.
    pub output_schema: Value,
    pub hints: Hints,
    pub effects: Vec<String>,
    pub price: String,
    /// Changes whenever the arguments, the result, the effects or the documentation change.
    pub fingerprint: String,
}

/// What a call may do, for programs that ask before they call.
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing, starts nothing, costs nothing and asks no one.
    pub read_only: bool,
    /// It may change something that cannot be changed back.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing further.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

/// The longest description in characters.
const LONGEST_DESCRIPTION: usize = 240;

/// A call that usually takes this long counts more.
const SLOW: std::time::Duration = std::time::Duration::from_secs(1);

/// The tools of a registry, by name. A tool whose body this build lacks, or that needs an argument
/// that no other program can give, is left out.
pub fn table(registry: &Registry) -> Vec<Row> {
    let mut rows: Vec<Row> = registry.tools().filter_map(|(tool, op)| row(tool, op)).collect();
    rows.sort_by_key(|it| it.name);
    rows
}

/// The tool of this name.
pub fn find(registry: &Registry, name: &str) -> Option<Row> {
    let op = registry.find_tool(name)?;
    row(op.op.tool?, op)
}

fn row(tool: Tool, op: OpRef) -> Option<Row> {
    if op.op.lacks().is_some() {
        return None;
    }
    let input_schema = schema::input(*op.op.params)?;
    let output_schema = schema::output(*op.op.yields);
    let effects: Vec<String> = op.op.effects.iter().map(ToString::to_string).collect();
    let description = description(op.op.doc);
    let fingerprint = fingerprint(&[
        tool.name,
        &json::write(&input_schema),
        &json::write(&output_schema),
        &effects.join(","),
        op.op.doc,
    ]);
    Some(Row {
        name: tool.name,
        tier: tool.tier,
        weight: weight_of(op),
        op,
        description,
        input_schema,
        output_schema,
        hints: if names_work(tool.name, op) { ANY_WORK } else { hints(op.op.effects) },
        effects,
        price: op.op.price.to_string(),
        fingerprint,
    })
}

/// How much a call of an op counts in a rate limit: a priced or slow one counts as five.
pub(crate) fn weight_of(op: OpRef) -> u32 {
    if let Some(weight) = op.op.tool.and_then(|it| it.weight) {
        return weight;
    }
    let is_priced = !matches!(op.op.price, Price::Free);
    let is_slow = matches!(op.op.takes, Takes::Usually(time) if time >= SLOW);
    if is_priced || is_slow { 5 } else { 1 }
}

/// The first paragraph as one line, cut between words.
fn description(doc: &str) -> String {
    let lines = doc.lines().map(str::trim).take_while(|it| !it.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST_DESCRIPTION {
        return text;
    }
    let end = text.char_indices().nth(LONGEST_DESCRIPTION - 3).map_or(text.len(), |(at, _)| at);
    let cut = text[..end].rfind(' ').unwrap_or(end);
    format!("{} ..", text[..cut].trim_end_matches([',', ';', ':']))
}

/// The hints of a tool whose arguments name what is done: it may be anything.
const ANY_WORK: Hints =
    Hints { read_only: false, destructive: true, idempotent: false, open_world: true };

/// Whether the arguments of a tool name its work.
fn names_work(tool: &str, op: OpRef) -> bool {
    op.op.takes_flows()
        || META.contains(&tool)
        || ["job_submit", "job_refine", "job_workbench_fork"].contains(&tool)
}

/// What follows from the effects of an op.
pub fn hints(effects: &[Effect]) -> Hints {
    let is_outside = |scope: &Scope| match scope {
        Scope::Web(_) | Scope::Site(_) => true,
        Scope::Named(name) => matches!(*name, "web" | "llm" | "mail"),
        Scope::Path(_) | Scope::Command(_) => false,
    };
    let open_world = effects.iter().any(|it| match it {
        Effect::Reads(scope) | Effect::Writes { scope, .. } => is_outside(scope),
        Effect::Spends => true,
        Effect::Runs(_) | Effect::Asks => false,
    });
    let once =
        |it: &Effect| matches!(it, Effect::Runs(_) | Effect::Writes { idempotent: false, .. });
    let destructive = effects.iter().any(once);
    let read_only = effects.iter().all(|it| matches!(it, Effect::Reads(_)));
    Hints { read_only, destructive, idempotent: !destructive, open_world }
}

fn fingerprint(parts: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().to_hex()[..16].to_owned()
}
