//! Conditions: numbers and dates that are compared, states, negations.

use svc_contract::value::literal;

use super::{
    super::{
        closed::{self, Compare, PEOPLE},
        derived::{Part, Source},
        table::{Column, Kind},
        words::{Literal, Token, of_day, of_month, whole},
    },
    Mention, Reader,
    dates::{has_numbers, is_id},
};

impl Reader<'_, '_> {
    pub(super) fn comparisons(&mut self) {
        self.ranges();
        self.used_up();
        self.weekends();
        for at in 0..self.tokens.len() {
            if self.covered[at] {
                continue;
            }
            let literal = self.tokens[at].literal.clone();
            let before = (at.saturating_sub(3)..at)
                .rev()
                .find_map(|from| {
                    closed::compares(self.tokens, from).map(|(it, len)| (from, it, len))
                })
                .filter(|(from, _, len)| at >= from + len && at - (from + len) <= 1);
            let is_from = at > 0 && self.word(at - 1) == "from" && self.word(at + 1) == "on";
            let behind = closed::compares_behind(self.tokens, at + 1)
                .or_else(|| is_from.then_some((Compare::AtLeast, 1)));
            let (compare, from, to) = match (before, behind) {
                (Some((from, compare, _)), _) => (Some(compare), from, at + 1),
                (None, Some((compare, len))) => (Some(compare), at, at + 1 + len),
                (None, None) => (None, at, at + 1),
            };
            let is_not = compare.is_some() && self.is_negated(from);
            // `has not ordered since February` is about all orders.
            self.denies_all |= is_not && self.word(from) == "since";
            let compare = compare.map(|it| if is_not { it.inverted() } else { it });
            match literal {
                Some(Literal::Number(n)) => self.number(n, compare, from, to),
                Some(Literal::Period(first, next)) => self.period(&first, &next, compare, from, to),
                Some(Literal::Season(month, day)) => self.season(month, day, compare, from, to),
                _ => {}
            }
        }
    }

    /// `out of stock`
    fn used_up(&mut self) {
        for at in 0..self.tokens.len() {
            let next = self.mentions.iter().position(|it| it.at == at + 2 && !it.is_used);
            let is_out = self.word(at) == "out" && self.word(at + 1) == "of" && !self.covered[at];
            let Some(idx) = next.filter(|_| is_out) else { continue };
            let column = self.mentions[idx].column;
            if has_numbers(self.col(column)) {
                let sign = if self.is_negated(at) { "!=" } else { "==" };
                let test = format!("{} {sign} 0", self.query.cell(column));
                self.known(column, &test, at, self.mentions[idx].end);
            }
        }
    }

    /// `on a weekend`, `at weekends`
    fn weekends(&mut self) {
        for at in 0..self.tokens.len() {
            let is_weekend = matches!(self.word(at), "weekend" | "weekends");
            let date = self.date();
            let day = date.and_then(|it| self.part(it, Part::Weekday));
            let (false, Some(day)) = (!is_weekend || self.covered[at], day) else { continue };
            let cell = self.query.cell(day);
            let (sign, word) = if self.is_negated(at) { ("!=", "and") } else { ("==", "or") };
            // `hired on a weekend`
            let said = self.mentions.iter().position(|it| {
                Some(it.column) == date && !it.is_used && it.end <= at && at - it.end <= 3
            });
            match said {
                Some(idx) => self.take_mention(idx, "where"),
                None => self.covers_verb(at),
            }
            let [saturday, sunday] = ["saturday", "sunday"].map(|it| {
                let own = self.col(day).values.iter().find(|day| day.eq_ignore_ascii_case(it));
                literal::text(own.map_or(it, String::as_str))
            });
            let test = format!("({cell} {sign} {saturday} {word} {cell} {sign} {sunday})");
            self.known(day, &test, at, at + 1);
        }
    }

