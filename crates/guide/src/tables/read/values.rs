//! The values that the words of a goal name, and conditions that are a choice.

use svc_contract::value::literal;

use super::{
    super::{
        derived::Source,
        lexicon::has,
        table::Kind,
        words::{Literal, Token},
    },
    Reader,
};

/// More values than these are not written as a choice.
const MOST_CHOICES: usize = 6;

/// Longer values are prose, of which a word says nothing.
const MOST_WORDS: usize = 4;

impl Reader<'_, '_> {
    /// Words that are values of a column, or parts of them.
    pub(super) fn values(&mut self) {
        for len in (1..=4).rev() {
            for at in 0..self.tokens.len().saturating_sub(len - 1) {
                let own = &self.tokens[at..at + len];
                let is_free = (at..at + len).all(|it| !self.covered[it]);
                let is_parted = own[..len - 1].iter().any(|it| it.ends);
                let is_word = own.iter().any(|it| {
                    !it.is_stop
                        && !matches!(it.literal, Some(Literal::Number(_) | Literal::Period(..)))
                });
                if is_free && !is_parted && is_word {
                    self.value(at, len);
                }
            }
        }
    }

    fn value(&mut self, at: usize, len: usize) {
        let own = &self.tokens[at..at + len];
        let text = own.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ");
        let plain = folded(&text);
        let singular = plain.strip_suffix('s').filter(|it| it.len() > 2);
        let un = plain.strip_prefix("un").filter(|it| it.len() > 2 && len == 1);
        let exact = [(Some(plain.as_str()), false), (singular, false), (un, true)];
        for (wanted, is_un) in exact {
            let Some(wanted) = wanted else { continue };
            let found = self.sole_values(at, len, &|_, value| folded(value) == wanted);
            if let Some((column, values)) = found {
                self.chosen(column, &values, None, is_un, at, at + len);
                return;
            }
        }
        let (test, param, from) = self.test_before(at);
        let is_quoted = matches!(self.tokens[at].literal, Some(Literal::Quoted(_)));
        let is_looked_for = self.table().is_lines && from < at;
        let is_mentioned = self.mentions.iter().any(|it| it.at <= at && at < it.end);
        if is_mentioned && !is_quoted {
            return;
        }
        let is_text = is_quoted || is_looked_for || self.is_name(at, &text);
        let has_part = |column: usize, value: &str| match is_text {
            true if is_quoted => value.contains(&text),
            true => at_words(value, &text),
            false => self.is_common(at, len, column) && is_part(value, &plain),
        };
        let Some((column, values)) = self.sole_values(at, len, &has_part) else { return };
        let test = (is_text && (from < at || self.table().is_lines || is_quoted)).then_some((
            test,
            param,
            text.as_str(),
        ));
        self.chosen(column, &values, test, false, from, at + len);
    }

    /// The values that fit, if they are those of one column; of several, it is the one that is named.
    fn sole_values(
        &self,
        at: usize,
        len: usize,
        fits: &dyn Fn(usize, &str) -> bool,
    ) -> Option<(usize, Vec<String>)> {
        let is_text = |it: &usize| self.col(*it).kind == Kind::Text;
        let mut all: Vec<(usize, Vec<String>)> = (0..self.table().columns.len())
            .filter(is_text)
            .map(|idx| {
                let values = self.col(idx).values.iter().filter(|it| fits(idx, it));
                (idx, values.cloned().collect())
            })
            .filter(|(_, values): &(usize, Vec<String>)| !values.is_empty())
            .collect();
        if all.len() > 1 {
            // `sent on a Monday`: of the date that is named before.
            let near = |column: usize| {
                let is_own = self.col(column).source == Source::Own;
                let needs = self.col(column).source.needs(column);
                let reach = if is_own { 2 } else { 5 };
                let mentions = self.mentions.iter().filter(|it| needs.contains(&it.column));
                mentions.into_iter().any(|it| {
                    it.end <= at && at - it.end <= reach
                        || it.at >= at + len && it.at - at - len <= 1
                })
            };
            all.retain(|(column, _)| near(*column));
        }
        let found = all.pop()?;
        all.is_empty().then_some(found)
    }

