//! Declarations of a script that nothing in it names.

use std::collections::HashMap;

use super::blocks::with_line;
use crate::{
    diag::{Code, Problem},
    syntax::{
        ast::{ItemKind, Program, Word},
        token::{TokenKind, lex},
    },
};

/// Warns of params, secrets and used files that a script with a pipeline does not name. Other files
/// may use its flows and types.
pub(super) fn unused(text: &str, program: &Program) -> Vec<Problem> {
    if program.main.is_none() {
        return Vec::new();
    }
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for token in lex(text).tokens.iter().filter(|it| it.kind == TokenKind::Word) {
        *uses.entry(&text[token.span.range()]).or_default() += 1;
    }
    let is_unused = |name: &Word| {
        let name = name.text.as_ref();
        !name.starts_with('_') && uses.get(name).is_none_or(|it| *it < 2)
    };
    let declared = program.items.iter().filter_map(|it| {
        let (what, name) = match &it.kind {
            ItemKind::Param { name, .. } => ("param", name),
            ItemKind::Secret { name } => ("secret", name),
            ItemKind::Use(it) => ("use", &it.name),
            _ => return None,
        };
        is_unused(name).then_some((what, name, it.span))
    });
    declared
        .map(|(what, name, span)| {
            let message = format!("unused `{what}` `{}`", name.text);
            let problem = Problem::warning(Code::E221, name.span, message)
                .label("never used")
                .help("use it, or remove it");
            // A param has its documentation above it, and callers who may pass it.
            match what {
                "param" => problem,
                _ => problem.suggest(with_line(text, span), ""),
            }
        })
        .collect()
}