    /// `between 20 and 100`, `from March to May 2025`
    fn ranges(&mut self) {
        for at in 0..self.tokens.len().saturating_sub(3) {
            let is_pair =
                matches!((self.word(at), self.word(at + 2)), ("between", "and") | ("from", "to"));
            if !is_pair || self.covered[at] {
                continue;
            }
            let ends = (self.tokens[at + 1].literal.clone(), self.tokens[at + 3].literal.clone());
            let (from, to) = (at, at + 4);
            match ends {
                (Some(Literal::Number(low)), Some(Literal::Number(high))) if low <= high => {
                    self.number(low, Some(Compare::AtLeast), from, to);
                    if self.covered[at] {
                        self.number(high, Some(Compare::AtMost), from, to);
                    }
                }
                (Some(Literal::Period(low, _)), Some(Literal::Period(high, next)))
                    if low <= high =>
                {
                    self.period(&low, &low, Some(Compare::AtLeast), from, to);
                    if self.covered[at] {
                        self.period(&high, &next, Some(Compare::AtMost), from, to);
                    }
                }
                (Some(Literal::Season(month, day)), Some(Literal::Period(high, next))) => {
                    let year = high.get(..4).and_then(|it| it.parse().ok()).unwrap_or_default();
                    let low =
                        if day > 0 { of_day(year, month, day) } else { of_month(year, month) };
                    let Literal::Period(low, _) = low else { continue };
                    if low <= high {
                        self.period(&low, &low, Some(Compare::AtLeast), from, to);
                        if self.covered[at] {
                            self.period(&high, &next, Some(Compare::AtMost), from, to);
                        }
                    }
                }
                (Some(Literal::Season(low, day)), Some(Literal::Season(high, to_day)))
                    if (low, day) <= (high, to_day) =>
                {
                    self.season(low, day, Some(Compare::AtLeast), from, to);
                    if self.covered[at] {
                        self.season(high, to_day, Some(Compare::AtMost), from, to);
                    }
                }
                _ => {}
            }
        }
    }

    fn number(&mut self, n: f64, compare: Option<Compare>, from: usize, to: usize) {
        // `before 8 am` is a time, and `an average over 70` is not one of the rows.
        if matches!(self.word(to), "am" | "pm" | "o'clock") || self.is_of_total(from) {
            return;
        }
        let is_year = n.fract() == 0.0 && (1900.0..2101.0).contains(&n);
        let is_number = |it: &Column| matches!(it.kind, Kind::Int | Kind::Float);
        let before = from.checked_sub(1).map(|it| self.tokens[it].lower.as_str());
        let compare = match compare {
            Some(it) => it.sign(),
            // `in 2015`, `by 2015`: the column has to be named, or hold years.
            None if is_year && matches!(before, Some("in" | "from" | "of")) => "==",
            None if self.is_numbered(n, from) => "==",
            None => return,
        };
        let by_name = self.nearest(from, to, &|it| is_number(it));
        let of_unit = closed::unit(self.word(to));
        let is_money = of_unit == closed::MONEY;
        let by_name = by_name.or_else(|| self.called(of_unit));
        let is_unit = by_name.is_some() && by_name == self.called(of_unit);
        let is_person = self.before(from, 1).iter().any(|it| PEOPLE.contains(it));
        let by_name = by_name.or_else(|| self.called(&["age"]).filter(|_| is_person));
        let column = match by_name {
            Some(it) => it,
            None if is_year => {
                if let Some(date) =
                    self.nearest(from, to, &|it| it.kind == Kind::Date).or_else(|| self.only_date())
                {
                    let Some(year) = whole(n) else { return };
                    let cell = self.query.cell(date);
                    let text = match compare {
                        ">" => format!("{cell} >= \"{}-01-01\"", year + 1),
                        ">=" => format!("{cell} >= \"{year}-01-01\""),
                        "<" => format!("{cell} < \"{year}-01-01\""),
                        "<=" => format!("{cell} < \"{}-01-01\"", year + 1),
                        _ => format!(
                            "{cell} >= \"{year}-01-01\" and {cell} < \"{}-01-01\"",
                            year + 1
                        ),
                    };
                    self.covers_verb(from);
                    self.known(date, &text, from, to);
                    return;
                }
                match self.sole(&|it| it.kind == Kind::Int && has_year(it)) {
                    Some(it) => {
                        self.covers_verb(from);
                        it
                    }
                    None => return,
                }
            }
            // `earning more than 70,000`: of a salary, whatever other numbers there are.
            None if from > 0
                && self.is_paying(from - 1)
                && self.called(closed::MONEY).is_some() =>
            {
                self.covered[from - 1] = true;
                match self.called(closed::MONEY) {
                    Some(it) => it,
                    None => return,
                }
            }
            None => match self
                .called(closed::compared_by(self.word(from)))
                .or_else(|| self.sole(&is_number))
            {
                Some(it) if !self.is_rows(to) && !PEOPLE.contains(&self.word(to)) => it,
                _ => return,
            },
        };
        // `more than one order` compares no number of an order.
        let is_thing = self.mentions.iter().any(|it| it.at == to && it.column == column);
        if is_thing && is_id(self.col(column)) {
            return;
        }
        // `at least 80 in maths and english`: of both of them.
        let is_pair = self.mentions.iter().any(|it| {
            let next = self.mentions.iter().find(|other| other.at == it.end + 1);
            it.column == column
                && it.at >= to
                && matches!(self.word(it.end), "and" | "or")
                && next.is_some_and(|it| has_numbers(self.col(it.column)))
        });
        if is_pair {
            return;
        }
        // `longer than`, `cheaper than`: only of a length, only of a price.
        let of = closed::compared_by(self.word(from));
        if !of.is_empty() && self.called(of) != Some(column) {
            return;
        }
        let has_currency =
            |it: &Column| it.values.iter().any(|it| matches!(it.as_str(), "EUR" | "USD" | "GBP"));
        let all_own = self.table().own().all(|it| !has_currency(self.col(it)));
        let to = if is_money && all_own || is_unit && !is_money { to + 1 } else { to };
        // `who booked more than eight hours`: the verb says nothing else about the only numbers.
        if self.sole(&is_number) == Some(column) {
            self.covers_verb(from);
        }
        let cell = self.query.cell(column);
        // `at least 2 seconds`, of a column with milliseconds.
        let said = closed::time_unit(self.word(to - 1)).filter(|_| is_unit);
        let name = self.col(column).name.to_lowercase();
        let own = name.rsplit(['_', '-', ' ']).next().and_then(closed::time_unit);
        let n = said.zip(own).map_or(n, |(said, own)| n * said / own);
        self.known(column, &format!("{cell} {compare} {n}"), from, to);
    }

