//! Advice: which op does a task, how, what the documentation says, and a whole script for a
//! goal.
//!
//! Everything is made of the registry's documentation and of the book, so that it is the
//! same every time. A language model may write, where the caller gives one; what it writes
//! is checked.

use svc_contract::registry::{Component, Effect, Scope, compute, io};

mod ask;
mod book;
mod find_tool;
mod how_to;
mod overview;
mod plan;

pub(super) const COMPONENT: Component = Component {
    name: "guide",
    cluster: "core-infrastructure",
    summary: "Gives advice: finds tools, answers questions, writes scripts for goals.",
    version: 1,
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
        io::<plan::PlanWorkflow>(),
        compute::<overview::Overview>(),
    ],
};

/// What there is to call is not an argument.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("components"))];
