//! Error codes as JSON: `svc explain --json`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_lang::diag::Explanation;

/// An error code with its explanation.
#[derive(JsonSchema, Serialize)]
pub struct CodeJson {
    code: &'static str,
    title: &'static str,
    /// Markdown.
    meaning: &'static str,
    wrong: &'static str,
    right: &'static str,
}

impl CodeJson {
    pub fn new(entry: Explanation) -> Self {
        let Explanation { code, title, meaning, wrong, right, .. } = entry;
        Self { code, title, meaning, wrong: wrong.text, right: right.text }
    }
}
