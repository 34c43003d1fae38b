//! Failures of an index, classified by remedy.

use std::io;

use svc_contract::registry::OpError;
use tantivy::TantivyError;

/// Why a search of an index failed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Another index would not help.
    Op(OpError),
    /// The existing index cannot be used: a rebuild helps.
    Damaged(String),
    /// The index cannot be stored in this place: an index in memory helps.
    Place(String),
}

impl Trouble {
    /// Reports damage as an error of the query: the index cannot answer it because a field lacks
    /// the necessary data.
    pub(super) fn of_query(self) -> Self {
        match self {
            Self::Damaged(why) => {
                Self::Op(OpError::invalid_input(format!("cannot answer `query`: {why}")))
            }
            other => other,
        }
    }
}

impl From<OpError> for Trouble {
    fn from(err: OpError) -> Self {
        Self::Op(err)
    }
}

impl From<io::Error> for Trouble {
    fn from(err: io::Error) -> Self {
        use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
        match err.kind() {
            InvalidData | NotFound | UnexpectedEof => Self::Damaged(err.to_string()),
            _ => Self::Place(err.to_string()),
        }
    }
}

impl From<TantivyError> for Trouble {
    fn from(err: TantivyError) -> Self {
        match err {
            TantivyError::IoError(err) => io::Error::new(err.kind(), err.to_string()).into(),
            TantivyError::OpenDirectoryError(_)
            | TantivyError::OpenWriteError(_)
            | TantivyError::LockFailure(..)
            | TantivyError::SystemError(_) => Self::Place(err.to_string()),
            _ => Self::Damaged(err.to_string()),
        }
    }
}
