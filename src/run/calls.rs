//! What a term may call, through all flows that it names.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    check::{Call, Flow, Term, TermKind},
    registry::Price,
};

/// Whether running a term may cost anything.
pub(super) fn spends(term: &Term) -> bool {
    reaches(term, |it| !matches!(it.op.op.price, Price::Free))
}

/// Whether running a term may write something that must not be written twice.
pub(super) fn writes_once(term: &Term) -> bool {
    reaches(term, |it| it.op.op.writes_once())
}

fn reaches(term: &Term, wanted: fn(&Call) -> bool) -> bool {
    let mut walk = Walk { wanted, found: false, seen: BTreeSet::new() };
    walk.term(term);
    walk.found
}

struct Walk {
    wanted: fn(&Call) -> bool,
    found: bool,
    /// Flows that were walked.
    seen: BTreeSet<*const Flow>,
}

impl Walk {
    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(call) => self.found |= (self.wanted)(call),
            TermKind::Flow { flow, .. } | TermKind::FlowRef(flow)
                if self.seen.insert(Arc::as_ptr(flow)) =>
            {
                self.term(&flow.body);
            }
            _ => {}
        }
        if !self.found {
            term.each_part(&mut |it| stacker::maybe_grow(64 << 10, 1 << 20, || self.term(it)));
        }
    }
}
