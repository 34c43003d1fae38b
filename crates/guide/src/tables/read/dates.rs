//! Conditions on two columns: one compared with the other, and the days from one to the other.

use super::{
    super::{
        closed::{self, Compare},
        derived::Source,
        table::{Column, Kind},
        words::{Literal, whole},
    },
    Mention, Reader,
};

impl Reader<'_, '_> {
    /// `paid after the due date`, `more received than ordered`, and how many days that is.
    pub(super) fn pairs(&mut self) {
        let mut late = None;
        for at in 0..self.tokens.len() {
            if self.covered[at] {
                continue;
            }
            let Some((compare, len)) = closed::compares(self.tokens, at) else { continue };
            let behind = self.mention_behind(at + len);
            let before = self
                .mentions
                .iter()
                .rposition(|it| it.end <= at && at - it.end <= 3 && self.are_stops(it.end, at));
            if let (Some(a), Some(b)) = (before, behind)
                && self.compared(a, b, compare, at, at + len)
            {
                late = Some((a, b));
            }
        }
        self.more_than();
        self.days_between();
        self.days_apart(late);
        self.lasting();
        self.days_after();
    }

    /// Whether only words without content stand there.
    pub(super) fn are_stops(&self, from: usize, to: usize) -> bool {
        let is_open = |at: usize| !self.covered[at] && closed::negates(&self.tokens[at]);
        (from..to).all(|at| self.tokens[at].is_stop && !is_open(at))
    }

    /// The mention that begins at a place, or behind an article there.
    fn mention_behind(&self, at: usize) -> Option<usize> {
        let is_article =
            matches!(self.word(at), "the" | "their" | "its" | "it" | "was" | "they" | "were");
        let is_verb = is_article && matches!(self.word(at + 1), "was" | "were" | "is" | "are");
        let skips = usize::from(is_article) + usize::from(is_verb);
        self.mentions.iter().position(|it| (at..=at + skips).contains(&it.at))
    }

    fn compared(&mut self, a: usize, b: usize, compare: Compare, from: usize, to: usize) -> bool {
        let (left, right) = (self.mentions[a].column, self.mentions[b].column);
        let is_pair = |kind: &dyn Fn(Kind) -> bool| {
            left != right && kind(self.col(left).kind) && kind(self.col(right).kind)
        };
        let are_numbers = is_pair(&|it| matches!(it, Kind::Int | Kind::Float));
        if !are_numbers && !is_pair(&|it| it == Kind::Date) {
            return false;
        }
        let compare = if self.is_negated(from) { compare.inverted() } else { compare };
        let guards = [left, right].map(|it| self.query.guard(it));
        let test =
            format!("{} {} {}", self.query.cell(left), compare.sign(), self.query.cell(right));
        let all: Vec<String> = guards.into_iter().flatten().chain([test]).collect();
        let (first, last) = (self.mentions[a].at.min(from), self.mentions[b].end.max(to));
        self.mentions[a].is_used = true;
        self.mentions[b].is_used = true;
        self.filter(&[left, right], all.join(" and "), first, last);
        true
    }

    /// `more received than ordered`, `fewer present than invited`
    fn more_than(&mut self) {
        for at in 0..self.tokens.len() {
            let compare = match self.word(at) {
                "more" => Compare::More,
                "less" | "fewer" => Compare::Less,
                _ => continue,
            };
            let Some(a) = self.mentions.iter().position(|it| it.at > at && it.at - at <= 2) else {
                continue;
            };
            let than = self.mentions[a].end;
            if self.word(than) != "than" || self.covered[at] {
                continue;
            }
            if let Some(b) = self.mention_behind(than + 1) {
                self.compared(a, b, compare, at, than + 1);
            }
        }
    }

    fn days(&self, from: usize, to: usize) -> Option<usize> {
        self.table().columns.iter().position(|it| it.source == Source::Days(from, to))
    }

    /// Mentions the days from one date to another.
    fn mention_days(&mut self, from: usize, to: usize, at: usize, end: usize) {
        let Some(column) = self.days(from, to) else { return };
        for it in &mut self.mentions {
            it.is_used |= at <= it.at && it.end <= end;
        }
        // The words behind the first one mean nothing else.
        self.covered[at + 1..end].fill(true);
        self.mentions.push(Mention { column, at, end, is_negated: false, is_used: false });
        self.mentions.sort_by_key(|it| it.at);
    }

    /// `days between A and B`, `days from A to B`
    fn days_between(&mut self) {
        for at in 0..self.tokens.len() {
            let pair = (self.word(at), self.word(at + 1));
            let is_days = matches!(pair, ("days", "between" | "from"));
            // `how many days did each one take from A to B`, `how many days pass between A and B`
            let days = (0..at)
                .find(|it| self.word(*it) == "days" && self.word(it.wrapping_sub(1)) == "many");
            let passes = || days.is_some_and(|it| self.passes(it + 1, at + 1));
            let is_far = pair.0 != "days"
                && days.is_some()
                && (pair.1 == "from" || pair.1 == "between" && passes());
            if !(is_days || is_far) || self.covered[at] {
                continue;
            }
            let Some(a) = self.mention_behind(at + 2) else { continue };
            let and = self.mentions[a].end;
            if !matches!(self.word(and), "and" | "to" | "until") {
                continue;
            }
            let Some(b) = self.mention_behind(and + 1) else { continue };
            let (from, to) = (self.mentions[a].column, self.mentions[b].column);
            let end = self.mentions[b].end;
            let start = if self.before(at, 2) == ["how", "many"] { at - 2 } else { at };
            if let Some(days) = days.filter(|_| is_far) {
                self.covered[days - 1..=days].fill(true);
                for it in days + 1..=at {
                    self.covered[it] |= closed::total(&self.tokens[it]).is_none();
                }
                self.mention_days(from, to, at + 1, end);
            } else {
                self.mention_days(from, to, start, end);
            }
        }
    }

