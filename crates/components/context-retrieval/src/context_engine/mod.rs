//! Fits what matters into a token budget.

mod choose;
mod count;
mod cut;
mod dedupe;
mod pack;
#[cfg(test)]
mod tests;

use svc_contract::{
    registry::{Bias, Cases, Component, compute, inline},
    value::{Record, Text, Value},
};

pub(super) const COMPONENT: Component = Component {
    name: "context_engine",
    cluster: "context-retrieval",
    summary: "Fits passages into a token budget without repetitions, and says what was left out.",
    version: 1,
    bias: Bias::new(
        "submodular cover under a budget",
        &["near-duplicates add nothing", "a token has four bytes"],
    )
    .judged_by(CASES),
    aliases: &[("pack", "infer"), ("count_tokens", "count_tokens"), ("dedupe", "dedupe")],
    ops: &[compute::<pack::Infer>(), inline::<count::CountTokens>(), compute::<dedupe::Dedupe>()],
};

const CASES: Cases = cases!(
    "context_engine.jsonl",
    "pack/bahn.jsonl",
    "pack/bees.jsonl",
    "pack/cine.jsonl",
    "pack/club.jsonl",
    "pack/contract.jsonl",
    "pack/four.jsonl",
    "pack/gauge.jsonl",
    "pack/museum.jsonl",
    "pack/order.jsonl",
    "pack/oven.jsonl",
    "pack/release.jsonl",
    "pack/storm.jsonl",
    "pack/swim.jsonl",
    "pack/well.jsonl"
);

fn text(hit: &Record, name: &str) -> Text {
    match hit.get(name) {
        Some(Value::Text(it) | Value::Path(it)) => it.clone(),
        _ => Text::default(),
    }
}

fn int(hit: &Record, name: &str) -> Option<i64> {
    match hit.get(name) {
        Some(Value::Int(it)) => Some(*it),
        _ => None,
    }
}
