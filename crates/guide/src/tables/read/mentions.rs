//! The columns that the words of a goal mention.

use super::{
    super::{
        closed::{self, PEOPLE},
        derived::{Part, Source},
        lexicon::has,
        table::{Column, Kind},
    },
    Mention, Reader,
    dates::has_numbers,
    is_one_of,
};

impl Reader<'_, '_> {
    pub(super) fn find_mentions(&mut self) {
        if self.table().is_lines {
            return;
        }
        let mut at = 0;
        while at < self.tokens.len() {
            let found = if self.covered[at] { None } else { self.mention_at(at) };
            match found {
                Some(mention) => {
                    self.mentions.push(mention);
                    at = mention.end;
                }
                None => at += 1,
            }
        }
    }

    /// The column that is named best by the words from here on.
    fn mention_at(&mut self, at: usize) -> Option<Mention> {
        let token = &self.tokens[at];
        if self.is_imperative(at) {
            return None;
        }
        // A name as the file has it: `paid_on`.
        let is_it = |it: &Column| it.name.contains('_') && it.name.to_lowercase() == token.lower;
        if let Some(column) = self.table().columns.iter().position(is_it) {
            return Some(Mention { column, at, end: at + 1, is_negated: false, is_used: false });
        }
        if token.literal.is_some() || token.is_stop || token.term.is_none() {
            return None;
        }
        // `how many events`: the rows, also where each row has the kind of its event.
        let is_counted =
            matches!(self.before(at, 2).as_slice(), [.., "many"] | ["number" | "count", "of"]);
        if is_counted && is_row_noun(&token.lower) {
            return None;
        }
        let positive = ["un", "in"].iter().find_map(|it| token.lower.strip_prefix(it));
        let positive = positive.filter(|it| it.len() > 3);
        let positive = positive.and_then(|it| Some(self.words.read(it).next()?.term));
        let mut best: Option<(usize, Mention)> = None;
        for (column, it) in self.table().columns.iter().enumerate() {
            let is_asked = matches!(self.before(at, 1).last(), Some(&("which" | "what")))
                || self.before(at, 3).iter().any(|it| matches!(*it, "name" | "names"));
            let is_amount = has_numbers(it)
                && matches!(
                    self.before(at, 1).last(),
                    Some(&("many" | "total" | "most" | "fewest"))
                );
            let is_repeated = is_amount || it.kind == Kind::Text && self.table().repeats(column);
            let is_whole =
                it.terms.len() == 1 && (!token.lower.ends_with('s') || is_asked || is_repeated);
            if has(&self.table().terms, token) && !is_whole {
                continue;
            }
            let mut len = 0;
            while let Some(token) = self.tokens.get(at + len)
                && (len == 0 || !self.tokens[at + len - 1].ends)
                && has(&it.terms, token)
            {
                len += 1;
            }
            let joined = self.joined(at, 2);
            let mut matched = len;
            if len == 0 && joined.as_deref().is_some_and(|own| own == it.name.to_lowercase()) {
                (len, matched) = (2, 2);
            }
            let negated = positive.is_some_and(|term| it.terms.contains(&term));
            if len == 0 && negated {
                (len, matched) = (1, 1);
            }
            // The whole name is better than a part of it.
            let is_same = it.name.to_lowercase() == token.lower;
            let score = matched * 10
                + usize::from(matched == it.terms.len().max(1)) * 5
                + usize::from(is_same) * 2;
            if len > 0 && best.as_ref().is_none_or(|(known, _)| score > *known) {
                let is_negated = negated && !has(&it.terms, token);
                let mention = Mention { column, at, end: at + len, is_negated, is_used: false };
                best = Some((score, mention));
            }
        }
        best.map(|(_, it)| it).or_else(|| self.shortened(at))
    }

    /// The only column that a word begins: `temp` is `temperature`; who was `born` has a birthday.
    fn shortened(&self, at: usize) -> Option<Mention> {
        const SHORTEST: usize = 4;
        let token = &self.tokens[at];
        if let Some(mention) = self.outcome(at) {
            return Some(mention);
        }
        if token.lower == "born" {
            let column = self.sole(&is_of_birth)?;
            return Some(Mention { column, at, end: at + 1, is_negated: false, is_used: false });
        }
        let is_known = has(&self.table().terms, token)
            || self.lexicon.means(token)
            || closed::total(token).is_some()
            || self.table().own().any(|it| {
                self.col(it).values.iter().any(|value| value.to_lowercase().contains(&token.lower))
            });
        let begins = |it: &Column| {
            let name = it.name.to_lowercase();
            name.split('_').any(|it| {
                let is_longer = it.starts_with(&token.lower) && it.len() > token.lower.len() + 2;
                is_longer || closed::is_short(it, &token.lower)
            })
        };
        let column = self.sole(&begins).filter(|_| !is_known && token.lower.len() >= SHORTEST)?;
        Some(Mention { column, at, end: at + 1, is_negated: false, is_used: false })
    }

    /// `failed`, where a column says whether each row is `ok`.
    fn outcome(&self, at: usize) -> Option<Mention> {
        let is_negated = match self.word(at) {
            "failed" | "failing" | "unsuccessful" => true,
            "successful" | "succeeded" => false,
            _ => return None,
        };
        let says_so = |it: &Column| {
            let name = it.name.to_lowercase();
            let is_it = matches!(&*name, "ok" | "success" | "successful" | "succeeded");
            is_it && matches!(it.kind, Kind::Bool | Kind::YesNo(..))
        };
        let column = self.sole(&says_so)?;
        Some(Mention { column, at, end: at + 1, is_negated, is_used: false })
    }

