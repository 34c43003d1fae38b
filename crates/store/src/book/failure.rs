//! The errors of a book, in its own words.

use std::path::Path;

use svc_contract::store::{StoreError, StoreErrorKind};

/// An error of `SQLite` or of the file as one of the book.
pub(super) fn of_book(mut err: StoreError, file: Option<&Path>) -> StoreError {
    let name = file.map_or_else(String::new, |it| format!(" `{}`", it.display()));
    if let Some(rest) = err.message.strip_prefix("the store ") {
        err.message = format!("the database of the service{name} {rest}");
    }
    let help = match err.kind {
        StoreErrorKind::ReadOnly => "make the folder writable, or choose another one",
        StoreErrorKind::Full => "free some space, then try again; nothing was changed",
        StoreErrorKind::Locked => "try again when it is done",
        StoreErrorKind::Corrupt => "restore a copy of the folder",
        StoreErrorKind::Newer => "use that version of svc, or choose another folder",
        StoreErrorKind::Foreign => "choose another folder",
        StoreErrorKind::Gone => "open it again",
        StoreErrorKind::NotFound | StoreErrorKind::Exists => return err,
        _ => "check that the disk has space and works",
    };
    if err.hint.is_some() || err.help.is_none() {
        err.help = Some(help.to_owned());
        err.hint = None;
    }
    err
}