    /// Whether what is compared is a total: `with an average score over 70`, `whose total value is over 9`.
    fn is_of_total(&self, from: usize) -> bool {
        let is_total = |at: &usize| {
            let op = closed::total(&self.tokens[*at]);
            // A column may be called `total`.
            let is_named = self.mentions.iter().any(|it| it.at == at + 1);
            op.is_some_and(|op| op != "sum" || is_named)
        };
        let total = (from.saturating_sub(4)..from).rev().find(is_total);
        let is_one = |it: usize| {
            matches!(self.before(it, 1).last(), Some(&("a" | "an" | "whose" | "their" | "its")))
        };
        total.is_some_and(is_one)
    }

    /// `phase 2`, `page 7`: the name of a column with a number that stands in it.
    fn is_numbered(&self, n: f64, at: usize) -> bool {
        let is_it = |it: &&Mention| it.end == at && self.col(it.column).kind == Kind::Int;
        let mention = self.mentions.iter().find(is_it);
        mention.is_some_and(|it| self.col(it.column).values.contains(&n.to_string()))
    }

    fn period(
        &mut self,
        first: &str,
        next: &str,
        compare: Option<Compare>,
        from: usize,
        to: usize,
    ) {
        let is_date = |it: &Column| it.kind == Kind::Date;
        let near = self.nearest(from, to, &is_date);
        let Some(column) = near.or_else(|| self.only_date()) else { return };
        if near.is_none() {
            self.covers_verb(from);
        }
        let cell = self.query.cell(column);
        let is_day = first == next;
        let text = match compare {
            Some(Compare::More) if is_day => format!("{cell} > \"{first}\""),
            Some(Compare::More) => format!("{cell} >= \"{next}\""),
            Some(Compare::AtLeast) => format!("{cell} >= \"{first}\""),
            Some(Compare::Less) => format!("{cell} < \"{first}\""),
            Some(Compare::AtMost) if is_day => format!("{cell} <= \"{first}\""),
            Some(Compare::AtMost) => format!("{cell} < \"{next}\""),
            None if is_day => format!("{cell} == \"{first}\""),
            None => format!("{cell} >= \"{first}\" and {cell} < \"{next}\""),
        };
        self.known(column, &text, from, to);
    }

