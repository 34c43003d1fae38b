//! Why work on columns failed.

use std::fmt;

use crate::Text;

/// What is wrong with a table or with what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    pub message: String,
    pub help: Option<String>,
    /// The column that the table lacks, if that is what is wrong.
    pub missing: Option<Text>,
}

impl TableError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, missing: None }
    }

    /// The table has no column of this name.
    pub fn missing<'a>(name: &str, found: impl IntoIterator<Item = &'a Text>) -> Self {
        let all: Vec<String> = found.into_iter().map(|it| format!("`{it}`")).collect();
        let all = if all.is_empty() { "no columns".to_owned() } else { all.join(", ") };
        let message = format!("missing column `{name}`, found {all}");
        Self { message, help: None, missing: Some(name.into()) }
    }

    /// A condition is expected where values of this kind are.
    pub(crate) fn no_condition(found: &str) -> Self {
        Self::new(format!("expected a condition, found {found}"))
            .help("compare with `==`, `<` and the like")
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
