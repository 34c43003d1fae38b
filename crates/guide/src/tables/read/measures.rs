//! Counts, totals and groups.

use super::{
    super::{
        lexicon::has,
        query::{Measure, Query},
        table::{Column, Kind},
        words::{Literal, Token, whole},
    },
    Mention, Reader,
};

impl Reader<'_, '_> {
    /// `per region`, `for each town`
    pub(super) fn groups(&mut self) {
        for idx in 0..self.mentions.len() {
            let Mention { column, at, is_used, .. } = self.mentions[idx];
            let before: Vec<&str> =
                self.tokens[at.saturating_sub(2)..at].iter().map(|it| it.lower.as_str()).collect();
            let is_per = matches!(before.last(), Some(&"per" | &"each" | &"every"))
                || matches!(before.as_slice(), ["of" | "for" | "in", "each" | "every"]);
            let is_asked = self.query.measure.is_some() || before.last() == Some(&"per");
            if !is_used && is_per && is_asked && self.query.group.is_none() {
                self.query.group = Some(column);
                self.take_mention(idx, "group");
                self.covered[at - 1] = true;
            }
        }
    }

    /// Counts and totals.
    pub(super) fn totals(&mut self) -> Option<()> {
        for at in 0..self.tokens.len() {
            if self.covered[at] {
                continue;
            }
            if let Some((op, len)) = self.lexicon.total(self.tokens, at) {
                if let Some(measure) = self.query.measure {
                    if matches!(measure, Measure::Total(known, _) if known == op) {
                        self.names_measure(at);
                        self.cover(at, at + len, op);
                        continue;
                    }
                    return None;
                }
                let is_number = |it: &Column| matches!(it.kind, Kind::Int | Kind::Float);
                let behind = |it: &Mention| it.at > at && it.at - at <= 5;
                let before = |it: &Mention| it.end <= at && at - it.end <= 1;
                let near = self.mentions.iter().position(|it| {
                    !it.is_used && (behind(it) || before(it)) && is_number(self.col(it.column))
                });
                let column = match near {
                    Some(idx) => {
                        self.take_mention(idx, op);
                        Some(self.mentions[idx].column)
                    }
                    None => self.sole(&is_number),
                };
                // Without a number, the word stays open.
                let Some(column) = column else { continue };
                self.query.measure = Some(Measure::Total(op, column));
                self.cover(at, at + len, op);
            }
        }
        self.how_much();
        for at in 0..self.tokens.len() {
            if self.covered[at] || !self.lexicon.counts(&self.tokens[at]) {
                continue;
            }
            if self.query.measure.is_some() {
                return None;
            }
            self.query.measure = Some(Measure::Count);
            self.cover(at, at + 1, "len");
        }
        Some(())
    }

    /// `the highest price`: the number itself, if nothing says that a row is wanted.
    pub(super) fn extreme(&mut self) {
        let Query { order, take, measure, group, columns, parts, .. } = &self.query;
        let (Some(order), Some(1), None, None, true) =
            (*order, *take, *measure, *group, columns.is_empty())
        else {
            return;
        };
        let is_row = parts.iter().any(|(_, stage)| stage == "the rows")
            || self.tokens.iter().any(|it| has(&self.table().terms, it))
            || self.tokens.iter().any(|it| matches!(it.lower.as_str(), "who" | "which"));
        let Some(column) = order.column.filter(|_| !is_row) else { return };
        let is_said = self.mentions.iter().any(|it| it.column == column);
        if is_said && matches!(self.col(column).kind, Kind::Int | Kind::Float) {
            let op = if order.falls { "max" } else { "min" };
            self.query.measure = Some(Measure::Total(op, column));
            (self.query.order, self.query.take) = (None, None);
        }
    }

    /// `with the columns class and mean`: the total is said again as the name of its column.
    fn names_measure(&mut self, at: usize) {
        let is_column = |it: &Token| matches!(it.lower.as_str(), "column" | "columns");
        if self.tokens[at.saturating_sub(4)..at].iter().any(is_column) {
            self.query.measure_name = Some(self.tokens[at].lower.clone());
        }
    }

    /// `how much did I spend`: the sum of the only amounts, whatever they are called.
    fn how_much(&mut self) {
        let is_number = |it: &Column| matches!(it.kind, Kind::Int | Kind::Float);
        let asks = |it: &[Token]| it[0].lower == "how" && it[1].lower == "much";
        let Some(at) = self.tokens.windows(2).position(asks) else { return };
        let Some(column) = self.sole(&is_number).filter(|_| self.query.measure.is_none()) else {
            return;
        };
        self.query.measure = Some(Measure::Total("sum", column));
        self.cover(at, at + 2, "sum");
        let is_content = |it: &usize| !self.tokens[*it].is_stop && !self.covered[*it];
        if let Some(next) = (at + 2..(at + 6).min(self.tokens.len())).find(is_content) {
            self.cover(next, next + 1, "sum");
        }
    }

    /// `to two decimals`, `rounded to one decimal place`
    pub(super) fn decimals(&mut self) {
        for at in 0..self.tokens.len().saturating_sub(1) {
            let Some(Literal::Number(n)) = self.tokens[at].literal else { continue };
            let next = &self.tokens[at + 1];
            if next.lower.starts_with("decimal") || next.lower.starts_with("digit") {
                self.query.digits = whole(n);
                let is_place = |it: &Token| matches!(it.lower.as_str(), "place" | "places");
                let len = 2 + usize::from(self.tokens.get(at + 2).is_some_and(is_place));
                self.cover(at, at + len, "round");
                for other in 0..self.tokens.len() {
                    if has(&self.lexicon.round, &self.tokens[other]) && other.abs_diff(at) <= 4 {
                        self.covered[other] = true;
                    }
                }
            }
        }
    }
}
