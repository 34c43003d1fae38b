//! Diagnostics of this installation: checks, and reports that are kept for a while.

mod bugs;
mod checks;
mod ops;
mod reports;
#[cfg(test)]
mod tests;

use svc_contract::registry::{Bias, Component, compute, inline};

pub(crate) const COMPONENT: Component = Component {
    name: "system_doctor",
    cluster: "core-infrastructure",
    summary: "Diagnostics of this installation, with reports.",
    version: 1,
    bias: Bias::new(
        "a table of checks that only read",
        &["the host says what it knows of the machine", "a report is needed for a while"],
    ),
    aliases: &[],
    ops: &[
        compute::<ops::Collect>(),
        compute::<ops::AutoReport>(),
        compute::<ops::Export>(),
        compute::<ops::List>(),
        compute::<ops::StatusNow>(),
        inline::<ops::Ops>(),
        inline::<ops::About>(),
        compute::<bugs::BugSubmit>(),
        compute::<bugs::BugList>(),
        compute::<bugs::BugGet>(),
        compute::<bugs::BugComments>(),
    ],
};
