//! One thing that is wrong, with its places and its fixes.

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
    /// Changes of the text that fix it together.
    pub fixes: Vec<Fix>,
    /// Whether they may be applied without asking.
    pub applicability: Applicability,
}

/// Whether fixes may be applied without asking their author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// What was written can only have meant what the fix writes.
    Safe,
    /// The fix chooses: a value, a conversion, one name of several, what a case that was left
    /// out does, where a bracket ends. Or it drops something that was written.
    Suggested,
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

/// A change of the text that fixes the problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    pub span: Span,
    pub text: String,
}

impl Applicability {
    pub fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Suggested => "suggested",
        }
    }
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
            applicability: Applicability::Safe,
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

    /// Adds a change that fixes it and leaves no doubt: see [`Applicability::Safe`].
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { span, text: text.into() });
        self
    }

    /// Adds a change that may fix it, for the author to decide.
    #[must_use]
    pub fn suggest(self, span: Span, text: impl Into<String>) -> Self {
        self.fix(span, text).suggested()
    }

    /// Leaves it to the author whether its fixes are applied.
    #[must_use]
    pub fn suggested(mut self) -> Self {
        self.applicability = Applicability::Suggested;
        self
    }

    /// The same where somebody must decide.
    #[must_use]
    pub fn suggested_if(self, is_doubtful: bool) -> Self {
        if is_doubtful { self.suggested() } else { self }
    }

    /// Adds a change that fixes it, where there is one.
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
