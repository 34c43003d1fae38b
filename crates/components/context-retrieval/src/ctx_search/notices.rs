//! Notices of a search about the files that it skipped.

use std::{cell::RefCell, collections::BTreeSet};

use svc_contract::registry::Cx;

/// The maximum number of notices that are shown.
const NAMED: usize = 20;

/// Notices without duplicates, to be shown when the search has succeeded.
#[derive(Default)]
pub(super) struct Notices(RefCell<BTreeSet<String>>);

impl Notices {
    pub(super) fn add(&self, notice: String) {
        self.0.borrow_mut().insert(notice);
    }

    pub(super) fn emit(self, cx: &Cx) {
        let all = self.0.into_inner();
        for notice in all.iter().take(NAMED) {
            cx.notice(notice);
        }
        if let Some(more) = all.len().checked_sub(NAMED).filter(|it| *it > 0) {
            cx.notice(format!("{more} more notices of this kind were left out"));
        }
    }
}
