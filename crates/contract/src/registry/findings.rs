//! What checks of texts and values report.

use super::{choices, documents::Span, record};
use crate::value::Text;

choices! {
    /// How bad a finding is.
    pub enum Severity {
        Info = "info",
        Warning = "warning",
        Error = "error",
    }
}

record! {
    /// What a check found in a text or value.
    pub struct Finding {
        /// The rule that it breaks, such as `spelling`.
        rule: Text,
        /// How bad it is.
        severity: Severity,
        /// What is wrong.
        message: Text,
        /// Where it is in a value, such as `lines[3].amount`; empty for the whole of it.
        path: Text,
        /// Where it is in a text.
        span: Option<Span>,
        /// What to write instead.
        fix: Option<Text>,
    }
}
