//! Saves a session as a script: everything that its last answer needs, formatted and checked.

use std::collections::BTreeSet;

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
    /// entered.
    pub fn saved(&self) -> Saved {
        let needed = self.needed();
        let is_needed = |it: &&Entry| needed.contains(&it.name);
        let mut text = self.edition.as_ref().map_or_else(String::new, |it| format!("{it}\n\n"));
        for entry in self.entries.iter().filter(is_needed) {
            text += &entry.text;
            // Declarations of several lines are separated by blank lines.
            text += if entry.text.contains('\n') { "\n\n" } else { "\n" };
        }
        text += &format!("\n{}\n", self.main(&needed));
        let text = format(&text).text;
        let left_out = self.entries.iter().filter(|it| !is_needed(it));
        let left_out = left_out.map(|it| it.name.clone()).collect();
        let source = self.script(&text);
        let report = self.engine.analyse(source).report;
        Saved { text, left_out, report }
    }

    /// The main pipeline: the last one, or else the last binding.
    fn main(&self, needed: &BTreeSet<Text>) -> String {
        let is_value = |it: &&Entry| matches!(it.kind, Kind::Let(_)) && needed.contains(&it.name);
        match (&self.answer, self.entries.iter().rfind(is_value)) {
            (Some(answer), _) => answer.text.to_string(),
            (None, Some(last)) => last.name.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The names that the last answer needs, directly or indirectly.
    fn needed(&self) -> BTreeSet<Text> {
        let Some(answer) = &self.answer else {
            return self.entries.iter().map(|it| it.name.clone()).collect();
        };
        let mut words = words(&answer.text);
        let mut needed = BTreeSet::new();
        let is_asked = |it: &Entry, words: &BTreeSet<Text>| {
            words.contains(&it.name)
                || it.name.starts_with("mock ")
                || matches!(it.kind, Kind::Test)
        };
        loop {
            let found = self
                .entries
                .iter()
                .filter(|it| !needed.contains(&it.name))
                .find(|it| is_asked(it, &words));
            let Some(found) = found else { return needed };
            words.extend(self::words(&found.text));
            needed.insert(found.name.clone());
        }
    }

    /// A text with the last answer replaced by its pipeline.
    pub(super) fn expanded(&self, text: &str) -> String {
        match &self.answer {
            Some(answer) => replaced(text, ANSWER, |leads| answer.stands(leads)),
            None => text.to_owned(),
        }
    }
}

/// The text with a name replaced; `with` gets whether the name leads a pipeline.
pub(super) fn replaced(text: &str, name: &str, with: impl Fn(bool) -> String) -> String {
    let tokens = lex(text).tokens;
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    let mut replaced = text.to_owned();
    for (idx, token) in tokens.iter().enumerate().rev() {
        let is_word = token.kind == TokenKind::Word && shown(idx) == name;
        // A field or an argument of that name does not count.
        let is_part = idx > 0 && matches!(shown(idx - 1), "." | "?.");
        if is_word && !is_part && shown(idx + 1) != ":" {
            let leads = idx == 0 && shown(1) == ">>";
            replaced.replace_range(token.span.range(), &with(leads));
        }
    }
    replaced
}

impl Answer {
    /// The pipeline in a form that further stages can follow, or in parentheses as a value.
    fn stands(&self, leads: bool) -> String {
        if leads { self.text.to_string() } else { format!("({})", self.text) }
    }
}

/// The words of a text, including those inside strings.
fn words(text: &str) -> BTreeSet<Text> {
    let tokens = lex(text).tokens;
    let words = tokens.iter().filter(|it| it.kind == TokenKind::Word);
    words.map(|it| text[it.span.range()].into()).collect()
}
