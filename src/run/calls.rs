//! What a term may call, through all flows that it names.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    check::{Call, Flow, Term, TermKind},
    diag::Source,
    registry::{Effect, Price},
    value::Text,
};

/// Whether running a term may cost anything.
pub(super) fn spends(term: &Term) -> bool {
    reaches(term, |it| !matches!(it.op.op.price, Price::Free))
}

/// Whether running a term may write something that must not be written twice.
pub(super) fn writes_once(term: &Term) -> bool {
    reaches(term, |it| it.op.op.writes_once())
}

/// Whether running a term may change something, or ask somebody.
pub(super) fn acts(term: &Term) -> bool {
    reaches(term, |it| it.op.op.writes() || it.op.op.effects.contains(&Effect::Asks))
}

/// The files that a flow and all flows that it names stand in.
pub(super) fn files_of(flow: &Arc<Flow>) -> impl Iterator<Item = Source> + use<> {
    let mut walk = Walk::new(|_| false);
    walk.files.insert(flow.source.name().into(), flow.source.clone());
    walk.term(&flow.body);
    walk.files.into_values()
}

fn reaches(term: &Term, wanted: fn(&Call) -> bool) -> bool {
    let mut walk = Walk::new(wanted);
    walk.term(term);
    walk.found
}

struct Walk {
    wanted: fn(&Call) -> bool,
    found: bool,
    /// Flows that were walked, and the files that they stand in.
    seen: BTreeSet<*const Flow>,
    files: BTreeMap<Text, Source>,
}

impl Walk {
    fn new(wanted: fn(&Call) -> bool) -> Self {
        Self { wanted, found: false, seen: BTreeSet::new(), files: BTreeMap::new() }
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(call) => self.found |= (self.wanted)(call),
            TermKind::Flow { flow, .. } | TermKind::FlowRef(flow)
                if self.seen.insert(Arc::as_ptr(flow)) =>
            {
                self.files.insert(flow.source.name().into(), flow.source.clone());
                self.term(&flow.body);
            }
            _ => {}
        }
        if !self.found {
            term.each_part(&mut |it| stacker::maybe_grow(64 << 10, 1 << 20, || self.term(it)));
        }
    }
}
