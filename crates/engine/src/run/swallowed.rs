//! Failures that `?` or `fallback` swallowed in an immediate computation.

use std::cell::RefCell;

use super::error::RunError;

/// The most places that one computation remembers.
const MOST: usize = 64;

/// The failures that a computation swallowed so far, by their places.
pub(super) struct Swallowed(RefCell<Vec<Continued>>);

/// A failure that was swallowed, and the number of those at its place.
pub(super) struct Continued {
    pub(super) error: Box<RunError>,
    pub(super) count: u64,
}

impl Swallowed {
    pub(super) const fn none() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// Remembers a failure: the first one at its place, and the number of others there.
    pub(super) fn add(&self, error: Box<RunError>) {
        let mut all = self.0.borrow_mut();
        let file = |it: &RunError| it.source.as_ref().map(|it| it.name().to_owned());
        let is_it = |it: &Continued| it.error.span == error.span && file(&it.error) == file(&error);
        if let Some(known) = all.iter().position(is_it) {
            all[known].count += 1;
        } else if all.len() < MOST {
            all.push(Continued { error, count: 1 });
        }
    }

    pub(super) fn take(&self) -> Vec<Continued> {
        self.0.take()
    }
}
