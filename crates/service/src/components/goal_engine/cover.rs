//! The op whose documentation has the words of a part of a goal; for files, the op for their format.

use std::ops::Range;

use svc_contract::{
    registry::{Catalog, OpRef, Place, Ranked, Subject},
    value::Text,
};
use svc_text::stems::Vocabulary;

/// The share of a part's words that the name, the phrasings or the summary of an op must have.
const LEAST_COVERED: f64 = 0.6;

/// The same for an op whose name is the verb of the part.
const LEAST_OF_NAMED: f64 = 0.3;

/// The weight of a word that nothing in the registry has: it is as rare as can be.
const RAREST: f64 = 6.0;

/// How far down the list an op may be that has more of the words.
const LOOKED_AT: usize = 5;

/// How many ops are named for a part that nothing does.
const MOST_NEAREST: usize = 3;

/// How much more an op counts whose name is the verb of a part.
const OF_NAME: f64 = 0.25;

/// What does a part, and the share of its words that this has.
pub(super) enum Covering {
    Op(OpRef, f64),
    /// A stage of the language: its name, and what it does.
    Stage(String, String, f64),
}

/// Finds what does a part. One that follows another part may name what that one gives.
pub(super) fn covering(part: &str, follows: bool, catalog: &dyn Catalog) -> Option<Covering> {
    if let Some(name) = by_kind(part) {
        return catalog.registry().resolve(name).map(|it| Covering::Op(it, 1.0));
    }
    let words = content(part);
    let first = words.first()?;
    let found = catalog.topics().find(part);
    let mut best: Option<(&Ranked<'_>, f64, f64)> = None;
    for it in found.iter().take(LOOKED_AT) {
        let is_possible = match it.topic.subject {
            Subject::Op(op) => {
                op.op.lacks().is_none() && !is_about_svc(op) && takes_file(op, part, catalog)
            }
            Subject::Construct => path_of(part).is_none(),
            Subject::Flow(_) | Subject::Code => false,
        };
        if !is_possible || place(it, first).is_none_or(|it| it == Place::Details) {
            continue;
        }
        let covered = share(part, &words, it, follows, catalog);
        // The verb is the whole name: `wait`, `sort`.
        let is_named = part[first.clone()].eq_ignore_ascii_case(&it.topic.name);
        let worth = covered + if is_named { OF_NAME } else { 0.0 };
        let least = if is_named { LEAST_OF_NAMED } else { LEAST_COVERED };
        if covered >= least && best.is_none_or(|it| worth > it.2) {
            best = Some((it, covered, worth));
        }
    }
    let (ranked, covered, _) = best?;
    Some(match ranked.topic.subject {
        Subject::Op(op) => Covering::Op(op, covered),
        _ => Covering::Stage(ranked.topic.name.clone(), ranked.topic.summary.clone(), covered),
    })
}

/// Whether an op is about this system or its models, and does nothing for a goal.
fn is_about_svc(op: OpRef) -> bool {
    const ABOUT: [&str; 6] =
        ["core", "goal_engine", "guide", "invariants", "navigator", "system_doctor"];
    // What keeps a model is for those who know one.
    const OF_MODELS: [&str; 3] = ["learn", "save", "load"];
    ABOUT.contains(&op.component.name) || OF_MODELS.contains(&op.op.name)
}

/// The share of the words, by weight, that one phrasing of a topic has, or its name and its summary
/// together; 0 where the first word is not among them.
fn share(
    part: &str,
    words: &[Range<usize>],
    found: &Ranked<'_>,
    follows: bool,
    catalog: &dyn Catalog,
) -> f64 {
    let topic = found.topic;
    let described = format!("{} {} {}", topic.name, topic.other_names, topic.summary);
    let texts = topic.says.iter().map(String::as_str).chain([described.as_str()]);
    let weight = |range: &Range<usize>| {
        let word = part[range.clone()].to_lowercase();
        match catalog.topics().rarity(&word) {
            it if it > 0.0 => it,
            // `summarise the transcript`: what it is done with, and not what is done.
            _ if follows && is_definite(part, range) => 0.0,
            // `in docs`: where it is done.
            _ if is_place(part, range) => 0.0,
            _ => RAREST,
        }
    };
    let total: f64 = words.iter().map(weight).sum();
    let of = |text: &str| {
        let mut known = Vocabulary::default();
        known.read(text).for_each(drop);
        let has = |range: &&Range<usize>| known.has(&part[(*range).clone()].to_lowercase());
        let begins = words.first().is_some_and(|it| has(&it));
        let covered: f64 = words.iter().filter(has).map(weight).sum();
        if begins { covered } else { 0.0 }
    };
    let covered = texts.map(of).fold(0.0, f64::max);
    if total > 0.0 { covered / total } else { 0.0 }
}

/// Where a topic has a word of the question.
fn place(found: &Ranked<'_>, range: &Range<usize>) -> Option<Place> {
    found.words.iter().find(|it| it.0 == *range).map(|it| it.1)
}

/// Whether a word is one with `the` or `these` before it.
fn is_definite(part: &str, range: &Range<usize>) -> bool {
    let before = part[..range.start].trim_end().rsplit(' ').next().unwrap_or_default();
    matches!(before.to_lowercase().as_str(), "the" | "this" | "that" | "these" | "those")
}

/// Whether a word is one with `in` or `from` before it.
fn is_place(part: &str, range: &Range<usize>) -> bool {
    let before = part[..range.start].trim_end().rsplit(' ').next().unwrap_or_default();
    matches!(before.to_lowercase().as_str(), "in" | "from" | "into" | "inside" | "under" | "within")
}

/// The words that say what is done: no stop words, no values, and nothing of what is searched for.
fn content(part: &str) -> Vec<Range<usize>> {
    let mut vocabulary = Vocabulary::default();
    let words: Vec<_> = vocabulary.read(part).collect();
    let subject = subject(part);
    let is_content = |range: &Range<usize>| {
        !is_value(part, range) && !subject.iter().any(|it| it.contains(&range.start))
    };
    words.into_iter().filter(|it| !it.is_stop && is_content(&it.range)).map(|it| it.range).collect()
}

/// What follows `about` and the like, up to the next preposition: what is searched for.
fn subject(part: &str) -> Vec<Range<usize>> {
    const BEFORE: [&str; 8] = [
        " about ",
        " regarding ",
        " concerning ",
        " mentioning ",
        " containing ",
        " called ",
        " named ",
        " field ",
    ];
    const AFTER: [&str; 6] = [" in ", " from ", " of ", " to ", " into ", " and "];
    let lower = part.to_ascii_lowercase();
    let of = |word: &str| {
        let start = lower.find(word)? + word.len();
        let rest = &lower[start..];
        let end = AFTER.iter().filter_map(|it| rest.find(it)).min().unwrap_or(rest.len());
        Some(start..start + end)
    };
    if lower.len() != part.len() {
        return Vec::new();
    }
    BEFORE.iter().filter_map(|it| of(it)).collect()
}

/// Whether a word is part of a quoted text, a path or a number.
fn is_value(text: &str, range: &Range<usize>) -> bool {
    const NUMBERS: [&str; 18] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty",
        "hundred", "second", "seconds", "minute", "minutes", "hour", "hours",
    ];
    let before = &text[..range.start];
    let is_quoted = before.matches('"').count() % 2 == 1;
    let start = before.rfind(char::is_whitespace).map_or(0, |it| it + 1);
    let end = text[range.end..].find(char::is_whitespace).map_or(text.len(), |it| range.end + it);
    let word = text[start..end].trim_end_matches(['.', ',', ';', ':', '?', '!']);
    let is_number = NUMBERS.contains(&text[range.clone()].to_lowercase().as_str());
    is_quoted
        || is_number
        || word.contains(['.', '/', '@'])
        || word.bytes().any(|it| it.is_ascii_digit())
}

