//! The results of `svc check`.

use std::fmt;

use serde::Serialize;
use svc_engine::output::verdict::{self, Verdict};
use svc_lang::check::Checked;

/// The output of `svc check --json`.
#[derive(Serialize)]
pub struct CheckJson {
    pub files: Vec<Verdict>,
}

/// `ok, result Summary`, with the number of warnings.
pub fn summary(program: &Checked) -> String {
    let result = match verdict::result_type(program) {
        Some(ty) => format!("result {ty}"),
        None => "only defines flows and types".to_owned(),
    };
    match program.warnings.all().count() {
        0 => format!("ok, {result}"),
        n => format!("ok, {result}, {}", counted(n, "warning")),
    }
}

/// `1 error`, `2 errors`.
pub fn counted<N: Copy + fmt::Display + PartialEq + From<u8>>(n: N, word: &str) -> String {
    let end = if n == N::from(1) { "" } else { "s" };
    format!("{n} {word}{end}")
}
