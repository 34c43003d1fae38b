//! Converts a goal in words to a script that passes the check, to a sketch, or to what is missing.
//!
//! A goal about files that were looked at is a question about what is in them ([`tables`]); any
//! other goal is a chain of ops ([`chain`]). A language model may write the script instead
//! ([`super::write`]).

use svc_contract::{
    registry::{Catalog, OpError, Place},
    value::{Text, Type},
};
use svc_text::stems::Vocabulary;

use crate::{
    Gap, Part, Workflow, bounds, chain, documents, files,
    tables::{
        self, Answer, Outcome, Seen,
        lexicon::Lexicon,
        words::{Literal, Token, tokens},
    },
    two_files,
    workflow::head,
};

/// The requirements for a script.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The goal, in plain words.
    pub goal: String,
    /// The maximum number of ops that a goal may ask for.
    pub max_steps: usize,
    /// The type of the input of the script; by default it follows from the goal.
    pub input: Option<String>,
    /// The required type of the result.
    pub output: Option<String>,
    /// Whether the files that the goal names were looked at, as far as they can be read.
    pub has_looked: bool,
    /// Files that the goal names, and what is in them.
    pub seen: Vec<Seen>,
}

/// Writes a script for a goal, using only the documentation and the checker.
pub fn planned(wanted: &Wanted, catalog: &dyn Catalog) -> Result<Workflow, OpError> {
    if !wanted.goal.contains(char::is_alphanumeric) {
        return Err(OpError::invalid_input("empty goal").help("describe what you want"));
    }
    if let Some(input) = &wanted.input {
        typed(input, catalog)?;
    }
    let output = wanted.output.as_deref().map(|it| typed(it, catalog)).transpose()?;
    let mut vocabulary = Vocabulary::default();
    let lexicon = Lexicon::of(catalog.registry(), &mut vocabulary);
    let words = &mut vocabulary;
    if let Some(workflow) = about_files(wanted, catalog, &lexicon, words) {
        return Ok(workflow);
    }
    let mut open = None;
    let bounded = bounds::taken(&wanted.goal, &|it| wanted.seen.iter().any(|seen| seen.path == it));
    match tables::answer(&bounded.goal, &wanted.seen, &lexicon, words) {
        Some(Outcome::Answer(answer)) => {
            let script = bounded.around(&answer.script);
            if let Some(workflow) = from_data(wanted, Answer { script, ..answer }, catalog) {
                return Ok(workflow);
            }
        }
        Some(Outcome::Open { words, why }) => open = Some((words, why)),
        None => {}
    }
    if let Some(why) = chain::too_long(&wanted.goal) {
        return Ok(refused(wanted, &[], vec![why.into()], catalog));
    }
    let found = chain::answer(wanted, output.as_ref(), catalog, &lexicon, words);
    Ok(match (found.workflow, open) {
        (Some(mut workflow), None) => {
            workflow.notes.extend(unread(wanted));
            workflow
        }
        (Some(workflow), Some(_)) if workflow.ok && found.is_special => workflow,
        // Any other op would take the table for something else.
        (_, Some((words, why))) => not_understood(wanted, &words, &why),
        (None, None) => refused(wanted, &found.open, Vec::new(), catalog),
    })
}

/// The script for a goal about whole files: what becomes of them, what two of them have in common,
/// which question they answer.
fn about_files(
    wanted: &Wanted,
    catalog: &dyn Catalog,
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Option<Workflow> {
    let (goal, tokens) = (&wanted.goal, tokens(&wanted.goal, words));
    let asks = |it: &Token| lexicon.requests(it);
    let answer = files::answer(goal, &tokens, &asks)
        .or_else(|| two_files::answer(goal, &tokens, &asks))
        .or_else(|| documents::answer(goal, &wanted.seen))?;
    from_data(wanted, answer, catalog)
}

/// The script for a question about a file that was looked at.
fn from_data(wanted: &Wanted, answer: Answer, catalog: &dyn Catalog) -> Option<Workflow> {
    let tried = catalog.tried(&answer.script);
    if !tried.errors.is_empty() {
        return None;
    }
    let whole = format!("{}{}", head(&wanted.goal, &tried), tried.text);
    let part =
        |(phrase, stage): (String, String)| Part { phrase: phrase.into(), stage: stage.into() };
    let parts = answer.parts.into_iter().map(part).collect();
    Some(Workflow {
        parts,
        ..Workflow::none(&wanted.goal).described(&tried).with_script(whole.into())
    })
}

fn typed(written: &str, catalog: &dyn Catalog) -> Result<Type, OpError> {
    catalog.type_of(written).ok_or_else(|| {
        OpError::invalid_input(format!("`{written}` is not a type"))
            .help("write a type as in a script: `string`, `[Doc]`, `{ title: string }`")
    })
}

/// A goal that is refused, with the words that nothing serves.
fn refused(wanted: &Wanted, words: &[String], notes: Vec<Text>, catalog: &dyn Catalog) -> Workflow {
    let all = [wanted.goal.clone()];
    let words = if words.is_empty() { &all } else { words };
    let missing = words.iter().map(|it| gap(it, catalog)).collect();
    let notes = notes.into_iter().chain(unread(wanted)).collect();
    Workflow { missing, notes, ..Workflow::none(&wanted.goal) }
}

/// A question about a table that is refused, with the words that mean nothing there. Ops that are called
/// so would not help.
fn not_understood(wanted: &Wanted, words: &[String], why: &str) -> Workflow {
    let gap = |it: &String| Gap { part: it.as_str().into(), nearest: Vec::new() };
    let notes = std::iter::once(why.into()).chain(unread(wanted)).collect();
    Workflow { missing: words.iter().map(gap).collect(), notes, ..Workflow::none(&wanted.goal) }
}

/// The files that the goal reads and that could not be looked at.
fn unread(wanted: &Wanted) -> Vec<Text> {
    const READ: [&str; 15] = [
        "csv", "tsv", "json", "jsonl", "yaml", "yml", "toml", "xml", "xlsx", "xlsb", "xls", "ods",
        "txt", "md", "log",
    ];
    let is_read = |path: &str| path.rsplit_once('.').is_some_and(|(_, it)| READ.contains(&it));
    let is_seen = |path: &str| wanted.seen.iter().any(|it| it.path == path);
    let tokens = tokens(&wanted.goal, &mut Vocabulary::default());
    let is_written = |path: &str| {
        let at = tokens.iter().position(|it| it.literal == Some(Literal::Path(path.to_owned())));
        at.is_some_and(|at| tables::is_target(&tokens, at))
    };
    let paths = tables::named(&wanted.goal).into_iter().map(|it| it.path);
    let unread =
        paths.filter(|it| wanted.has_looked && is_read(it) && !is_seen(it) && !is_written(it));
    let note = |it: String| {
        format!(
            "`{it}` could not be looked at: it is missing, too large, or not what its name says"
        )
    };
    unread.map(|it| note(it).into()).collect()
}

/// A part of the goal, with the closest ops.
fn gap(part: &str, catalog: &dyn Catalog) -> Gap {
    const MOST: usize = 3;
    let found = catalog.topics().find(part).into_iter();
    let is_near = |places: &[(_, Place)]| places.iter().any(|it| it.1 < Place::Details);
    let near = found.filter(|it| is_near(&it.words)).filter_map(|it| it.topic.op()).take(MOST);
    Gap { part: part.into(), nearest: near.map(|it| it.script_name().into()).collect() }
}