    /// Some tokens as one word in the singular: `host names` is `hostname`.
    fn joined(&self, at: usize, len: usize) -> Option<String> {
        let own = self.tokens.get(at..at + len)?;
        let text: String = own.iter().map(|it| it.lower.as_str()).collect();
        Some(text.strip_suffix('s').map_or(text.clone(), str::to_owned))
    }

    /// `each month`, `which weekday`, `per person`: what a date or a name is called as a group.
    pub(super) fn parts_of_dates(&mut self) {
        const ASKING: [&str; 7] = ["per", "each", "every", "by", "which", "what", "busiest"];
        for at in 0..self.tokens.len() {
            let word = self.word(at);
            let before = self.before(at, 1);
            let is_second = before == ["and"] && self.before(at, 3).contains(&"per");
            let is_asked = before.first().is_some_and(|it| ASKING.contains(it))
                || word.ends_with("ly") && Part::of(word).is_some()
                || is_second && (Part::of(word).is_some() || PEOPLE.contains(&word))
                || matches!(word, "date" | "dates") && self.mentions.iter().all(|it| it.end != at)
                || before == ["many"] && self.word(at) == "days";
            if !is_asked || self.covered[at] || self.mentions.iter().any(|it| it.at == at) {
                continue;
            }
            let is_week = word == "day" && self.word(at + 1) == "of" && self.word(at + 3) == "week";
            let column = match Part::of(word) {
                _ if is_week => self.date().and_then(|it| self.part(it, Part::Weekday)),
                Some(part) => self.date().and_then(|it| self.part(it, part)),
                None if matches!(word, "day" | "days" | "date" | "dates") => self.date(),
                None if word == "name" => self.person(),
                None if PEOPLE.contains(&word) => {
                    self.person().filter(|it| self.is_called_name(*it))
                }
                None => None,
            };
            let end = at + if is_week { 4 } else { 1 };
            if let Some(column) = column {
                let mention = Mention { column, at, end, is_negated: false, is_used: false };
                self.mentions.push(mention);
                self.mentions.sort_by_key(|it| it.at);
            }
        }
    }

    /// The date that is meant: the only one, or the only one that is mentioned.
    pub(super) fn date(&self) -> Option<usize> {
        let is_date = |it: &crate::tables::table::Column| it.kind == Kind::Date;
        let mut all: Vec<usize> = self.mentions.iter().map(|it| it.column).collect();
        all.retain(|it| is_date(self.col(*it)));
        all.dedup();
        match all.as_slice() {
            [one] => Some(*one),
            _ => self.only_date(),
        }
    }

    pub(super) fn part(&self, date: usize, part: Part) -> Option<usize> {
        self.table().columns.iter().position(|it| it.source == Source::Part(date, part))
    }

    /// The column with the names of people: the only one called so, or the only one with such texts.
    pub(super) fn person(&self) -> Option<usize> {
        let is_text = |it: &usize| self.col(*it).kind == Kind::Text;
        let called = |it: &usize| self.is_called_name(*it);
        let looks = |it: &usize| {
            let values = &self.col(*it).values;
            let names = values.iter().filter(|it| is_name(it)).count();
            names > 0 && names * 5 >= values.len() * 4
        };
        let one = |fits: &dyn Fn(&usize) -> bool| {
            let mut all = self.table().own().filter(is_text).filter(|it| fits(it));
            let (first, next) = (all.next(), all.next());
            first.filter(|_| next.is_none())
        };
        let is_row = |it: &usize| self.is_row_name(*it);
        one(&called).or_else(|| one(&is_row)).or_else(|| one(&looks))
    }

    /// Whether a column is called as the file is: `pupil` in `pupils.csv`.
    pub(super) fn is_row_name(&self, column: usize) -> bool {
        let terms = &self.col(column).terms;
        self.is_text(column) && terms.len() == 1 && self.table().terms.contains(&terms[0])
    }

    pub(super) fn is_text(&self, column: usize) -> bool {
        self.col(column).kind == Kind::Text
    }

    /// Whether a column is called as if its rows were people.
    fn is_called_name(&self, column: usize) -> bool {
        matches!(
            self.col(column).name.to_lowercase().as_str(),
            "name" | "person" | "who" | "full_name"
        )
    }

    /// Whether a token stands for people whose column is known.
    pub(super) fn is_person(&self, at: usize) -> bool {
        is_one_of(&self.tokens[at], &PEOPLE) && self.person().is_some()
    }
}

/// Whether a column has the dates on which people were born.
pub(super) fn is_of_birth(column: &Column) -> bool {
    let name = column.name.to_lowercase();
    column.kind == Kind::Date && ["birth", "born", "dob"].iter().any(|it| name.contains(it))
}

/// Whether a noun means a row, whatever is in it.
fn is_row_noun(word: &str) -> bool {
    matches!(
        word,
        "events" | "entries" | "records" | "rows" | "items" | "requests" | "transactions" | "logs"
    )
}

/// Whether a text looks like the name of a person: `Ada King`, `King, Ada`.
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |it: &str| {
        it.starts_with(char::is_uppercase)
            && it.chars().skip(1).any(char::is_lowercase)
            && it.chars().all(|it| it.is_alphabetic() || matches!(it, ',' | '-' | '.' | '\''))
    };
    (2..=3).contains(&words.len()) && words.into_iter().all(is_word)
}
