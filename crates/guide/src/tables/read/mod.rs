//! Reads a goal as a question about one table: which words mean columns and values, which compare,
//! count, order and write.

mod dates;
mod filters;
mod groups;
mod measures;
mod mentions;
mod names;
mod orders;
mod results;
mod rows;
mod values;

use svc_text::stems::Vocabulary;

use super::{
    closed,
    lexicon::Lexicon,
    query::{Filter, Measure, Query},
    table::{Column, Kind, Table},
    words::{Literal, Token},
};

/// A column that some tokens mention.
#[derive(Clone, Copy, Debug)]
struct Mention {
    column: usize,
    at: usize,
    end: usize,
    /// Whether the word says that it is not so: `unpaid`.
    is_negated: bool,
    is_used: bool,
}

/// What is understood so far of a goal.
pub(super) struct Reader<'a, 'w> {
    tokens: &'a [Token],
    lexicon: &'a Lexicon,
    words: &'w mut Vocabulary,
    /// The tokens that the query covers.
    covered: Vec<bool>,
    mentions: Vec<Mention>,
    /// Whether something is said of all rows of a group: `who never paid`.
    denies_all: bool,
    /// The mentions of columns that are to be left out of the result.
    left_out: Vec<usize>,
    query: Query<'a>,
}

/// A query, with the words of the goal that it does not cover.
pub(super) struct Reading<'a> {
    pub(super) query: Query<'a>,
    pub(super) uncovered: Vec<String>,
}

impl<'a, 'w> Reader<'a, 'w> {
    pub(super) fn new(
        tokens: &'a [Token],
        table: &'a Table,
        lexicon: &'a Lexicon,
        words: &'w mut Vocabulary,
    ) -> Self {
        let covered = vec![false; tokens.len()];
        let (mentions, query) = (Vec::new(), Query::of(table));
        let (denies_all, left_out) = (false, Vec::new());
        Self { tokens, lexicon, words, covered, mentions, denies_all, left_out, query }
    }

