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
pub use effects::{EffectUse, Place, Verb, WebHost};
pub use envelope::{Envelope, Holds, Range, Verdict};
pub use estimate::{Estimate, EstimateContext, Past, Problems, estimate};
pub use node::Node;
pub use pace::{GRACE, ITEMS_AT_ONCE};
pub use policy::{Policy, Rule};
pub use scopes::Scopes;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::check::Checked;

/// A program ready to run, with its estimate.
#[derive(Clone, Debug)]
pub struct Plan {
    program: Arc<Checked>,
    estimate: Estimate,
    planner: Planner,
}

/// The components, prices, defaults and policy that a plan was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planner(u64);

impl Planner {
    /// A planner that differs from all others of this process.
    pub fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

impl Default for Planner {
    fn default() -> Self {
        Self::new()
    }
}

/// Creates the plan of a program from its estimate.
pub fn plan(program: Arc<Checked>, estimate: Estimate, planner: Planner) -> Plan {
    Plan { program, estimate, planner }
}

impl Plan {
    pub fn program(&self) -> &Checked {
        &self.program
    }

    /// The program, which plans of other estimates may share.
    pub fn shared_program(&self) -> Arc<Checked> {
        self.program.clone()
    }

    pub fn planner(&self) -> Planner {
        self.planner
    }

    /// Whether the inputs of a run can change its cost, its verdicts or its effects: it calls
    /// something that costs, that takes a declared time or whose effect has a place that an
    /// input may name, or it has bounds. Otherwise one estimate holds for all runs.
    pub fn varies(&self) -> bool {
        self.estimate.varies
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
