//! Reads a goal as a question about one table: which words mean columns and values, which compare,
//! count, order and write.

mod filters;
mod measures;
mod mentions;
mod orders;
mod results;
mod rows;

use svc_text::stems::Vocabulary;

use super::{
    lexicon::{Lexicon, has},
    query::{Filter, Format, Measure, Query},
    table::{Column, Table},
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
        let query = Query {
            table,
            filters: Vec::new(),
            group: None,
            measure: None,
            order: None,
            take: None,
            columns: Vec::new(),
            distinct: false,
            digits: None,
            measure_name: None,
            format: Format::Value,
            target: None,
            parts: Vec::new(),
        };
        let covered = vec![false; tokens.len()];
        Self { tokens, lexicon, words, covered, mentions: Vec::new(), query }
    }

    /// Reads the goal; `None` if it cannot be a question about the table.
    pub(super) fn read(mut self) -> Option<Reading<'a>> {
        self.paths()?;
        self.find_mentions();
        self.values();
        self.decimals();
        self.comparisons();
        self.presence();
        self.totals()?;
        self.groups();
        self.orders()?;
        self.projections();
        self.identified();
        self.formats();
        self.refrains();
        self.separators();
        self.kinds();
        self.rows();
        self.extreme();
        if self.query.measure == Some(Measure::Count)
            && self.table().is_lines
            && !self.names_lines()
        {
            return None;
        }
        let uncovered = self.uncovered();
        Some(Reading { query: self.query, uncovered })
    }

    /// Whether it is lines that are counted, and not what is in them.
    fn names_lines(&self) -> bool {
        let is_line =
            |it: &Token| matches!(it.lower.as_str(), "line" | "lines" | "row" | "rows" | "entries");
        self.tokens.iter().any(is_line)
    }

    fn table(&self) -> &'a Table {
        self.query.table
    }

    fn col(&self, idx: usize) -> &'a Column {
        &self.table().columns[idx]
    }

    fn cover(&mut self, from: usize, to: usize, stage: impl Into<String>) {
        let phrase: Vec<&str> = self.tokens[from..to].iter().map(|it| it.text.as_str()).collect();
        self.query.parts.push((phrase.join(" "), stage.into()));
        self.covered[from..to].fill(true);
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
                if !self.covered[at]
                    && has(&self.lexicon.writes, &self.tokens[at])
                    && self.by_target(at)
                {
                    self.covered[at] = true;
                }
            }
        }
        Some(())
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

    fn filter(&mut self, column: usize, text: String, from: usize, to: usize) {
        self.cover(from, to, format!("where {{ {text} }}"));
        for it in &mut self.mentions {
            it.is_used |= from <= it.at && it.end <= to;
        }
        self.query.filters.push(Filter { column, text });
    }

    /// The only column of a kind.
    fn sole(&self, fits: &dyn Fn(&Column) -> bool) -> Option<usize> {
        let mut all = (0..self.table().columns.len()).filter(|it| fits(self.col(*it)));
        let (first, next) = (all.next()?, all.next());
        next.is_none().then_some(first)
    }
}