    /// Filters by values of a column, or by a test that holds for these alone.
    fn chosen(
        &mut self,
        column: usize,
        values: &[String],
        test: Option<(&str, &str, &str)>,
        is_un: bool,
        from: usize,
        to: usize,
    ) {
        let is_not = is_un != self.is_negated(from);
        let cell = self.query.cell(column);
        let text = match (test, values) {
            (None, [one]) if is_not => format!("{cell} != {}", literal::text(one)),
            (None, [one]) => format!("{cell} == {}", literal::text(one)),
            (None, all) if all.len() <= MOST_CHOICES => {
                let (sign, word) = if is_not { ("!=", " and ") } else { ("==", " or ") };
                let all = all.iter().map(|it| format!("{cell} {sign} {}", literal::text(it)));
                format!("({})", all.collect::<Vec<_>>().join(word))
            }
            (None, _) => return,
            (Some((op, param, text)), _) => {
                let is_optional = self.query.guard(column).is_some();
                let cell = if is_optional { format!("({cell} ?? \"\")") } else { cell };
                let not = if is_not { "not " } else { "" };
                format!("{not}{op}({cell}, {param}: {})", literal::text(text))
            }
        };
        let is_own = self.query.cell(column).starts_with(['.', 'i']);
        let text = match self.query.guard(column) {
            Some(guard) if !is_own => format!("{guard} and {text}"),
            _ => text,
        };
        let filter = self.filter(&[column], text, from, to);
        (filter.is_value, filter.is_not, filter.is_test) = (true, is_not, test.is_some());
        self.covers_name(column, from, to);
    }

    /// Whether a word is a name: it begins with a capital inside of a sentence.
    fn is_name(&self, at: usize, text: &str) -> bool {
        let token = &self.tokens[at];
        at > 0
            && !self.tokens[at - 1].ends
            && token.text.contains(char::is_uppercase)
            && token.literal.is_none()
            && text.len() > 2
    }

    /// Whether a word without a capital may be a part of the values of a column: short ones, which
    /// are repeated; and a word that means nothing else.
    fn is_common(&self, at: usize, len: usize, column: usize) -> bool {
        let means_more = |it: &Token| {
            it.is_stop
                || it.literal.is_some()
                || has(&self.table().terms, it)
                || self.lexicon.means(it)
        };
        let is_short = |it: &String| it.split_whitespace().count() <= MOST_WORDS;
        // `in euros` is a unit, or a choice.
        let is_unit = self.before(at, 1) == ["in"] && self.word(at).starts_with("euro");
        let is_open = !self.table().is_lines && !is_unit;
        is_open
            && !self.tokens[at..at + len].iter().any(means_more)
            && self.table().repeats(column)
            && self.col(column).values.iter().all(is_short)
    }

    /// The test that the words before a value ask for, its param, and where these words begin:
    /// `that mention milk`, `starting with "-"`.
    fn test_before(&self, at: usize) -> (&'static str, &'static str, usize) {
        let before = |back: usize| Some(&self.tokens[at.checked_sub(back)?]);
        let is_with = before(1).is_some_and(|it| it.lower == "with");
        match (before(1), before(2)) {
            (_, Some(it)) if is_with && has(&self.lexicon.starts, it) => {
                ("starts_with", "prefix", at - 2)
            }
            (_, Some(it)) if is_with && has(&self.lexicon.ends, it) => {
                ("ends_with", "suffix", at - 2)
            }
            (Some(it), _) if has(&self.lexicon.contains, it) && !it.is_stop => {
                ("contains", "item", at - 1)
            }
            _ => ("contains", "item", at),
        }
    }

    /// The name of a column next to one of its values only says what the value is.
    fn covers_name(&mut self, column: usize, from: usize, to: usize) {
        let near = self.mentions.iter().position(|it| {
            !it.is_used
                && self.col(column).source.needs(column).contains(&it.column)
                && (it.end <= from && (from - it.end <= 2 || self.are_stops(it.end, from))
                    || it.at >= to && it.at - to <= 1)
        });
        if let Some(idx) = near {
            self.take_mention(idx, "where");
        }
    }

