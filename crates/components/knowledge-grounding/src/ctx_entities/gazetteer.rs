//! Finds the names of a list.

use aho_corasick::{AhoCorasick, MatchKind};
use svc_contract::{
    registry::{Cx, OpError},
    value::{List, Text, Value},
};
use svc_text::scripts::is_ideograph;

use super::found::{Found, Source};

/// A few milliseconds of work.
const BETWEEN_CHECKS: usize = 1 << 10;

/// The most names and bytes of names of a list, and the longest name.
const MOST_NAMES: usize = 200_000;
const MOST_BYTES: usize = 8 << 20;
const LONGEST: usize = 200;

/// The bytes that are searched between two checks.
const PIECE: usize = 1 << 20;

/// The score of a name that stands in a list.
const SCORE: f64 = 0.95;

/// The names of a list, ready to be found.
pub(super) struct Gazetteer {
    names: Vec<Name>,
    /// The name of each pattern.
    patterns: Vec<usize>,
    automaton: AhoCorasick,
}

struct Name {
    kind: Text,
    id: Option<Text>,
}

impl Gazetteer {
    /// Reads a list of names.
    pub(super) fn read(rows: &List, cx: &Cx) -> Result<Self, OpError> {
        let (mut names, mut patterns, mut spelt) = (Vec::new(), Vec::new(), Vec::new());
        let mut bytes = 0;
        for (idx, row) in rows.iter().enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            let field = |name: &str| row.as_record().and_then(|it| it.get(name)?.as_str());
            let name = field("name").map(one_line).unwrap_or_default();
            if name.is_empty() {
                let message = format!("item {} of `gazetteer` has no name", idx + 1);
                return Err(OpError::invalid_input(message).help("leave out empty names before"));
            }
            if name.len() > LONGEST {
                let message =
                    format!("item {} of `gazetteer` is too long (limit {LONGEST} bytes)", idx + 1);
                return Err(OpError::invalid_input(message));
            }
            for spelling in spellings(&name) {
                bytes += spelling.len();
                spelt.push(spelling);
                patterns.push(names.len());
            }
            if names.len() == MOST_NAMES || bytes > MOST_BYTES {
                let message = format!(
                    "`gazetteer` is too large (limit {MOST_NAMES} names and {}MiB)",
                    MOST_BYTES >> 20
                );
                return Err(OpError::invalid_input(message));
            }
            let kind = field("type").filter(|it| !it.is_empty()).unwrap_or("name").into();
            let id = row.as_record().and_then(|it| match it.get("id") {
                Some(Value::Text(it)) => Some(it.clone()),
                _ => None,
            });
            names.push(Name { kind, id });
        }
        cx.check()?;
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spelt);
        let automaton = built.map_err(|err| {
            OpError::invalid_input(format!("cannot use `gazetteer`: {err}")).because(err)
        })?;
        Ok(Self { names, patterns, automaton })
    }

    /// The types of the names.
    pub(super) fn types(&self) -> Vec<Text> {
        let mut all: Vec<Text> = self.names.iter().map(|it| it.kind.clone()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Adds the names in a text.
    pub(super) fn find(&self, text: &str, all: &mut Vec<Found>, cx: &Cx) -> Result<(), OpError> {
        let (line, places) = spaced(text, cx)?;
        let mut at = 0;
        let mut count: usize = 0;
        while let Some(hit) = self.automaton.find(aho_corasick::Input::new(&line).range(at..)) {
            if count.is_multiple_of(BETWEEN_CHECKS) {
                cx.check()?;
            }
            count += 1;
            let (start, end) = (hit.start(), hit.end());
            if is_whole(&line, start, end) {
                let name = &self.names[self.patterns[hit.pattern().as_usize()]];
                all.push(Found {
                    range: places[start]..places[end - 1] + 1,
                    kind: name.kind.clone(),
                    score: SCORE,
                    source: Source::List,
                    id: name.id.clone(),
                });
                at = end;
            } else {
                // A shorter name may begin here or at the next letter.
                at = start + line[start..].chars().next().map_or(1, char::len_utf8);
            }
        }
        cx.check()
    }
}

/// How a name may be spelt: as it is and in capitals, and one in small letters also with capitals at
/// the beginnings.
fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    let mut add = |it: String| {
        if !all.contains(&it) {
            all.push(it);
        }
    };
    // Short names in capitals are abbreviations of something else.
    if name.chars().count() > 3 {
        add(name.to_uppercase());
    }
    if !name.contains(char::is_uppercase) {
        add(capital(name));
        add(name.split(' ').map(capital).collect::<Vec<_>>().join(" "));
    }
    all
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with one space for each run of them, and for each of its bytes the place in the text.
fn spaced(text: &str, cx: &Cx) -> Result<(String, Vec<usize>), OpError> {
    let mut line = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len());
    let mut is_space = false;
    for (count, (at, letter)) in text.char_indices().enumerate() {
        if count % PIECE == 0 {
            cx.check()?;
        }
        if letter.is_whitespace() {
            if !is_space {
                line.push(' ');
                places.push(at);
            }
            is_space = true;
            continue;
        }
        is_space = false;
        line.push(letter);
        places.extend(at..at + letter.len_utf8());
    }
    Ok((line, places))
}

/// Whether `start..end` is not inside a word. Chinese words have no border.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let joins = |a: Option<char>, b: Option<char>| match (a, b) {
        (Some(a), Some(b)) => {
            a.is_alphanumeric() && b.is_alphanumeric() && !is_ideograph(a) && !is_ideograph(b)
        }
        _ => false,
    };
    let (before, inside, after) = (&text[..start], &text[start..end], &text[end..]);
    !joins(before.chars().next_back(), inside.chars().next())
        && !joins(inside.chars().next_back(), after.chars().next())
}
