//! The columns and values that the words of a goal mention.

use svc_contract::value::literal;

use super::{
    super::{
        lexicon::has,
        table::Kind,
        words::{Literal, Token},
    },
    Mention, Reader,
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
        if token.literal.is_some() || token.is_stop || token.term.is_none() {
            return None;
        }
        let positive = token.lower.strip_prefix("un").filter(|it| it.len() > 2);
        let positive = positive.and_then(|it| Some(self.words.read(it).next()?.term));
        let mut best: Option<(usize, Mention)> = None;
        for (column, it) in self.table().columns.iter().enumerate() {
            let is_whole = it.terms.len() == 1 && !token.lower.ends_with('s');
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
            let score = matched * 10 + usize::from(matched == it.terms.len().max(1)) * 5;
            if len > 0 && best.as_ref().is_none_or(|(known, _)| score > *known) {
                let is_negated = negated && !has(&it.terms, token);
                let mention = Mention { column, at, end: at + len, is_negated, is_used: false };
                best = Some((score, mention));
            }
        }
        best.map(|(_, it)| it)
    }

    /// Some tokens as one word in the singular: `host names` is `hostname`.
    fn joined(&self, at: usize, len: usize) -> Option<String> {
        let own = self.tokens.get(at..at + len)?;
        let text: String = own.iter().map(|it| it.lower.as_str()).collect();
        Some(text.strip_suffix('s').map_or(text.clone(), str::to_owned))
    }

    /// Words that are values of a column.
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
        let lower = text.to_lowercase();
        let un = lower.strip_prefix("un").filter(|it| it.len() > 2 && len == 1).map(str::to_owned);
        let mut found: Option<(usize, String, bool)> = None;
        for (idx, column) in self.table().columns.iter().enumerate() {
            if !matches!(column.kind, Kind::Text) || self.table().is_lines {
                continue;
            }
            let same = |wanted: &str| column.values.iter().find(|it| it.to_lowercase() == wanted);
            let is_known = found
                .as_ref()
                .is_some_and(|(known, ..)| self.col(*known).values.len() <= column.values.len());
            if let Some(value) = same(&lower).filter(|_| !is_known) {
                found = Some((idx, value.clone(), false));
            } else if found.is_none()
                && let Some(value) = un.as_deref().and_then(same)
            {
                found = Some((idx, value.clone(), true));
            }
        }
        if let Some((column, value, is_un)) = found {
            let is_not = is_un != self.is_negated(at);
            let sign = if is_not { "!=" } else { "==" };
            let cell = self.query.cell(column);
            self.filter(column, format!("{cell} {sign} {}", literal::text(&value)), at, at + len);
            self.covers_name(column, at, at + len);
            return;
        }
        self.part_of_value(at, len, &text);
    }

    /// A word inside of the values of one column: a name that begins with a capital, or a quoted text.
    fn part_of_value(&mut self, at: usize, len: usize, text: &str) {
        let token = &self.tokens[at];
        let is_quoted = matches!(token.literal, Some(Literal::Quoted(_)));
        let is_behind = |it: &Token| !it.ends && (it.is_stop || self.table().is_lines);
        let is_name = at > 0
            && is_behind(&self.tokens[at - 1])
            && token.text.starts_with(|it: char| it.is_uppercase())
            && token.literal.is_none()
            && text.len() > 2;
        let is_own = self.mentions.iter().any(|it| it.at <= at && at < it.end);
        let (test, param, from) = self.test_before(at);
        let is_looked_for = self.table().is_lines && from < at;
        if !(is_quoted || is_name || is_looked_for) || is_own {
            return;
        }
        let has_word = |value: &String| {
            if is_quoted {
                return value.contains(text);
            }
            value.match_indices(text).any(|(from, _)| {
                let is_edge = |it: Option<char>| !it.is_some_and(char::is_alphanumeric);
                is_edge(value[..from].chars().next_back())
                    && is_edge(value[from + text.len()..].chars().next())
            })
        };
        let mut columns = (0..self.table().columns.len()).filter(|idx| {
            self.col(*idx).kind == Kind::Text && self.col(*idx).values.iter().any(has_word)
        });
        let (Some(column), None) = (columns.next(), columns.next()) else { return };
        let not = if self.is_negated(at) { "not " } else { "" };
        let cell = self.query.cell(column);
        let cell = if self.col(column).optional { format!("({cell} ?? \"\")") } else { cell };
        let condition = format!("{not}{test}({cell}, {param}: {})", literal::text(text));
        self.filter(column, condition, from, at + len);
        self.covers_name(column, at, at + len);
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
        let near = |it: &Mention| {
            it.column == column
                && (it.end <= from && from - it.end <= 2 || it.at >= to && it.at - to <= 1)
        };
        if let Some(idx) = self.mentions.iter().position(|it| !it.is_used && near(it)) {
            self.take_mention(idx, "where");
        }
    }
}
