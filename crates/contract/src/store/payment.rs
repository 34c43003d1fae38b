//! The amounts that attempts reserved and used: the accounts behind the caps of a run, however
//! often it is resumed.

use std::collections::BTreeMap;

use super::{
    id::RunId,
    rows::{Args, Node, NodeState},
};
use crate::registry::Usage;

/// The amount that one attempt of a call reserved, and the amount it used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    pub run: RunId,
    /// The number of the payment within its run.
    pub number: u64,
    /// The node; empty if it is unknown.
    pub path: String,
    /// `llm_router.ask`.
    pub op: String,
    /// The places of the enclosing bounds; `None` if unknown.
    pub scopes: Option<Vec<String>>,
    /// Milliseconds since 1970.
    pub at: i64,
    pub most: Usage,
    /// `None` while unknown: then the reservation counts in full.
    pub used: Option<Usage>,
    /// The run that paid, if it is another one.
    pub origin: Option<RunId>,
}

impl Payment {
    /// The amount that counts against caps.
    pub fn counts(&self) -> Usage {
        self.used.unwrap_or(self.most)
    }

    /// The sum of the amounts that count.
    pub fn total(payments: &[Self]) -> Usage {
        payments.iter().fold(Usage::default(), |sum, it| sum.plus(it.counts()))
    }
}

/// The calls of a run, each with everything that was ever paid for it.
pub(super) fn calls(mut nodes: Vec<Node>, payments: Vec<Payment>) -> Vec<Node> {
    let mut paid: BTreeMap<String, Vec<Payment>> = BTreeMap::new();
    for payment in payments.into_iter().filter(|it| !it.path.is_empty()) {
        paid.entry(payment.path.clone()).or_default().push(payment);
    }
    for node in &mut nodes {
        if let Some(payments) = paid.remove(&node.path) {
            node.used = Payment::total(&payments);
        }
    }
    nodes.extend(paid.into_values().filter_map(|it| begun(&it)));
    nodes
}

/// A call that is only known by its payments.
fn begun(payments: &[Payment]) -> Option<Node> {
    let first = payments.first()?;
    let (component, op) = first.op.split_once('.').unwrap_or((&first.op, ""));
    Some(Node {
        run: first.run.clone(),
        path: first.path.clone(),
        key: [0; 32],
        component: component.to_owned(),
        op: op.to_owned(),
        version: 0,
        state: NodeState::Intended,
        attempts: u32::try_from(payments.len()).unwrap_or(u32::MAX),
        started: first.at,
        took: 0,
        used: Payment::total(payments),
        output: None,
        error: None,
        args: Args::None,
        input: None,
        born: first.at,
        origin: first.origin.clone(),
        about: "{}".to_owned(),
        cause: None,
    })
}
