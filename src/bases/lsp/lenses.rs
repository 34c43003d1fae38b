//! Code lenses: run, plan and test what stands below them.
//!
//! The client carries the commands out, because it has the terminal. A client names those that it
//! knows in the initialization options: `"commands": ["svc.run", "svc.plan", "svc.test"]`. Each has
//! one argument: `{ "file": PATH, "arguments": [..] }`, what to pass to `svc`.

use lsp_types::{CodeLens, Command};
use serde_json::json;
use svc_engine::Threads;
use svc_lang::{
    diag::Span,
    syntax::{ast::ItemKind, parse_with},
};

use super::{documents::Look, uri};

pub(super) const RUN: &str = "svc.run";
pub(super) const PLAN: &str = "svc.plan";
pub(super) const TEST: &str = "svc.test";

/// The maximum number of tests with a lens.
const MOST: usize = 1_000;

/// The lenses of a script that is a file; `commands` are those that the client knows.
pub(super) fn lenses(look: &Look<'_>, commands: &[String]) -> Vec<CodeLens> {
    let Some(file) = uri::file_of(&look.document.uri) else { return Vec::new() };
    let program = parse_with(look.text(), &Threads).program;
    let (mut lenses, lens) = (Vec::new(), Lens { look, file: &file });
    let tests = program.items.iter().filter_map(|it| match &it.kind {
        ItemKind::Test(test) => Some(&test.name),
        _ => None,
    });
    let tests: Vec<_> = tests.take(MOST).collect();
    if let Some(main) = &program.main {
        lenses.push(lens.of(main.span, "run", RUN, &["run", &file]));
        lenses.push(lens.of(main.span, &plan_title(look), PLAN, &["plan", &file]));
        if !tests.is_empty() {
            lenses.push(lens.of(main.span, "test all", TEST, &["test", &file]));
        }
    }
    for test in tests {
        let filter = format!("--filter={}", test.text);
        lenses.push(lens.of(test.span, "test", TEST, &["test", &file, &filter]));
    }
    let knows = |it: &CodeLens| {
        it.command.as_ref().is_some_and(|command| commands.contains(&command.command))
    };
    lenses.retain(knows);
    lenses
}

/// `plan`, with the most that a run costs.
fn plan_title(look: &Look<'_>) -> String {
    match look.plan().and_then(|it| it.envelope().cost_at_most()) {
        Some(most) => format!("plan ({most})"),
        None => "plan".to_owned(),
    }
}

struct Lens<'a> {
    look: &'a Look<'a>,
    file: &'a str,
}

impl Lens<'_> {
    /// A lens above the line where a place begins.
    fn of(&self, at: Span, title: &str, command: &str, arguments: &[&str]) -> CodeLens {
        let argument = json!({ "file": self.file, "arguments": arguments });
        let command = Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![argument]),
        };
        let range = self.look.page().range(Span::new(at.start, at.start));
        CodeLens { range, command: Some(command), data: None }
    }
}