    /// `before March`, `on 3 May`: a date without a year is clear if all dates are of one year.
    fn season(&mut self, month: u32, day: u32, compare: Option<Compare>, from: usize, to: usize) {
        let is_date = |it: &Column| it.kind == Kind::Date;
        let near = self.nearest(from, to, &is_date);
        let Some(column) = near.or_else(|| self.only_date()) else { return };
        let year = |it: &String| it.get(..4)?.parse::<u32>().ok();
        let values = &self.col(column).values;
        let (Some(first), Some(last)) =
            (values.first().and_then(year), values.last().and_then(year))
        else {
            return;
        };
        if first != last {
            return;
        }
        let period = if day > 0 { of_day(first, month, day) } else { of_month(first, month) };
        if let Literal::Period(first, next) = period {
            self.period(&first, &next, compare, from, to);
        }
    }

    /// `published in 2015`: if there is one date only, the verb names it.
    fn covers_verb(&mut self, from: usize) {
        let before = (from.saturating_sub(2)..from).rev();
        let verb =
            before.take_while(|it| !self.tokens[*it].ends).find(|it| !self.tokens[*it].is_stop);
        if let Some(verb) =
            verb.filter(|it| !self.covered[*it] && self.tokens[*it].lower.ends_with("ed"))
        {
            self.covered[verb] = true;
        }
    }

    /// Filters by a column that may be null.
    fn known(&mut self, column: usize, text: &str, from: usize, to: usize) {
        let guard = self.query.guard(column).map_or(String::new(), |it| format!("{it} and "));
        self.filter(&[column], format!("{guard}{text}"), from, to);
    }

    /// The mentioned column of a kind that is nearest: the word behind a value, or one before it.
    fn nearest(&mut self, from: usize, to: usize, fits: &dyn Fn(&Column) -> bool) -> Option<usize> {
        let fit = |it: &Mention| fits(self.col(it.column));
        let behind = self.mentions.iter().position(|it| {
            let is_next = it.at == to + 1 && !matches!(self.word(to), "and" | "or" | "but");
            (it.at == to || is_next) && !self.tokens[to - 1].ends && fit(it)
        });
        let before =
            self.mentions.iter().rposition(|it| it.end <= from && from - it.end <= 4 && fit(it));
        let idx = behind.or(before)?;
        if !self.mentions[idx].is_used {
            self.take_mention(idx, "where");
        }
        Some(self.mentions[idx].column)
    }

    /// Columns with yes and no, and those that may be empty: `has not paid`, `without assignee`.
    pub(super) fn presence(&mut self) {
        self.open_rows();
        for idx in 0..self.mentions.len() {
            let Mention { column, at, end, is_negated, is_used } = self.mentions[idx];
            if is_used {
                continue;
            }
            let (kind, optional) = (self.col(column).kind, self.col(column).optional);
            // Whether there is a value shows in the text of the file.
            let cell = self.query.shown(column);
            if self.col(column).source != Source::Own {
                continue;
            }
            let is_switch = matches!(kind, Kind::Bool | Kind::YesNo(..)) && !optional;
            // `closed tickets`, where `closed` is a date that may be empty.
            let is_adjective =
                kind == Kind::Date && self.word(at).ends_with("ed") && self.is_rows(end);
            let is_state = optional && (self.is_state(at) || is_adjective);
            if self.names_column(at, end) {
                self.left_out.push(idx);
                continue;
            }
            if !is_switch && !is_state && !(optional && (is_negated || self.is_denied(at))) {
                continue;
            }
            // Whether `without rain` means no number or a zero is not clear if there are both.
            let has_zero = || self.col(column).values.iter().any(|it| it.parse() == Ok(0.0));
            if matches!(kind, Kind::Int | Kind::Float) && !is_switch && has_zero() {
                continue;
            }
            let (from, mut end) = (at, end);
            // `the towns without remote people`: not one of their rows is such.
            let is_person = PEOPLE.contains(&self.word(end)) || self.is_rows(end);
            let of_all = is_switch && is_person && self.before(at, 1) == ["without"];
            let mut is_not = self.is_negated(at) != is_negated;
            self.denies_all |= of_all && is_not;
            // `ok is false`
            let said = match self.word(end + 1) {
                "true" | "yes" => Some(true),
                "false" | "no" => Some(false),
                _ => None,
            };
            if let Some(said) = said.filter(|_| is_switch && matches!(self.word(end), "is" | "=")) {
                is_not = is_not == said;
                end += 2;
            }
            let text = match kind {
                Kind::Bool if is_switch => {
                    if is_not {
                        format!("not {cell}")
                    } else {
                        cell
                    }
                }
                Kind::YesNo(yes, no) if is_switch => {
                    format!("{cell} == {}", literal::text(if is_not { no } else { yes }))
                }
                _ => format!("{cell} {} null", if is_not { "==" } else { "!=" }),
            };
            self.filter(&[column], text, from, end);
            self.mentions[idx].is_used = true;
        }
    }

