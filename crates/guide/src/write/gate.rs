//! Decides whether a script does only what its goal asks for.
//!
//! The same rules hold for the script of a language model and for the guide's own: nothing
//! writes, runs a program, spends or asks a person unless the goal names it, and nothing acts
//! that the goal forbids. The words for each effect are those of the registry: an op that acts
//! states in its name, its summary and its phrasings what people call that.

use svc_contract::registry::{Catalog, Effect, OpDef, OpRef, Scope, Tried};

use super::words::{Words, content, has};
use crate::Part;

/// The maximum number of words of the goal that one part covers.
const MOST_WORDS: usize = 10;

/// The first ops of a search that a goal may mean.
const MEANT: usize = 5;

/// The effects that change something.
const CHANGES: [&str; 2] = ["writes", "runs"];

/// The rules for one goal.
pub(crate) struct Gate<'a> {
    goal: &'a str,
    words: Words,
    catalog: &'a dyn Catalog,
    /// The effects that are allowed in any case: those of the script that is changed.
    before: Vec<String>,
}

impl<'a> Gate<'a> {
    pub(crate) fn new(goal: &'a str, before: Vec<String>, catalog: &'a dyn Catalog) -> Self {
        Self { goal, words: Words::of(goal), catalog, before }
    }

    /// The reasons against a script: effects that the goal does not ask for, or forbids.
    pub(super) fn refusals(&self, tried: &Tried) -> Vec<String> {
        let new = tried.effects.iter().filter(|it| !self.before.contains(it));
        let beyond = new.filter_map(|it| self.beyond(it, tried));
        let forbidden = tried.ops.iter().filter_map(|it| self.forbidden(*it));
        let mut all: Vec<String> = beyond.chain(forbidden).collect();
        all.dedup();
        all
    }

    /// The reasons against the parts that a writer states: words of the goal that no part
    /// covers, stages that the script does not have, and literals that it does not use.
    pub(super) fn uncovered(&self, parts: &[Part], script: &str) -> Vec<String> {
        let code = code(script);
        let mut covered = Vec::new();
        let mut all = Vec::new();
        for part in parts {
            let words = content(&part.phrase);
            if !is_stage(&part.stage, &code) {
                all.push(format!("the script has no stage `{}`", part.stage));
            } else if words.len() > MOST_WORDS {
                all.push(format!("`{}` is more than one part of the goal", part.phrase));
            } else {
                covered.extend(words);
            }
        }
        let forbids = self.all_ops().any(|it| self.forbidden(it).is_some());
        // What is not to be done is in no part, but `do not contain x` is.
        let negated = self.words.negated.iter().filter(|_| !forbids);
        let open = self.words.content.iter().chain(negated).filter(|it| !has(&covered, it));
        let open: Vec<String> = open.map(|it| format!("`{it}`")).collect();
        if !open.is_empty() {
            all.push(format!("no part covers {} of the goal", open.join(", ")));
        }
        let unused = self.words.literals.iter().filter(|it| !code.contains(&bare(it)));
        all.extend(unused.map(|it| format!("the script does not use `{it}` of the goal")));
        all
    }

    /// Why an effect is beyond the goal.
    fn beyond(&self, effect: &str, tried: &Tried) -> Option<String> {
        let (verb, place) = effect.split_once(' ').unwrap_or((effect, ""));
        let path = place.strip_prefix("fs:").filter(|it| !it.starts_with('<'));
        let overwrites = |path: &str| {
            tried.effects.contains(&format!("reads fs:{path}")) && self.words.mentions(path) < 2
        };
        match (verb, path) {
            ("writes", Some(path)) if overwrites(path) => {
                return Some(format!("the script overwrites `{path}`, which it reads"));
            }
            ("writes", Some(path)) if self.words.mentions(path) > 0 && self.only_adds(tried) => {
                return None;
            }
            ("runs", _) if self.names_program(place) => return None,
            ("writes" | "runs" | "spends" | "asks", _) => {}
            _ => return None,
        }
        (!self.is_asked(verb, tried))
            .then(|| format!("the script {effect}, which the goal does not ask for"))
    }

    /// The words that forbid something which some op does: `without a model`.
    pub(crate) fn forbidding(&self) -> Vec<String> {
        let ops: Vec<OpRef> = self.all_ops().filter(|it| self.forbidden(*it).is_some()).collect();
        if ops.is_empty() { Vec::new() } else { self.words.negated.clone() }
    }

    /// Whether the goal asks for all ops of a script with an effect, or for any op with it if
    /// those of the script are in a module.
    fn is_asked(&self, verb: &str, tried: &Tried) -> bool {
        let mut own = tried.ops.iter().filter(|it| acts(it.op, verb)).peekable();
        if own.peek().is_some() {
            own.all(|it| self.asks_for(*it))
        } else {
            self.all_ops().filter(|it| acts(it.op, verb)).any(|it| self.asks_for(it))
        }
    }

    /// Whether a named file is enough for the ops that write: they create files, or the goal has
    /// a word for the change of one.
    fn only_adds(&self, tried: &Tried) -> bool {
        let changes = |it: &&OpRef| {
            let once = |it: &Effect| matches!(it, Effect::Writes { idempotent: false, .. });
            it.op.effects.iter().any(once)
        };
        let is_named = |it: &OpRef| verbs(it.op).iter().any(|it| has(&self.words.content, it));
        tried.ops.iter().filter(changes).all(is_named)
    }

