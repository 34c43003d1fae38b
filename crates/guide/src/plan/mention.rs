//! Finds the ops that a step of a goal mentions.

use svc_contract::registry::{Effect, Index, Match, OpRef, Scheme, Scope, Where};

use super::{
    arguments::topic_at,
    asking::is_asked,
    filters::{self, Test},
    goal::{Clause, FILLERS, LiteralInContext},
    literals::Literal,
};

/// A mention in a step, with its possible meanings, best first.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) what: Vec<What>,
    /// The confidence, from the words that it covers.
    pub(super) gain: f64,
    /// The words of the goal that it covers.
    pub(super) words: Vec<String>,
}

/// The meaning of a mention.
#[derive(Clone, Debug)]
pub(super) enum What {
    Op(OpRef),
    /// `sort { .. }`: the key, and whether the greatest comes first.
    Sort {
        by_length: bool,
        down: bool,
    },
    /// `where { .. }`: the test of an item.
    Where(Test),
    /// A literal of the goal, by its index in the step.
    LiteralInContext(usize),
    /// The value in JSON under a quoted name, by the index of the name.
    At(usize),
    /// `first` or `last`.
    End(&'static str),
    /// A field of the value, or of each item.
    Field(String),
    /// A number of items at one end; the index of the number.
    Take {
        number: usize,
        is_last: bool,
    },
}

/// The mentions of a step, in the order of its words, or the word that nothing serves.
pub(super) struct Spoken {
    pub(super) mentions: Vec<Mention>,
    /// The words that the mentions cover, and those that only accompany them.
    pub(super) covered: Vec<String>,
    pub(super) unserved: bool,
}

/// The maximum number of meanings of one mention that are tried.
const MOST_READINGS: usize = 3;

/// The minimum score of a second meaning, relative to the first.
const NEAR: f64 = 0.55;

/// The minimum confidence of another mention in the same step.
pub(super) const SECOND: f64 = 2.0;

/// Words that are in many names and mean little by themselves.
const GENERIC: &str = "text file files list json value values items item number numbers path docs \
    documents document data record records component word better best good nice string strings";

/// Returns the ops that a step mentions.
pub(super) fn spoken(clause: &Clause, index: &mut Index) -> Spoken {
    let content: Vec<&str> = match clause.count {
        // Use this if no other op can take the number.
        Some(_) => vec!["take"],
        None => clause.content().collect(),
    };
    let Some(head) = content.first().copied() else {
        return Spoken { mentions: Vec::new(), covered: Vec::new(), unserved: false };
    };
    let matches = index.find(&question(clause, &content));
    let matches: Vec<Match> = matches.into_iter().filter(|it| is_meant(it.op, clause)).collect();
    let search = searcher(index);
    let write = writer(index);
    let mut reader = Reader { clause, head, matches: &matches, covered: Vec::new(), search, write };
    let mentions = reader.all();
    let known = |word: &str| matches.iter().any(|it| it.words.iter().any(|(at, _)| at == word));
    let is_unknown = |it: &&&str| !known(it) && !reader.covered.iter().any(|at| at == **it);
    let unknown = content.iter().filter(is_unknown).count();
    let is_done = reader.covered.iter().any(|it| it == head)
        || reader.is_served(head)
        || (!clause.is_imperative() && !mentions.is_empty());
    let is_vague = unknown > 1 && mentions.iter().all(|it| it.gain < SECOND);
    let is_idle = unknown > 0 && is_bare(clause, &content, &mentions);
    let is_closed = clause.literals.iter().any(|it| it.literal.is_closed());
    let unserved =
        is_closed || !is_done || is_vague || is_idle || reader.looks_elsewhere(&mentions);
    Spoken { mentions, covered: reader.covered, unserved }
}

/// Whether a step names no input, and only one of its two words is known.
fn is_bare(clause: &Clause, content: &[&str], mentions: &[Mention]) -> bool {
    let is_asked = |it: &Mention| matches!(it.what.first(), Some(What::Op(op)) if is_asked(*op));
    clause.literals.is_empty() && content.len() == 2 && !mentions.iter().any(is_asked)
}

/// The words to look up: those of the step, and the kinds of its files.
fn question(clause: &Clause, content: &[&str]) -> String {
    let kinds = clause.literals.iter().filter_map(|it| it.literal.kind_of_file());
    content.iter().copied().chain(kinds).collect::<Vec<_>>().join(" ").replace('_', " ")
}

/// Whether an op is a possible meaning: ops about components only if the step mentions components.
fn is_meant(op: OpRef, clause: &Clause) -> bool {
    const OF_COMPONENTS: &str = "component components tool tools op ops svc script scripts nav guide \
        workflow workflows pipeline pipelines";
    let speaks = |word: &String| OF_COMPONENTS.split_whitespace().any(|it| it == word);
    !describes_components(op) || clause.words.iter().any(speaks)
}

/// Whether an op describes the available ops.
pub(super) fn describes_components(op: OpRef) -> bool {
    let reads_components = |it: &Effect| matches!(it, Effect::Reads(Scope::Named("components")));
    op.op.effects.iter().any(reads_components)
}

/// Whether the input of an op is a question or a task in words.
pub(super) fn is_free_text(op: OpRef) -> bool {
    op.op.input().is_some_and(|it| {
        matches!(it.name, "query" | "question" | "task" | "goal" | "prompt")
            && matches!(it.scheme, Scheme::Text)
    })
}

/// The op that finds documents in a folder.
fn searcher(index: &mut Index) -> Option<OpRef> {
    let of_folder = |it: &Effect| matches!(it, Effect::Reads(Scope::Path(_)));
    let found = index.find("search the documents of a folder").into_iter().map(|it| it.op);
    let mut searches = found.filter(|it| is_free_text(*it));
    searches.find(|it| it.op.effects.iter().any(of_folder))
}

/// Whether an op requires a flow or another op to call.
pub(super) fn takes_flow(op: OpRef) -> bool {
    op.op.params.iter().any(|it| it.default.is_none() && it.scheme.flow().is_some())
}

/// The op that writes a text to a file.
fn writer(index: &mut Index) -> Option<OpRef> {
    let found = index.find("write text to a file").into_iter().map(|it| it.op);
    let takes_text = |it: &OpRef| it.op.input().is_some_and(|it| matches!(it.scheme, Scheme::Text));
    found.filter(takes_text).find(|it| it.op.writes())
}

/// Finds the mentions of a step.
pub(super) struct Reader<'a> {
    pub(super) clause: &'a Clause,
    pub(super) head: &'a str,
    pub(super) matches: &'a [Match],
    /// The words that a mention covers.
    pub(super) covered: Vec<String>,
    /// The op that finds documents in a folder.
    pub(super) search: Option<OpRef>,
    /// The op that writes a text to a file.
    pub(super) write: Option<OpRef>,
}

