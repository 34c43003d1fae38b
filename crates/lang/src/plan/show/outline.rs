//! The tree of the nodes of a plan, and short names for them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Node, Plan};
use crate::diag::visible_line;

/// The nodes of a plan as a tree.
pub(super) struct Outline<'p> {
    pub(super) plan: &'p Plan,
    /// The nodes that are not inside another one.
    pub(super) roots: Vec<usize>,
    children: Vec<Vec<usize>>,
}

impl<'p> Outline<'p> {
    pub(super) fn of(plan: &'p Plan) -> Self {
        let nodes = plan.nodes();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut roots = Vec::new();
        for (idx, node) in nodes.iter().enumerate() {
            match node.parent {
                Some(parent) => children[parent].push(idx),
                None => roots.push(idx),
            }
        }
        Self { plan, roots, children }
    }

    pub(super) fn node(&self, idx: usize) -> &'p Node {
        &self.plan.nodes()[idx]
    }

    /// Every node, in the order of the script.
    pub(super) fn all(&self) -> std::ops::Range<usize> {
        0..self.plan.nodes().len()
    }

    pub(super) fn children(&self, idx: usize) -> &[usize] {
        &self.children[idx]
    }

    /// A node and the nodes around it, innermost first.
    pub(super) fn around(&self, idx: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(idx), |it| self.node(*it).parent)
    }

    /// The dependencies among the children of each block and of the file, as indices in the list
    /// of children. Nodes inside a child count as the child.
    pub(super) fn sibling_edges(&self) -> BTreeMap<Option<usize>, BTreeSet<(usize, usize)>> {
        let mut edges: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let mut place = vec![0; self.children.len()];
        for children in self.children.iter().chain([&self.roots]) {
            children.iter().enumerate().for_each(|(idx, child)| place[*child] = idx);
        }
        for idx in self.all() {
            for need in &self.node(idx).needs {
                if let Some((block, from, to)) = self.lifted(*need, idx) {
                    edges.entry(block).or_default().insert((place[from], place[to]));
                }
            }
        }
        edges
    }

    /// Lifts an edge to the two siblings that contain its nodes, with the block around them;
    /// `None` if one node is inside the other.
    fn lifted(&self, from: usize, to: usize) -> Option<(Option<usize>, usize, usize)> {
        let down = |idx| {
            let mut around: Vec<usize> = self.around(idx).collect();
            around.reverse();
            around
        };
        let (from, to) = (down(from), down(to));
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let (a, b) = (*from.get(shared)?, *to.get(shared)?);
        // Nodes come after those that they use.
        (a < b).then(|| (shared.checked_sub(1).map(|it| from[it]), a, b))
    }

    /// The label of a node next to the blocks around it: its path without the part shared with
    /// them.
    pub(super) fn label(&self, idx: usize) -> String {
        visible_line(&self.written(idx)).into_owned()
    }

    fn written(&self, idx: usize) -> String {
        let node = self.node(idx);
        if node.path.is_empty() {
            return node.name.clone();
        }
        let around = self.around(idx).skip(1).find(|it| !self.node(*it).path.is_empty());
        let around = around.map_or("", |it| &self.node(it).path);
        let shared = node.path.split('/').zip(around.split('/')).take_while(|(a, b)| a == b);
        let own: Vec<&str> = node.path.split('/').skip(shared.count()).collect();
        let turns = node.name.strip_prefix("repeat ").map(|it| format!(" ×{it}"));
        // A block whose segments are all shared keeps its name.
        let label = if own.is_empty() { node.name.clone() } else { own.join("/") };
        label + turns.unwrap_or_default().as_str()
    }

    /// The full path of a node.
    pub(super) fn place(&self, idx: usize) -> String {
        let node = self.node(idx);
        let place = || {
            let around = self.around(idx).map(|it| self.node(it)).find(|it| !it.path.is_empty());
            around.map_or_else(|| node.name.clone(), |it| format!("{}/{}", it.path, node.name))
        };
        let place = if node.path.is_empty() { place() } else { node.path.clone() };
        visible_line(&place).into_owned()
    }
}
