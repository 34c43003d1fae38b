//! The conversation with a writer. A writer takes one text, so each prompt repeats what was said.

use svc_contract::registry::{Catalog, OpRef, Tried};
use svc_contract::value::Text;

use super::{
    Failed,
    prompt::{answer_form, signatures},
};

/// The maximum number of answers that a prompt repeats.
const MOST_TURNS: usize = 3;

/// The maximum length of a repeated answer, in bytes.
const LONGEST_ANSWER: usize = 20_000;

/// The maximum number of errors in a prompt, and of explanations.
const MOST_ERRORS: usize = 12;
const MOST_EXPLANATIONS: usize = 3;

/// The maximum length of an explanation, in bytes.
const LONGEST_EXPLANATION: usize = 900;

/// The maximum number of ops that are shown in one turn.
const MOST_OPS: usize = 20;

pub(super) struct Talk {
    first: String,
    /// Answers, each with the reply to it.
    turns: Vec<(String, String)>,
}

impl Talk {
    pub(super) fn new(first: String) -> Self {
        Self { first, turns: Vec::new() }
    }

    pub(super) fn reply(&mut self, answer: &str, reply: String) {
        let end = answer.floor_char_boundary(LONGEST_ANSWER);
        self.turns.push((answer[..end].to_owned(), reply));
    }

    pub(super) fn prompt(&self) -> String {
        let start = self.turns.len().saturating_sub(MOST_TURNS);
        let turns = self.turns[start..].iter();
        let turns = turns.map(|(answer, reply)| format!("Your answer:\n{answer}\n\n{reply}\n\n"));
        format!("{}\n\n{}{}\n", self.first, turns.collect::<String>(), answer_form())
    }
}

/// The reply to a script with errors: each error, what its code means, and the signatures of the
/// ops that it concerns.
pub(super) fn of_errors(tried: &Tried, errors: &[String], catalog: &dyn Catalog) -> String {
    let listed: Vec<String> = errors.iter().take(MOST_ERRORS).map(|it| format!("- {it}")).collect();
    let mut reply = format!(
        "This script does not check. After the sure fixes it is:\n```svc\n{}```\nIts errors:\n{}",
        tried.text,
        listed.join("\n")
    );
    let mut codes: Vec<&str> = errors.iter().filter_map(|it| Some(it.split_once(':')?.0)).collect();
    codes.dedup();
    for code in codes.into_iter().take(MOST_EXPLANATIONS) {
        if let Some(meaning) = catalog.explained(code) {
            let end = meaning.floor_char_boundary(LONGEST_EXPLANATION);
            reply.push_str(&format!("\n\n{code} means:\n{}", &meaning[..end]));
        }
    }
    let ops = concerned(errors, catalog);
    if !ops.is_empty() {
        reply.push_str(&format!("\n\nThe components concerned:\n{}", signatures(&ops)));
    }
    reply.push_str("\n\nWrite the script without these errors. Do not repeat it unchanged.");
    reply
}

/// The reply to a script that fails on the files of the goal.
pub(super) fn of_failure(failed: &Failed, catalog: &dyn Catalog) -> String {
    let error = failed.error.to_string();
    let mut reply = format!(
        "This script checks, but it fails when it runs on the files of the goal:\n- {error}\n\n\
         The values are left out of this message."
    );
    let ops = concerned(&[error], catalog);
    if !ops.is_empty() {
        reply.push_str(&format!("\n\nThe components concerned:\n{}", signatures(&ops)));
    }
    reply.push_str("\n\nWrite a script that does not fail there.");
    reply
}

/// The reply to a script that checks but does not do what the goal asks for.
pub(super) fn of_refusals(reasons: &[String]) -> String {
    let listed: Vec<String> = reasons.iter().map(|it| format!("- {it}")).collect();
    format!(
        "This script checks, but it is refused:\n{}\n\nCorrect the script and its parts.",
        listed.join("\n")
    )
}

/// The reply to a wish for further ops.
pub(super) fn of_ops(names: &[Text], catalog: &dyn Catalog) -> String {
    let known = |it: &Text| catalog.registry().resolve(it).ok_or_else(|| it.to_string());
    let mut ops: Vec<OpRef> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    for name in names.iter().take(MOST_OPS) {
        match known(name) {
            Ok(op) => ops.push(op),
            Err(name) => unknown.push(name),
        }
    }
    let mut reply = format!("Their signatures:\n{}", signatures(&ops));
    if !unknown.is_empty() {
        reply.push_str(&format!("\n\nUnknown components: {}.", unknown.join(", ")));
    }
    reply.push_str("\n\nWrite the script now.");
    reply
}

/// The ops whose names stand in backticks.
fn concerned(errors: &[String], catalog: &dyn Catalog) -> Vec<OpRef> {
    let mut found: Vec<OpRef> = Vec::new();
    let quoted = errors.iter().flat_map(|it| it.split('`').skip(1).step_by(2));
    for op in quoted.filter_map(|it| catalog.registry().resolve(it)) {
        if !found.iter().any(|it| it.to_string() == op.to_string()) {
            found.push(op);
        }
    }
    found.truncate(MOST_OPS);
    found
}