impl Reader<'_> {
    /// Returns all mentions of the step, in the order of its words. An op that takes a question in
    /// words uses all words.
    fn all(&mut self) -> Vec<Mention> {
        if let Some(asked) = self.typed() {
            return vec![asked];
        }
        if let Some(given) = self.given() {
            return vec![given];
        }
        if self.clause.literals.iter().any(|it| it.literal.is_several()) {
            let nouns = ["find", "whole", "integer", "integers", "value", "values", "list"];
            self.covered.extend(nouns.map(str::to_owned));
        }
        // `markdown files` are read as text: the word does not ask for Markdown to be written.
        let is_kind = |pair: &&[String]| pair[0] == "markdown" && pair[1].starts_with("file");
        if let Some(pair) = self.clause.words.windows(2).find(is_kind) {
            self.covered.push(pair[0].clone());
        }
        let mut mentions: Vec<Mention> = self.sort().into_iter().collect();
        mentions.extend(self.named());
        for (mention, covered) in filters::mentions(self.clause) {
            self.covered.extend(covered);
            mentions.push(mention);
        }
        while let Some(mention) = self.next() {
            if mention.is_free_text() && self.is_asking(&mention) {
                return vec![mention];
            }
            if mention.is_free_text() {
                continue;
            }
            if !mentions.is_empty() && mention.gain < SECOND {
                // A mention that is not tried covers no words.
                self.covered.retain(|it| !mention.words.contains(it));
                break;
            }
            mentions.push(mention);
        }
        self.drop_flows(&mut mentions);
        mentions.extend(self.stored(&mentions));
        let is_sure = self.covered.iter().any(|it| it == self.head)
            && mentions.iter().any(|it| it.gain >= SECOND && !it.is_field());
        if !is_sure && let Some(search) = self.implied() {
            mentions.retain(Mention::is_field);
            mentions.push(search);
            return mentions;
        }
        let says = |it: &Mention, word: &str| it.words.iter().any(|said| said == word);
        let position = |it: &Mention| self.clause.words.iter().position(|word| says(it, word));
        mentions.sort_by_key(|it| position(it).unwrap_or(usize::MAX));
        mentions
    }

    /// Whether a step describes what it searches for, rather than a computation.
    fn is_asking(&self, mention: &Mention) -> bool {
        let has_text =
            self.clause.literals.iter().any(|it| matches!(it.literal, Literal::Quoted(_)));
        let is_other =
            |it: &&Match| !is_free_text(it.op) && self.is_strong(it) && self.gain(it) >= SECOND;
        let others = self.matches.iter().filter(is_other).count();
        let says_more = mention.words.iter().any(|it| it != self.head);
        let of_folder = |it: &LiteralInContext| {
            matches!(it.literal.kind_of_file(), Some("files" | "json" | "jsonl"))
        };
        let is_in_one = self.clause.has_place() && !self.clause.literals.iter().any(of_folder);
        (has_text && !(is_in_one && others > 0))
            || says_more
            || topic_at(self.clause).is_some()
            || others < 2
    }

    /// Whether a step searches a place that no op can search: `search the web for ..`.
    fn looks_elsewhere(&self, mentions: &[Mention]) -> bool {
        let [mention] = mentions else { return false };
        // A model accepts any words.
        let takes_all =
            |it: &What| matches!(it, What::Op(op) if describes_components(*op) || is_asked(*op));
        if mention.what.iter().any(takes_all) {
            return false;
        }
        let (true, Some(What::Op(op))) = (mention.is_free_text(), mention.what.first()) else {
            return false;
        };
        let end = topic_at(self.clause).unwrap_or_default();
        let of_op = self.matches.iter().find(|it| it.op.to_string() == op.to_string());
        let says =
            |word: &String| of_op.is_some_and(|it| it.words.iter().any(|(at, _)| at == word));
        self.clause.words[..end].iter().any(|it| !is_generic(it) && !says(it))
    }

    /// Returns the op that matches most of the words that are not covered yet.
    fn next(&mut self) -> Option<Mention> {
        let strong = self.matches.iter().filter(|it| self.is_strong(it));
        let mut ranked: Vec<(f64, &Match)> = strong.map(|it| (self.gain(it), it)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (gain, best) = *ranked.first().filter(|it| it.0 > 0.0)?;
        // A word that is only in a summary may be the name of another op that is also meant.
        let is_called = |it: &Match, word: &str| {
            let mut names = it.words.iter().filter(|(_, place)| *place == Where::Name);
            names.any(|(at, _)| at == word)
                && Self::unsaid(it) < 1.0
                && self.fit_of_arguments(it.op) >= 0.0
        };
        let names = |word: &str| self.matches.iter().any(|it| is_called(it, word));
        let of_best: Vec<String> = self
            .open(best)
            .filter(|(word, place)| *place != Where::Summary || !names(word))
            .map(|(word, _)| word.clone())
            .collect();
        let shares = |it: &Match| {
            let says = |place: &Where| matches!(place, Where::Name | Where::Meant);
            it.op.to_string() == best.op.to_string()
                || self.open(it).any(|(word, place)| says(place) && of_best.contains(word))
        };
        let near = ranked.iter().filter(|(other, it)| *other >= gain * NEAR && shares(it));
        let what = near.map(|(_, it)| What::Op(it.op)).take(MOST_READINGS).collect();
        let words: Vec<String> = of_best.into_iter().collect();
        self.covered.extend(words.iter().cloned());
        Some(Mention { what, gain, words })
    }
}

impl Mention {
    pub(super) fn is_field(&self) -> bool {
        matches!(self.what.first(), Some(What::Field(_)))
    }

    pub(super) fn is_free_text(&self) -> bool {
        matches!(self.what.first(), Some(What::Op(op)) if is_free_text(*op))
    }
}

pub(super) fn is_generic(word: &str) -> bool {
    GENERIC.split_whitespace().chain(FILLERS.split_whitespace()).any(|it| it == word)
}
