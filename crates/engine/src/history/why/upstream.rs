//! The inputs of a call: places of the plan, and the corresponding calls of a run.

use std::collections::BTreeSet;

use svc_contract::value::Text;
use svc_lang::plan::Plan;

use crate::run::place_of;

/// The inputs of the calls at a place, through everything computed between them.
#[derive(Default)]
pub(super) struct Upstream {
    pub(super) calls: BTreeSet<String>,
    pub(super) inputs: BTreeSet<Text>,
}

impl Upstream {
    pub(super) fn of(plan: &Plan, place: &str) -> Self {
        let mut upstream = Self::default();
        let nodes = plan.nodes();
        let Some(start) = nodes.iter().position(|it| it.path == place) else { return upstream };
        // A user of an enclosing block uses the input of the block, not its result.
        let around: BTreeSet<usize> =
            std::iter::successors(nodes[start].parent, |it| nodes[*it].parent).collect();
        let (mut open, mut seen) = (vec![start], BTreeSet::new());
        while let Some(idx) = open.pop() {
            if !seen.insert(idx) {
                continue;
            }
            let node = &nodes[idx];
            if idx != start && node.op.is_some() && node.cost_class != Some("inline") {
                upstream.calls.insert(node.path.clone());
                continue;
            }
            upstream.inputs.extend(node.inputs.iter().cloned());
            open.extend(&node.needs);
            if node.op.is_none() && !around.contains(&idx) {
                // The results of a block are those of its parts that no other part uses.
                let inside: Vec<usize> =
                    (idx + 1..nodes.len()).take_while(|it| nodes[*it].depth > node.depth).collect();
                let used: BTreeSet<usize> =
                    inside.iter().flat_map(|it| nodes[*it].needs.iter().copied()).collect();
                open.extend(inside.into_iter().filter(|it| *it != start && !used.contains(it)));
            }
        }
        upstream
    }
}

/// A place relative to a call: with the numbers of the items and turns that contain both.
pub(super) fn seen_from(place: &str, of: &str) -> String {
    let mut around = of.split('/');
    let mut is_around = true;
    let parts: Vec<&str> = place
        .split('/')
        .map(|part| {
            let own = around.next().filter(|it| is_around && place_of(it) == part);
            is_around = own.is_some();
            own.unwrap_or(part)
        })
        .collect();
    parts.join("/")
}

/// Whether a call can be used by another one: it is not in another item or turn.
pub(super) fn is_around(path: &str, of: &str) -> bool {
    for (a, b) in path.split('/').zip(of.split('/')) {
        if place_of(a) != place_of(b) {
            return true;
        }
        if a != b {
            return false;
        }
    }
    true
}
