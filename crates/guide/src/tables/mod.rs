//! Scripts for questions about a table that can be looked at: which words of the goal are columns,
//! which are values, and what is counted, compared, ordered and written.
//!
//! Every word with content must be covered by a part of the script, else none is written.

mod cells;
pub(crate) mod closed;
mod derived;
pub(crate) mod lexicon;
mod lookup;
mod maps;
mod pairs;
mod query;
mod read;
mod script;
mod source;
mod table;
mod texts;
mod views;
pub(crate) mod words;

pub(crate) use source::FORMATS;
pub use source::{Named, named};

use svc_contract::value::Value;
use svc_text::stems::Vocabulary;

use lexicon::Lexicon;
use read::Reader;
use views::View;
use words::{Literal, Token, tokens};

/// A file or folder that a goal names, and what is in it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The path, as in the goal.
    pub path: String,
    /// The archive that it is in, as in the goal.
    pub within: Option<String>,
    /// The stages that read it as a `{T}`, as in a script.
    pub reader: String,
    /// The words for a row, if others may mean a part of the rows: `errors` of a log.
    pub nouns: Option<String>,
    pub content: Content,
}

/// What is in a file or folder.
#[derive(Clone, Debug)]
pub enum Content {
    One(Value),
    /// The rows of the tables of a folder, with the name of the `file` of each. The parser are the
    /// stages from the text of a file to its `{T}`.
    Rows {
        parser: String,
        rows: Value,
    },
    /// The files of a folder.
    Texts(Vec<Doc>),
}

/// A file of a folder.
#[derive(Clone, Debug)]
pub struct Doc {
    pub name: String,
    pub text: String,
}

impl Content {
    /// The files of a list of `{ title, text }`.
    pub fn texts(value: &Value) -> Option<Self> {
        let doc = |it: &Value| {
            let text = |name: &str| Some(it.as_record()?.get(name)?.as_str()?.to_owned());
            Some(Doc { name: text("title")?, text: text("text")? })
        };
        Some(Self::Texts(value.as_list()?.iter().map(doc).collect::<Option<_>>()?))
    }
}

/// A script about a file that was looked at.
pub(crate) struct Answer {
    pub(crate) script: String,
    /// The phrases of the goal, each with the stage that serves it.
    pub(crate) parts: Vec<(String, String)>,
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
pub(crate) fn answer(
    goal: &str,
    seen: &[Seen],
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Option<Outcome> {
    let mut tokens = tokens(goal, words);
    source::mark(&mut tokens, &seen.iter().map(|it| it.path.as_str()).collect::<Vec<_>>());
    let place = |it: &Seen| {
        tokens.iter().position(|token| token.literal == Some(Literal::Path(it.path.clone())))
    };
    // The file to write may exist from an earlier run.
    let is_read = |it: &&Seen| place(it).is_some_and(|at| !is_target(&tokens, at));
    let named: Vec<&Seen> = seen.iter().filter(is_read).collect();
    let first = named.first()?;
    if named.iter().any(|it| it.path != first.path) {
        return pairs::answer(goal, &named, &tokens, lexicon, words).map(Outcome::Answer);
    }
    let mut open = None;
    for file in in_order(&named, &tokens) {
        if let Some(answer) = lookup::answer(file, &tokens, lexicon, words)
            .or_else(|| views::whole(file, &tokens, lexicon, words))
        {
            return Some(Outcome::Answer(answer));
        }
        for view in views::views(file, &tokens, lexicon, words) {
            match of_view(view, lexicon, words) {
                Outcome::Answer(answer) => return Some(Outcome::Answer(answer)),
                other @ Outcome::Open { .. } => open = open.or(Some(other)),
            }
        }
    }
    // Much else can be asked about a text.
    let is_text = |it: &&Seen| matches!(&it.content, Content::One(Value::Text(_)));
    open.filter(|_| !named.iter().any(is_text))
}

/// The ways to look at a source. Who says `lines` means those of the file, whatever is in them, and
/// who says `mention` all of its text. Else a text with a table in it is a table.
fn in_order<'a>(named: &[&'a Seen], tokens: &[Token]) -> Vec<&'a Seen> {
    const OF_TEXT: [&str; 8] =
        ["line", "mention", "contain", "words", "file", "document", "text", "say"];
    let is_text = |it: &Token| OF_TEXT.iter().any(|word| it.lower.starts_with(word));
    let mut all = named.to_vec();
    if tokens.iter().any(is_text) {
        all.reverse();
    } else if all.len() > 1 {
        all.retain(|it| !matches!(&it.content, Content::One(Value::Text(_))));
    }
    all
}

fn of_view(view: View, lexicon: &Lexicon, words: &mut Vocabulary) -> Outcome {
    let View { table, tokens, mut parts } = view;
    let reading = Reader::new(&tokens, &table, lexicon, words).read();
    let open = |words: Vec<String>| Outcome::Open { words, why: table.described() };
    let can_ask = !table.is_unclear && !table.columns.is_empty();
    let Some(reading) = reading.filter(|_| can_ask) else {
        return open(Vec::new());
    };
    if !reading.uncovered.is_empty() {
        return open(reading.uncovered);
    }
    let Some(script) = reading.query.script() else { return open(Vec::new()) };
    // Nothing is asked about the lines: it may be something else that is meant.
    let is_line = |it: &Token| it.lower.starts_with("line");
    let is_bare =
        table.is_lines && parts.len() < 2 && script.trim_end().ends_with(&table.last_stage());
    // `the first ERROR line` is one of them.
    let is_end = |it: &Token| matches!(it.lower.as_str(), "first" | "last");
    let is_cut = script.contains("take(") || script.contains("sort");
    if table.is_lines && !is_cut && tokens.iter().any(is_end) {
        return open(Vec::new());
    }
    if is_bare && !tokens.iter().any(is_line) {
        return open(Vec::new());
    }
    parts.extend(reading.query.parts);
    Outcome::Answer(Answer { script, parts })
}
