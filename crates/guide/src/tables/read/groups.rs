//! Groups: what they are, which of them are wanted, and shares of all rows.

use super::{
    super::{
        closed::{self, PEOPLE},
        derived::{Part, Source},
        lexicon::has,
        query::{By, Measure, Measured, Order},
        table::Kind,
        words::{Literal, whole},
    },
    Mention, Reader,
    dates::{has_numbers, is_id},
    filters::has_year,
};

impl Reader<'_, '_> {
    /// `per region`, `for each town`, `by month`, `per region and month`
    pub(super) fn groups(&mut self) {
        self.each_of_them();
        for idx in 0..self.mentions.len() {
            let Mention { column, at, end, is_used, .. } = self.mentions[idx];
            let before = self.before(at, 2);
            let is_sorting = self
                .before(at, 4)
                .iter()
                .any(|it| it.starts_with("sort") || it.starts_with("order") && *it != "orders");
            let is_first = self.query.groups.is_empty();
            let is_per = match before.last() {
                Some(&"per") => true,
                Some(&"each" | &"every") => self.counts_something() || self.sums_before(at),
                Some(&"by") => {
                    let amount =
                        self.amount_before(at).filter(|it| !self.is_key(self.mentions[*it].column));
                    let is_drawn = self.query.chart.is_some();
                    !is_sorting
                        && (self.counts_something()
                            || is_drawn
                            || amount.is_some() && self.table().repeats(column))
                }
                Some(&"and") => {
                    !is_first
                        && idx > 0
                        && self.mentions[idx - 1].end + 1 == at
                        && self.query.groups.contains(&self.mentions[idx - 1].column)
                }
                _ => self.word(at).ends_with("ly") && self.counts_something(),
            };
            let is_per = is_per || self.is_listed(end) && self.counts_something();
            let is_number = has_numbers(self.col(column)) && !has_year(self.col(column));
            let is_key = !is_number && self.col(column).kind != Kind::Other;
            if is_used || !is_per || !is_key || self.query.groups.contains(&column) {
                continue;
            }
            let counts_rows = at > 1
                && !self.covered[at - 2]
                && self.is_rows(at - 2)
                && self.mentions.iter().all(|it| it.at != at - 2);
            if !self.counts_something() && counts_rows {
                self.measure(Measure::Count, true);
            } else if !self.counts_something() {
                if at > 1
                    && self.is_paying(at - 2)
                    && let Some(money) = self.money()
                {
                    self.covered[at - 2] = true;
                    self.measure(Measure::Total("sum", money), true);
                    self.query.groups.push(column);
                    self.take_mention(idx, "group");
                    self.covered[at - 1] = true;
                    continue;
                }
                let Some(of) = self.amount_before(at) else { continue };
                let Some(measure) = self.measure_of(of) else { continue };
                self.take_mention(of, "measure");
                self.measure(measure, true);
            }
            self.query.groups.push(column);
            self.take_mention(idx, "group");
            self.covered[at.saturating_sub(1)] |= at > 0 && before.last() != Some(&"and");
            let _ = end;
        }
    }

    /// What is wanted of a number that is named before its groups: `quantity per category` is a sum,
    /// `the highest temperature per sensor` is not. `None` if it is not clear.
    fn measure_of(&mut self, of: usize) -> Option<Measure> {
        let Mention { column, at, .. } = self.mentions[of];
        if self.is_key(column) || is_id(self.col(column)) {
            return Some(Measure::Count);
        }
        let before =
            at.checked_sub(1).filter(|it| closed::superlative(&self.tokens[*it]).is_some());
        let Some(before) = before else { return Some(Measure::Total("sum", column)) };
        let op = closed::end_of_numbers(&self.tokens[before])?;
        self.cover(before, at, op);
        Some(Measure::Total(op, column))
    }

    /// `all products with how often each was sold`
    fn each_of_them(&mut self) {
        for at in 1..self.tokens.len() {
            let is_each = self.word(at) == "each" && matches!(self.word(at - 1), "often" | "many");
            let is_named = self.mentions.iter().any(|it| it.at == at + 1);
            let before = self.mentions.iter().rposition(|it| {
                !it.is_used
                    && it.end < at
                    && self.is_text(it.column)
                    && self.table().repeats(it.column)
            });
            if let (true, false, Some(idx)) = (is_each, is_named, before)
                && self.query.groups.is_empty()
            {
                self.query.groups.push(self.mentions[idx].column);
                self.take_mention(idx, "group");
                self.covered[at] = true;
            }
        }
    }

