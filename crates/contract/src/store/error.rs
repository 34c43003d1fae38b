//! Errors of the store.

use std::{fmt, io, path::Path};

use crate::registry::{Advice, Hint, HintId};

/// The kind of an error; a closed list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// A newer svc created or changed the store.
    Newer,
    /// The file is not a store.
    Foreign,
    /// The data is inconsistent, or a part of it is missing.
    Corrupt,
    /// The file or its folder is not writable.
    ReadOnly,
    /// Another process has locked the store.
    Locked,
    /// No space is left, on the disk or within the store's page limit.
    Full,
    /// The file was deleted or replaced while it was open.
    Gone,
    /// Another process works on the run.
    Claimed { pid: Option<u32> },
    /// The run does not exist.
    NotFound,
    /// The name matches more than one run.
    Ambiguous,
    /// The file to create already exists.
    Exists,
    /// Any other error of the system.
    Io,
    /// A bug in the caller of the store, or in the store itself.
    Bug,
}

/// An error of the store. It is cheap to clone, because a failed commit is reported to everyone
/// who shared it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    pub kind: StoreErrorKind,
    pub message: String,
    /// The help line.
    pub help: Option<String>,
    /// What the help line is about, if a program may word it.
    pub hint: Option<Hint>,
}

impl StoreError {
    /// An error without a help line.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None, hint: None }
    }

    /// Adds a help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<Advice>) -> Self {
        let (help, hint) = help.into().parts();
        (self.help, self.hint) = (Some(help), hint);
        self
    }

    /// Adds the file name of the affected store.
    #[must_use]
    pub fn at(mut self, file: &Path) -> Self {
        if let Some(rest) = self.message.strip_prefix("the store ") {
            self.message = format!("the store `{}` {rest}", file.display());
        }
        self
    }

    /// Inconsistent data.
    pub fn corrupt(why: impl fmt::Display) -> Self {
        Self::new(StoreErrorKind::Corrupt, format!("the store is damaged: {why}"))
            .help(HintId::StoreDamaged)
    }

    /// For errors that only a bug of svc can cause.
    pub fn bug(why: impl fmt::Display) -> Self {
        Self::new(StoreErrorKind::Bug, format!("bug in the store: {why}"))
    }

    /// An unknown run, or something else that a run should have.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::NotFound, message).help(HintId::ListRuns)
    }

    /// An error of a kind that has its own message and help line, with its reason.
    pub fn of_kind(kind: StoreErrorKind, why: impl fmt::Display) -> Self {
        let (what, help): (_, Advice) = match kind {
            StoreErrorKind::ReadOnly => {
                ("the store cannot be written", HintId::StoreReadOnly.into())
            }
            StoreErrorKind::Locked => {
                ("the store is locked by another process", "try again when it is done".into())
            }
            StoreErrorKind::Full => ("the store has no space left", HintId::StoreFull.into()),
            StoreErrorKind::Corrupt => return Self::corrupt(why),
            StoreErrorKind::Bug => return Self::bug(why),
            _ => ("the store failed", HintId::StoreFailed.into()),
        };
        Self::new(kind, format!("{what}: {why}")).help(help)
    }

    /// Whether only this entry is wrong, and others can still be written.
    pub fn is_of_entry(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Bug | StoreErrorKind::NotFound)
    }
}

impl From<io::Error> for StoreError {
    fn from(err: io::Error) -> Self {
        let kind = match err.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreErrorKind::ReadOnly
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => StoreErrorKind::Full,
            _ => StoreErrorKind::Io,
        };
        Self::of_kind(kind, err)
    }
}