    /// `open tickets`, where `closed` is a date that may be empty.
    fn open_rows(&mut self) {
        let is_end = |it: &Column| {
            it.kind == Kind::Date && it.optional && it.name.to_lowercase().starts_with("closed")
        };
        let Some(end) = self.sole(&is_end) else { return };
        for at in 0..self.tokens.len() {
            let is_said = matches!(
                self.before(at, 1).last(),
                Some(&("is" | "are" | "was" | "were" | "still" | "remain"))
            );
            if self.word(at) == "open" && !self.covered[at] && (is_said || self.is_rows(at + 1)) {
                let sign = if self.is_negated(at) { "!=" } else { "==" };
                let text = format!("{} {sign} null", self.query.shown(end));
                self.filter(&[end], text, at, at + 1);
            }
        }
    }

    /// `staff.csv without the column salary`: what is left out is a column, and not rows.
    fn names_column(&self, at: usize, end: usize) -> bool {
        const COLUMNS: [&str; 4] = ["column", "columns", "field", "fields"];
        let is_said = COLUMNS.contains(&self.word(end))
            || self.before(at, 1).iter().any(|it| COLUMNS.contains(it));
        let is_path = |it: &Token| matches!(it.literal, Some(Literal::Path(_)));
        let path = self.tokens.iter().position(is_path);
        // Nothing before the file says what its rows are.
        let is_head = path.is_some_and(|path| {
            let mut before = self.tokens[..path].iter();
            path < at && before.all(|it| it.is_stop || self.lexicon.requests(it))
        });
        let says_without = |path: usize| {
            let between = &self.tokens[path + 1..at];
            between.first().is_some_and(|it| matches!(it.lower.as_str(), "without" | "excluding"))
        };
        is_said && self.is_denied(at) || is_head && path.is_some_and(says_without)
    }

    /// Whether something is denied right before it: `without`, `never`.
    fn is_denied(&self, at: usize) -> bool {
        self.tokens[at.saturating_sub(3)..at].iter().any(closed::negates)
    }

    /// Whether a participle says that a value is given: `were paid`.
    fn is_state(&self, at: usize) -> bool {
        const FORMS: [&str; 7] = ["is", "are", "was", "were", "been", "has", "have"];
        let is_article = at > 1 && matches!(self.word(at - 1), "a" | "an" | "any");
        let verb = at.checked_sub(1 + usize::from(is_article)).map_or("", |it| self.word(it));
        FORMS.contains(&verb)
    }

    /// Whether a word is a state or an event that a negation is about: `not paid from Germany`.
    fn is_state_word(&self, at: usize) -> bool {
        self.mentions.iter().any(|it| {
            let column = self.col(it.column);
            let is_state =
                matches!(column.kind, Kind::Bool | Kind::YesNo(..) | Kind::Date) || column.optional;
            !it.is_used && it.at <= at && at < it.end && is_state
        })
    }

    /// Whether a negation stands shortly before a token, and covers it.
    pub(super) fn is_negated(&mut self, at: usize) -> bool {
        for before in (at.saturating_sub(5)..at).rev() {
            if self.tokens[before].ends || before + 1 < at && self.is_state_word(before + 1) {
                break;
            }
            if closed::negates(&self.tokens[before]) && !self.covered[before] {
                self.covered[before] = true;
                self.denies_all |= crate::closed::denies_all(self.word(before))
                    || self.word(before) == "without" && self.word(before + 1) == "any";
                return true;
            }
        }
        false
    }
}

/// Whether a column has numbers that are years, by its name.
pub(super) fn has_year(column: &Column) -> bool {
    column.name.to_lowercase().split(['_', '-']).any(|it| it == "year")
}
