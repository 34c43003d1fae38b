//! The nodes of a plan.

use svc_contract::value::Money;

use super::{
    Walk,
    abstract_value::AbstractValue,
    bounds::{InForce, Limits},
    resource_use::ResourceUse,
    seen::{Seen, Sources},
};
use crate::{
    check::Term,
    plan::{Envelope, Node},
};

impl Walk<'_> {
    /// Adds a node that contains others. `look` visits the inside, and returns the extent of the
    /// result, the load of the node itself, and that load combined with the terms before it.
    pub(super) fn inside(
        &mut self,
        name: &str,
        segment: Option<String>,
        needs: Sources,
        term: &Term,
        look: impl FnOnce(&mut Self, Option<usize>) -> (AbstractValue, ResourceUse, ResourceUse),
    ) -> Seen {
        let idx = self.add(name, needs.clone(), term);
        self.parents.extend(idx);
        let (extent, own, load) = match segment {
            Some(segment) => {
                if let Some(idx) = idx {
                    self.nodes[idx].path = self.path_to(&segment);
                }
                self.below(segment, |this| look(this, idx))
            }
            None => look(self, idx),
        };
        if idx.is_some() {
            self.parents.pop();
        }
        self.note_envelope(idx, &own);
        Seen { sources: idx.map_or(needs, |it| vec![it]), extent, load }
    }

    pub(super) fn path_to(&self, segment: &str) -> String {
        let mut path = self.path.join("/");
        if !path.is_empty() {
            path.push('/');
        }
        path + segment
    }

    /// Adds a node, unless nothing is shown here.
    pub(super) fn add(&mut self, name: &str, needs: Sources, term: &Term) -> Option<usize> {
        if self.is_quiet() {
            return None;
        }
        let (needs, inputs) = self.split_sources(needs);
        self.nodes.push(Node {
            path: self.path_to(name),
            name: name.to_owned(),
            op: None,
            cost_class: None,
            ty: term.ty.clone(),
            needs,
            inputs,
            depth: self.parents.len(),
            parent: self.parents.last().copied(),
            effects: Vec::new(),
            bounds: Vec::new(),
            envelope: Envelope::NONE,
            verdicts: Vec::new(),
            barrier: None,
            notes: Vec::new(),
            span: term.span,
            source: self.source.clone(),
        });
        Some(self.nodes.len() - 1)
    }

    pub(super) fn note_envelope(&mut self, idx: Option<usize>, load: &ResourceUse) {
        // No part takes more than the bounds around it allow.
        let InForce { tokens, cost, timeout, .. } = self.force;
        let cost = cost.map(Money::from_nanos);
        let around = Limits { cost, tokens, timeout, max_parallel: None };
        if let Some(node) = idx.and_then(|it| self.nodes.get_mut(it)) {
            node.envelope = load.clone().limited(&around).envelope();
        }
    }

    /// Marks a node as a barrier: stages after it wait for all of its parts.
    pub(super) fn waits_for(&mut self, idx: Option<usize>, what: &'static str) {
        if let Some(node) = idx.and_then(|it| self.nodes.get_mut(it)) {
            node.barrier = Some(what);
        }
    }

    /// Adds a remark to a node that is shown.
    pub(super) fn remark(&mut self, idx: Option<usize>, remark: impl FnOnce() -> String) {
        if let Some(node) = idx.and_then(|it| self.nodes.get_mut(it)) {
            node.notes.push(remark());
        }
    }
}
