//! Advice: the op for a task, how to use it, answers from the documentation, and whole scripts for
//! goals.
//!
//! The answers come from the library `svc_guide`; here they are ops.

use svc_contract::registry::{Bias, Component, Effect, Scope, compute, io};

mod ask;
mod find_tool;
mod first_call;
mod how_to;
mod overview;
mod plan_workflow;

pub(super) const COMPONENT: Component = Component {
    name: "guide",
    cluster: "core-infrastructure",
    summary: "Gives advice: finds tools, answers questions, writes scripts for goals.",
    version: 2,
    bias: Bias::new(
        "BM25F over the registry's own words and the book",
        &[
            "names say most",
            "headings name the subject of a passage",
            "a goal names its steps in their order",
        ],
    ),
    aliases: &[
        ("guide_ask", "ask"),
        ("guide_how_to", "how_to"),
        ("guide_find_tool", "find_tool"),
        ("guide_plan_workflow", "plan_workflow"),
        ("guide_system_overview", "system_overview"),
    ],
    ops: &[
        io::<ask::Ask>(),
        compute::<how_to::Asked>(),
        compute::<find_tool::FindTool>(),
        io::<plan_workflow::PlanWorkflow>(),
        compute::<overview::Overview>(),
        compute::<first_call::FirstCall>(),
    ],
};

/// The registry is not an argument, so reading it is an effect.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("components"))];
