//! Why work on columns failed.

use std::fmt;

/// What is wrong with a table or with what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    pub message: String,
    pub help: Option<String>,
}

impl TableError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TableError {}
