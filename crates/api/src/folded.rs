//! The nodes of a run by place in the script: the items of an `each` share one place.

use std::{collections::HashMap, time::Duration};

use svc_contract::{
    registry::{ErrorKind, Usage},
    store::{Node, NodeState},
};
use svc_engine::run::place_of;

use crate::runs::recorded_error;

/// The results of [`state`], in the order in which they are shown.
const STATES: [&str; 5] =
    [NodeState::Done.word(), REUSED, FAILED, CANCELLED, NodeState::Intended.word()];
pub const FAILED: &str = NodeState::Failed.word();
const CANCELLED: &str = "cancelled";
const REUSED: &str = "reused";

/// All nodes of one place in the script, in the order in which they were recorded.
pub struct FoldedPlace<'n> {
    /// `each[]/summary`.
    pub path: String,
    pub nodes: Vec<&'n Node>,
}

/// The places of a run, in the order in which they began.
pub fn places(nodes: &[Node]) -> Vec<FoldedPlace<'_>> {
    let mut places: Vec<FoldedPlace<'_>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for node in nodes {
        let path = place_of(&node.path);
        let at = *known.entry(path).or_insert_with_key(|path| {
            places.push(FoldedPlace { path: path.clone(), nodes: Vec::new() });
            places.len() - 1
        });
        places[at].nodes.push(node);
    }
    places.sort_by_key(FoldedPlace::started);
    places
}

impl FoldedPlace<'_> {
    pub fn count(&self, wanted: &str) -> usize {
        self.nodes.iter().filter(|it| state(it) == wanted).count()
    }

    /// `9998 done, 2 failed`; if there is only one state, its word alone.
    pub fn state(&self) -> String {
        let counts = STATES.map(|it| (it, self.count(it)));
        let there: Vec<_> = counts.iter().filter(|(_, count)| *count > 0).collect();
        match there.as_slice() {
            [(word, _)] => (*word).to_owned(),
            many => {
                let parts = many.iter().map(|(word, count)| format!("{count} {word}"));
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Milliseconds since 1970.
    pub fn started(&self) -> i64 {
        self.nodes.iter().map(|it| it.started).min().unwrap_or(0)
    }

    /// Milliseconds since 1970.
    pub fn ended(&self) -> i64 {
        self.nodes.iter().map(|it| ended(it)).max().unwrap_or(0)
    }

    /// The total time of all nodes, which may be longer than the run.
    pub fn took(&self) -> Duration {
        let all = self.nodes.iter().map(|it| took(it));
        all.fold(Duration::ZERO, Duration::saturating_add)
    }

    pub fn used(&self) -> Usage {
        self.nodes.iter().fold(Usage::default(), |sum, it| sum.plus(it.used))
    }
}

/// The word for the state of a node. A node whose value comes from another run was `reused`;
/// one that failed only because of another failure, or because the run was stopped, was
/// `cancelled`.
pub fn state(node: &Node) -> &'static str {
    if node.origin.is_some() {
        return REUSED;
    }
    let recorded_error =
        if node.state == NodeState::Failed { recorded_error(node.error.as_deref()) } else { None };
    let kind = recorded_error.as_ref().and_then(|it| it["kind"].as_str());
    if kind == Some(ErrorKind::Cancelled.name()) { CANCELLED } else { node.state.word() }
}

/// The time that a node took in this run: zero if its value comes from another run.
pub fn took(node: &Node) -> Duration {
    Duration::from_micros(if node.origin.is_some() { 0 } else { node.took })
}

/// Milliseconds since 1970.
pub fn ended(node: &Node) -> i64 {
    let took = i64::try_from(took(node).as_millis()).unwrap_or(i64::MAX);
    node.started.saturating_add(took)
}
