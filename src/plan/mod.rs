//! A checked program in, a plan out: its nodes, what they need, what they do.
//!
//! A plan can only be made of a program that checks, and only a plan can be run. What is
//! shown of it ([`Plan::nodes`]) is computed from the same terms that run.

mod effects;
mod envelope;
mod nodes;
mod policy;
mod show;

pub use effects::{EffectUse, Place, Verb, effects};
pub use envelope::{Envelope, Holds, Range, Verdict};
pub use nodes::Node;
pub use policy::{Policy, Rule};

use crate::check::Checked;

/// What will run.
#[derive(Debug)]
pub struct Plan {
    program: Checked,
    nodes: Vec<Node>,
    envelope: Envelope,
}

/// Makes the plan of a program.
pub fn plan(program: Checked) -> Plan {
    let nodes = nodes::of(&program);
    Plan { program, nodes, envelope: Envelope::NONE }
}

impl Plan {
    pub fn program(&self) -> &Checked {
        &self.program
    }

    /// Every call of a component and every block, in the order of the script.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the whole plan takes.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// What the whole plan does to the world, each effect once.
    pub fn effects(&self) -> Vec<EffectUse> {
        effects(&self.program).into_iter().collect()
    }
}