/// The last path of a part: a word with an extension.
pub(super) fn path_of(part: &str) -> Option<&str> {
    let words = part.split_whitespace().map(|it| it.trim_matches(['"', ',', ';', '?', '!']));
    let words = words.map(|it| it.trim_end_matches('.'));
    let is_path = |it: &&str| {
        let extension = it.rsplit_once('.').map(|it| it.1);
        extension.is_some_and(|it| {
            (1..=5).contains(&it.len())
                && it.chars().all(|it| it.is_ascii_alphanumeric())
                && it.contains(|it: char| it.is_ascii_alphabetic())
        })
    };
    words.filter(|it| !it.contains(['@', ':'])).rfind(is_path)
}

/// Whether a part asks a person, and not a language model.
pub(super) fn asks_a_person(part: &str) -> bool {
    const ASKS: [&str; 6] = [
        "ask me",
        "ask the user",
        "ask a person",
        "ask someone",
        "get my approval",
        "let me approve",
    ];
    let lower = part.to_ascii_lowercase();
    ASKS.iter().any(|it| lower.starts_with(it))
}

/// The op for what saves, reads, asks, or keeps the first ones: the file or the person decides which
/// one it is. `None` for any other part.
fn by_kind(part: &str) -> Option<&'static str> {
    const SAVES: [&str; 6] = ["save", "write", "store", "put", "export", "keep"];
    const READS: [&str; 6] = ["read", "open", "load", "parse", "import", "get"];
    let lower = part.to_ascii_lowercase();
    if asks_a_person(part) {
        return Some("approve");
    }
    let words: Vec<&str> = lower.split_whitespace().collect();
    let verb = words.first().copied().unwrap_or_default();
    let is_first = words.iter().any(|it| ["first", "top", "best"].contains(it));
    if ["keep", "take"].contains(&verb) && is_first && words.len() <= 5 {
        return Some("take");
    }
    let path = path_of(part)?;
    let extension = path.rsplit_once('.').map_or("", |it| it.1).to_lowercase();
    if SAVES.iter().any(|it| is_form(verb, it)) {
        return Some(if extension == "json" { "save_json" } else { "write_file" });
    }
    if READS.iter().any(|it| is_form(verb, it)) && content(part).len() <= 2 {
        return reader(path);
    }
    None
}

