//! What a search has to say of the files that it left out.

use std::{cell::RefCell, collections::BTreeSet};

use svc_contract::registry::Cx;

/// How many are told one by one.
const NAMED: usize = 20;

/// Notices, each once, to be told when the search has succeeded.
#[derive(Default)]
pub(super) struct Notices(RefCell<BTreeSet<String>>);

impl Notices {
    pub(super) fn add(&self, notice: String) {
        self.0.borrow_mut().insert(notice);
    }

    pub(super) fn tell(self, cx: &Cx) {
        let all = self.0.into_inner();
        for notice in all.iter().take(NAMED) {
            cx.notice(notice);
        }
        if let Some(more) = all.len().checked_sub(NAMED).filter(|it| *it > 0) {
            cx.notice(format!("{more} more notices of this kind were left out"));
        }
    }
}
