//! Scripts for questions about a table that can be looked at: which words of the goal are columns,
//! which are values, and what is counted, compared, ordered and written.
//!
//! Every word with content must be covered by a part of the script, else none is written.

mod lexicon;
mod lookup;
mod query;
mod read;
mod table;
mod words;

use svc_contract::{registry::Catalog, value::Value};
use svc_text::stems::Vocabulary;

use lexicon::Lexicon;
use read::Reader;
use table::Table;
use words::{Literal, tokens};

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

/// The script for a goal about one of the files; `None` if a word of the goal stays open.
pub(crate) fn answer(goal: &str, seen: &[Seen], catalog: &dyn Catalog) -> Option<Answer> {
    let mut words = Vocabulary::default();
    let tokens = tokens(goal, &mut words);
    let is_named = |it: &&Seen| {
        tokens.iter().any(|token| token.literal == Some(Literal::Path(it.path.clone())))
    };
    let mut named = seen.iter().filter(is_named);
    let (file, None) = (named.next()?, named.next()) else { return None };
    let lexicon = Lexicon::of(catalog.registry(), &mut words);
    if let Some(answer) = lookup::answer(file, &tokens, &lexicon, &mut words) {
        return Some(answer);
    }
    let table = Table::of(file, &mut words)?;
    let reading = Reader::new(&tokens, &table, &lexicon, &mut words).read()?;
    if !reading.uncovered.is_empty() {
        return None;
    }
    let script = reading.query.script()?;
    Some(Answer { script, parts: reading.query.parts })
}