    fn names_program(&self, place: &str) -> bool {
        place.strip_prefix("cmd:").is_some_and(|it| has(&self.words.content, it))
    }

    /// Whether the goal has a word for what an op does.
    fn asks_for(&self, op: OpRef) -> bool {
        // To ask a person or a model changes nothing, so it may also be meant in other words.
        let is_harmless = acts(op.op, "spends") || acts(op.op, "asks");
        let known = if is_harmless { wide(op.op) } else { self.own_verbs(op.op) };
        let is_named = known.iter().any(|it| has(&self.words.content, it));
        is_named || (is_harmless && self.means(op))
    }

    /// What people call it when this op acts, without the words that they use as often for ops
    /// that do not act: `keep` of a journal is also `keep` of the first lines.
    fn own_verbs(&self, op: &OpDef) -> Vec<String> {
        let changes = |it: &OpRef| CHANGES.iter().any(|verb| acts(it.op, verb));
        let said: Vec<(bool, Vec<String>)> =
            self.all_ops().map(|it| (changes(&it), said_by(it.op).collect())).collect();
        let count = |word: &String, does_act: bool| {
            said.iter().filter(|(it, words)| *it == does_act && words.contains(word)).count()
        };
        let mut all = named(op);
        all.extend(said_by(op).filter(|it| count(it, true) >= count(it, false)));
        all
    }

    fn all_ops(&self) -> impl Iterator<Item = OpRef> {
        let all = self.catalog.registry().components().iter().copied();
        all.flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }))
    }

    /// Whether an op is among the first that a search for the goal finds.
    fn means(&self, op: OpRef) -> bool {
        let found = self.catalog.topics().find(self.goal);
        let mut first = found.iter().filter_map(|it| it.topic.op()).take(MEANT);
        first.any(|it| it.to_string() == op.to_string())
    }

    /// Why an op is forbidden: it acts, and the goal negates a word for that.
    fn forbidden(&self, op: OpRef) -> Option<String> {
        if !["writes", "runs", "spends", "asks"].iter().any(|it| acts(op.op, it)) {
            return None;
        }
        let writes = acts(op.op, "writes") && !acts(op.op, "spends");
        let known = if writes { verbs(op.op) } else { wide(op.op) };
        let word = self.words.negated.iter().find(|it| has(&known, it))?;
        Some(format!(
            "the script calls `{}`, but the goal forbids it with `{word}`",
            op.script_name()
        ))
    }
}

fn acts(op: &OpDef, verb: &str) -> bool {
    op.effects.iter().any(|it| match it {
        Effect::Reads(_) => false,
        Effect::Writes { .. } => verb == "writes",
        Effect::Runs(_) => verb == "runs",
        Effect::Spends => verb == "spends",
        Effect::Asks => verb == "asks",
    })
}

/// The first words of the name and of the summary of an op.
fn named(op: &OpDef) -> Vec<String> {
    let name = op.name.split('_').next().unwrap_or(op.name).to_owned();
    let summary = content(op.summary()).into_iter().next();
    std::iter::once(name).chain(summary).collect()
}

/// The first words of the phrasings of an op.
fn said_by(op: &OpDef) -> impl Iterator<Item = String> {
    op.says.iter().filter_map(|it| content(it).into_iter().next())
}

/// What people call it when an op acts: the first words of its name, its summary and its
/// phrasings.
fn verbs(op: &OpDef) -> Vec<String> {
    named(op).into_iter().chain(said_by(op)).collect()
}

/// The same, with all words of the summary and the names of the scopes.
fn wide(op: &OpDef) -> Vec<String> {
    let scopes = op.effects.iter().filter_map(|it| match it {
        Effect::Reads(Scope::Named(name)) => Some((*name).to_owned()),
        _ => None,
    });
    let mut all = verbs(op);
    all.extend(content(op.summary()));
    all.extend(scopes);
    all
}

/// A script without its comments and its spaces.
fn code(script: &str) -> String {
    let lines = script.lines().map(|it| it.split_once("  #").map_or(it, |(code, _)| code));
    let lines = lines.filter(|it| !it.trim_start().starts_with('#'));
    lines.map(bare).collect()
}

/// A text without spaces and escapes.
fn bare(text: &str) -> String {
    text.chars().filter(|it| !it.is_whitespace() && *it != '\\').collect()
}

/// Whether a script has this stage, whole or by the name with which it begins.
fn is_stage(stage: &str, code: &str) -> bool {
    let bare = bare(stage);
    let bare = bare.trim_start_matches(">>");
    let is_name = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let name = bare.split(|it| !is_name(it)).next().unwrap_or_default();
    let has_name = || code.split(|it| !is_name(it)).any(|it| it == name);
    !bare.is_empty() && (code.contains(bare) || (!name.is_empty() && has_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_found_by_its_beginning() {
        let code = code(
            "# Goal: sort\nread_text(path: \"a.txt\")  # reads\n  >> lines >> sort { len(it) }\n",
        );
        assert_eq!(code, "read_text(path:\"a.txt\")>>lines>>sort{len(it)}");
        for yes in ["sort { len(it) }", "sort", ">> lines", "read_text(..)", "sort { .len }"] {
            assert!(is_stage(yes, &code), "{yes}");
        }
        for no in ["", "reverse", "sorted", "nothing"] {
            assert!(!is_stage(no, &code), "{no}");
        }
    }
}
