//! A complete plan as one object for programs.
//!
//! Its shape is part of the interface: `planned.json` in this folder describes it, and a test
//! keeps both in sync.

use serde::Serialize;
use svc_lang::{
    diag::Report,
    plan::{self, Plan},
};

use super::{
    estimates::{Bound, Effect, EnvelopeJson, bounds, effects, envelope},
    verdict::{self, Param, Problem},
};

/// The JSON Schema of a [`Planned`].
pub const PLAN_SCHEMA: &str = include_str!("planned.json");

/// A plan.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Planned {
    pub file: String,
    pub inputs: Vec<Param>,
    /// The type of the result; `None` if a file only defines flows and types.
    pub result: Option<String>,
    /// The total cost, tokens and time of the plan.
    pub envelope: EnvelopeJson,
    /// The estimates for the bounds of the whole file, and for the caps of the run.
    pub verdicts: Vec<Bound>,
    /// The price tables used for the costs, by name and date.
    pub prices: Vec<String>,
    /// The effects of the whole plan, each one once.
    pub effects: Vec<Effect>,
    /// The problems that a policy reports for the plan.
    pub refused: Vec<Problem>,
    pub nodes: Vec<PlannedNode>,
}

#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct PlannedNode {
    pub path: String,
    pub name: String,
    pub op: Option<String>,
    pub r#type: String,
    /// The index of the enclosing block in the list of nodes.
    pub parent: Option<usize>,
    /// The paths of the nodes whose results it uses.
    pub needs: Vec<String>,
    pub cost_class: Option<&'static str>,
    pub effects: Vec<Effect>,
    pub bounds: serde_json::Map<String, serde_json::Value>,
    pub envelope: EnvelopeJson,
    pub verdicts: Vec<Bound>,
    /// The value that must be complete before anything after it can start.
    pub barrier: Option<&'static str>,
    pub notes: Vec<String>,
}

impl Planned {
    /// A plan, with the problems that a policy reports for it.
    pub fn of(plan: &Plan, refused: &Report) -> Self {
        let program = plan.program();
        Self {
            file: program.source.name().to_owned(),
            inputs: verdict::inputs(program),
            result: verdict::result_type(program),
            envelope: envelope(plan.envelope()),
            verdicts: bounds(plan.verdicts()),
            prices: plan.prices().to_vec(),
            effects: effects(plan.effects()),
            refused: verdict::problems(refused),
            nodes: plan.nodes().iter().map(|it| node(it, plan)).collect(),
        }
    }
}

fn node(node: &plan::Node, plan: &Plan) -> PlannedNode {
    let needs = node.needs.iter().filter_map(|it| plan.nodes().get(*it));
    let given = node.bounds.iter().map(|(key, it)| ((*key).to_owned(), it.clone().into()));
    PlannedNode {
        path: node.path.clone(),
        name: node.name.clone(),
        op: node.op.clone(),
        r#type: node.ty.to_string(),
        parent: node.parent,
        needs: needs.map(|it| it.path.clone()).collect(),
        cost_class: node.cost_class,
        effects: effects(&node.effects),
        bounds: given.collect(),
        envelope: envelope(&node.envelope),
        verdicts: bounds(&node.verdicts),
        barrier: node.barrier,
        notes: node.notes.clone(),
    }
}