    /// `helpers and their number of tasks`
    fn is_listed(&self, end: usize) -> bool {
        matches!(self.word(end), "and" | "with")
            && matches!(self.word(end + 1), "their" | "its" | "the")
            && matches!(
                self.word(end + 2),
                "number" | "count" | "total" | "average" | "mean" | "sum"
            )
    }

    fn counts_something(&self) -> bool {
        self.query.has_measures()
    }

    fn sums_before(&self, at: usize) -> bool {
        self.query.measures.is_empty() && self.amount_before(at).is_some() && {
            let word = self.before(at, 2);
            word.first() == Some(&"for") || word.first() == Some(&"of")
        }
    }

    /// `Hours per person`: a number that is named right before its groups.
    fn amount_before(&self, at: usize) -> Option<usize> {
        self.mentions.iter().rposition(|it| {
            !it.is_used
                && it.end < at
                && at - it.end <= 2
                && (has_numbers(self.col(it.column))
                    || is_id(self.col(it.column))
                    || self.is_key(it.column))
        })
    }

    pub(super) fn measure(&mut self, measure: Measure, is_shown: bool) -> usize {
        let known = self.query.measures.iter().position(|it| it.measure == measure);
        let idx = known.unwrap_or(self.query.measures.len());
        if known.is_none() {
            self.query.measures.push(Measured { measure, is_shown, name: None });
        }
        self.query.measures[idx].is_shown |= is_shown;
        idx
    }

    /// The group that a clause asks for: `which customer ..`, `who ..`, `customers that ..`.
    fn asked_group(&self, at: usize) -> Option<(usize, Option<usize>)> {
        let repeats = |column: usize| {
            matches!(self.col(column).kind, Kind::Text | Kind::Date) && self.table().repeats(column)
        };
        let asks = |it: &Mention| {
            let before = self.before(it.at, 1);
            it.at < at
                && !it.is_used
                && at - it.end <= 5
                && (it.at == 0
                    || self.tokens[it.at - 1].ends
                    || matches!(self.tokens[it.at - 1].literal, Some(Literal::Path(_)))
                    || before.iter().any(|it| {
                        matches!(*it, "which" | "what" | "whose" | "the" | "all" | "many" | "those")
                    }))
        };
        let named = self.mentions.iter().rposition(|it| asks(it) && repeats(it.column));
        if let Some(idx) = named {
            return Some((self.mentions[idx].column, Some(idx)));
        }
        let who = (at.saturating_sub(6)..at).rev().find(|it| self.is_person(*it))?;
        if self.before(who, 1) == ["some"] {
            return None;
        }
        let person = self.person().filter(|it| repeats(*it))?;
        self.tokens[who..at].iter().all(|it| !it.ends).then_some((person, None))
    }

    /// `more than once`, `at least twice`, `who has more than two loans`
    pub(super) fn group_conditions(&mut self) {
        self.duplicates();
        for at in 0..self.tokens.len() {
            if self.covered[at] || !self.query.groups.is_empty() {
                continue;
            }
            let compare = closed::compares(self.tokens, at).map(|(it, len)| (it.sign(), len));
            let exactly = (self.word(at) == "exactly").then_some(("==", 1));
            // `each only once` repeats nothing.
            let is_each = self.before(at, 2).iter().any(|it| matches!(*it, "each" | "every"));
            let only = matches!(self.word(at), "only" | "just").then_some(("==", 1));
            let only = only.filter(|_| !is_each);
            let Some((sign, len)) = compare.or(exactly).or(only) else { continue };
            let number = at + len;
            let (n, end) = match (
                self.word(number),
                self.tokens.get(number).and_then(|it| it.literal.clone()),
            ) {
                ("once", _) => (1, number + 1),
                ("twice", _) => (2, number + 1),
                (_, Some(Literal::Number(n)))
                    if self.word(number + 1) == "times"
                        || self.is_rows(number + 1)
                        || self.is_row_person(number + 1) =>
                {
                    let Some(n) = whole(n) else { continue };
                    (n, number + 2)
                }
                _ => continue,
            };
            let Some((column, mention)) = self.asked_group(at) else { continue };
            if let Some(idx) = mention {
                self.take_mention(idx, "group");
            }
            // `that we paid more than once`: the rows are what was paid.
            let is_verb = at > 1
                && matches!(self.word(at - 2), "we" | "i" | "they" | "that" | "who" | "which")
                && self.word(at - 1).ends_with(['d', 't', 'e']);
            let is_occurring =
                at > 0 && matches!(self.word(at - 1), "occur" | "occurs" | "appear" | "appears");
            self.covered[at - usize::from(is_verb || is_occurring)] = true;
            self.query.groups.push(column);
            let count = self.measure(Measure::Count, false);
            self.query.having.push((count, format!("{sign} {n}")));
            self.cover(at, end, "where");
        }
    }