/// Whether a word is a verb, or its form with `-ing`.
fn is_form(word: &str, verb: &str) -> bool {
    let stem = word.strip_suffix("ing");
    word == verb || stem.is_some_and(|it| it == verb || verb.strip_suffix('e') == Some(it))
}

/// The op that reads a file as what its name says it is.
fn reader(path: &str) -> Option<&'static str> {
    let extension = path.rsplit_once('.')?.1.to_lowercase();
    Some(match extension.as_str() {
        "json" => "read_json",
        "jsonl" | "ndjson" => "read_jsonl",
        "pdf" => "pdf_text",
        "docx" | "xlsx" | "pptx" | "odt" | "ods" | "epub" => "read_office",
        "txt" | "md" | "csv" | "tsv" | "html" | "yaml" | "yml" | "toml" | "xml" | "log" => {
            "read_text"
        }
        _ => return None,
    })
}

/// The op that has to read the file of a part before another op gets what is in it; `None` if the
/// part names no file, or the op opens it.
pub(super) fn reader_for(part: &str, op: OpRef, catalog: &dyn Catalog) -> Option<OpRef> {
    let path = path_of(part).filter(|_| !op.op.touches_paths())?;
    catalog.registry().resolve(reader(path)?)
}

/// Whether an op can get what is in the file that a part names, or the part names none.
fn takes_file(op: OpRef, part: &str, catalog: &dyn Catalog) -> bool {
    let Some(path) = path_of(part) else { return true };
    if op.op.touches_paths() {
        return true;
    }
    let Some(reader) = reader(path).and_then(|it| catalog.registry().resolve(it)) else {
        return false;
    };
    let takes = op.op.input().map(|it| it.scheme.plain());
    takes.is_some_and(|it| {
        let way = catalog.way_between(&reader.op.yields.plain(), &it);
        way.is_some_and(|it| it.stages.is_empty() && !it.of_items)
    })
}

/// The ops that have words of a part.
pub(super) fn nearest(part: &str, catalog: &dyn Catalog) -> Vec<Text> {
    let found = catalog.topics().find(part).into_iter();
    let is_near = |places: &[(_, Place)]| places.iter().any(|it| it.1 < Place::Details);
    let ops = found.filter(|it| is_near(&it.words)).filter_map(|it| it.topic.op());
    let ops = ops.filter(|it| !is_about_svc(*it));
    ops.take(MOST_NEAREST).map(|it| it.script_name().into()).collect()
}
