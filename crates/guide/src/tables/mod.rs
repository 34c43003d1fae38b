//! Scripts for questions about a table that can be looked at: which words of the goal are columns,
//! which are values, and what is counted, compared, ordered and written.
//!
//! Every word with content must be covered by a part of the script, else none is written.

pub(crate) mod closed;
mod derived;
pub(crate) mod lexicon;
mod lookup;
mod query;
mod read;
mod script;
mod table;
pub(crate) mod words;

use svc_contract::{registry::Catalog, value::Value};
use svc_text::stems::Vocabulary;

use lexicon::Lexicon;
use read::Reader;
use table::Table;
use words::{Literal, Token, tokens};

/// A file that a goal names, and what is in it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The path, as in the goal.
    pub path: String,
    /// The stages that read it as a `{T}`, as in a script.
    pub reader: String,
    /// Its content.
    pub value: Value,
}

/// A script about a file that was looked at.
pub(crate) struct Answer {
    pub(crate) script: String,
    /// The phrases of the goal, each with the stage that serves it.
    pub(crate) parts: Vec<(String, String)>,
}

/// The paths that a goal names.
pub fn named_files(goal: &str) -> Vec<String> {
    let tokens = tokens(goal, &mut Vocabulary::default());
    let mut paths: Vec<String> = Vec::new();
    for token in tokens {
        if let Some(Literal::Path(path)) = token.literal
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths
}

/// Whether a path is the one to write: `saved as a.csv`, `into b.json`.
pub(crate) fn is_target(tokens: &[Token], at: usize) -> bool {
    const BEFORE: [&str; 5] = ["as", "to", "into", "called", "named"];
    let is_source = at > 1 && tokens[at - 2].lower == "according";
    at > 0 && !is_source && BEFORE.contains(&tokens[at - 1].lower.as_str())
}

/// What a goal about one of the files comes to.
pub(crate) enum Outcome {
    Answer(Answer),
    /// It is about a table, but these words mean nothing there.
    Open {
        words: Vec<String>,
        why: String,
    },
}

/// Reads a goal as a question about one of the files; `None` if it may be about something else.
pub(crate) fn answer(goal: &str, seen: &[Seen], catalog: &dyn Catalog) -> Option<Outcome> {
    let mut words = Vocabulary::default();
    let tokens = tokens(goal, &mut words);
    let place = |it: &Seen| {
        tokens.iter().position(|token| token.literal == Some(Literal::Path(it.path.clone())))
    };
    // The file to write may exist from an earlier run.
    let is_read = |it: &&Seen| place(it).is_some_and(|at| !is_target(&tokens, at));
    let mut named = seen.iter().filter(is_read);
    let (file, None) = (named.next()?, named.next()) else { return None };
    let lexicon = Lexicon::of(catalog.registry(), &mut words);
    if let Some(answer) = lookup::answer(file, &tokens, &lexicon, &mut words) {
        return Some(Outcome::Answer(answer));
    }
    let table = Table::of(file, &mut words)?;
    let reading = Reader::new(&tokens, &table, &lexicon, &mut words).read();
    let open = |words: Vec<String>| {
        (!table.is_lines).then(|| Outcome::Open { words, why: table.described() })
    };
    if table.columns.is_empty() {
        return open(vec![goal.to_owned()]);
    }
    let Some(reading) = reading else { return open(vec![goal.to_owned()]) };
    if !reading.uncovered.is_empty() {
        return open(reading.uncovered);
    }
    match reading.query.script() {
        Some(script) => Some(Outcome::Answer(Answer { script, parts: reading.query.parts })),
        None => open(vec![goal.to_owned()]),
    }
}
