//! What can go wrong with an index, by what helps.

use std::io;

use svc_contract::registry::OpError;
use tantivy::TantivyError;

/// Why a search on an index ended.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Another index would not help.
    Op(OpError),
    /// What is there cannot be used: building anew helps.
    Damaged(String),
    /// It cannot be kept in this place: building in memory helps.
    Place(String),
}

impl Trouble {
    /// The same, said of a query that an index cannot answer: it asks for what a field does
    /// not have.
    pub(super) fn of_query(self) -> Self {
        match self {
            Self::Damaged(why) => {
                Self::Op(OpError::invalid_input(format!("`query` cannot be answered: {why}")))
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
