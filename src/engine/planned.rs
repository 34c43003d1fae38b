//! Everything that a plan says, as one object for programs.
//!
//! Its shape is part of the interface: `planned.json` beside this file describes it, and a
//! test holds both together.

use serde::Serialize;

use super::verdict::{self, Effect, Param};
use crate::{
    plan::{self, EffectUse, Envelope, Plan},
    value::Money,
};

/// The JSON Schema of a [`Planned`].
pub const PLAN_SCHEMA: &str = include_str!("planned.json");

/// What a script would run.
#[derive(Debug, Serialize)]
pub struct Planned {
    pub file: String,
    pub inputs: Vec<Param>,
    /// The type of the result; nothing where a file only defines flows and types.
    pub gives: Option<String>,
    /// What the whole plan takes.
    pub envelope: EnvelopeJson,
    /// What is known of the bounds of the whole file, and of the caps of the run.
    pub verdicts: Vec<Verdict>,
    /// The price tables that money was counted with, by name and day.
    pub prices: Vec<String>,
    /// What the whole plan does to the world, each effect once.
    pub effects: Vec<Effect>,
    pub nodes: Vec<Node>,
}

#[derive(Debug, Serialize)]
pub struct Node {
    pub path: String,
    pub name: String,
    pub op: Option<String>,
    pub r#type: String,
    /// The place of the block that it stands in, in the list of nodes.
    pub parent: Option<usize>,
    /// The paths of the nodes whose results it uses.
    pub needs: Vec<String>,
    pub cost_class: Option<&'static str>,
    pub effects: Vec<Effect>,
    pub bounds: serde_json::Map<String, serde_json::Value>,
    pub envelope: EnvelopeJson,
    pub verdicts: Vec<Verdict>,
    /// What has to be there before anything behind it can start.
    pub barrier: Option<&'static str>,
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct EnvelopeJson {
    pub tokens: Range<u64>,
    pub cost: Range<String>,
    /// In milliseconds.
    pub time: Range<u64>,
}

#[derive(Debug, Serialize)]
pub struct Range<T> {
    pub min: T,
    pub expected: T,
    /// Nothing where nothing limits it.
    pub max: Option<T>,
}

#[derive(Debug, Serialize)]
pub struct Verdict {
    pub bound: &'static str,
    pub limit: String,
    pub holds: &'static str,
    pub why: String,
    /// The price tables that money was counted with.
    pub prices: Vec<String>,
}

impl Planned {
    pub fn of(plan: &Plan) -> Self {
        let program = plan.program();
        Self {
            file: program.source.name().to_owned(),
            inputs: verdict::inputs(program),
            gives: verdict::gives(program),
            envelope: envelope(plan.envelope()),
            verdicts: verdicts(plan.verdicts()),
            prices: plan.prices().to_vec(),
            effects: effects(&plan.effects()),
            nodes: plan.nodes().iter().map(|it| node(it, plan)).collect(),
        }
    }
}

fn node(node: &plan::Node, plan: &Plan) -> Node {
    let needs = node.needs.iter().filter_map(|it| plan.nodes().get(*it));
    let bounds = node.bounds.iter().map(|(key, it)| ((*key).to_owned(), it.clone().into()));
    Node {
        path: node.path.clone(),
        name: node.name.clone(),
        op: node.op.clone(),
        r#type: node.ty.to_string(),
        parent: node.parent,
        needs: needs.map(|it| it.path.clone()).collect(),
        cost_class: node.cost_class,
        effects: effects(&node.effects),
        bounds: bounds.collect(),
        envelope: envelope(&node.envelope),
        verdicts: verdicts(&node.verdicts),
        barrier: node.barrier,
        notes: node.notes.clone(),
    }
}

fn effects(effects: &[EffectUse]) -> Vec<Effect> {
    effects
        .iter()
        .map(|it| Effect {
            verb: it.verb.name(),
            scope: it.place.as_ref().map(ToString::to_string),
        })
        .collect()
}

fn verdicts(verdicts: &[plan::Verdict]) -> Vec<Verdict> {
    let verdict = |it: &plan::Verdict| Verdict {
        bound: it.key.name(),
        limit: it.limit.clone(),
        holds: it.holds.word(),
        why: it.why.clone(),
        prices: it.prices.clone(),
    };
    verdicts.iter().map(verdict).collect()
}

fn envelope(envelope: &Envelope) -> EnvelopeJson {
    let Envelope { tokens, cost, time } = envelope;
    let money = |it: Money| it.to_string();
    // A part of a millisecond is none at the least, and a whole one at the most.
    let floor = |it: std::time::Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
    let ceil = |it: std::time::Duration| {
        u64::try_from(it.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
    };
    EnvelopeJson {
        tokens: Range { min: tokens.min, expected: tokens.expected, max: tokens.max },
        cost: Range {
            min: money(cost.min),
            expected: money(cost.expected),
            max: cost.max.map(money),
        },
        time: Range {
            min: floor(time.min),
            expected: floor(time.expected),
            max: time.max.map(ceil),
        },
    }
}
