//! Goals and plans: a goal as steps over real ops, and plans that are estimated, checked, judged
//! and repaired.

mod clauses;
mod cover;
mod critique;
mod decompose;
mod given;
mod ops;
mod replan;
#[cfg(test)]
mod tests;
mod validate;

use svc_contract::registry::{Bias, Component, compute};

pub(crate) const COMPONENT: Component = Component {
    name: "goal_engine",
    cluster: "goal-planning",
    summary: "Splits a goal into ordered steps over real ops, and judges and repairs plans.",
    version: 1,
    bias: Bias::new(
        "the guide's script for the goal, or for each of its parts; the types of ops decide which \
         part follows from which",
        &["a goal names its steps in their order", "an op does what its documentation says"],
    ),
    aliases: &[("decompose_goal", "infer")],
    ops: &[
        compute::<ops::Decompose>(),
        compute::<ops::Estimate>(),
        compute::<ops::Validate>(),
        compute::<ops::Critique>(),
        compute::<ops::Replan>(),
    ],
};
