//! What is wanted of the rows, and in which form.

use super::{
    super::{
        closed,
        lexicon::has,
        query::{By, Format, Measure, Order, Piece},
        table::Kind,
        words::{Literal, Token},
    },
    Mention, Reader,
    dates::has_numbers,
};

impl Reader<'_, '_> {
    /// All other mentioned columns are wanted.
    pub(super) fn projections(&mut self) {
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            let is_each =
                |it: &Token| matches!(it.lower.as_str(), "each" | "every" | "only" | "just");
            let says_once = if token.lower == "once" {
                self.tokens[at.saturating_sub(3)..at].iter().any(is_each)
            } else {
                closed::is_different(token)
            };
            let before = if at > 1 && self.word(at - 1) == "the" { 2 } else { 1 };
            // `the duplicate names` are those that occur several times, unless they are to go.
            let is_wanted = token.lower.starts_with("duplicate")
                && !self.table().is_lines
                && !self.before(at, 8).iter().any(|it| closed::removes(it));
            // `duplicates by email`: whole rows, of which nothing says which one stays.
            let is_by = token.lower.starts_with("duplicate")
                && matches!(self.word(at + 1), "by" | "per" | "on")
                && self.mentions.iter().any(|it| it.at == at + 2);
            if says_once && (is_wanted || is_by) {
                continue;
            }
            if at >= before
                && says_once
                && matches!(
                    self.word(at - before),
                    "no" | "without" | "remove" | "drop" | "delete" | "skip"
                )
            {
                self.covered[at - before] = true;
            }
            if !self.covered[at] && says_once && !self.mentions.iter().any(|it| it.at == at) {
                self.query.distinct = true;
                self.cover(at, at + 1, "unique");
            }
        }
        self.folds_case();
        self.leaves_out();
        let is_grouped = !self.query.groups.is_empty();
        for idx in 0..self.mentions.len() {
            let Mention { column, at, is_used, .. } = self.mentions[idx];
            if is_used || self.covered[at] || self.col(column).kind == Kind::Other {
                continue;
            }
            // `the best of each class` is more than one row.
            let is_each = matches!(self.before(at, 1).last(), Some(&("each" | "every" | "per")));
            let is_one = self.query.take.is_some() || self.query.has_measures();
            if is_each && is_one && !self.query.groups.contains(&column) {
                continue;
            }
            if self.is_verb(idx) || is_grouped && self.is_counted(idx) {
                self.take_mention(idx, "the rows");
                continue;
            }
            let by = By::Column(column);
            let is_measured =
                is_grouped
                    && self.query.measures.iter().any(|it| {
                        it.measure != Measure::Count && it.measure.column() == Some(column)
                    });
            let is_in_lines = self.query.template.contains(&Piece::Value(by));
            // The groups have their name anyway.
            let is_known = self.query.columns.contains(&column)
                || self.query.groups.contains(&column)
                || is_measured
                || is_in_lines;
            let is_noun = self.is_counted_noun(at);
            if is_grouped && (self.query.distinct || is_noun) && !is_known {
                self.counts_different(column);
            } else if !is_known {
                self.query.columns.push(column);
            }
            self.take_mention(idx, "each");
        }
        // Each of those who are asked for is named once.
        let asks = |it: &Mention| {
            self.query.columns == [it.column]
                && matches!(self.before(it.at, 1).last(), Some(&("which" | "what")))
        };
        if !self.query.has_measures()
            && self.query.orders.is_empty()
            && self.mentions.iter().any(asks)
        {
            self.query.distinct |= self.table().repeats(self.query.columns[0]);
        }
        if let [column] = self.query.columns.as_slice()
            && self.is_row_name(*column)
            && !self.query.has_measures()
        {
            self.query.distinct |= self.table().repeats(*column) && self.query.orders.is_empty();
        }
        // `who ..` and `which invoices ..` ask for names.
        let is_open = self.query.columns.is_empty()
            && !self.query.has_measures()
            && !is_grouped
            && self.query.template.is_empty();
        if is_open && self.asks_who() {
            self.query.columns.extend(self.person());
        } else if is_open && self.asks_which() {
            self.query.columns.extend(self.row_name());
        }
    }

    /// `staff.csv without the column salary`: all other columns of the rows.
    fn leaves_out(&mut self) {
        let left: Vec<usize> = self.left_out.iter().map(|it| self.mentions[*it].column).collect();
        let is_plain = !self.query.has_measures() && self.query.groups.is_empty();
        if left.is_empty() || !is_plain {
            return;
        }
        self.query.columns = self.table().own().filter(|it| !left.contains(it)).collect();
        for idx in std::mem::take(&mut self.left_out) {
            let at = self.mentions[idx].at;
            let negation =
                (at.saturating_sub(5)..at).rev().find(|it| closed::negates(&self.tokens[*it]));
            if let Some(negation) = negation {
                self.covered[negation] = true;
            }
            self.take_mention(idx, "each");
        }
    }

    /// Whether a sentence begins with `who`.
    fn asks_who(&self) -> bool {
        let begins = |at: usize| {
            at == 0
                || self.tokens[at - 1].ends
                || matches!(self.tokens[at - 1].literal, Some(Literal::Path(_)))
        };
        (0..self.tokens.len()).any(|at| self.word(at) == "who" && begins(at))
    }

    /// Numbers in a line are drawn over time.
    pub(super) fn over_time(&mut self) {
        let is_line = matches!(self.query.chart, Some("line" | "area"));
        let [number] = self.query.columns.as_slice() else { return };
        let is_plain = !self.query.has_measures() && self.query.groups.is_empty();
        if is_line && is_plain && has_numbers(self.col(*number)) {
            self.query.columns.splice(0..0, self.only_date());
        }
    }

    /// `the three most expensive products`, where a product has several rows: each of them once, by
    /// its best row.
    pub(super) fn best_of_repeated(&mut self) {
        let query = &self.query;
        let ([column], [order]) = (query.columns.as_slice(), query.orders.as_slice()) else {
            return;
        };
        let (column, By::Column(by), falls) = (*column, order.by, order.falls) else { return };
        let is_repeated = self.is_text(column) && self.table().repeats(column);
        let is_plain =
            !query.has_measures() && query.groups.is_empty() && query.template.is_empty();
        let has_several = query.take.is_some_and(|it| it > 1);
        if !is_repeated || !is_plain || !has_several || !has_numbers(self.col(by)) {
            return;
        }
        let op = if falls { "max" } else { "min" };
        let measure = self.measure(Measure::Total(op, by), false);
        self.query.groups.push(column);
        self.query.columns.clear();
        self.query.orders = vec![Order { by: By::Measure(measure), falls }];
        self.query.distinct = false;
    }

    /// Whether the rows are asked for: `which invoices`.
    fn asks_which(&self) -> bool {
        (1..self.tokens.len())
            .any(|at| matches!(self.word(at - 1), "which" | "whose") && self.is_rows(at))
    }

    /// What the rows are called by: a name or title, or the first column if it is different in each.
    fn row_name(&self) -> Option<usize> {
        let is_name = |it: &usize| {
            matches!(self.col(*it).name.to_lowercase().as_str(), "name" | "title")
                && self.is_text(*it)
        };
        let first = self.table().own().next().filter(|it| self.is_key(*it));
        self.table().own().find(is_name).or(first)
    }

    /// Whether a mention of a date is the verb of the rows: `how many chairs were sold`, `who sold`.
    fn is_verb(&self, idx: usize) -> bool {
        let Mention { column, at, end, .. } = self.mentions[idx];
        let is_date = self.col(column).kind == Kind::Date;
        let before = self.before(at, 1);
        let subject = matches!(
            before.last(),
            Some(
                &("were" | "was" | "been" | "who" | "that" | "have" | "has" | "we" | "i" | "they")
            )
        );
        let words = self.col(column).name.split(['_', ' ']).count();
        // `by month sent`
        let is_grouped = self
            .query
            .groups
            .iter()
            .any(|it| *it != column && self.col(*it).source.needs(*it).contains(&column));
        let is_event = subject || is_grouped || words > 1 && !self.word(at).contains("date");
        is_date && end == at + 1 && is_event
    }

    /// `how many pupils`, `the number of pupils`
    fn is_counted_noun(&self, at: usize) -> bool {
        let before = self.before(at, 2);
        before.last() == Some(&"many") || before == ["number", "of"]
    }

    /// Whether a mention says what is counted in each group: `the number of books per reader`.
    fn is_counted(&self, idx: usize) -> bool {
        let Mention { column, at, .. } = self.mentions[idx];
        let counts = self.query.measures.iter().any(|it| it.measure == Measure::Count);
        let is_asked =
            matches!(self.before(at, 1).last(), Some(&("many" | "most" | "fewest" | "of" | "two")));
        counts && is_asked && !self.query.distinct && !self.table().repeats(column)
    }

    /// `how many different customers in each country`
    fn counts_different(&mut self, column: usize) {
        let count = self.query.measures.iter().position(|it| it.measure == Measure::Count);
        match count {
            Some(it) => {
                self.query.measures[it].measure = Measure::Distinct(column);
                self.query.distinct = false;
            }
            None => self.query.columns.push(column),
        }
    }

    /// `ignoring case`, `differ only in capital letters`
    fn folds_case(&mut self) {
        const MARKS: [&str; 6] =
            ["ignoring", "ignore", "regardless", "differ", "matter", "insensitive"];
        for at in 0..self.tokens.len() {
            let is_case = matches!(
                self.word(at),
                "case" | "capitals" | "capitalisation" | "capitalization" | "capital" | "uppercase"
            );
            let mark = (at.saturating_sub(4)..=at).find(|it| MARKS.contains(&self.word(*it)));
            if let (true, Some(from)) = (is_case && self.query.distinct, mark) {
                let end = at + 1 + usize::from(self.word(at + 1) == "letters");
                self.query.ignores_case = true;
                self.cover(from, end, "lower");
            }
        }
    }

    pub(super) fn formats(&mut self) {
        for at in 0..self.tokens.len() {
            if self.covered[at] {
                continue;
            }
            let token = &self.tokens[at];
            let format = match token.lower.as_str() {
                "markdown" => Format::Markdown,
                "csv" => Format::Csv,
                "json" => Format::Json,
                _ => continue,
            };
            self.query.format = format;
            self.cover(at, at + 1, "format");
        }
        let target = self.query.target.as_deref().and_then(|it| it.rsplit('.').next());
        let is_table = matches!(self.query.format, Format::Markdown | Format::Csv)
            || matches!(target, Some("csv" | "md"));
        for at in 0..self.tokens.len() {
            // `a table of`, `a report with`: what the format is anyway.
            let is_form = self.tokens[at].lower == "table" && is_table;
            // `convert a.json to csv`: the format is what is converted to.
            let is_change =
                matches!(self.word(at), "convert" | "converted" | "turn" | "transform" | "export")
                    && (target.is_some() || self.query.format != Format::Value);
            self.covered[at] |= is_form || is_change;
        }
        let known = match self.query.format {
            Format::Markdown => &self.lexicon.markdown,
            Format::Csv => &self.lexicon.csv,
            Format::Json => &self.lexicon.json,
            Format::Value => return,
        };
        for at in 0..self.tokens.len() {
            if !self.covered[at] && has(known, &self.tokens[at]) {
                self.covered[at] = true;
            }
        }
    }

    /// `without the other columns`, `nothing else`, `do not write a file`: what the script does not do
    /// anyway.
    pub(super) fn refrains(&mut self) {
        for at in 0..self.tokens.len() {
            let rest: Vec<&str> =
                self.tokens[at..].iter().take(5).map(|it| it.lower.as_str()).collect();
            let len = match rest.as_slice() {
                ["without" | "no", "the", "other", _, ..] if !self.query.columns.is_empty() => 4,
                ["without" | "no", "other", _, ..] | ["nothing", "but" | "else", ..]
                    if !self.query.columns.is_empty() =>
                {
                    2 + usize::from(rest[1] == "other")
                }
                ["not", _, ..] if self.query.target.is_none() && self.is_writing(at + 1) => {
                    let end = self.tokens[at..].iter().position(|it| it.ends);
                    end.map_or(self.tokens.len() - at, |it| it + 1)
                }
                _ => continue,
            };
            self.covered[at..at + len].fill(true);
        }
    }

    /// `no matter which release`, `on some day`, `one line each`: words that ask for nothing more.
    pub(super) fn asides(&mut self) {
        for at in 0..self.tokens.len() {
            let len = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
                ("no", "matter", "which" | "what") => 4,
                ("on" | "in", "some" | "any", "day" | "month" | "year") => 3,
                ("one", "line", "each") | ("one", "per", "line") => 3,
                ("one", "a", "line") | ("each", "on", "its") => 3,
                _ => continue,
            };
            let end = (at + len).min(self.tokens.len());
            self.covered[at..end].fill(true);
        }
        for at in 0..self.tokens.len() {
            if self.word(at) == "numbered"
                || self.word(at) == "number" && self.word(at + 1) == "them"
            {
                self.query.is_numbered = true;
                self.cover(at, at + 1, "enumerate");
            }
        }
    }

    /// `separated by semicolons`: how the file is read.
    pub(super) fn separators(&mut self) {
        if !self.table().reader.contains("sep:") {
            return;
        }
        for at in 0..self.tokens.len() {
            let lower = self.tokens[at].lower.as_str();
            self.covered[at] |=
                ["semicolon", "separat", "delimit"].iter().any(|it| lower.starts_with(it))
                    || lower == "uses" && self.covered[at.saturating_sub(1)];
        }
    }

    fn is_writing(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(closed::writes)
    }

    /// `joining dates`, `the column name`: words that only say what a mention is.
    pub(super) fn kinds(&mut self) {
        for idx in 0..self.mentions.len() {
            let Mention { column, at, end, .. } = self.mentions[idx];
            let of = self.col(column);
            let kind: &[&str] = match of.kind {
                Kind::Date => &["date", "dates", "day", "days"],
                Kind::Int | Kind::Float => &[
                    "amount", "amounts", "number", "numbers", "mark", "marks", "score", "scores",
                    "level", "levels", "reading", "readings",
                ],
                Kind::Text if of.values.iter().any(|it| it.contains('@')) => {
                    &["address", "addresses"]
                }
                _ => &["name", "names", "number", "numbers"],
            };
            let noun = |it: &str| {
                matches!(it, "column" | "columns" | "field" | "fields" | "value" | "values")
                    || kind.contains(&it)
            };
            // `renew automatically`: `auto_renew`
            let parts = of.name.to_lowercase();
            let parts: Vec<&str> = parts.split(['_', '-', ' ']).filter(|it| it.len() > 3).collect();
            let is_part = |it: &Token| parts.iter().any(|part| it.lower.starts_with(part));
            for near in [at.wrapping_sub(1), end] {
                let is_it = self.tokens.get(near).is_some_and(|it| noun(&it.lower) || is_part(it));
                if is_it {
                    self.covered[near] = true;
                }
            }
        }
    }
}
