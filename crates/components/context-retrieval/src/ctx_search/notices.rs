//! Notices of a search: about what the query found, and about the files that it skipped.

use std::{cell::RefCell, collections::BTreeSet};

use svc_contract::registry::Cx;

/// The maximum number of notices that are shown.
const NAMED: usize = 20;

/// Notices without duplicates, to be shown when the search has succeeded.
#[derive(Default)]
pub(super) struct Notices {
    of_files: RefCell<BTreeSet<String>>,
    of_query: RefCell<Vec<String>>,
}

impl Notices {
    /// Adds a notice about a file, or about the index.
    pub(super) fn add(&self, notice: String) {
        self.of_files.borrow_mut().insert(notice);
    }

    /// Adds a notice about what the query found, which is shown however many files are skipped.
    pub(super) fn add_of_query(&self, notice: String) {
        self.of_query.borrow_mut().push(notice);
    }

    pub(super) fn emit(self, cx: &Cx) {
        let all = self.of_files.into_inner();
        for notice in all.iter().take(NAMED) {
            cx.notice(notice);
        }
        if let Some(more) = all.len().checked_sub(NAMED).filter(|it| *it > 0) {
            cx.notice(format!("{more} more notices of this kind were left out"));
        }
        for notice in self.of_query.into_inner() {
            cx.notice(notice);
        }
    }
}