    /// `the duplicate names`: the values that occur several times.
    fn duplicates(&mut self) {
        let repeated = self.mentions.iter().position(|it| {
            let before = it.at.checked_sub(1).map_or("", |it| self.word(it));
            let is_kept = !self.before(it.at, 5).iter().any(|it| closed::removes(it));
            before.starts_with("duplicate") && is_kept && self.is_text(it.column)
        });
        let Some(idx) = repeated.filter(|_| self.query.groups.is_empty()) else { return };
        let Mention { column, at, .. } = self.mentions[idx];
        self.take_mention(idx, "group");
        self.query.groups.push(column);
        let count = self.measure(Measure::Count, false);
        self.query.having.push((count, "> 1".to_owned()));
        self.cover(at - 1, at, "where");
    }

    /// Whether a word is one for the rows of the file.
    pub(super) fn is_rows(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|it| {
            has(&self.table().terms, it)
                || self.mentions.iter().any(|it| it.at == at && self.names_rows(it.column))
                || matches!(
                    it.lower.as_str(),
                    "row" | "rows" | "record" | "records" | "entry" | "entries" | "lines"
                )
        })
    }

    /// `more than two people`, where each row is one of them.
    pub(super) fn is_row_person(&self, at: usize) -> bool {
        let is_name = |it: usize| self.col(it).name.eq_ignore_ascii_case("name");
        PEOPLE.contains(&self.word(at))
            && self.table().own().any(|it| is_name(it) && self.is_key(it))
    }

    /// Whether each row has a text or a number of its own there: orders have an `order_id`.
    fn names_rows(&self, column: usize) -> bool {
        let is_own = is_id(self.col(column)) && !self.table().repeats(column);
        self.is_key(column) || is_own
    }

    /// Whether each row has a text of its own there.
    pub(super) fn is_key(&self, column: usize) -> bool {
        self.col(column).kind == Kind::Text && !self.table().repeats(column)
    }

    /// `the most common town`: the group with the most rows.
    fn most_common(&mut self, at: usize) -> Option<bool> {
        if self.word(at) != "most" || !matches!(self.word(at + 1), "common" | "frequent") {
            return None;
        }
        let next = self.mentions.iter().position(|it| {
            it.at == at + 2 && self.is_text(it.column) && self.table().repeats(it.column)
        });
        let Some(idx) = next.filter(|_| self.query.measures.is_empty()) else { return Some(false) };
        self.query.groups.push(self.mentions[idx].column);
        self.take_mention(idx, "group");
        let by = By::Measure(self.measure(Measure::Count, false));
        self.query.orders.push(Order { by, falls: true });
        self.cover(at, at + 2, "sort");
        self.known_groups(self.mentions[idx].column, at);
        Some(true)
    }

    /// Rows without a value are not a group that could be the best.
    fn known_groups(&mut self, column: usize, at: usize) {
        if let Some(guard) = self.query.guard(column) {
            self.filter(&[column], guard, at, at + 1);
        }
    }

    /// The mention of a column with texts at a place, and the column.
    fn texts_at(&self, at: usize) -> Option<(usize, usize)> {
        let is_it = |it: &Mention| it.at == at && !it.is_used && self.is_text(it.column);
        self.mentions.iter().position(is_it).map(|it| (it, self.mentions[it].column))
    }

    /// The group with the most rows, or with the largest total.
    pub(super) fn best_group(&mut self, at: usize, falls: bool) -> bool {
        if let Some(found) = self.most_common(at) {
            return found;
        }
        let is_most = matches!(self.word(at), "most" | "least" | "fewest");
        let Some((column, mention)) = self.asked_group(at) else { return false };
        let number = self.mentions.iter().position(|it| {
            it.at > at && it.at - at <= 2 && !it.is_used && has_numbers(self.col(it.column))
        });
        let measure = match number {
            _ if self.query.measures.len() == 1 => self.query.measures[0].measure,
            Some(idx) if is_most => {
                let column = self.mentions[idx].column;
                self.take_mention(idx, "sum");
                Measure::Total("sum", column)
            }
            None if is_most
                && (self.is_rows(at + 1)
                    || PEOPLE.contains(&self.word(at + 1))
                    || self.is_filtered(at + 1)) =>
            {
                if let Some(of) = self.mentions.iter().position(|it| it.at == at + 1) {
                    self.take_mention(of, "len");
                }
                Measure::Count
            }
            // `the class with the most students`, of whom there are several rows each.
            None if is_most && self.texts_at(at + 1).is_some_and(|it| it.1 != column) => {
                let (idx, of) = self.texts_at(at + 1).unwrap_or_default();
                self.take_mention(idx, "len");
                Measure::Distinct(of)
            }
            None if is_most && self.pays(at) => match self.money() {
                Some(it) => Measure::Total("sum", it),
                None => return false,
            },
            _ => return false,
        };
        // Counts of all, and not of the groups, are something else.
        if let Some(it) = self.query.measures.first_mut() {
            it.is_shown = false;
        }
        let idx = self.measure(measure, false);
        if let Some(mention) = mention {
            self.take_mention(mention, "group");
        }
        self.query.groups.push(column);
        self.query.orders.push(Order { by: By::Measure(idx), falls });
        self.cover(at, at + 1, "sort");
        self.known_groups(column, at);
        true
    }

    /// `which month was the most expensive`: that with the largest sum. Of other groups it is not clear
    /// if a sum is meant.
    pub(super) fn dearest_group(&mut self, of: &[&str], at: usize, falls: bool) -> Option<bool> {
        let (Some((group, Some(mention))), Some(column)) = (self.asked_group(at), self.called(of))
        else {
            return Some(false);
        };
        let is_part = matches!(
            self.col(group).source,
            Source::Part(_, Part::Month | Part::Quarter | Part::Year)
        );
        let is_price = self.col(column).name.to_lowercase().contains("price");
        if !is_part {
            return (is_price || !of.contains(&"cost")).then_some(false);
        }
        let idx = self.measure(Measure::Total("sum", column), false);
        self.take_mention(mention, "group");
        self.query.groups.push(group);
        self.query.orders.push(Order { by: By::Measure(idx), falls });
        self.query.take = Some(1);
        self.cover(at, at + 1, "sort");
        Some(true)
    }

    /// The column of what is paid.
    fn money(&self) -> Option<usize> {
        self.called(closed::MONEY).or_else(|| self.sole(&has_numbers))
    }

    /// Whether the verb before a superlative is about money: `spent the most`.
    fn pays(&mut self, at: usize) -> bool {
        let verb = (at.saturating_sub(3)..at).rev().find(|it| self.is_paying(*it));
        if let Some(verb) = verb {
            self.covered[verb] = true;
        }
        verb.is_some()
    }

    /// `what percentage of the orders from Italy are unpaid`: of what, and which of these.
    pub(super) fn shares(&mut self) {
        let is_share =
            |it: &usize| matches!(self.word(*it), "percent" | "percentage" | "pct" | "share" | "%");
        let Some(at) = (0..self.tokens.len()).find(is_share) else { return };
        let is_verb = |it: &usize| {
            matches!(
                self.word(*it),
                "is" | "are"
                    | "was"
                    | "were"
                    | "has"
                    | "have"
                    | "had"
                    | "said"
                    | "would"
                    | "come"
                    | "comes"
                    | "came"
            )
        };
        let of = (at + 1..self.tokens.len()).find(|it| self.word(*it) == "of");
        let verb = (at + 1..self.tokens.len()).find(is_verb);
        // `pct of orders returned`: the rows, and the condition that chooses of them.
        let first = self.query.filters.iter().map(|it| it.from).min();
        let are_rows = |of: usize, to: usize| {
            (of + 1..to).all(|it| self.tokens[it].is_stop || self.is_rows(it))
        };
        let verb = verb.or_else(|| first.filter(|first| of.is_some_and(|of| are_rows(of, *first))));
        let (Some(of), Some(verb)) = (of.filter(|it| *it <= at + 1), verb) else { return };
        if of > verb || self.query.filters.is_empty() || self.covered[at] {
            return;
        }
        self.query.filters.sort_by_key(|it| it.from);
        let base = self.query.filters.iter().filter(|it| it.to <= verb).count();
        if base == self.query.filters.len() {
            return;
        }
        self.query.share_of = Some(base);
        let from = if at > 0 && self.word(at - 1) == "what" { at - 1 } else { at };
        self.cover(from, at + 1, "percent");
        self.covered[verb] = true;
    }
}
