//! Turns a checked program into a plan: its nodes, their dependencies, effects and estimates.
//!
//! A plan can only be made from a program that passes the check, and only a plan can be run.
//! The nodes shown ([`Plan::nodes`]) are computed from the same terms that run.

mod caps;
mod effects;
mod envelope;
mod estimate;
mod node;
mod pace;
mod policy;
mod scopes;
mod show;

pub use caps::Caps;
pub use effects::{EffectUse, Place, Verb};
pub use envelope::{Envelope, Holds, Range, Verdict};
pub use estimate::{Estimate, EstimateContext, Past, Problems, estimate};
pub use node::Node;
pub use pace::{GRACE, ITEMS_AT_ONCE};
pub use policy::{Policy, Rule};
pub use scopes::Scopes;

use std::collections::BTreeSet;

use crate::check::Checked;

/// A program ready to run, with its estimate.
#[derive(Clone, Debug)]
pub struct Plan {
    program: Checked,
    estimate: Estimate,
}

/// Creates the plan of a program from its estimate.
pub fn plan(program: Checked, estimate: Estimate) -> Plan {
    Plan { program, estimate }
}

impl Plan {
    pub fn program(&self) -> &Checked {
        &self.program
    }

    pub fn into_program(self) -> Checked {
        self.program
    }

    /// Every call of a component and every block, in the order of the script.
    pub fn nodes(&self) -> &[Node] {
        &self.estimate.nodes
    }

    /// The places of its bounds.
    pub fn scopes(&self) -> &Scopes {
        &self.estimate.scopes
    }

    /// The number of calls of a run that are not inline; `None` if it depends on their results.
    pub fn calls(&self) -> Option<usize> {
        let nodes = self.nodes();
        let once =
            |it: &Node| it.op.is_some() || ["parallel", "within"].contains(&it.name.as_str());
        let calls = nodes.iter().filter(|it| it.cost_class.is_some_and(|it| it != "inline"));
        nodes.iter().all(once).then(|| calls.count())
    }

    /// The estimate of the whole plan.
    pub fn envelope(&self) -> &Envelope {
        &self.estimate.envelope
    }

    /// The verdicts on the bounds of the whole file, and on the caps of the run.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.estimate.verdicts
    }

    /// The price tables used for the money, by day.
    pub fn prices(&self) -> &[String] {
        &self.estimate.prices
    }

    /// The reason why a maximum is unknown, if one is.
    pub fn open(&self) -> Option<&str> {
        self.estimate.open.as_deref()
    }

    /// The number of ops whose expected usage comes from earlier runs.
    pub fn from_past(&self) -> usize {
        self.estimate.from_past
    }

    /// The effects of the whole plan, each once.
    pub fn effects(&self) -> &BTreeSet<EffectUse> {
        &self.estimate.effects
    }
}
