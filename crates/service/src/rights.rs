//! Which tier a call needs.

use svc_contract::registry::{OpRef, Registry, Tier};
use svc_lang::plan::{Plan, Verb};

use crate::{Fault, access::decide::tier_of};

/// Refuses a plan with an op above the tier of its caller. Flows that are passed on are in the plan,
/// so nothing that is called escapes.
pub(crate) fn authorise(plan: &Plan, registry: &Registry, caller: Tier) -> Result<(), Fault> {
    let ops = plan.nodes().iter().filter_map(|it| it.op.as_deref());
    let ops = ops.filter_map(|name| {
        let (component, op) = name.split_once('.')?;
        registry.find_op(component, op)
    });
    test(ops, caller)?;
    let runs = plan.effects().iter().any(|it| it.verb == Verb::Runs);
    if runs && caller < Tier::Admin { Err(refused("this script", Tier::Admin)) } else { Ok(()) }
}

/// Refuses ops above the tier of their caller.
pub(crate) fn test(ops: impl IntoIterator<Item = OpRef>, caller: Tier) -> Result<(), Fault> {
    let highest = ops.into_iter().map(|op| (tier_of(op), op)).max_by_key(|(tier, _)| *tier);
    match highest {
        Some((tier, op)) if tier > caller => Err(refused(&op.to_string(), tier)),
        _ => Ok(()),
    }
}

/// The fault of a caller whose tier is too low.
pub(crate) fn refused(what: &str, tier: Tier) -> Fault {
    let why = crate::Why::Op(svc_contract::registry::ErrorKind::Denied);
    let message = format!("{what} needs the tier {tier}");
    match tier {
        Tier::Admin => Fault::new(why, message)
            .help("only a script that the server serves may run programs, if its policy allows it"),
        _ => Fault::new(why, message),
    }
}
