//! The tables that a source can be looked at as: the rows of a table, the lines of texts, the files
//! of a folder with what is counted in them.
//!
//! A view takes the words that say where its rows come from out of the goal; the rest is a question
//! about a table like any other.

use svc_contract::value::Value;
use svc_text::stems::{Term, Vocabulary};

mod files;
mod found;

use super::{
    Answer, Content, Seen,
    closed::{self, negates},
    lexicon::{Lexicon, has},
    maps,
    source::{around, is_file},
    table::{Column, Kind, Table},
    texts::{Looked, looked_for},
    words::{Literal, Token, token},
};

/// A table, and what the goal asks about it.
pub(super) struct View {
    pub(super) table: Table,
    pub(super) tokens: Vec<Token>,
    /// The phrases of the goal that the stages of the table serve.
    pub(super) parts: Vec<(String, String)>,
}

/// The views of a source, the most special first.
pub(super) fn views(
    seen: &Seen,
    tokens: &[Token],
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Vec<View> {
    let mut goal = Goal::new(seen, tokens, words);
    let mut all = Vec::new();
    match &seen.content {
        Content::One(value) => {
            if let Some(text) = value.as_str() {
                all.extend(goal.clone().entities(words));
                let reader = format!("{} >> lines", seen.reader);
                all.extend(goal.clone().lines(&reader, &[text], lexicon, words));
                all.extend(goal.clone().clean_lines(&reader, text, words));
            }
            let table = Table::of(&seen.path, &seen.reader, value, words);
            match table {
                Some(table) => all.push(goal.of_rows(table, words)),
                None => {
                    let tables = maps::tables(&seen.path, &seen.reader, value, tokens, words);
                    all.extend(tables.into_iter().map(|it| goal.clone().of_rows(it, words)));
                }
            }
        }
        Content::Rows { parser, rows } => {
            let mut table = Table::of_files(&seen.path, &seen.reader, parser, rows, words);
            if let Some(table) = &mut table {
                goal.name_tables(table, words);
            }
            if goal.asked().is_none() && goal.each().is_none() && goal.find(&["file"]).is_none() {
                goal.take_files();
            }
            if !goal.is_about_size() {
                all.extend(table.map(|it| goal.of_rows(it, words)));
            }
        }
        Content::Texts(docs) => all.extend(goal.files(&seen.reader, docs, lexicon, words)),
    }
    all
}

/// The stages that read a text, if the goal only asks what it says: `what does a.txt say`.
pub(super) fn whole(
    seen: &Seen,
    tokens: &[Token],
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Option<Answer> {
    const ASKING: [&str; 8] =
        ["say", "says", "content", "contents", "text", "print", "show", "display"];
    let Content::One(Value::Text(_)) = &seen.content else { return None };
    let goal = Goal::new(seen, tokens, words);
    if let Some(answer) = goal.clone().word_counts() {
        return Some(answer);
    }
    let rest: Vec<&Token> =
        goal.tokens.iter().zip(&goal.taken).filter(|(_, taken)| !**taken).map(|it| it.0).collect();
    let is_asking = |it: &&Token| ASKING.contains(&it.lower.as_str());
    let is_known = |it: &&Token| match &it.literal {
        Some(Literal::Period(day, _)) => seen.path.contains(day.as_str()),
        Some(_) => false,
        None => is_asking(it) || it.is_stop || lexicon.requests(it) || has(&goal.names, it),
    };
    let is_whole = rest.iter().any(is_asking) && rest.iter().all(is_known);
    let is_denied = rest.iter().any(|it| negates(it));
    let script = format!("{}\n", seen.reader.replace(" >> ", "\n  >> "));
    (is_whole && !is_denied).then_some(Answer { script, parts: goal.parts })
}

/// Numbers of a file, and the expressions for them.
const SIZES: [(&str, &str); 3] =
    [("words", "len(words(.text))"), ("lines", "len(lines(.text))"), ("characters", "len(.text)")];

/// Words for the lines in which something stands.
const PLACES: [&str; 5] = ["lines", "places", "times", "occurrences", "mentions"];

/// The tokens of a goal, some of which are taken.
#[derive(Clone)]
struct Goal<'a> {
    seen: &'a Seen,
    tokens: Vec<Token>,
    taken: Vec<bool>,
    parts: Vec<(String, String)>,
    /// The words of the folder's name, which name its files: `the folder recipes`.
    names: Vec<Term>,
    /// What there is one file for: `one file per node`.
    things: Vec<Term>,
    /// Whether the lines with a text are counted, and not the files.
    is_counted: bool,
}

impl<'a> Goal<'a> {
    fn new(seen: &'a Seen, tokens: &[Token], words: &mut Vocabulary) -> Self {
        let stem = seen.path.split(['*', '.']).next().unwrap_or_default();
        let stem = stem.trim_end_matches('/');
        let stem =
            if seen.within.is_some() { stem } else { stem.rsplit('/').next().unwrap_or(stem) };
        let names = words.read(&stem.replace(['_', '-', '/'], " ")).map(|it| it.term).collect();
        let taken = vec![false; tokens.len()];
        let (parts, things) = (Vec::new(), Vec::new());
        let mut goal =
            Self { seen, tokens: tokens.to_vec(), taken, parts, names, things, is_counted: false };
        let own: Vec<&str> = [Some(&seen.path), seen.within.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let is_path = |it: &Token| matches!(&it.literal, Some(Literal::Path(path)) if own.contains(&path.as_str()));
        let paths: Vec<usize> = (0..tokens.len()).filter(|it| is_path(&goal.tokens[*it])).collect();
        for at in paths {
            goal.take(at, at + 1, &seen.reader.replace("<{T}>", ""));
        }
        for at in around(&goal.tokens, &own, &seen.reader) {
            goal.taken[at] = true;
        }
        goal
    }

    fn view(&self, table: Table) -> View {
        let mut tokens: Vec<Token> = Vec::new();
        for (token, is_taken) in self.tokens.iter().zip(&self.taken) {
            if !is_taken {
                tokens.push(token.clone());
            } else if let Some(last) = tokens.last_mut() {
                last.ends |= token.ends;
            }
        }
        View { table, tokens, parts: self.parts.clone() }
    }

    /// A view of the rows of a table. Words that the values explain are said as the values are:
    /// `the errors` of a log with the level `ERROR`, services that are `down`.
    fn of_rows(&mut self, mut table: Table, words: &mut Vocabulary) -> View {
        if let Some(nouns) = &self.seen.nouns {
            table.terms.extend(words.read(nouns).map(|it| it.term));
            table.is_strict = true;
        }
        if let Some(at) = self.find(&["how", "many", "times"]) {
            self.say(at + 2, "rows", words);
        }
        self.name_files(&table, words);
        for at in 1..self.tokens.len() {
            // `over 24 months`, where the reader takes the unit off.
            let is_unit = table.reader.contains(&format!("[\\d.]+) {}[", self.lower(at)));
            self.taken[at] |= is_unit && !is_word(&self.tokens[at - 1]);
        }
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            let is_named = table.columns.iter().any(|it| has(&it.terms, token));
            if self.taken[at] || token.literal.is_some() || is_named || has(&table.terms, token) {
                continue;
            }
            let same = |wanted: &str| {
                let mut columns = table.columns.iter().filter_map(|it| {
                    it.values.iter().find(|it| it.to_lowercase() == wanted && it.len() > 1)
                });
                columns.next().filter(|_| columns.next().is_none()).cloned()
            };
            let is_state = at > 0 && matches!(self.lower(at - 1), "is" | "are" | "was" | "were");
            if token.is_stop {
                self.tokens[at].is_stop &= !is_state || same(&token.lower).is_none();
            } else if same(&token.lower).is_none()
                && let Some(value) = token.lower.strip_suffix('s').and_then(same)
            {
                self.say(at, &value, words);
            }
        }
        if self.totals_texts(&table) || self.hides_value(&table) {
            table.is_unclear = true;
        }
        self.view(table)
    }

    /// Whether a total is wanted of a column that has no numbers: `380 EUR`.
    fn totals_texts(&self, table: &Table) -> bool {
        let is_number = |it: &Column| matches!(it.kind, Kind::Int | Kind::Float);
        // `net total` may be a column of its own.
        let is_column =
            |token: &Token| table.columns.iter().any(|it| is_number(it) && has(&it.terms, token));
        let is_total = |at: &usize| {
            closed::total(&self.tokens[*at]).is_some() && !is_column(&self.tokens[*at])
        };
        (0..self.tokens.len()).filter(is_total).any(|at| {
            let end = (at..self.tokens.len()).find(|it| self.tokens[*it].ends);
            let end = end.map_or(self.tokens.len(), |it| it + 1);
            let is_key = |it: &&Token| matches!(&*it.lower, "per" | "by" | "for" | "each" | "in");
            let behind = self.tokens[at..end].iter().skip(1).take(3);
            let behind = behind.take_while(|it| !is_key(it));
            let mut named = behind.flat_map(|token| {
                table.columns.iter().filter(move |column| has(&column.terms, token))
            });
            let is_number = |it: &Column| matches!(it.kind, Kind::Int | Kind::Float);
            named.clone().next().is_some() && !named.any(is_number)
        })
    }

    /// `the largest file`: not what is in it.
    fn is_about_size(&self) -> bool {
        let is_it = |at: &usize| is_file(self.lower(at + 1)) && self.lower(*at).ends_with("est");
        (0..self.tokens.len()).any(|at| is_it(&at))
    }

    /// `which region`, in a folder of regions with several rows each: it is the file that is meant.
    fn name_tables(&mut self, table: &mut Table, words: &mut Vocabulary) {
        let Content::Rows { rows, .. } = &self.seen.content else { return };
        let files = table.columns.first().map_or(0, |it| it.values.len());
        if rows.as_list().is_none_or(|it| it.len() <= files) {
            return;
        }
        table.terms.clear();
        let nouns: Vec<usize> = (0..self.tokens.len())
            .filter(|at| !self.taken[*at] && has(&self.names, &self.tokens[*at]))
            .collect();
        for at in &nouns {
            self.say(*at, "file", words);
        }
        // The best row is not the best file.
        let is_best = self.tokens.iter().any(|it| closed::superlative(it).is_some());
        let is_file = (0..self.tokens.len()).any(|at| !self.taken[at] && self.lower(at) == "file");
        let is_grouped = self.each().is_some() || self.find(&["per"]).is_some();
        if is_best && is_file && !is_grouped {
            table.columns.clear();
        }
    }

    /// Whether a word that usually means nothing is a value: `came in`, with the values IN and OUT.
    fn hides_value(&self, table: &Table) -> bool {
        let is_value = |token: &Token| {
            let mut columns = table.columns.iter();
            columns.any(|it| it.values.iter().any(|it| it.to_lowercase() == token.lower))
        };
        (0..self.tokens.len()).any(|at| {
            let token = &self.tokens[at];
            let is_last = token.ends || at + 1 == self.tokens.len();
            // `with no email` denies, also where a column has `no`.
            let next = self.tokens.get(at + 1).filter(|_| negates(token));
            if next.is_some_and(|next| table.columns.iter().any(|it| has(&it.terms, next))) {
                return false;
            }
            let is_place = matches!(token.text.as_str(), "in" | "on" | "at") && !is_last;
            token.is_stop && !self.taken[at] && !is_place && is_value(token)
        })
    }

    /// `the april file`, `march.csv`: the rows of one file of a folder.
    fn name_files(&mut self, table: &Table, words: &mut Vocabulary) {
        let Some(files) = table.columns.first().filter(|_| table.is_origin(0)) else { return };
        for at in 0..self.tokens.len() {
            let lower = self.lower(at);
            let is_it = |it: &&String| {
                let it = it.to_lowercase();
                it == lower || it.rsplit_once('.').is_some_and(|(stem, _)| stem == lower)
            };
            let Some(file) = files.values.iter().find(is_it) else { continue };
            if !self.taken[at] {
                self.say(at, file, words);
                self.tokens[at].literal = None;
            }
        }
    }

    fn take(&mut self, from: usize, to: usize, stage: &str) {
        let phrase: Vec<&str> = self.tokens[from..to].iter().map(|it| it.text.as_str()).collect();
        self.parts.push((phrase.join(" "), stage.to_owned()));
        self.taken[from..to].fill(true);
    }

    /// Puts another word in the place of one.
    fn say(&mut self, at: usize, text: &str, words: &mut Vocabulary) {
        let ends = self.tokens[at].ends;
        self.tokens[at] = Token { ends, ..token(text, words) };
        self.taken[at] = false;
    }

    fn lower(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |it| it.lower.as_str())
    }

    fn says(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(idx, it)| self.lower(at + idx) == *it)
    }

    fn find(&self, words: &[&str]) -> Option<usize> {
        (0..self.tokens.len()).find(|at| !self.taken[*at] && self.says(*at, words))
    }

    /// Lines, chosen by the text that the goal looks for, if there is one.
    fn lines(
        mut self,
        reader: &str,
        texts: &[&str],
        lexicon: &Lexicon,
        words: &mut Vocabulary,
    ) -> Option<View> {
        let lines: Vec<&str> = texts.iter().flat_map(|it| it.lines()).collect();
        let mut reader = reader.to_owned();
        let looked = self.looked(&lines, lexicon).or_else(|| self.counted_text(&lines));
        if let Some(looked) = looked {
            self.is_about_lines(&looked, &lines, words)?;
            let stage = format!("where {{ {} }}", looked.condition("it", &lines));
            self.take(looked.from, looked.to, &stage);
            if let Some(at) = self.find(&["nothing", "else"]) {
                self.take(at, at + 2, &stage);
            }
            reader = format!("{reader} >> {stage}");
        } else if matches!(self.seen.content, Content::One(_)) || self.find(&["lines"]).is_none() {
            return None;
        }
        reader = self.cleaned(reader);
        for word in ["together", "altogether"] {
            if let Some(at) = self.find(&[word]) {
                self.take(at, at + 1, "flatten");
            }
        }
        let table = Table::of_lines(&self.seen.path, &reader, &lines, words);
        Some(self.view(table))
    }

    fn looked(&self, texts: &[&str], lexicon: &Lexicon) -> Option<Looked> {
        let is_free = |it: &Looked| !self.taken[it.from..it.to].contains(&true);
        looked_for(&self.tokens, texts, lexicon).filter(is_free)
    }

    /// `how many INSERT statements`: a text in capitals says which lines are counted.
    fn counted_text(&mut self, lines: &[&str]) -> Option<Looked> {
        let at = self.find(&["how", "many"])? + 2;
        let it = self.tokens.get(at)?;
        let is_name = it.text.chars().all(|it| it.is_uppercase() || it == '_') && it.text.len() > 2;
        let looked =
            Looked::word(&self.tokens, at, lines).filter(|it| is_name && it.is_once(lines))?;
        let next = self.tokens.get(at + 1)?;
        let is_line = PLACES.contains(&next.lower.as_str());
        let is_noun = !next.is_stop && next.literal.is_none() && !it.ends && !is_line;
        if is_noun && !self.taken[at + 1] {
            self.take(at + 1, at + 2, "lines");
        }
        for at in 0..self.tokens.len() {
            self.taken[at] |= matches!(self.lower(at), "contain" | "contains" | "have" | "has");
        }
        Some(looked)
    }

    /// Whether it is lines that are wanted, or counted: `in how many places`.
    fn is_about_lines(
        &mut self,
        looked: &Looked,
        lines: &[&str],
        words: &mut Vocabulary,
    ) -> Option<()> {
        if let Some(at) = self.find(&["how", "often"]) {
            return self.say_lines(looked, lines, at + 1, words);
        }
        let is_defined = self.is_defined(looked);
        let is_place = |at: &usize| {
            let is_word = PLACES.contains(&self.lower(*at)) || self.lower(*at) == "line";
            is_word && !self.taken[*at] && !(looked.from..looked.to).contains(at)
        };
        match (0..self.tokens.len()).find(is_place) {
            Some(at) if self.lower(at).starts_with("line") => Some(()),
            Some(at) => self.say_lines(looked, lines, at, words),
            None if is_defined => Some(()),
            None => {
                let before = looked.from.checked_sub(1)?;
                (self.lower(before) == "many").then_some(())?;
                self.say_lines(looked, lines, before, words)
            }
        }
    }

    /// Says that lines are counted, if each of them is one place. Words for places stand at `at`, or
    /// the end of `how many`.
    fn say_lines(
        &mut self,
        looked: &Looked,
        lines: &[&str],
        at: usize,
        words: &mut Vocabulary,
    ) -> Option<()> {
        if !looked.is_once(lines) {
            return None;
        }
        if at > 0 && self.lower(at - 1) == "how" {
            self.say(at - 1, "many", words);
        }
        self.say(at, "lines", words);
        Some(())
    }

    /// `every open item (the ones starting with "- [ ]")`: the text says what is meant.
    fn is_defined(&mut self, looked: &Looked) -> bool {
        const ALL: [&str; 8] = ["every", "each", "all", "any", "an", "a", "still", "the"];
        let Some(before) = looked.from.checked_sub(1) else { return false };
        if !matches!(self.lower(before), "ones" | "i.e" | "ie") {
            return false;
        }
        let end = before - usize::from(before > 0 && self.lower(before - 1) == "the");
        let from = (0..end).rev().find(|it| ALL.contains(&self.lower(*it)));
        let Some(from) = from.filter(|it| self.tokens[*it..end].iter().all(is_word)) else {
            return false;
        };
        self.take(from, before + 1, "where");
        true
    }
}

fn is_word(token: &Token) -> bool {
    token.literal.is_none()
}