    /// Reads the goal; `None` if it cannot be a question about the table.
    pub(super) fn read(mut self) -> Option<Reading<'a>> {
        self.paths()?;
        self.find_mentions();
        self.parts_of_dates();
        self.products();
        self.charts();
        self.templates();
        self.asides();
        self.values();
        self.decimals();
        self.group_conditions();
        self.pairs();
        self.comparisons();
        self.presence();
        self.shares();
        self.totals();
        self.groups();
        self.orders()?;
        self.projections();
        self.identified();
        self.formats();
        self.refrains();
        self.separators();
        self.kinds();
        self.renames();
        self.rows();
        self.extreme();
        self.best_of_repeated();
        self.over_time();
        self.choices()?;
        if self.compares_dates() {
            return None;
        }
        // Of all rows of a group, or of a sum of numbers, nothing can be said.
        let is_of_all = |it: &usize| self.is_text(*it) && self.table().repeats(*it);
        if self.denies_all && self.query.columns.iter().chain(&self.query.groups).any(is_of_all) {
            return None;
        }
        let has_order = !self.query.orders.is_empty() && self.query.take.is_none();
        if self.query.has_measures() && self.query.groups.is_empty() && has_order {
            return None;
        }
        let is_odd = self.query.columns.iter().any(|it| self.query.is_number(*it));
        if self.query.has_measures() && is_odd && !self.query.distinct {
            return None;
        }
        let counts = self.query.measures.iter().any(|it| it.measure == Measure::Count);
        if counts && self.table().is_lines && !self.names_lines() {
            return None;
        }
        let uncovered = self.uncovered();
        Some(Reading { query: self.query, uncovered })
    }

    /// `closed on the day they were opened`, `the days to close a ticket`, `rain in every town`: what
    /// relates rows or dates to each other, of which no column speaks.
    fn compares_dates(&self) -> bool {
        let has_days = self.table().columns.iter().enumerate().any(|(idx, it)| {
            it.kind == Kind::Days
                && self.query.measures.iter().any(|of| of.measure.column() == Some(idx))
        });
        let is_every = |at: usize| {
            let is_place = |it: &Mention| {
                it.at == at + 2 && self.is_text(it.column) && self.table().repeats(it.column)
            };
            matches!((self.word(at), self.word(at + 1)), ("in" | "at" | "for", "every" | "all"))
                && self.mentions.iter().any(is_place)
                && !self.query.has_measures()
        };
        (0..self.tokens.len()).any(|at| match self.word(at) {
            "day" => {
                let is_clause = matches!(self.word(at + 1), "they" | "it" | "he" | "she" | "that");
                is_clause && self.before(at, 3).contains(&"on")
            }
            "days" => self.word(at + 1) == "to" && self.names_date(at + 2) && !has_days,
            _ => is_every(at),
        })
    }

    /// Whether a word mentions a date: `to close`, of `closed`.
    fn names_date(&self, at: usize) -> bool {
        self.mentions.iter().any(|it| it.at == at && self.col(it.column).kind == Kind::Date)
    }

    /// Whether it is lines that are counted, and not what is in them.
    fn names_lines(&self) -> bool {
        self.tokens.iter().any(|it| is_one_of(it, &["line", "lines", "row", "rows", "entries"]))
    }

    fn table(&self) -> &'a Table {
        self.query.table
    }

    fn col(&self, idx: usize) -> &'a Column {
        self.query.column(idx)
    }

    /// The word at a place; empty behind the end.
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |it| it.lower.as_str())
    }

    /// Whether the first word is a command: `water the plants` is not about the water.
    fn is_imperative(&self, at: usize) -> bool {
        const THINGS: [&str; 12] = [
            "the",
            "all",
            "every",
            "everything",
            "everybody",
            "each",
            "my",
            "our",
            "a",
            "an",
            "these",
            "those",
        ];
        at == 0 && self.tokens.get(1).is_some_and(|it| THINGS.contains(&it.lower.as_str()))
    }

    /// The words before a place, the nearest one last.
    fn before(&self, at: usize, len: usize) -> Vec<&'a str> {
        self.tokens[at.saturating_sub(len)..at].iter().map(|it| it.lower.as_str()).collect()
    }

    fn cover(&mut self, from: usize, to: usize, stage: impl Into<String>) {
        let phrase: Vec<&str> = self.tokens[from..to].iter().map(|it| it.text.as_str()).collect();
        self.query.parts.push((phrase.join(" "), stage.into()));
        self.covered[from..to].fill(true);
    }

    /// `a bar chart of the orders by status`
    fn charts(&mut self) {
        let is_chart =
            |it: &usize| matches!(self.word(*it), "chart" | "graph" | "plot" | "diagram");
        let Some(at) = (0..self.tokens.len()).find(is_chart).filter(|it| !self.covered[*it]) else {
            return;
        };
        let mark = match at.checked_sub(1).map_or("", |it| self.word(it)) {
            "bar" => "bar",
            "line" => "line",
            "area" => "area",
            "pie" => "arc",
            "scatter" => "point",
            _ => return,
        };
        self.query.chart = Some(mark);
        let verb = (at.saturating_sub(4)..at)
            .find(|it| matches!(self.word(*it), "draw" | "plot" | "create" | "make" | "render"));
        if let Some(verb) = verb {
            self.covered[verb] = true;
        }
        self.cover(at - 1, at + 1, "chart");
    }

    /// The file of the table, and at most one file to write.
    fn paths(&mut self) -> Option<()> {
        for (at, token) in self.tokens.iter().enumerate() {
            let Some(Literal::Path(path)) = &token.literal else { continue };
            if *path == self.table().path {
                self.cover(at, at + 1, self.table().reader.replace("<{T}>", ""));
            } else if self.query.target.is_none() && !self.is_source(at) {
                self.query.target = Some(path.clone());
                self.cover(at, at + 1, "write");
            } else {
                return None;
            }
        }
        if self.query.target.is_some() {
            for at in 0..self.tokens.len() {
                let token = &self.tokens[at];
                let is_write =
                    closed::writes(token) && (self.by_target(at) || token.lower != "file");
                let is_result = matches!(&*token.lower, "result" | "results" | "output" | "report")
                    && self.by_target(at);
                self.covered[at] |= is_write || is_result || self.names_target(at);
            }
        }
        Some(())
    }

    /// `for my reading list`, which is written to `reading_list.txt`
    fn names_target(&self, at: usize) -> bool {
        let path = self.query.target.as_deref().unwrap_or_default().to_lowercase();
        let stem = path.rsplit('/').next().and_then(|it| it.split('.').next()).unwrap_or_default();
        self.before(at, 3).contains(&"my") && stem.split(['_', '-']).any(|it| it == self.word(at))
    }

    /// Whether the word before a path says that something comes from it.
    fn is_source(&self, at: usize) -> bool {
        const FROM: [&str; 5] = ["from", "of", "inside", "within", "with"];
        at > 0 && FROM.contains(&self.tokens[at - 1].lower.as_str())
    }

    /// Whether a token is near the file to write, or begins a sentence.
    fn by_target(&self, at: usize) -> bool {
        let target = self.query.target.clone().map(Literal::Path);
        let target = self.tokens.iter().position(|it| it.literal == target);
        target.is_some_and(|target| at == 0 || target.abs_diff(at) <= 4 || self.tokens[at - 1].ends)
    }

    fn take_mention(&mut self, idx: usize, stage: &str) {
        self.mentions[idx].is_used = true;
        let Mention { at, end, .. } = self.mentions[idx];
        self.cover(at, end, stage);
    }

    /// Adds a condition on some columns, which tokens ask for.
    fn filter(&mut self, columns: &[usize], text: String, from: usize, to: usize) -> &mut Filter {
        self.cover(from, to, format!("where {{ {text} }}"));
        for it in &mut self.mentions {
            it.is_used |= from <= it.at && it.end <= to;
        }
        let filters = &mut self.query.filters;
        let columns = columns.to_vec();
        let (is_value, is_not, is_test) = (false, false, false);
        filters.push(Filter { columns, text, from, to, is_value, is_not, is_test });
        let last = filters.len() - 1;
        &mut filters[last]
    }

    /// The date that is meant if none is named: the only one, or the only one that is called as the
    /// rows are, `order_date` of `orders.csv`, or that is called nothing else than a date.
    fn only_date(&self) -> Option<usize> {
        let is_date = |it: &Column| it.kind == Kind::Date;
        let is_own =
            |it: &Column| is_date(it) && it.terms.iter().any(|it| self.table().terms.contains(it));
        let is_plain = |it: &Column| {
            is_date(it)
                && matches!(&*it.name.to_lowercase(), "date" | "day" | "timestamp" | "datetime")
        };
        self.sole(&is_date).or_else(|| self.sole(&is_own)).or_else(|| self.sole(&is_plain))
    }

    /// The only column of a kind.
    fn sole(&self, fits: &dyn Fn(&Column) -> bool) -> Option<usize> {
        let mut all = self.table().own().filter(|it| fits(self.col(*it)));
        let (first, next) = (all.next()?, all.next());
        next.is_none().then_some(first)
    }
}

fn is_one_of(token: &Token, words: &[&str]) -> bool {
    words.contains(&token.lower.as_str())
}
