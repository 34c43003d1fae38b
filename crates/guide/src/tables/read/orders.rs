//! Superlatives, orders and the number of rows.

use super::{
    super::{
        lexicon::Side,
        query::Order,
        table::{Column, Kind},
        words::{Literal, whole},
    },
    Mention, Reader,
    filters::has_year,
};

impl Reader<'_, '_> {
    /// Superlatives, `newest first`, `the first three`, alphabetical order.
    pub(super) fn orders(&mut self) -> Option<()> {
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            if self.covered[at] {
                continue;
            }
            if self.lexicon.is_alphabetical(token) {
                let text = |it: &Mention| self.col(it.column).kind == Kind::Text && !it.is_used;
                let idx = self.mentions.iter().position(text);
                let column = idx.map(|it| self.mentions[it].column);
                let column = if self.table().is_lines { Some(0) } else { column };
                self.ordered(Order { column: Some(column?), falls: false }, at)?;
                continue;
            }
            if matches!(token.lower.as_str(), "sort" | "sorted" | "order" | "ordered")
                && let Some(idx) = self.mentions.iter().position(|it| it.at > at && it.at - at <= 4)
            {
                let column = Some(self.mentions[idx].column);
                if !self.mentions[idx].is_used {
                    self.take_mention(idx, "sort");
                }
                self.ordered(Order { column, falls: false }, at)?;
                continue;
            }
            // `at least` does not choose the least.
            let is_bound = at > 0 && self.tokens[at - 1].lower == "at";
            let Some(side) = self.lexicon.side(token).filter(|_| !is_bound) else { continue };
            self.superlative(side, at)?;
        }
        for at in 0..self.tokens.len() {
            let is_sorting =
                matches!(self.tokens[at].lower.as_str(), "sort" | "sorted" | "ordered");
            self.covered[at] |= is_sorting && self.query.order.is_some();
        }
        Some(())
    }

    fn superlative(&mut self, side: Side, at: usize) -> Option<()> {
        let first = self.says_first(at);
        if side == Side::Old && self.tokens[at].lower == "first" {
            return Some(());
        }
        let is_date = |it: &Column| it.kind == Kind::Date;
        let is_number = |it: &Column| matches!(it.kind, Kind::Int | Kind::Float);
        let column = match side {
            Side::New | Side::Old => {
                let years = |it: &Column| it.kind == Kind::Int && has_year(it);
                let found = self.near_mention(at, &is_date).or_else(|| self.sole(&is_date));
                Some(
                    found
                        .or_else(|| self.near_mention(at, &years))
                        .or_else(|| self.sole(&years))?,
                )
            }
            _ if self.query.group.is_some() && self.query.measure.is_some() => None,
            _ => {
                let behind = |it: &Mention| it.at == at + 1 && !it.is_used;
                let behind = self.mentions.iter().position(behind);
                match behind.filter(|it| is_number(self.col(self.mentions[*it].column))) {
                    Some(idx) => {
                        self.take_mention(idx, "sort");
                        Some(self.mentions[idx].column)
                    }
                    None => {
                        Some(self.near_mention(at, &is_number).or_else(|| self.sole(&is_number))?)
                    }
                }
            }
        };
        let falls = matches!(side, Side::High | Side::New);
        self.ordered(Order { column, falls }, at)?;
        let is_named = column.is_some_and(|it| self.mentions.iter().any(|at| at.column == it));
        if (is_named || column.is_none()) && self.is_adjective(at + 1) {
            self.cover(at + 1, at + 2, "sort");
        }
        if let Some((from, to)) = first {
            self.covered[from..to].fill(true);
            return Some(());
        }
        let count = [at.wrapping_sub(1), at + 1].into_iter().find_map(|it| {
            match self.tokens.get(it)?.literal {
                Some(Literal::Number(n)) if !self.covered[it] => Some((it, whole(n)?)),
                _ => None,
            }
        });
        if let Some((idx, n)) = count {
            self.cover(idx, idx + 1, format!("take(n: {n})"));
            self.query.take = Some(n);
        } else {
            self.query.take = Some(1);
        }
        Some(())
    }

    /// `newest first`, `the busiest one first`, `the best class on top`: all rows in an order, not
    /// one of them. Returns the words that say so.
    fn says_first(&self, at: usize) -> Option<(usize, usize)> {
        const TOP: [&[&str]; 5] = [
            &["first"],
            &["at", "the", "top"],
            &["on", "top"],
            &["goes", "first"],
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

    /// Orders by a column. The same order may be said twice: `the three largest, largest first`.
    fn ordered(&mut self, order: Order, at: usize) -> Option<()> {
        if let Some(known) = self.query.order {
            if known.falls != order.falls {
                return None;
            }
        } else {
            self.query.order = Some(order);
        }
        self.cover(at, at + 1, "sort");
        Some(())
    }

    /// A mentioned column of a kind, used or not; the nearest one.
    fn near_mention(&self, at: usize, fits: &dyn Fn(&Column) -> bool) -> Option<usize> {
        let all = self.mentions.iter().filter(|it| fits(self.col(it.column)));
        all.min_by_key(|it| it.at.abs_diff(at)).map(|it| it.column)
    }

    /// The best three of something are known by name.
    pub(super) fn identified(&mut self) {
        let of_numbers = |it: &usize| matches!(self.col(*it).kind, Kind::Int | Kind::Float);
        let has_numbers_alone =
            !self.query.columns.is_empty() && self.query.columns.iter().all(of_numbers);
        if self.query.order.is_none()
            || self.query.measure.is_some()
            || !has_numbers_alone
            || self.table().is_lines
        {
            return;
        }
        let is_name = |it: &usize| {
            let name = self.col(*it).name.to_lowercase();
            self.col(*it).kind == Kind::Text && ["name", "title"].iter().any(|it| name.contains(it))
        };
        let all = 0..self.table().columns.len();
        let first = all.clone().find(is_name);
        let first = first.or_else(|| all.clone().find(|it| self.col(*it).kind == Kind::Text));
        if let Some(first) = first {
            self.query.columns.insert(0, first);
        }
    }
}
