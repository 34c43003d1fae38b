//! A checked program in, a plan out: its nodes, what they need, what they do, and what they
//! take.
//!
//! A plan can only be made of a program that checks, and only a plan can be run. What is
//! shown of it ([`Plan::nodes`]) is computed from the same terms that run.

mod caps;
mod effects;
mod envelope;
mod foresee;
mod node;
mod pace;
mod policy;
mod scopes;
mod show;

pub use caps::Caps;
pub use effects::{EffectUse, Place, Verb};
pub use envelope::{Envelope, Holds, Range, Verdict};
pub use foresee::{Foresight, Outlook, Past, Problems, foresee};
pub use node::Node;
pub use pace::{GRACE, ITEMS_AT_ONCE};
pub use policy::{Policy, Rule};
pub use scopes::Scopes;

use std::collections::BTreeSet;

use crate::check::Checked;

/// What will run.
#[derive(Clone, Debug)]
pub struct Plan {
    program: Checked,
    foresight: Foresight,
}

/// Makes the plan of a program of which this is foreseen.
pub fn plan(program: Checked, foresight: Foresight) -> Plan {
    Plan { program, foresight }
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
        &self.foresight.nodes
    }

    /// Where its bounds stand.
    pub fn scopes(&self) -> &Scopes {
        &self.foresight.scopes
    }

    /// How many calls a run makes that are not inline; nothing where that depends on what
    /// they give.
    pub fn calls(&self) -> Option<usize> {
        let nodes = self.nodes();
        let once =
            |it: &Node| it.op.is_some() || ["parallel", "within"].contains(&it.name.as_str());
        let calls = nodes.iter().filter(|it| it.cost_class.is_some_and(|it| it != "inline"));
        nodes.iter().all(once).then(|| calls.count())
    }

    /// What the whole plan takes.
    pub fn envelope(&self) -> &Envelope {
        &self.foresight.envelope
    }

    /// What is known of the bounds of the whole file, and of the caps of the run.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.foresight.verdicts
    }

    /// The price tables that money was counted with, by day.
    pub fn prices(&self) -> &[String] {
        &self.foresight.prices
    }

    /// Why nobody can say what it takes at the most, where nobody can.
    pub fn open(&self) -> Option<&str> {
        self.foresight.open.as_deref()
    }

    /// Of how many ops earlier runs say what they take.
    pub fn from_past(&self) -> usize {
        self.foresight.from_past
    }

    /// What the whole plan does to the world, each effect once.
    pub fn effects(&self) -> &BTreeSet<EffectUse> {
        &self.foresight.effects
    }
}
