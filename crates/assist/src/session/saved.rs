//! Saves a session as a script: everything that its last answer needs, formatted and checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use svc_contract::value::Text;
use svc_lang::{
    diag::Report,
    syntax::{
        format,
        token::{TokenKind, lex},
    },
};

use super::{ANSWER, Answer, Entry, Kind, Session};

/// A session as a script.
#[derive(Clone, Debug)]
pub struct Saved {
    pub text: String,
    /// The names of the session that are not needed.
    pub left_out: Vec<Text>,
    /// The problems and notes of the script.
    pub report: Report,
}

impl Session {
    /// The script that computes the last answer; without an answer, everything that was
    /// entered. What was bound again after a value was computed from it is there twice, under two
    /// names.
    pub fn saved(&self) -> Saved {
        let mut lines = Lines {
            session: self,
            done: BTreeMap::new(),
            names: BTreeSet::new(),
            text: String::new(),
        };
        let answer = self.answer.as_ref();
        let wanted = |it: &&Entry| {
            answer.is_none() || it.name.starts_with("mock ") || matches!(it.kind, Kind::Test)
        };
        let answer = answer.map(|it| lines.resolved(&it.text, it.at, None));
        for entry in self.entries.iter().filter(wanted) {
            lines.write(entry, self.now);
        }
        let last = self.entries.iter().rfind(|it| matches!(it.kind, Kind::Let(_)));
        let main = answer.unwrap_or_else(|| last.map(|it| it.name.to_string()).unwrap_or_default());
        let edition = self.edition.as_ref().map_or_else(String::new, |it| format!("{it}\n\n"));
        let text = format(&format!("{edition}{}\n{main}\n", lines.text)).text;
        let is_left_out = |it: &&Entry| lines.done.keys().all(|(at, _)| *at != it.at);
        let left_out = self.entries.iter().filter(is_left_out).map(|it| it.name.clone()).collect();
        let report = self.engine.analyse(self.script(&text)).report;
        Saved { text, left_out, report }
    }

    /// The statement that a name stood for at a time.
    fn meaning(&self, name: &str, at: usize) -> Option<&Entry> {
        let has_meaning = |it: &&Entry| it.at <= at && it.until.is_none_or(|until| at < until);
        let all = self.entries.iter().chain(&self.earlier);
        all.filter(|it| it.name.as_ref() == name).find(has_meaning)
    }

    /// A text with the last answer replaced by its pipeline.
    pub(super) fn expanded(&self, text: &str) -> String {
        match &self.answer {
            Some(answer) => replaced(text, ANSWER, |leads| answer.stands(leads)),
            None => text.to_owned(),
        }
    }
}

/// The statements of a script in the making, each after those that it needs.
struct Lines<'a> {
    session: &'a Session,
    /// The names under which statements are written, by when they were entered, and the text that
    /// they got: a flow may be needed with two meanings of what it calls.
    done: BTreeMap<(usize, String), String>,
    names: BTreeSet<String>,
    text: String,
}

impl Lines<'_> {
    /// The text with the names that its parts are written under, after writing these.
    fn resolved(&mut self, text: &str, at: usize, own: Option<&str>) -> String {
        let session = self.session;
        let words = words(text);
        let meant = words.iter().filter(|it| own != Some(it.as_ref()));
        let mut meant: Vec<&Entry> = meant.filter_map(|it| session.meaning(it, at)).collect();
        meant.sort_by_key(|it| it.at);
        let mut text = text.to_owned();
        for entry in meant {
            let name = self.write(entry, at);
            if name != entry.name.as_ref() {
                text = replaced(&text, &entry.name, |_| name.clone());
            }
        }
        text
    }

    /// Writes a statement, unless it is written, and returns its name there. A value was computed
    /// from what was known then; a declaration means what is known now.
    fn write(&mut self, entry: &Entry, now: usize) -> String {
        let at = if matches!(entry.kind, Kind::Let(_)) { entry.at } else { now };
        // Two declarations may name each other, or seem to.
        let open = (entry.at, String::new());
        if self.done.contains_key(&open) {
            return entry.name.to_string();
        }
        self.done.insert(open.clone(), entry.name.to_string());
        let text = self.resolved(&entry.text, at, Some(entry.name.as_ref()));
        self.done.remove(&open);
        let key = (entry.at, text);
        if let Some(name) = self.done.get(&key) {
            return name.clone();
        }
        let name = self.free_name(&entry.name, entry.until.is_none());
        let written =
            if name == entry.name.as_ref() { key.1.clone() } else { renamed(&key.1, &name) };
        self.text += &written;
        // Declarations of several lines are separated by blank lines.
        self.text += if written.contains('\n') { "\n\n" } else { "\n" };
        self.done.insert(key, name.clone());
        name
    }

    /// The name itself for what it means last, and one with a number for what it meant before.
    fn free_name(&mut self, name: &str, is_last: bool) -> String {
        let numbered = (1..).map(|it| format!("{name}_{it}"));
        let all = std::iter::once(name.to_owned()).filter(|_| is_last).chain(numbered);
        let is_free = |it: &String| {
            !self.names.contains(it)
                && (it == name || self.session.entries.iter().all(|entry| *entry.name != **it))
        };
        let free = all.into_iter().find(is_free).unwrap_or_else(|| name.to_owned());
        self.names.insert(free.clone());
        free
    }
}

/// A declaration under another name: its second word.
fn renamed(text: &str, name: &str) -> String {
    let tokens = lex(text).tokens;
    let mut words = tokens.iter().filter(|it| it.kind == TokenKind::Word);
    let own = words.nth(1).map_or(text.len()..text.len(), |it| it.span.range());
    format!("{}{name}{}", &text[..own.start], &text[own.end..])
}

/// The text with a name replaced; `with` gets whether the name leads a pipeline.
pub(super) fn replaced(text: &str, name: &str, with: impl Fn(bool) -> String) -> String {
    let mut replaced = text.to_owned();
    for (range, leads) in named(text).into_iter().rev().filter(|it| &text[it.0.clone()] == name) {
        replaced.replace_range(range, &with(leads));
    }
    replaced
}

/// The words of a text that may be names of a session, and whether they lead a pipeline. Fields and
/// arguments are none.
fn named(text: &str) -> Vec<(Range<usize>, bool)> {
    let tokens = lex(text).tokens;
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    let is_part =
        |idx: usize| shown(idx + 1) == ":" || (idx > 0 && matches!(shown(idx - 1), "." | "?."));
    let words = tokens.iter().enumerate().filter(|(_, it)| it.kind == TokenKind::Word);
    words
        .filter(|(idx, _)| !is_part(*idx))
        .map(|(idx, it)| (it.span.range(), idx == 0 && shown(1) == ">>"))
        .collect()
}

impl Answer {
    /// The pipeline in a form that further stages can follow, or in parentheses as a value.
    fn stands(&self, leads: bool) -> String {
        if leads { self.text.to_string() } else { format!("({})", self.text) }
    }
}

/// The words of a text that may be names of a session, including those inside strings.
fn words(text: &str) -> BTreeSet<Text> {
    named(text).into_iter().map(|(range, _)| text[range].into()).collect()
}
