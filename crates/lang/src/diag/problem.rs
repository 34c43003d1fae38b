//! One problem, with its places and its fixes.

use std::fmt;

use svc_contract::{
    registry::{Advice, Hint},
    value::{Text, Type},
};

use super::{Code, Span};

/// One problem of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    /// The places involved; the first is where the problem is.
    pub labels: Vec<Label>,
    pub help: Option<String>,
    /// What the help is about, if a program may word it.
    pub hint: Option<Box<Hint>>,
    /// The effect that a policy refuses, if that is the problem.
    pub refused: Option<Box<Refused>>,
    /// The hole that is not filled, if that is the problem.
    pub hole: Option<Box<Unfilled>>,
    /// Edits that fix the problem when applied together.
    pub fixes: Vec<Fix>,
    /// Whether the fixes may be applied without asking.
    pub applicability: Applicability,
}

/// An effect that a policy refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// `reads`, `writes`, `runs`, `spends` or `asks`.
    pub verb: &'static str,
    /// Its place as in a rule, such as `web:example.com`, as far as it is known before the run.
    pub place: Option<String>,
    /// The rule that denies it; `None` if no rule allows it.
    pub rule: Option<String>,
}

/// A hole: a stage or value that is not written yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unfilled {
    /// Its name, without the `?`.
    pub name: Option<Text>,
    /// The type of what enters it: as declared, or else as known from the stage before.
    pub input: Option<Type>,
    /// The type of its value or result: as declared, or else as known from what follows.
    pub wanted: Option<Type>,
    /// The comment at the end of its line.
    pub comment: Option<String>,
}

/// Whether fixes may be applied without asking the author of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// The text can only have meant what the fix writes.
    Safe,
    /// The fix makes a choice: a value, a conversion, one of several names, the result of a
    /// missing case, the end of a bracket. Or it removes something that was written.
    Suggested,
}

/// Whether the problem keeps the script from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A place, and a text about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// An edit that fixes the problem.
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
            hint: None,
            refused: None,
            hole: None,
            fixes: Vec::new(),
            applicability: Applicability::Safe,
        }
    }

    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Sets the text of the first place.
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
    pub fn help(mut self, text: impl Into<Advice>) -> Self {
        let (help, hint) = text.into().parts();
        (self.help, self.hint) = (Some(help), hint.map(Box::new));
        self
    }

    /// Adds the effect that a policy refuses.
    #[must_use]
    pub fn refused(mut self, effect: Refused) -> Self {
        self.refused = Some(Box::new(effect));
        self
    }

    /// Adds the hole that is not filled.
    #[must_use]
    pub fn of_hole(mut self, hole: Unfilled) -> Self {
        self.hole = Some(Box::new(hole));
        self
    }

    #[must_use]
    pub fn help_opt(mut self, text: Option<String>) -> Self {
        self.help = text.or(self.help);
        self
    }

    /// Adds an edit that certainly fixes the problem: see [`Applicability::Safe`].
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { span, text: text.into() });
        self
    }

    /// Adds an edit that may fix the problem, for the author to decide.
    #[must_use]
    pub fn suggest(self, span: Span, text: impl Into<String>) -> Self {
        self.fix(span, text).suggested()
    }

    /// Marks the fixes as suggestions that the author must accept.
    #[must_use]
    pub fn suggested(mut self) -> Self {
        self.applicability = Applicability::Suggested;
        self
    }

    /// Marks the fixes as suggestions if they are doubtful.
    #[must_use]
    pub fn suggested_if(self, is_doubtful: bool) -> Self {
        if is_doubtful { self.suggested() } else { self }
    }

    /// Adds an edit that fixes the problem, if there is one.
    #[must_use]
    pub fn fixed(mut self, fix: Option<Fix>) -> Self {
        self.fixes.extend(fix);
        self
    }

    /// The first place of the problem.
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
