//! Counts and totals.

use super::{
    super::{
        closed::{self, Side},
        derived::Source,
        lexicon::has,
        query::{By, Measure, Measured},
        table::Column,
        words::{Literal, Token, whole},
    },
    Mention, Reader,
    dates::has_numbers,
    filters::has_year,
};

impl Reader<'_, '_> {
    /// Counts and totals, of all rows or of groups.
    pub(super) fn totals(&mut self) {
        for at in 0..self.tokens.len() {
            if !self.covered[at] && self.counts_amounts(at) {
                self.covered[at] = true;
            }
        }
        self.both_ends();
        self.listed_totals();
        self.percentiles();
        for at in 0..self.tokens.len() {
            if self.covered[at] {
                continue;
            }
            let Some(op) = closed::total(&self.tokens[at]) else { continue };
            let len =
                1 + usize::from(self.word(at).starts_with("add") && self.word(at + 1) == "up");
            let behind = |it: &Mention| it.at > at && it.at - at <= 5;
            let before = |it: &Mention| it.end <= at && at - it.end <= 1;
            let near = self.mentions.iter().position(|it| {
                !it.is_used && (behind(it) || before(it)) && self.query.is_number(it.column)
            });
            let known = |it: &Measure| matches!(it, Measure::Total(known, _) if *known == op);
            let known = self.query.measures.iter().position(|it| known(&it.measure));
            if let Some(known) = known.filter(|_| near.is_none()) {
                self.names_measure(known, at);
                self.cover(at, at + len, op);
                continue;
            }
            let column = match near {
                Some(idx) => {
                    self.take_mention(idx, op);
                    Some(self.mentions[idx].column)
                }
                None => self.sole(&has_numbers),
            };
            // Without a number, the word stays open.
            let Some(column) = column else { continue };
            self.measure(Measure::Total(op, column), true);
            let from = at - usize::from(at > 0 && self.word(at - 1) == "standard");
            let is_named = self.mentions.iter().any(|it| it.at == at + len);
            let says_money = !is_named && is_money(self.word(at + len));
            self.cover(from, at + len + usize::from(says_money), op);
        }
        self.how_much();
        let totals = self.query.measures.len();
        for at in 0..self.tokens.len() {
            if self.covered[at] || !self.lexicon.counts(&self.tokens[at]) {
                continue;
            }
            // `the numbers of the invoices`
            if self.word(at) == "numbers" {
                continue;
            }
            // `a phone number`
            if self.word(at) == "number" && !matches!(self.word(at + 1), "of" | "how") {
                continue;
            }
            // `the average number of people`: what a column is called.
            let is_noun = self.word(at) == "number" && self.word(at + 1) == "of" && {
                let next = self.mentions.iter().find(|it| it.at == at + 2);
                next.is_some_and(|it| self.query.is_number(it.column) && it.is_used)
            };
            if is_noun || self.query.share_of.is_some() {
                self.covered[at] = true;
                continue;
            }
            if self.counts_pieces() {
                continue;
            }
            self.measure(Measure::Count, true);
            self.cover(at, at + 1, "len");
            // The measures have the order of the goal.
            let is_first = self.first_total().is_some_and(|it| at < it);
            if is_first && self.query.measures.len() > totals && self.query.having.is_empty() {
                self.query.measures.rotate_right(1);
            }
            let is_times = self.word(at) == "many" && self.word(at + 1) == "times";
            self.covered[at + usize::from(is_times)] = true;
        }
    }

    /// `quantity times unit_price`: what is counted is the product of each row.
    pub(super) fn products(&mut self) {
        for at in 0..self.tokens.len() {
            let len = match (self.word(at), self.word(at + 1)) {
                ("times" | "x", _) => 1,
                ("multiplied", "by") => 2,
                _ => continue,
            };
            let a = self.mentions.iter().position(|it| !it.is_used && it.end == at);
            let b = self.mentions.iter().position(|it| !it.is_used && it.at == at + len);
            let (Some(a), Some(b)) = (a, b) else { continue };
            let (left, right) = (self.mentions[a].column, self.mentions[b].column);
            let pair = Source::Product(left.min(right), left.max(right));
            let product = self.table().columns.iter().position(|it| it.source == pair);
            let Some(column) = product else { continue };
            let (from, end) = (self.mentions[a].at, self.mentions[b].end);
            self.mentions[a].is_used = true;
            self.mentions[b].is_used = true;
            self.covered[from + 1..end].fill(true);
            // `total revenue (quantity times price)`: its name.
            if from > 0 && is_money(self.word(from - 1)) {
                self.covered[from - 1] = true;
            }
            let mention = Mention { column, at: from, end, is_negated: false, is_used: false };
            self.mentions.push(mention);
            self.mentions.sort_by_key(|it| it.at);
        }
    }