    /// Joins conditions: two values of one column are a choice, `or` joins two conditions. `None` if
    /// it is not clear which ones.
    pub(super) fn choices(&mut self) -> Option<()> {
        let base = self.query.share_of;
        self.query.filters.sort_by_key(|it| it.from);
        let mut at = 0;
        while at + 1 < self.query.filters.len() {
            let (a, b) = (&self.query.filters[at], &self.query.filters[at + 1]);
            let between = b.from.min(self.tokens.len()).max(a.to);
            let gap: Vec<usize> = (a.to..between).collect();
            let is_or = gap.iter().any(|it| self.word(*it) == "or");
            let is_list = gap.iter().all(|it| {
                self.tokens[*it].is_stop || matches!(self.word(*it), "either" | "those" | "ones")
            });
            let is_one_column = a.columns == b.columns && a.is_value && b.is_value;
            let is_switch = |it: &usize| matches!(self.col(*it).kind, Kind::Bool | Kind::YesNo(..));
            if a.columns == b.columns && a.columns.iter().all(is_switch) {
                return None;
            }
            let is_test = a.is_test || b.is_test;
            let negate_b = is_one_column && a.is_not && !b.is_not && is_list && (is_or || !is_test);
            let is_either = a
                .from
                .checked_sub(3)
                .is_some_and(|from| (from..a.from).any(|it| self.word(it) == "either"));
            if is_one_column && !a.is_not && !b.is_not && !is_list && !is_test {
                return None;
            }
            if !is_one_column && is_or && self.query.filters.len() > 2 && !is_either {
                return None;
            }
            // `not paid or open`: it is not clear what is denied.
            if is_or && !is_one_column && a.is_not {
                return None;
            }
            if negate_b {
                let text = self.query.filters[at + 1].text.clone();
                self.query.filters[at + 1].text = inverted(&text)?;
                self.query.filters[at + 1].is_not = true;
            }
            let (a, b) = (&self.query.filters[at], &self.query.filters[at + 1]);
            let is_choice = is_one_column && !a.is_not && !b.is_not && is_list && !is_test
                || is_or && (!b.is_not || !is_one_column);
            if is_or || is_list && is_one_column {
                for it in gap.iter().chain(&[at]) {
                    if *it < self.tokens.len() && self.word(*it) == "or" {
                        self.covered[*it] = true;
                    }
                }
            }
            if is_or && is_one_column && a.is_not != b.is_not {
                return None;
            }
            if is_choice {
                let b = self.query.filters.remove(at + 1);
                if base.is_some_and(|it| it == at + 1) {
                    return None;
                }
                let a = &mut self.query.filters[at];
                let inner = a.text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
                let inner = inner.filter(|it| !it.contains('(')).unwrap_or(&a.text);
                a.text = format!("({inner} or {})", b.text);
                a.to = b.to;
                a.columns.extend(b.columns.iter().filter(|_| !is_one_column));
            } else {
                at += 1;
            }
        }
        for at in 0..self.tokens.len() {
            self.covered[at] |= self.word(at) == "either";
        }
        Some(())
    }
}

/// The opposite of a condition on a value.
fn inverted(text: &str) -> Option<String> {
    let is_plain = !text.contains(" or ") && !text.contains(" and ");
    is_plain.then(|| match text.replacen(" == ", " != ", 1) {
        it if it != text => it,
        _ => format!("not {text}"),
    })
}

/// A text for comparison: small letters, hyphens as spaces.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['-', '_'], " ")
}

/// Whether a text stands in a value, between other words.
fn at_words(value: &str, text: &str) -> bool {
    let is_edge = |it: Option<char>| !it.is_some_and(char::is_alphanumeric);
    value.match_indices(text).any(|(from, _)| {
        is_edge(value[..from].chars().next_back())
            && is_edge(value[from + text.len()..].chars().next())
    })
}

/// Whether a word names a short value by a part of it.
pub(super) fn is_common_part(value: &str, word: &str) -> bool {
    value.split_whitespace().count() <= MOST_WORDS && is_part(value, word)
}

/// Whether a word in small letters names a value by a part of it: `debian` of `Debian 12`, `chairs` of
/// `Office Chair`, `euro` of `EUR`.
fn is_part(value: &str, word: &str) -> bool {
    let value_folded = folded(value);
    let singular = word.strip_suffix('s').unwrap_or(word);
    let is_short_form = (3..=4).contains(&value.len())
        && value.chars().all(char::is_uppercase)
        && singular.starts_with(&value_folded)
        && singular.len() <= value.len() + 3;
    word.len() > 3
        && (at_words(&value_folded, word) || value_folded.ends_with(&format!(" {singular}")))
        || is_short_form
}
