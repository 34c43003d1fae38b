//! Reports words of a goal that no part of its script covers.

use std::collections::BTreeSet;

use svc_contract::registry::{Catalog, Effect, Index, OpRef};
use svc_text::stems::{Term, Vocabulary};

use crate::Workflow;

use super::{
    finish::{Understood, gap},
    goal::{Clause, Goal, is_filler},
    mention::{What, is_generic},
};

/// Words that only connect, count or compare, and need no coverage.
const JOINING: &str = "one two only keep more less than most least over under up down out off how \
    when where who why while until through across per via within inside between each every other \
    others another same own such very quite really simply only also too again still even \
    single many much several new old good nice whole entire following first last next named \
    called based according look looking want wants find read write save take put put run \
    work works working start begin using used by content contents line lines word words long \
    case way rest everything should array around places object table drop remove time times say says said no not never always has had been being he she they";

/// Adds the words that the script does not cover to the workflow.
pub(super) fn with_uncovered_words(
    workflow: Workflow,
    goal: &Goal,
    understood: &Understood,
    index: &mut Index,
    catalog: &dyn Catalog,
) -> Workflow {
    let Some(script) = &workflow.script else { return workflow };
    let unknown = unexplained(script, goal, understood, index, catalog);
    if unknown.is_empty() {
        return workflow;
    }
    let is_head = |it: &&Clause| {
        it.is_imperative()
            && it.content().next().is_some_and(|it| unknown.iter().any(|at| at == it))
    };
    if let Some(clause) = goal.clauses.iter().find(is_head) {
        let missing = vec![gap(&clause.text, index)];
        return Workflow { missing, ..Workflow::none(&workflow.goal) };
    }
    let list = unknown.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let sketch = format!("{}  >> ?  # not covered: {list}\n", script.trim_end().to_owned() + "\n");
    let note = format!("not covered by the script: {list}");
    let gaps = unknown.iter().map(|it| gap(it, index)).collect();
    Workflow {
        verdict: "sketch".into(),
        ok: false,
        script: Some(sketch.into()),
        missing: gaps,
        notes: vec![note.into()],
        ..workflow
    }
}

/// The words of a goal that are neither in the script nor in the documentation of its ops.
fn unexplained(
    script: &str,
    goal: &Goal,
    understood: &Understood,
    index: &mut Index,
    catalog: &dyn Catalog,
) -> Vec<String> {
    let body = script.lines().filter(|it| !it.starts_with('#')).collect::<Vec<_>>().join("\n");
    let tried = catalog.tried(&body);
    let ops: Vec<String> = tried.ops.iter().map(ToString::to_string).collect();
    let mut words = Vocabulary::default();
    let written: BTreeSet<Term> =
        words.read(&body.replace(['_', '.'], " ")).map(|it| it.term).collect();
    let has_op = |it: &What| match it {
        What::Op(op) => ops.contains(&op.to_string()) || is_done_on_the_way(*op),
        _ => true,
    };
    let mentions = || understood.mentions.iter().flatten();
    let is_dropped = |word: &str| {
        mentions().any(|it| !it.what.iter().any(has_op) && it.words.iter().any(|it| it == word))
    };
    let said = |word: &str| understood.covered.iter().any(|it| it == word) && !is_dropped(word);
    let mut unknown: Vec<String> = Vec::new();
    let all = goal.clauses.iter().flat_map(|clause| clause.content().map(move |it| (clause, it)));
    for (clause, word) in all {
        let is_plain = is_filler(word)
            || is_generic(word)
            || JOINING.split_whitespace().any(|it| it == word)
            || is_of_file(clause, word);
        if is_plain || said(word) || unknown.iter().any(|it| it == word) {
            continue;
        }
        let is_written = words.read(word).all(|it| written.contains(&it.term));
        let is_documented = index.find(word).iter().any(|it| ops.contains(&it.op.to_string()));
        if !is_written && !is_documented {
            unknown.push(word.to_owned());
        }
    }
    unknown.extend(ignored_negation(&body, goal));
    unknown
}

/// A negation of the goal, if nothing in the script excludes anything.
fn ignored_negation(body: &str, goal: &Goal) -> Option<String> {
    const NOT: [&str; 8] =
        ["not", "don't", "doesn't", "isn't", "aren't", "without", "except", "never"];
    const EXCLUDES: [&str; 7] = ["not ", "!=", "skip", "unique", "compact", "replace", "<"];
    let mut words = goal.clauses.iter().flat_map(|it| &it.words);
    let negation = words.find(|it| NOT.contains(&it.as_str()))?;
    let excludes = EXCLUDES.iter().any(|it| body.contains(it));
    (!excludes).then(|| negation.clone())
}

/// Whether a script may do the work of an op without calling it: by another reader, or by the way
/// in which it joins two lists.
fn is_done_on_the_way(op: OpRef) -> bool {
    let reads = op.op.effects.iter().any(|it| matches!(it, Effect::Reads(_)));
    reads || matches!(op.script_name().as_str(), "join" | "flatten" | "lines" | "parse_csv")
}

/// Whether a word names the kind of a file that the step also names.
fn is_of_file(clause: &Clause, word: &str) -> bool {
    let plain = word.strip_suffix('s').unwrap_or(word);
    clause.literals.iter().any(|it| it.literal.plain().to_lowercase().contains(plain))
}
