//! What is found in a text: its addresses and numbers, and its words with how often each occurs; and
//! lines that are cleaned before anything is asked about them.

use svc_contract::value::Value;
use svc_text::stems::Vocabulary;

use super::{
    super::{Answer, Content, closed, table::Table, words::Literal},
    Goal, View,
};

/// What `entities` finds, with the words that ask for it and those that may follow.
const ENTITIES: [(&str, &[&str], &[&str]); 3] = [
    (
        "email",
        &["email", "emails", "e-mail", "e-mails"],
        &["address", "addresses", "adress", "adresses"],
    ),
    ("phone", &["phone", "phones", "telephone"], &["number", "numbers"]),
    ("url", &["url", "urls"], &[]),
];

/// Verbs and prepositions before what is left out.
const DROPPING: [&str; 9] =
    ["drop", "remove", "skip", "without", "ignore", "delete", "no", "omit", "excluding"];

impl Goal<'_> {
    /// The values of a kind in a text, as lines: `all email addresses in contacts.txt`.
    pub(super) fn entities(mut self, words: &mut Vocabulary) -> Option<View> {
        let (kind, from, to) = self.kind_asked()?;
        let reader = format!(
            "{} >> entities >> where {{ .type == \"{kind}\" }} >> each {{ .text }}",
            self.seen.reader
        );
        self.take(from, to, &format!("where {{ .type == \"{kind}\" }}"));
        for word in ["extract", "pull", "out", "occurring", "mentioned"] {
            if let Some(at) = self.find(&[word]) {
                self.take(at, at + 1, "entities");
            }
        }
        let reader = self.cleaned(reader);
        let table = Table::of_lines(&self.seen.path, &reader, &[], words);
        Some(self.view(table))
    }

    /// The kind of entities that is asked for, and the words that say so.
    fn kind_asked(&self) -> Option<(&'static str, usize, usize)> {
        let is_plural = |at: usize| self.lower(at).ends_with('s');
        ENTITIES.iter().find_map(|(kind, words, nouns)| {
            let at = (0..self.tokens.len())
                .find(|at| !self.taken[*at] && words.contains(&self.lower(*at)))?;
            let has_noun = nouns.contains(&self.lower(at + 1)) && !self.tokens[at].ends;
            let end = at + 1 + usize::from(has_noun);
            // `the email of Ada` is one of them.
            is_plural(end - 1).then_some((*kind, at, end))
        })
    }

    /// All lines of a text, if the goal says how they are cleaned.
    pub(super) fn clean_lines(
        mut self,
        reader: &str,
        text: &str,
        words: &mut Vocabulary,
    ) -> Option<View> {
        self.find(&["lines"])?;
        let cleaned = self.cleaned(reader.to_owned());
        let lines: Vec<&str> = text.lines().collect();
        let table = Table::of_lines(&self.seen.path, &cleaned, &lines, words);
        (cleaned != reader).then(|| self.view(table))
    }

    /// A reader of lines with the stages that clean each of them: `trimmed`, `without empty ones`,
    /// `in lower case`.
    pub(super) fn cleaned(&mut self, mut reader: String) -> String {
        let trims = ["trim", "trimmed", "trims"];
        if let Some(at) = trims.iter().find_map(|it| self.find(&[it])) {
            self.take(at, at + 1, "trim");
            reader += " >> each { trim }";
        }
        for (word, other, op) in [("lower", "lowercase", "lower"), ("upper", "uppercase", "upper")]
        {
            let two = self.find(&[word, "case"]).map(|at| (at, at + 2));
            let Some((at, end)) = two.or_else(|| self.find(&[other]).map(|at| (at, at + 1))) else {
                continue;
            };
            // `upper or lower case` compares.
            if matches!(at.checked_sub(1).map(|it| self.lower(it)), Some("or" | "of")) {
                continue;
            }
            self.take(at, end, op);
            reader += &format!(" >> each {{ {op} }}");
        }
        if let Some((from, to)) = self.empty_left_out() {
            self.take(from, to, "where { it != \"\" }");
            reader += " >> where { it != \"\" }";
        }
        reader
    }

    /// `drop the empty ones`, `without blank lines`, `non-empty`
    fn empty_left_out(&self) -> Option<(usize, usize)> {
        let is_empty = |it: &str| matches!(it, "empty" | "blank" | "empties");
        let is_filled = |it: &str| matches!(it, "non-empty" | "nonempty" | "non-blank");
        let free = |at: &usize| !self.taken[*at];
        if let Some(at) = (0..self.tokens.len()).filter(free).find(|at| is_filled(self.lower(*at)))
        {
            return Some((at, at + 1));
        }
        let at = (0..self.tokens.len()).filter(free).find(|at| is_empty(self.lower(*at)))?;
        let from =
            (at.saturating_sub(3)..at).rev().find(|it| DROPPING.contains(&self.lower(*it)))?;
        let are_stops = (from + 1..at).all(|it| self.tokens[it].is_stop);
        let has_noun = matches!(self.lower(at + 1), "ones" | "one" | "line" | "lines");
        are_stops.then_some((from, at + 1 + usize::from(has_noun && !self.tokens[at].ends)))
    }

    /// `the most common words`, `how often does each word occur`: the words with their counts.
    pub(super) fn word_counts(&mut self) -> Option<Answer> {
        let Content::One(Value::Text(_)) = &self.seen.content else { return None };
        let is_common = |it: &str| matches!(it, "common" | "frequent" | "used");
        let most = (0..self.tokens.len()).find(|at| {
            let is_most = self.lower(*at) == "most" && is_common(self.lower(at + 1));
            is_most && matches!(self.lower(at + 2), "word" | "words")
        });
        let often = self.find(&["how", "often"]).zip(self.find(&["each", "word"]));
        let number = |at: usize| match self.tokens.get(at)?.literal {
            Some(Literal::Number(n)) => super::super::words::whole(n),
            _ => None,
        };
        let (take, from, to) = match (most, often) {
            (Some(at), _) => {
                let before = at.checked_sub(1).and_then(number);
                let one = (self.lower(at + 2) == "word").then_some(1);
                (before.or(one), at - usize::from(before.is_some()), at + 3)
            }
            (None, Some((often, each))) => (None, often, each.max(often) + 2),
            (None, None) => return None,
        };
        for word in ["occur", "occurs", "appear", "appears", "used"] {
            if let Some(at) = self.find(&[word]) {
                self.taken[at] = true;
            }
        }
        let count =
            "group { it } >> each { { word: .key, count: len(.items) } } >> sort { -.count }";
        self.take(from, to, count);
        let is_open = |at: &usize| {
            let token = &self.tokens[*at];
            !self.taken[*at]
                && (!token.is_stop || token.literal.is_some() || closed::negates(token))
        };
        if (0..self.tokens.len()).any(|it| is_open(&it)) {
            return None;
        }
        let end = take.map_or(String::new(), |it| format!(" >> take(n: {it})"));
        let script = format!(
            "{} >> lower >> find_all(pattern: \"\\\\w[\\\\w'’-]*\") >> {count}{end}\n",
            self.seen.reader
        );
        let script = Table::stages(script.trim_end()).join("\n  >> ") + "\n";
        Some(Answer { script, parts: self.parts.clone() })
    }
}
