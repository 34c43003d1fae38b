//! Roles, and tools that name their work.

use svc_contract::registry::{Effect, OpError, OpRef, Tier};

use super::{
    system::{Depth, System},
    table::Looked,
};
use crate::{
    access::{Role, decide::tier_of},
    components::core,
};

/// A role may call the ops of its tier and no others, and no role an op that runs programs unless it
/// is a tool for operators.
pub(super) fn roles(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("decisions");
    let tiers = [Tier::Free, Tier::Researcher, Tier::Builder, Tier::Admin];
    let roles: Vec<Role> = tiers.iter().map(|it| Role::of_tier(*it, true)).collect();
    for op in system.ops() {
        (depth.look)()?;
        for role in &roles {
            for may_tune in [false, true] {
                let is = (system.mechanisms.role_allows)(op, role, may_tune);
                let should = may(op, role.tier, may_tune);
                let word = |it: bool| if it { "allowed" } else { "refused" };
                let found = (is != should)
                    .then(|| format!("expected {}, found {}", word(should), word(is)));
                looked.case(format!("{op} for {}", role.name), found);
            }
        }
    }
    Ok(looked)
}

/// What the rule says, apart from the code that decides.
fn may(op: OpRef, tier: Tier, may_tune: bool) -> bool {
    if runs(op) {
        return op.op.tool.is_some() && tier == Tier::Admin;
    }
    match tier_of(op) {
        Tier::Bias => may_tune,
        needed => needed <= tier,
    }
}

pub(super) fn runs(op: OpRef) -> bool {
    op.op.effects.iter().any(|it| matches!(it, Effect::Runs(_)))
}

/// A tool that names its work does nothing inside of a script.
pub(super) fn meta_in_scripts(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("scripts");
    let is_meta = |it: &OpRef| it.op.tool.is_some_and(|it| core::META.contains(&it.name));
    for op in system.ops().filter(is_meta) {
        (depth.look)()?;
        for example in op.op.examples {
            let ran = system.run(&system.engine, example.script);
            let found = match ran.result {
                Err(_) => None,
                Ok(value) => Some(format!("expected it to be refused, found {value}")),
            };
            looked.case(example.script, found);
        }
    }
    Ok(looked)
}