    /// `pass on average`: words that say of days only that they pass.
    fn passes(&self, from: usize, to: usize) -> bool {
        const PASSING: [&str; 9] =
            ["pass", "passed", "passes", "elapse", "elapsed", "lie", "are", "there", "were"];
        (from..to).all(|at| {
            let token = &self.tokens[at];
            let is_total = closed::total(token).is_some();
            token.is_stop || is_total || PASSING.contains(&token.lower.as_str())
        })
    }

    /// `arrived more than five days after they were sent`
    fn days_after(&mut self) {
        for at in 0..self.tokens.len() {
            let Some((compare, len)) = closed::compares(self.tokens, at) else { continue };
            let Some(Literal::Number(n)) =
                self.tokens.get(at + len).and_then(|it| it.literal.clone())
            else {
                continue;
            };
            let behind = at + len + 2;
            let is_after = match (self.word(behind - 1), self.word(behind)) {
                ("days" | "day", "after") => true,
                ("days" | "day", "before") => false,
                _ => continue,
            };
            let before = self.mentions.iter().rposition(|it| it.end <= at && at - it.end <= 1);
            let (Some(a), Some(b), Some(n)) = (before, self.mention_behind(behind + 1), whole(n))
            else {
                continue;
            };
            let (left, right) = (self.mentions[a].column, self.mentions[b].column);
            let days = if is_after { self.days(right, left) } else { self.days(left, right) };
            let Some(days) = days.filter(|_| !self.covered[at]) else { continue };
            let guard = self.query.guard(days).map_or(String::new(), |it| format!("{it} and "));
            let test = format!("{guard}{} {} {n}", self.query.cell(days), compare.sign());
            let (from, to) = (self.mentions[a].at, self.mentions[b].end);
            self.filter(&[days], test, from, to);
        }
    }

    /// `how many days late`: behind `paid after the due date`, the days by which it was late.
    fn days_apart(&mut self, late: Option<(usize, usize)>) {
        let Some((a, b)) = late else { return };
        let (left, right) = (self.mentions[a].column, self.mentions[b].column);
        if self.col(left).kind != Kind::Date {
            return;
        }
        for at in 0..self.tokens.len() {
            let is_late =
                matches!(self.word(at + 1), "late" | "later" | "overdue" | "delay" | "after");
            if self.word(at) != "days" || !is_late || self.covered[at] {
                continue;
            }
            let start = if self.before(at, 2) == ["how", "many"] { at - 2 } else { at };
            self.mention_days(right, left, start, at + 2);
        }
    }

    /// `lasted longer than three days`, where a row has a first and a last day.
    fn lasting(&mut self) {
        for at in 0..self.tokens.len() {
            let compare = match (self.word(at), self.word(at + 1)) {
                ("longer" | "more", "than") => Compare::More,
                ("shorter" | "less" | "fewer", "than") => Compare::Less,
                ("at", "least") => Compare::AtLeast,
                ("at", "most") => Compare::AtMost,
                _ => continue,
            };
            let verb = at.checked_sub(1).map_or("", |it| self.word(it));
            let is_lasting =
                matches!(verb, "lasted" | "took" | "last" | "lasting" | "take" | "taking");
            let (Some(Literal::Number(n)), "days" | "day") =
                (self.tokens.get(at + 2).and_then(|it| it.literal.clone()), self.word(at + 3))
            else {
                continue;
            };
            let (Some(days), Some(n)) = (self.span(), whole(n)) else { continue };
            if !is_lasting || self.covered[at] {
                continue;
            }
            let test = format!("{} {} {n}", self.query.cell(days), compare.sign());
            let guard = self.query.guard(days).map_or(String::new(), |it| format!("{it} and "));
            let compare_end = at + 4;
            self.filter(&[days], format!("{guard}{test}"), at - 1, compare_end);
        }
    }

    /// The days from the only first date to the only last date of the rows.
    pub(super) fn span(&self) -> Option<usize> {
        let is_date = |it: &usize| self.col(*it).kind == Kind::Date;
        let dates: Vec<usize> = self.table().own().filter(is_date).collect();
        let [a, b] = dates.as_slice() else { return None };
        let text = |row: &svc_contract::value::Value, it: usize| {
            let cell = row.as_record()?.get(&self.col(it).header)?;
            let text = cell.as_str().filter(|it| !it.is_empty())?;
            self.col(it).cell.map_or(Some(text.to_owned()), |it| it.day(text))
        };
        let are_ordered = |a: usize, b: usize| {
            let rows = self.table().rows.iter();
            let mut pairs = rows.filter_map(|row| Some((text(row, a)?, text(row, b)?)));
            pairs.all(|(a, b)| a <= b)
        };
        match (are_ordered(*a, *b), are_ordered(*b, *a)) {
            (true, false) => self.days(*a, *b),
            (false, true) => self.days(*b, *a),
            _ => None,
        }
    }
}

/// Whether a column has numbers that are amounts, and not the names of something.
pub(super) fn has_numbers(column: &Column) -> bool {
    matches!(column.kind, Kind::Int | Kind::Float) && !is_id(column)
}

/// Whether a column has numbers that name something: `order_id`, `postcode`.
pub(super) fn is_id(column: &Column) -> bool {
    const NAMES: [&str; 8] = ["id", "no", "nr", "code", "zip", "postcode", "sku", "isbn"];
    let name = column.name.to_lowercase();
    let last = name.rsplit(['_', '-', ' ']).next().unwrap_or_default();
    column.kind == Kind::Int && (NAMES.contains(&last) || column.name.ends_with("Id"))
}
