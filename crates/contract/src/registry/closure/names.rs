//! Constant data made at run time, once for each distinct content.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// Constant data of one kind, by its content as text.
pub(super) struct Kept<T: 'static>(Mutex<BTreeMap<String, &'static T>>);

impl<T> Kept<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// The data with this content; it is made and leaked if it is new.
    pub(super) fn get(&self, content: String, make: impl FnOnce() -> T) -> &'static T {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(content).or_insert_with(|| Box::leak(Box::new(make())))
    }
}

/// A constant text.
pub(super) fn kept(text: &str) -> &'static str {
    static TEXTS: Kept<Box<str>> = Kept::new();
    TEXTS.get(text.to_owned(), || text.into())
}

/// Whether a text has the form of a name in a script, in lower case.
pub(super) fn is_name(text: &str) -> bool {
    let is_sign = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
    text.bytes().next().is_some_and(|it| it.is_ascii_lowercase()) && text.bytes().all(is_sign)
}
