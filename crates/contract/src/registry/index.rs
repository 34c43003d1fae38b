//! The words of a goal in the documentation of all ops, for the planner of scripts.
//!
//! Everything else searches in `Topics`, which knows the phrasings of users.

use std::collections::BTreeSet;

use svc_text::{
    bm25::Ranking,
    stems::{Term, Vocabulary, words},
    synonyms,
};

use super::{OpRef, Registry};

/// The parts of an op's documentation, from the most to the least important.
const FIELDS: usize = 3;

/// The weight of a word in each field.
const WEIGHTS: [f64; FIELDS] = [6.0, 2.5, 1.0];

/// The weight of a synonym.
const MEANT: f64 = 0.8;

/// The searchable ops of a registry.
pub struct Index {
    words: Vocabulary,
    entries: Vec<Entry>,
    ranking: Ranking,
}

struct Entry {
    op: OpRef,
    fields: [BTreeSet<Term>; FIELDS],
}

/// An op that matches a question.
#[derive(Clone, Debug)]
pub struct Match {
    pub op: OpRef,
    /// Higher is better, comparable within one question.
    pub score: f64,
    /// The matching words of the question, with the part of the documentation.
    pub words: Vec<(String, Where)>,
}

/// The part of the documentation that contains a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Where {
    Name,
    /// Its name contains a synonym of the word.
    Meant,
    Summary,
    Documentation,
}

impl Where {
    /// The place in words, to follow a word of the question.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Name => "in its name",
            Self::Meant => "is a synonym of its name",
            Self::Summary => "in its summary",
            Self::Documentation => "in its documentation",
        }
    }
}

impl Match {
    /// The reason for the match, in words.
    pub fn why(&self) -> String {
        let phrase = self.words.iter().map(|(word, place)| format!("`{word}` {}", place.phrase()));
        phrase.collect::<Vec<_>>().join(", ")
    }
}

impl Index {
    pub fn of(registry: &Registry) -> Self {
        let mut words = Vocabulary::default();
        let all = registry.components().iter().copied();
        let ops = all.flat_map(|component| component.ops.iter().map(move |op| (component, op)));
        let entries: Vec<(Entry, Vec<(Term, f64)>)> =
            ops.map(|(component, op)| read(OpRef { component, op }, &mut words)).collect();
        let ranking = Ranking::of(entries.iter().map(|(_, terms)| terms.clone()));
        let entries = entries.into_iter().map(|(entry, _)| entry).collect();
        Self { words, entries, ranking }
    }

    /// The ops that match a question, best first; ties in the registry's order.
    pub fn find(&mut self, question: &str) -> Vec<Match> {
        let asked = self.asked(question);
        let matches = (0..self.entries.len()).map(|idx| self.matched(idx, &asked));
        let mut found: Vec<Match> = matches.filter(|it| !it.words.is_empty()).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found
    }

    /// The words in the names of ops and their params.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let params = |it: &Entry| it.op.op.params.iter().map(|it| it.name).collect::<Vec<_>>();
        let parts = |name: &str| name.split(['_', '.']).map(str::to_owned).collect::<Vec<_>>();
        self.entries.iter().flat_map(move |it| {
            let params = params(it).into_iter().flat_map(parts);
            parts(&it.op.script_name()).into_iter().chain(params).collect::<Vec<_>>()
        })
    }

    /// Whether a word, in any form, occurs in the documentation or in an earlier question.
    pub fn knows(&self, word: &str) -> bool {
        self.words.has(word)
    }

    /// The relevant words of a question.
    fn asked(&mut self, question: &str) -> Vec<Asked> {
        let about: BTreeSet<Term> = self.words.question(question).into_iter().collect();
        let mut asked: Vec<Asked> = Vec::new();
        for range in words(question) {
            let word = question[range].to_lowercase();
            let Some(term) = self.words.read(&word).next().map(|it| it.term) else { continue };
            let says = about.contains(&term) || synonyms::is_for_a_model(&word);
            if !says || asked.iter().any(|it| it.term == term) {
                continue;
            }
            let meant = synonyms::meanings(&word);
            let meant = meant.filter_map(|it| Some(self.words.read(it).next()?.term)).collect();
            asked.push(Asked { word, term, meant });
        }
        asked
    }

    fn matched(&self, idx: usize, asked: &[Asked]) -> Match {
        let entry = &self.entries[idx];
        let (mut score, mut words) = (0.0, Vec::new());
        for it in asked {
            let own = self.ranking.score(idx, it.term);
            let meant = it.meant.iter().map(|term| self.ranking.score(idx, *term) * MEANT);
            score += meant.fold(own, f64::max);
            words.extend(entry.place(it).map(|place| (it.word.clone(), place)));
        }
        Match { op: entry.op, score, words }
    }
}

/// A word of a question.
struct Asked {
    word: String,
    term: Term,
    /// Other meanings of the word.
    meant: Vec<Term>,
}

impl Asked {
    fn terms(&self) -> impl Iterator<Item = Term> {
        std::iter::once(self.term).chain(self.meant.iter().copied())
    }
}

impl Entry {
    /// The place of a word, or of one of its synonyms, in the documentation.
    fn place(&self, asked: &Asked) -> Option<Where> {
        let [names, summary, rest] = &self.fields;
        if names.contains(&asked.term) {
            Some(Where::Name)
        } else if asked.meant.iter().any(|it| names.contains(it)) {
            Some(Where::Meant)
        } else if asked.terms().any(|it| summary.contains(&it)) {
            Some(Where::Summary)
        } else {
            rest.contains(&asked.term).then_some(Where::Documentation)
        }
    }
}

/// An op's documentation as terms, each occurrence with its weight.
fn read(op: OpRef, words: &mut Vocabulary) -> (Entry, Vec<(Term, f64)>) {
    let mut fields = [const { BTreeSet::new() }; FIELDS];
    let mut all = Vec::new();
    for (idx, text) in texts(op).into_iter().enumerate() {
        // A name may be a word that is ignored elsewhere: `at`, `first`.
        let is_name = idx == 0;
        let read = words.read(&text).filter(|it| is_name || !it.is_stop);
        let terms: Vec<Term> = read.map(|it| it.term).collect();
        all.extend(terms.iter().map(|it| (*it, WEIGHTS[idx])));
        fields[idx].extend(terms);
    }
    (Entry { op, fields }, all)
}

/// The names of an op; its summary, with that of a component with a single op; and the rest.
fn texts(op: OpRef) -> [String; FIELDS] {
    let OpRef { component, op } = op;
    let aliases = component.aliases.iter().filter(|(_, it)| *it == op.name).map(|(it, _)| *it);
    let mut names: Vec<&str> = aliases.collect();
    let is_only = component.ops.len() == 1;
    names.extend((op.name != "infer").then_some(op.name));
    names.extend(is_only.then_some(component.name));
    let of_component = if is_only { component.summary } else { "" };
    let summary = format!("{} {of_component}", op.summary());
    let params = op.params.iter().flat_map(|it| [it.name, " ", it.doc, " "]);
    let examples = op.examples.iter().flat_map(|it| [it.title, " "]);
    let rest: String = [op.doc, " "].into_iter().chain(params).chain(examples).collect();
    [names.join(" "), summary, rest]
}
