//! Superlatives, orders and the number of rows.

use super::{
    super::{
        closed::{self, Side},
        query::{By, Measure, Order},
        table::{Column, Kind},
        words::{Literal, whole},
    },
    Mention, Reader,
    dates::has_numbers,
    filters::has_year,
    mentions::is_of_birth,
};

impl Reader<'_, '_> {
    /// Superlatives, `newest first`, `sorted by town and then by name`, alphabetical order.
    pub(super) fn orders(&mut self) -> Option<()> {
        for at in 0..self.tokens.len() {
            if self.is_sorting(at) {
                self.sort_keys(at)?;
            }
        }
        self.sorts_end_to_end();
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            if self.covered[at] {
                continue;
            }
            if self.lexicon.is_alphabetical(token) || self.is_from_a(at) {
                let by = self.text_to_sort()?;
                let falls = self.before(at, 2).contains(&"reverse");
                self.ordered(Order { by, falls }, at)?;
                continue;
            }
            // `at least` does not choose the least.
            let is_bound = at > 0 && self.word(at - 1) == "at";
            let Some((side, of)) = closed::superlative(token).filter(|_| !is_bound) else {
                continue;
            };
            // `the most urgent`, `most recent`, `most expensive`
            let next = self.tokens.get(at + 1).and_then(closed::superlative);
            if self.word(at) == "most" && next.is_some() && self.word(at + 1) != "first" {
                self.covered[at] = true;
                continue;
            }
            self.superlative(side, of, at)?;
        }
        self.first_rows();
        for at in 0..self.tokens.len() {
            let is_sorting = self.is_sorting(at)
                || self.word(at) == "order" && self.before(at, 3).contains(&"in");
            self.covered[at] |= is_sorting && !self.query.orders.is_empty();
        }
        Some(())
    }

    /// `from cheapest to most expensive`, `from oldest to newest`
    fn sorts_end_to_end(&mut self) {
        for at in 0..self.tokens.len().saturating_sub(3) {
            let most = usize::from(self.word(at + 3) == "most" && at + 4 < self.tokens.len());
            if self.word(at) != "from" || self.word(at + 2) != "to" || self.covered[at] {
                continue;
            }
            let ends = [at + 1, at + 3 + most].map(|it| closed::superlative(&self.tokens[it]));
            let [Some((first, of)), Some((last, other))] = ends else { continue };
            let (falls, by) = match (first, last) {
                (Side::High, Side::Low) | (Side::Low, Side::High) => {
                    let of = if of.is_empty() { other } else { of };
                    let by = self.called(of).or_else(|| self.sole(&has_numbers));
                    (first == Side::High, by)
                }
                (Side::New, Side::Old) | (Side::Old, Side::New) => {
                    (first == Side::New, self.only_date())
                }
                _ => continue,
            };
            let Some(column) = by else { continue };
            self.query.orders.push(Order { by: By::Column(column), falls });
            self.cover(at, at + 4 + most, "sort");
        }
    }

    fn is_sorting(&self, at: usize) -> bool {
        matches!(self.word(at), "sort" | "sorted" | "ordered" | "arranged")
            || self.word(at) == "order" && matches!(self.word(at + 1), "by" | "of")
    }

    /// `from a to z`
    fn is_from_a(&self, at: usize) -> bool {
        self.word(at) == "z" && self.before(at, 2) == ["a", "to"]
    }

    /// The text by which the result is in alphabetical order.
    fn text_to_sort(&self) -> Option<By> {
        if self.table().is_lines {
            return Some(By::Column(0));
        }
        let is_text = |it: &usize| self.col(*it).kind == Kind::Text;
        if let Some(group) = self.query.groups.iter().copied().find(is_text) {
            return Some(By::Column(group));
        }
        let free = self.mentions.iter().filter(|it| !it.is_used).map(|it| it.column);
        free.into_iter().find(is_text).map(By::Column)
    }

    /// The columns behind `sorted by`, each with its direction.
    fn sort_keys(&mut self, sort: usize) -> Option<()> {
        const LINKS: [&str; 11] =
            ["of", "by", "and", "then", "for", "the", "same", "within", "first", "last", "their"];
        let mut at = self.keys_of(sort);
        let mut is_context = false;
        while at < self.tokens.len() && at - sort <= 20 {
            if let Some(idx) = self.mentions.iter().position(|it| it.at == at) {
                let Mention { column, end, .. } = self.mentions[idx];
                let is_half = matches!(self.word(at - 1), "first" | "last");
                if is_half && !self.begins_with(self.word(at - 1), column) {
                    return None;
                }
                self.covered[at - 1] |= is_half;
                // `for the same author`: a key that was named before.
                if !is_context {
                    let falls = self.falls_behind(end);
                    self.ordered(Order { by: self.by(column), falls }, sort)?;
                    self.take_mention(idx, "sort");
                } else if !self.query.orders.iter().any(|it| it.by == By::Column(column)) {
                    return None;
                } else {
                    self.take_mention(idx, "sort");
                }
                is_context = false;
                at = end;
                if self.direction(at).is_some() {
                    let len = self.direction(at).map_or(0, |(_, len)| len);
                    self.cover(at, at + len, "sort");
                    at += len;
                }
                continue;
            }
            if !LINKS.contains(&self.word(at)) {
                break;
            }
            is_context |= self.word(at) == "same";
            self.covered[at] |= self.word(at) == "same";
            at += 1;
        }
        if let Some((falls, len)) = self.direction(at)
            && let Some(last) = self.query.orders.last_mut()
        {
            last.falls = falls;
            self.cover(at, at + len, "sort");
        }
        Some(())
    }

    /// Where the keys begin: behind `sort`, or behind the `by` of `sort the orders in a.csv by town`.
    fn keys_of(&self, sort: usize) -> usize {
        let by = (sort + 1..(sort + 7).min(self.tokens.len())).find(|it| self.word(*it) == "by");
        let is_row = |it: usize| {
            let token = &self.tokens[it];
            let is_path = matches!(token.literal, Some(Literal::Path(_)));
            token.is_stop || is_path || self.is_rows(it) || self.lexicon.requests(token)
        };
        by.filter(|by| (sort + 1..*by).all(is_row)).unwrap_or(sort + 1)
    }

    /// A column as a key: in a group, it may be a measure of it.
    fn by(&self, column: usize) -> By {
        let of_column = |it: &usize| matches!(self.query.measures[*it].measure, Measure::Total(_, of) if of == column);
        let measure = (0..self.query.measures.len()).find(of_column);
        match measure.filter(|_| !self.query.groups.is_empty()) {
            Some(it) => By::Measure(it),
            None => By::Column(column),
        }
    }

    /// Whether the names in a column begin with the first name, or the last one.
    fn begins_with(&self, part: &str, column: usize) -> bool {
        let values = &self.col(column).values;
        let has_comma = values.iter().filter(|it| it.contains(',')).count();
        match part {
            "first" => has_comma == 0,
            _ => has_comma == values.len(),
        }
    }

    fn falls_behind(&self, at: usize) -> bool {
        self.direction(at).is_some_and(|(falls, _)| falls)
    }

    /// `descending`, `in ascending order`, `from high to low`: whether it falls, and its length.
    fn direction(&self, at: usize) -> Option<(bool, usize)> {
        let skips = usize::from(self.word(at) == "in");
        let order = usize::from(self.word(at + skips + 1) == "order");
        match self.word(at + skips) {
            "descending" | "decreasing" => Some((true, skips + 1 + order)),
            "ascending" | "increasing" => Some((false, skips + 1 + order)),
            "from" => match (self.word(at + 1), self.word(at + 3)) {
                ("high" | "z" | "large" | "big" | "new", "low" | "a" | "small" | "old") => {
                    Some((true, 4))
                }
                ("low" | "a" | "small" | "old", "high" | "z" | "large" | "big" | "new") => {
                    Some((false, 4))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn superlative(&mut self, side: Side, of: &[&str], at: usize) -> Option<()> {
        let first = self.says_first(at);
        if side == Side::Old && self.word(at) == "first" {
            return Some(());
        }
        let mut falls = matches!(side, Side::High | Side::New);
        if first.is_none()
            && self.query.groups.is_empty()
            && matches!(side, Side::High | Side::Low)
            && self.best_group(at, falls)
        {
            let n = self.count_near(at);
            self.query.take = Some(n.unwrap_or(1));
            return Some(());
        }
        if first.is_none()
            && matches!(side, Side::High | Side::Low)
            && self.best_of_each(of, at, falls)
        {
            return Some(());
        }
        // The longest text is not about numbers; what most is spent on is a group.
        let is_text = self
            .mentions
            .iter()
            .any(|it| it.at == at + 1 && self.is_text(it.column) && !self.is_row_name(it.column));
        if is_text && !of.is_empty() && of.contains(&"length") || self.word(at + 1) == "on" {
            return None;
        }
        // `who deletes the most`: what is counted has no column.
        let verb = at.checked_sub(1 + usize::from(self.before(at, 1) == ["the"]));
        let is_counted = matches!(self.word(at), "most" | "least" | "fewest")
            && (self.is_filtered(at + 1) || verb.is_some_and(|it| self.is_value(it)));
        // `the best selling product` has the largest sum, and not the largest row.
        let is_sum = matches!(self.word(at + 1), "selling" | "sold" | "bought" | "ordered")
            && self
                .mentions
                .iter()
                .any(|it| self.is_text(it.column) && self.table().repeats(it.column));
        if is_counted || is_sum {
            return None;
        }
        if self.is_of_something(at) || first.is_none() && self.dearest_group(of, at, falls)? {
            return if self.covered[at] { Some(()) } else { None };
        }
        let by = match side {
            Side::New | Side::Old if self.called(of).is_none() => {
                By::Column(self.date_to_sort(at)?)
            }
            // A high age is old.
            Side::New | Side::Old => {
                falls = !falls;
                By::Column(self.called(of)?)
            }
            _ if !of.is_empty() => {
                let span = || {
                    self.span().filter(|_| self.word(at).ends_with("est") && of.contains(&"days"))
                };
                By::Column(self.called(of).or_else(span)?)
            }
            _ if !self.query.groups.is_empty() && !self.query.measures.is_empty() => {
                By::Measure(self.measure_near(at)?)
            }
            _ => By::Column(self.number_to_sort(at)?),
        };
        // The worst delay is the longest.
        let is_days = matches!(by, By::Column(it) if self.col(it).kind == Kind::Days);
        falls |= is_days && self.word(at) == "worst";
        if let (Some(last), true) = (self.query.orders.last_mut(), first.is_some())
            && last.by == by
        {
            last.falls = falls;
        }
        self.ordered(Order { by, falls }, at)?;
        // `the oldest members by joining date`
        if let By::Column(column) = by {
            let said = |it: &Mention| {
                !it.is_used && it.column == column && self.before(it.at, 1) == ["by"]
            };
            if let Some(idx) = self.mentions.iter().position(said) {
                self.take_mention(idx, "sort");
            }
        }
        let is_named = match by {
            By::Column(it) => self.mentions.iter().any(|at| at.column == it),
            By::Measure(_) => true,
        };
        let is_money = matches!(by, By::Column(it) if self.called(closed::MONEY) == Some(it));
        if is_money && self.is_paying(at + 1) {
            self.covered[at + 1] = true;
        }
        if is_named && self.is_adjective(at + 1) {
            self.cover(at + 1, at + 2, "sort");
        }
        // `top 5 by value descending`
        let direction = (at..self.tokens.len().min(at + 8)).find_map(|it| {
            let (is_falling, len) = self.direction(it)?;
            (is_falling == falls).then_some((it, it + len))
        });
        if let Some((from, to)) = direction {
            self.covered[from..to].fill(true);
        }
        if let Some((from, to)) = first {
            self.covered[from..to].fill(true);
            return Some(());
        }
        // `who earns the most`
        if let Some(verb) = (at.saturating_sub(2)..at).find(|it| is_money && self.is_paying(*it)) {
            self.covered[verb] = true;
        }
        self.query.take = Some(self.count_near(at).or(self.query.take).unwrap_or(1));
        // What is not known is neither the first nor the last.
        if let By::Column(column) = by
            && let Some(guard) = self.query.guard(column)
            && self.query.filters.iter().all(|it| !it.text.contains(&guard))
        {
            self.filter(&[column], guard, at, at + 1);
        }
        Some(())
    }

    /// `the most refunds`, where nothing is known of refunds.
    fn is_of_something(&self, at: usize) -> bool {
        let is_noun = self.tokens.get(at + 1).is_some_and(|it| {
            !it.is_stop && it.literal.is_none() && closed::superlative(it).is_none()
        });
        let is_known = self.covered.get(at + 1).copied().unwrap_or(true)
            || self.mentions.iter().any(|it| it.at <= at + 1 && at + 1 < it.end);
        matches!(self.word(at), "most" | "least" | "fewest")
            && is_noun
            && !is_known
            && self.query.measures.is_empty()
            && !self.tokens[at].ends
    }

    /// `every pupil's best mark`, `the highest price for each product`
    fn best_of_each(&mut self, of: &[&str], at: usize, falls: bool) -> bool {
        let is_each = |it: &Mention| {
            let before = self.before(it.at, 1);
            !it.is_used
                && it.at.abs_diff(at) <= 8
                && matches!(before.last(), Some(&("each" | "every" | "per")))
                && !has_numbers(self.col(it.column))
                && self.table().repeats(it.column)
        };
        let Some(each) = self.mentions.iter().position(is_each) else { return false };
        let next =
            |it: &Mention| !it.is_used && it.at == at + 1 && has_numbers(self.col(it.column));
        let number = self.mentions.iter().position(next).map(|it| self.mentions[it].column);
        let Some(column) = number.or_else(|| self.called(of)) else { return false };
        self.query.groups.push(self.mentions[each].column);
        self.take_mention(each, "group");
        if let Some(idx) = self.mentions.iter().position(|it| it.at == at + 1) {
            self.take_mention(idx, "each");
        }
        self.measure(Measure::Total(if falls { "max" } else { "min" }, column), true);
        // `the hottest reading of each sensor`: what the rows are.
        let is_noun = self.tokens.get(at + 1).is_some_and(|it| !it.is_stop && it.literal.is_none())
            && !self.covered[at + 1]
            && matches!(self.word(at + 2), "of" | "for" | "per" | "in")
            && number.is_none();
        self.cover(at, at + 1 + usize::from(is_noun), "group");
        true
    }

    /// The number next to a superlative: `the three cheapest`, `top 5`.
    fn count_near(&mut self, at: usize) -> Option<i64> {
        let from = if self.before(at, 1) == ["most"] { at - 1 } else { at };
        let count = [from.wrapping_sub(1), at + 1].into_iter().find_map(|it| {
            match self.tokens.get(it)?.literal {
                Some(Literal::Number(n)) if !self.covered[it] && self.word(it) != "one" => {
                    Some((it, whole(n)?))
                }
                _ => None,
            }
        });
        let (idx, n) = count?;
        self.cover(idx, idx + 1, format!("take(n: {n})"));
        Some(n)
    }

    fn date_to_sort(&mut self, at: usize) -> Option<usize> {
        let is_date = |it: &Column| it.kind == Kind::Date;
        let years = |it: &Column| it.kind == Kind::Int && has_year(it);
        let behind = |it: &Mention| !it.is_used && it.at == at + 1 && is_date(self.col(it.column));
        if let Some(idx) = self.mentions.iter().position(behind) {
            self.take_mention(idx, "sort");
            return Some(self.mentions[idx].column);
        }
        if matches!(self.word(at), "youngest" | "oldest")
            && let Some(birth) = self.sole(&is_of_birth)
        {
            return Some(birth);
        }
        // The oldest server is not the one that was patched first.
        let only = self.sole(&is_date).filter(|it| is_of_row(&self.col(*it).name));
        let date = self.near_mention(at, &is_date).or(only);
        date.or_else(|| self.near_mention(at, &years)).or_else(|| self.sole(&years))
    }

    fn number_to_sort(&mut self, at: usize) -> Option<usize> {
        let is_number = |it: &Column| has_numbers(it) || it.kind == Kind::Days;
        let behind =
            |it: &Mention| it.at == at + 1 && !it.is_used && is_number(self.col(it.column));
        if let Some(idx) = self.mentions.iter().position(behind) {
            // `the five worst marks with pupil and subject`: the marks are wanted, too.
            if self.word(self.mentions[idx].end) != "with" {
                self.take_mention(idx, "sort");
            }
            return Some(self.mentions[idx].column);
        }
        let is_free = |it: &&Mention| !it.is_used && is_number(self.col(it.column));
        let free = self.mentions.iter().filter(is_free).min_by_key(|it| it.at.abs_diff(at));
        let ordered = self.query.orders.iter().find_map(|it| match it.by {
            By::Column(it) if is_number(self.col(it)) => Some(it),
            _ => None,
        });
        free.map(|it| it.column).or(ordered).or_else(|| self.sole(&has_numbers))
    }

    /// The only column with numbers that one of the words names: that which is mentioned, of several.
    pub(super) fn called(&self, words: &[&str]) -> Option<usize> {
        let has_word = |name: &str| {
            let name = name.to_lowercase();
            name.split(['_', '-', ' ']).any(|it| words.contains(&it))
        };
        let fits = |it: &Column| (has_numbers(it) && (has_word(&it.name))) && !words.is_empty();
        let mut said = self.mentions.iter().filter(|it| fits(self.col(it.column)));
        self.sole(&fits).or_else(|| said.next().map(|it| it.column))
    }

    /// The only measure, or that which is named next: `most orders first`, `highest total first`.
    fn measure_near(&mut self, at: usize) -> Option<usize> {
        let next = self.mentions.iter().position(|it| it.at > at && it.at - at <= 2);
        if let Some(idx) = next
            && let By::Measure(it) = self.by(self.mentions[idx].column)
        {
            self.take_mention(idx, "sort");
            return Some(it);
        }
        let op = self.tokens.get(at + 1).and_then(closed::total);
        let counts = self.is_rows(at + 1);
        let fits = |it: &Measure| match it {
            Measure::Total(own, _) => Some(*own) == op,
            Measure::Count | Measure::Distinct(_) => counts,
            Measure::Percentile(..) => false,
        };
        let measures = &self.query.measures;
        let mut all = (0..measures.len()).filter(|it| fits(&measures[*it].measure));
        match (all.next(), all.next()) {
            (Some(one), None) => Some(one),
            _ => (measures.len() == 1).then_some(0),
        }
    }

    /// `the first five`: in the order of the file, or that which is said.
    fn first_rows(&mut self) {
        for at in 0..self.tokens.len().saturating_sub(1) {
            let number = self.tokens[at + 1].literal.clone();
            if let (Some(Literal::Number(n)), "first", false) =
                (number, self.word(at), self.covered[at])
                && self.before(at, 1) == ["the"]
                && !self.covered[at + 1]
                && self.query.take.is_none()
            {
                self.query.take = whole(n);
                self.cover(at, at + 2, "take");
            }
        }
    }

    /// `newest first`, `the busiest one first`, `the best class on top`: all rows in an order, not
    /// one of them. Returns the words that say so.
    fn says_first(&self, at: usize) -> Option<(usize, usize)> {
        const TOP: [&[&str]; 6] = [
            &["first"],
            &["at", "the", "top"],
            &["on", "top"],
            &["goes", "first"],
            &["comes", "first"],
            &["to", "the", "top"],
        ];
        (at + 1..(at + 6).min(self.tokens.len())).find_map(|from| {
            if self.tokens[at..from].iter().any(|it| it.ends) {
                return None;
            }
            TOP.iter().find_map(|words| {
                let own = self.tokens.get(from..from + words.len())?;
                let is_it = own.iter().zip(*words).all(|(token, word)| token.lower == *word);
                is_it.then_some((from, from + words.len()))
            })
        })
    }

    /// Whether a word may belong to the superlative before it: `best paid people`.
    fn is_adjective(&self, at: usize) -> bool {
        let is_open = |it: usize| {
            self.tokens.get(it).is_some_and(|token| {
                !self.covered[it]
                    && !token.is_stop
                    && token.literal.is_none()
                    && token.lower != "first"
            })
        };
        is_open(at) && !self.tokens[at].ends && is_open(at + 1)
    }

    /// Orders by a key. The same order may be said twice: `the three largest, largest first`.
    fn ordered(&mut self, order: Order, at: usize) -> Option<()> {
        match self.query.orders.iter().find(|it| it.by == order.by) {
            Some(known) if known.falls != order.falls => return None,
            Some(_) => {}
            None => self.query.orders.push(order),
        }
        self.cover(at, at + 1, "sort");
        Some(())
    }

    /// A mentioned column of a kind, used or not; the nearest one.
    fn near_mention(&self, at: usize, fits: &dyn Fn(&Column) -> bool) -> Option<usize> {
        // A date that is missing orders nothing.
        let is_missing = |column: usize| {
            let test = format!("{} == null", self.query.cell(column));
            self.query.filters.iter().any(|it| it.text.contains(&test))
        };
        let all = self.mentions.iter().filter(|it| fits(self.col(it.column)));
        let all = all.filter(|it| !is_missing(it.column));
        all.min_by_key(|it| it.at.abs_diff(at)).map(|it| it.column)
    }

    /// The best three of something are known by name.
    pub(super) fn identified(&mut self) {
        let query = &self.query;
        let has_numbers_alone =
            !query.columns.is_empty() && query.columns.iter().all(|it| query.is_number(*it));
        let chooses = !query.orders.is_empty()
            || query.columns.iter().any(|it| self.col(*it).kind == Kind::Days);
        if !chooses || query.has_measures() || !has_numbers_alone || self.table().is_lines {
            return;
        }
        let is_name = |it: &usize| {
            let name = self.col(*it).name.to_lowercase();
            self.col(*it).kind == Kind::Text && ["name", "title"].iter().any(|it| name.contains(it))
        };
        let first = self.table().own().find(is_name);
        let first =
            first.or_else(|| self.table().own().find(|it| self.col(*it).kind == Kind::Text));
        self.query.columns.splice(0..0, first);
    }
}

/// Whether a date says how old a row is, by its name.
fn is_of_row(name: &str) -> bool {
    const WORDS: [&str; 20] = [
        "hired",
        "registered",
        "date",
        "day",
        "time",
        "created",
        "made",
        "added",
        "start",
        "started",
        "since",
        "issued",
        "placed",
        "ordered",
        "published",
        "joined",
        "opened",
        "born",
        "posted",
        "sent",
    ];
    name.to_lowercase().split('_').any(|it| WORDS.contains(&it))
}
