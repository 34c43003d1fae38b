//! Conditions: numbers and dates that are compared, states, negations.

use svc_contract::value::literal;

use super::{
    super::{
        lexicon::{self, Compare},
        table::{Column, Kind},
        words::{Literal, whole},
    },
    Mention, Reader,
};

impl Reader<'_, '_> {
    pub(super) fn comparisons(&mut self) {
        self.ranges();
        for at in 0..self.tokens.len() {
            if self.covered[at] {
                continue;
            }
            let literal = self.tokens[at].literal.clone();
            let before = (at.saturating_sub(3)..at)
                .rev()
                .find_map(|from| {
                    lexicon::compares(self.tokens, from).map(|(it, len)| (from, it, len))
                })
                .filter(|(from, _, len)| at >= from + len && at - (from + len) <= 1);
            let behind = lexicon::compares_behind(self.tokens, at + 1);
            let (compare, from, to) = match (before, behind) {
                (Some((from, compare, _)), _) => (Some(compare), from, at + 1),
                (None, Some((compare, len))) => (Some(compare), at, at + 1 + len),
                (None, None) => (None, at, at + 1),
            };
            let is_not = compare.is_some() && self.is_negated(from);
            let compare = compare.map(|it| if is_not { it.inverted() } else { it });
            match literal {
                Some(Literal::Number(n)) => self.number(n, compare, from, to),
                Some(Literal::Period(first, next)) => self.period(&first, &next, compare, from, to),
                _ => {}
            }
        }
    }

    /// `between 20 and 100`
    fn ranges(&mut self) {
        for at in 0..self.tokens.len().saturating_sub(3) {
            let [first, low, and, high] = &self.tokens[at..at + 4] else { continue };
            let (Some(Literal::Number(low)), Some(Literal::Number(high))) =
                (&low.literal, &high.literal)
            else {
                continue;
            };
            if first.lower == "between" && and.lower == "and" && low <= high {
                let (low, high) = (*low, *high);
                self.number(low, Some(Compare::AtLeast), at, at + 4);
                if self.covered[at] {
                    self.number(high, Some(Compare::AtMost), at, at + 4);
                }
            }
        }
    }

    fn number(&mut self, n: f64, compare: Option<Compare>, from: usize, to: usize) {
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
        let column = match by_name {
            Some(it) => it,
            None if is_year => {
                if let Some(date) = self
                    .nearest(from, to, &|it| it.kind == Kind::Date)
                    .or_else(|| self.sole(&|it| it.kind == Kind::Date))
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
            None => match self.sole(&is_number) {
                Some(it) => it,
                None => return,
            },
        };
        let cell = self.query.cell(column);
        self.known(column, &format!("{cell} {compare} {n}"), from, to);
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
        let Some(column) = near.or_else(|| self.sole(&is_date)) else { return };
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
        let cell = self.query.cell(column);
        let text = if self.col(column).optional {
            format!("{cell} != null and {text}")
        } else {
            text.to_owned()
        };
        self.filter(column, text, from, to);
    }

    /// The mentioned column of a kind that is nearest: the word behind a value, or one before it.
    fn nearest(&mut self, from: usize, to: usize, fits: &dyn Fn(&Column) -> bool) -> Option<usize> {
        let fit = |it: &Mention| fits(self.col(it.column));
        let behind = self.mentions.iter().position(|it| it.at >= to && it.at - to <= 1 && fit(it));
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
        for idx in 0..self.mentions.len() {
            let Mention { column, at, end, is_negated, is_used } = self.mentions[idx];
            if is_used {
                continue;
            }
            let (kind, optional) = (self.col(column).kind, self.col(column).optional);
            let cell = self.query.cell(column);
            let is_switch = matches!(kind, Kind::Bool | Kind::YesNo(..)) && !optional;
            let is_state = optional && self.is_state(at);
            if !is_switch && !is_state && !(optional && (is_negated || self.is_denied(at))) {
                continue;
            }
            let is_not = self.is_negated(at) || is_negated;
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
            self.filter(column, text, at, end);
            self.mentions[idx].is_used = true;
        }
    }

    /// Whether something is denied right before it: `without`, `never`.
    fn is_denied(&self, at: usize) -> bool {
        self.tokens[at.saturating_sub(3)..at].iter().any(lexicon::negates)
    }

    /// Whether a participle says that a value is given: `were paid`.
    fn is_state(&self, at: usize) -> bool {
        const FORMS: [&str; 7] = ["is", "are", "was", "were", "been", "has", "have"];
        at > 0 && FORMS.contains(&self.tokens[at - 1].lower.as_str())
    }

    /// Whether a negation stands shortly before a token, and covers it.
    pub(super) fn is_negated(&mut self, at: usize) -> bool {
        for before in (at.saturating_sub(5)..at).rev() {
            if self.tokens[before].ends {
                break;
            }
            if lexicon::negates(&self.tokens[before]) && !self.covered[before] {
                self.covered[before] = true;
                return true;
            }
        }
        false
    }
}

/// Whether a column has numbers that are years, by its name.
pub(super) fn has_year(column: &Column) -> bool {
    column.name.to_lowercase().contains("year")
}