    /// `the mean and the median of the humidity`, `average, highest and lowest price`
    fn listed_totals(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let (ops, end) = self.ops_from(at);
            let behind = self.mentions.iter().position(|it| {
                !it.is_used
                    && it.at >= end
                    && self.are_stops(end, it.at)
                    && has_numbers(self.col(it.column))
            });
            let Some(idx) = behind.filter(|_| ops.len() > 1) else {
                at += 1;
                continue;
            };
            let column = self.mentions[idx].column;
            self.take_mention(idx, ops[0]);
            for op in &ops {
                let measure = self.measure(Measure::Total(op, column), true);
                if let Some(name) = end_name(op) {
                    self.query.measures[measure].name = Some(name.to_owned());
                }
            }
            self.cover(at, end, ops[0]);
            at = end;
        }
    }

    /// The ops over numbers that follow each other from a place on, with only small words between
    /// them, and where the last one ends.
    fn ops_from(&self, from: usize) -> (Vec<&'static str>, usize) {
        let (mut ops, mut end) = (Vec::new(), from);
        for at in from..self.tokens.len() {
            let token = &self.tokens[at];
            let op = closed::total(token).or_else(|| closed::end_of_numbers(token));
            match op.filter(|_| !self.covered[at]) {
                Some(op) if !ops.contains(&op) => {
                    ops.push(op);
                    end = at + 1;
                }
                Some(_) => break,
                None if ops.is_empty() && self.word(at) != "standard" => break,
                None if matches!(self.word(at), "and" | "the" | "standard") => {}
                None => break,
            }
        }
        (ops, end)
    }

    /// `p95 of ms`, `the 90th percentile of the price`
    fn percentiles(&mut self) {
        for at in 0..self.tokens.len() {
            let number = |text: &str| text.parse::<u8>().ok().filter(|it| (1..100).contains(it));
            let word = self.word(at);
            let short = word.strip_prefix('p').and_then(number).map(|it| (it, at + 1));
            let ordinal = ["th", "st", "nd", "rd"].iter().find_map(|it| word.strip_suffix(it));
            let long = ordinal.and_then(number).filter(|_| self.word(at + 1) == "percentile");
            let found = short.or_else(|| long.map(|it| (it, at + 2)));
            let Some((percent, end)) = found.filter(|_| !self.covered[at]) else { continue };
            let behind = self.mentions.iter().position(|it| {
                !it.is_used
                    && it.at >= end
                    && self.are_stops(end, it.at)
                    && has_numbers(self.col(it.column))
            });
            let before = self
                .mentions
                .iter()
                .position(|it| !it.is_used && it.end == at && has_numbers(self.col(it.column)));
            let Some(idx) = behind.or(before) else { continue };
            let column = self.mentions[idx].column;
            self.take_mention(idx, "quantile");
            self.measure(Measure::Percentile(percent, column), true);
            self.cover(at, end, "quantile");
        }
    }

    /// `the highest and the lowest price`
    fn both_ends(&mut self) {
        let words: Vec<usize> =
            (0..self.tokens.len()).filter(|it| self.word(*it) != "the").collect();
        for three in words.windows(4) {
            let [a, and, b, of] = *three else { continue };
            let sides = [a, b].map(|it| closed::superlative(&self.tokens[it]));
            let idx =
                self.mentions.iter().position(|it| it.at == of && has_numbers(self.col(it.column)));
            let ops = match sides {
                [Some((Side::High, _)), Some((Side::Low, _))] => ["max", "min"],
                [Some((Side::Low, _)), Some((Side::High, _))] => ["min", "max"],
                _ => continue,
            };
            let Some(idx) = idx.filter(|_| self.word(and) == "and" && !self.covered[a]) else {
                continue;
            };
            let column = self.mentions[idx].column;
            self.take_mention(idx, "max");
            for op in ops {
                let idx = self.measure(Measure::Total(op, column), true);
                let name = if op == "max" { "highest" } else { "lowest" };
                self.query.measures[idx].name = Some(name.to_owned());
            }
            self.cover(a, b + 1, "max");
        }
    }

    /// Whether it is unclear if rows are counted, or the pieces of each: `how many chairs`, where the
    /// rows have a quantity.
    fn counts_pieces(&self) -> bool {
        let has_pieces = self.table().own().any(|it| {
            let name = self.col(it).name.to_lowercase();
            has_numbers(self.col(it))
                && ["quantity", "qty", "units", "pieces", "count"].contains(&name.as_str())
        });
        let is_value = |at: usize| {
            self.query.filters.iter().any(|it| it.is_value && it.from <= at && at < it.to)
        };
        let many = (0..self.tokens.len()).find(|it| self.word(*it) == "many");
        has_pieces && many.is_some_and(|it| is_value(it + 1))
    }

    /// Where the first total is asked for.
    fn first_total(&self) -> Option<usize> {
        self.tokens.iter().position(|it| closed::total(it).is_some())
    }

    /// `how many replies`, where the replies are a number of each row.
    fn counts_amounts(&mut self, at: usize) -> bool {
        if self.word(at) != "many" {
            return false;
        }
        let is_amount = |it: &Column| {
            has_numbers(it) && !has_year(it) && !it.name.to_lowercase().ends_with("id")
        };
        let next =
            self.mentions.iter().position(|it| it.at == at + 1 && is_amount(self.col(it.column)));
        let Some(idx) = next else { return false };
        let column = self.mentions[idx].column;
        let sum = Measure::Total("sum", column);
        if self.mentions[idx].is_used && self.query.measures.iter().all(|it| it.measure != sum) {
            return false;
        }
        self.take_mention(idx, "sum");
        self.measure(sum, true);
        true
    }

    /// `the highest price`: the number itself, if nothing says that a row is wanted.
    pub(super) fn extreme(&mut self) {
        let query = &self.query;
        let ([order], Some(1), true, true, true) = (
            query.orders.as_slice(),
            query.take,
            !query.has_measures(),
            query.groups.is_empty(),
            query.columns.is_empty() && query.template.is_empty(),
        ) else {
            return;
        };
        let is_row = query.parts.iter().any(|(_, stage)| stage == "the rows")
            || self.tokens.iter().any(|it| has(&self.table().terms, it))
            || self.tokens.iter().any(|it| matches!(it.lower.as_str(), "who" | "which"));
        let (By::Column(column), falls) = (order.by, order.falls) else { return };
        let is_said = self.mentions.iter().any(|it| it.column == column);
        if !is_row && is_said && has_numbers(self.col(column)) {
            self.measure(Measure::Total(if falls { "max" } else { "min" }, column), true);
            self.query.orders.clear();
            self.query.take = None;
        }
    }

    /// `with the columns class and mean`: the total is said again as the name of its column.
    fn names_measure(&mut self, idx: usize, at: usize) {
        let is_column = |it: &Token| matches!(it.lower.as_str(), "column" | "columns");
        if self.tokens[at.saturating_sub(4)..at].iter().any(is_column) {
            self.query.measures[idx].name = Some(self.tokens[at].lower.clone());
        }
    }

    /// `how much did I spend`: the sum of the only amounts, whatever they are called.
    fn how_much(&mut self) {
        let asks = |it: &[Token]| it[0].lower == "how" && it[1].lower == "much";
        let Some(at) = self.tokens.windows(2).position(asks) else { return };
        let Some(column) = self.sole(&has_numbers) else { return };
        let is_sum = |it: &Measured| it.measure == Measure::Total("sum", column);
        if self.query.share_of.is_some() || !self.query.measures.iter().all(is_sum) {
            return;
        }
        self.measure(Measure::Total("sum", column), true);
        self.cover(at, at + 2, "sum");
        if let Some(next) = (at + 2..(at + 6).min(self.tokens.len())).find(|it| self.is_paying(*it))
        {
            self.cover(next, next + 1, "sum");
        }
    }

    /// Whether a word is about money, whatever the column is called.
    pub(super) fn is_paying(&self, at: usize) -> bool {
        const PAYING: [&str; 15] = [
            "spent", "spend", "spends", "spending", "paid", "pay", "pays", "earned", "earn",
            "earns", "earning", "owe", "cost", "costs", "money",
        ];
        !self.covered[at] && PAYING.contains(&self.word(at))
    }

    /// `to two decimals`, `rounded to one decimal place`, `to the nearest whole number`
    pub(super) fn decimals(&mut self) {
        for at in 0..self.tokens.len().saturating_sub(1) {
            let is_whole = matches!(self.word(at), "whole" | "full")
                && matches!(self.word(at + 1), "number" | "numbers" | "percent" | "euros");
            let rounds = |it: &usize| has(&self.lexicon.round, &self.tokens[*it]);
            if let Some(from) = (at.saturating_sub(5)..at).find(rounds).filter(|_| is_whole) {
                self.query.digits = Some(0);
                self.cover(from, at + 2, "round");
                continue;
            }
            let Some(Literal::Number(n)) = self.tokens[at].literal else { continue };
            let next = &self.tokens[at + 1];
            if !next.lower.starts_with("decimal") && !next.lower.starts_with("digit") {
                continue;
            }
            self.query.digits = whole(n);
            let is_place = matches!(self.word(at + 2), "place" | "places");
            self.cover(at, at + 2 + usize::from(is_place), "round");
            for other in 0..self.tokens.len() {
                if has(&self.lexicon.round, &self.tokens[other]) && other.abs_diff(at) <= 4 {
                    self.covered[other] = true;
                }
            }
        }
    }
}

/// Whether a word says that a total is one of money.
fn is_money(word: &str) -> bool {
    matches!(
        word,
        "spending"
            | "spend"
            | "revenue"
            | "revenues"
            | "sales"
            | "turnover"
            | "income"
            | "expenses"
            | "expenditure"
            | "costs"
            | "amount"
            | "value"
    )
}

/// The name of a column with the end of the numbers of another one.
fn end_name(op: &str) -> Option<&'static str> {
    match op {
        "max" => Some("highest"),
        "min" => Some("lowest"),
        _ => None,
    }
}
