//! The results of `svc check`.

use serde::Serialize;
use svc_engine::verdict::{self, Verdict};
use svc_lang::check::Checked;

/// The output of `svc check --json`.
#[derive(Serialize)]
pub struct CheckJson {
    pub files: Vec<Verdict>,
}

/// `ok, gives Summary`, with the number of warnings.
pub fn summary(program: &Checked) -> String {
    let gives = match verdict::gives(program) {
        Some(ty) => format!("gives {ty}"),
        None => "only defines flows and types".to_owned(),
    };
    match program.warnings.all().count() {
        0 => format!("ok, {gives}"),
        n => format!("ok, {gives}, {}", counted(n, "warning")),
    }
}

/// `1 error`, `2 errors`.
pub fn counted(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
