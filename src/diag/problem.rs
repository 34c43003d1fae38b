//! One thing that is wrong, with its places and its mend.

use std::fmt;

use super::{Code, Span};

/// One thing that is wrong with a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    /// The places it is about; the first is where it happens.
    pub labels: Vec<Label>,
    pub help: Option<String>,
    pub fixes: Vec<Fix>,
}

/// Whether the script may run all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A place, and what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A change of the text that mends the problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    pub span: Span,
    pub text: String,
}

impl Problem {
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            help: None,
            fixes: Vec::new(),
        }
    }

    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Says what the first place is.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.labels[0].text = text.into();
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    #[must_use]
    pub fn help_opt(mut self, text: Option<String>) -> Self {
        self.help = text.or(self.help);
        self
    }

    /// Adds a change that mends it.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { span, text: text.into() });
        self
    }

    /// Adds a change that mends it, where there is one.
    #[must_use]
    pub fn fixed(mut self, fix: Option<Fix>) -> Self {
        self.fixes.extend(fix);
        self
    }

    /// Where it happens.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
