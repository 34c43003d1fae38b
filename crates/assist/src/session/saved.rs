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
    /// The params of the script that the session has values for: a run needs them again.
    pub given: Vec<(Text, Text)>,
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
        let answer = answer.map(|it| lines.resolved(&it.raw, it.at, None));
        for entry in self.entries.iter().filter(wanted) {
            lines.write(entry, self.now);
        }
        let last = self.entries.iter().rfind(|it| matches!(it.kind, Kind::Let(_)));
        let main = answer.unwrap_or_else(|| last.map(|it| it.name.to_string()).unwrap_or_default());
        let edition = self.edition.as_ref().map_or_else(String::new, |it| format!("{it}\n\n"));
        let text = format(&format!("{edition}{}\n{main}\n", lines.text)).text;
        let is_left_out = |it: &Entry| lines.done.keys().all(|(at, _)| *at != it.at);
        let (left_out, kept): (Vec<_>, Vec<_>) =
            self.entries.iter().partition(|it| is_left_out(it));
        let left_out = left_out.into_iter().map(|it| it.name.clone()).collect();
        let params = kept.into_iter().filter(|it| is_param(&it.text));
        let given =
            params.filter_map(|it| Some((it.name.clone(), self.given.get(&it.name)?.clone())));
        let given = given.collect();
        let report = self.engine.analyse(self.script(&text)).report;
        Saved { text, left_out, given, report }
    }

    /// The statement that a name stood for at a time.
    fn meaning(&self, name: &str, at: usize) -> Option<&Entry> {
        let has_meaning = |it: &&Entry| it.at <= at && it.until.is_none_or(|until| at < until);
        let all = self.entries.iter().chain(&self.earlier);
        all.filter(|it| it.name.as_ref() == name).find(has_meaning)
    }

    /// The answer that `ans` stood for in a statement, unless a declaration had its name.
    fn answer_before(&self, at: usize) -> Option<&Answer> {
        if self.meaning(ANSWER, at.saturating_sub(1)).is_some() {
            return None;
        }
        let all = self.answers.iter().chain(&self.answer);
        all.filter(|it| it.at < at).max_by_key(|it| it.at)
    }

    /// The number of statements that need an answer by `ans`, and uses in them.
    fn uses_of_answer(&self, of: usize) -> usize {
        let all = self.entries.iter().chain(&self.earlier).map(|it| (&it.raw, it.at));
        let all = all.chain(self.answers.iter().chain(&self.answer).map(|it| (&it.raw, it.at)));
        let is_about = |at: usize| self.answer_before(at).is_some_and(|it| it.at == of);
        let uses =
            |text: &Text| named(text).iter().filter(|it| text[it.0.clone()] == *ANSWER).count();
        all.filter(|it| is_about(it.1)).map(|it| uses(it.0)).sum()
    }

    /// A text with the last answer replaced by its pipeline.
    pub(super) fn expanded(&self, text: &str) -> String {
        match self.named_answer() {
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
    fn resolved(&mut self, text: &str, at: usize, of: Option<&Entry>) -> String {
        let session = self.session;
        let own_names = of.map(|_| bound_inside(text)).unwrap_or_default();
        let head = of.map_or(0, |it| head_of(it, text));
        let in_value = words(&text[head..]);
        let mut meant: Vec<(&Entry, usize)> = Vec::new();
        for word in words(text).iter().filter(|it| !own_names.contains(*it)) {
            // A name in its own value is what it meant before.
            let at = match of {
                Some(of) if of.name == *word => match of.kind {
                    Kind::Let(_) if in_value.contains(word) => of.at - 1,
                    _ => continue,
                },
                _ => at,
            };
            meant.extend(session.meaning(word, at).map(|it| (it, at)));
        }
        meant.sort_by_key(|it| it.0.at);
        let mut names: BTreeMap<Text, String> = BTreeMap::new();
        for (entry, at) in meant {
            names.insert(entry.name.clone(), self.write(entry, at));
        }
        let asked_at = of.map_or(at, |it| it.at);
        let answer = session.answer_before(asked_at).filter(|_| words(text).contains(ANSWER));
        let answer = answer.map(|it| self.answer(it));
        let (head, value) = text.split_at(head);
        let value = changed(value, |name, leads| match &answer {
            Some(answer) if name == ANSWER => Some(answer.stands(leads)),
            _ if own_names.contains(name) => None,
            _ => names.get(name).filter(|it| *it != name).cloned(),
        });
        let head = changed(head, |name, _| {
            let is_own = of.is_some_and(|it| *it.name == *name);
            names.get(name).filter(|_| !is_own).cloned()
        });
        format!("{head}{value}")
    }

    /// What stands for an answer: its pipeline, or a name if it is needed more than once.
    fn answer(&mut self, answer: &Answer) -> Stands {
        let key = (answer.at, String::new());
        if let Some(name) = self.done.get(&key) {
            return Stands::Name(name.clone());
        }
        let text = self.resolved(&answer.raw, answer.at, None);
        if self.session.uses_of_answer(answer.at) < 2 {
            return Stands::Pipeline(text);
        }
        let name = self.free_name(ANSWER, false);
        self.text += &format!("let {name} = {text}\n");
        self.done.insert(key, name.clone());
        Stands::Name(name)
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
        let text = self.resolved(&entry.raw, at, Some(entry));
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

/// What stands for `ans` in a script.
enum Stands {
    Pipeline(String),
    Name(String),
}

impl Stands {
    fn stands(&self, leads: bool) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Pipeline(text) if leads => text.clone(),
            Self::Pipeline(text) => format!("({text})"),
        }
    }
}

/// A declaration under another name: its second word, or that behind the file of a `use`.
fn renamed(text: &str, name: &str) -> String {
    let tokens = lex(text).tokens;
    let words: Vec<Range<usize>> =
        tokens.iter().filter(|it| it.kind == TokenKind::Word).map(|it| it.span.range()).collect();
    let is_use = words.first().is_some_and(|it| &text[it.clone()] == "use");
    let own = words.get(if is_use { 2 } else { 1 }).cloned().unwrap_or(text.len()..text.len());
    format!("{}{name}{}", &text[..own.start], &text[own.end..])
}

fn is_param(text: &str) -> bool {
    named(text).first().is_some_and(|(word, _)| text[word.clone()] == *"param")
}

/// The end of the part of a `let` that is before its value.
fn head_of(entry: &Entry, text: &str) -> usize {
    let tokens = lex(text).tokens;
    let sign = tokens.iter().find(|it| &text[it.span.range()] == "=");
    sign.filter(|_| matches!(entry.kind, Kind::Let(_))).map_or(0, |it| it.span.end)
}

/// The params of a flow and the names that it binds itself.
fn bound_inside(text: &str) -> BTreeSet<Text> {
    let tokens = lex(text).tokens;
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    if shown(0) != "flow" {
        return BTreeSet::new();
    }
    let body = (0..tokens.len()).find(|it| matches!(shown(*it), "->" | "{")).unwrap_or_default();
    let is_param = |idx: usize| idx < body && shown(idx + 1) == ":";
    let is_bound = |idx: usize| idx > 0 && shown(idx - 1) == "let";
    let bound = (0..tokens.len()).filter(|it| is_param(*it) || is_bound(*it));
    bound.map(|it| shown(it).into()).collect()
}

/// The text with a name replaced; `with` gets whether the name leads a pipeline.
pub(super) fn replaced(text: &str, name: &str, with: impl Fn(bool) -> String) -> String {
    changed(text, |word, leads| (word == name).then(|| with(leads)))
}

/// The text with other names; `with` gets a name, and whether it leads a pipeline.
fn changed(text: &str, with: impl Fn(&str, bool) -> Option<String>) -> String {
    let mut changed = text.to_owned();
    for (range, leads) in named(text).into_iter().rev() {
        if let Some(name) = with(&text[range.clone()], leads) {
            changed.replace_range(range, &name);
        }
    }
    changed
}

/// The words of a text that may be names of a session, and whether they lead a pipeline. Fields and
/// arguments are none.
fn named(text: &str) -> Vec<(Range<usize>, bool)> {
    let tokens = lex(text).tokens;
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    let begins_text = |idx: usize| idx > 0 && tokens[idx - 1].kind == TokenKind::TextOpen;
    let is_part = |idx: usize| {
        // `${n:.2}` has a form behind the name.
        (shown(idx + 1) == ":" && !begins_text(idx))
            || (idx > 0 && matches!(shown(idx - 1), "." | "?."))
    };
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
