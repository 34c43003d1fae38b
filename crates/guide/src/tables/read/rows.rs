//! Words for the rows themselves, and the words that nothing covers.

use svc_contract::value::literal;

use super::{
    super::{
        lexicon::{self, has},
        words::{Literal, Token},
    },
    Reader,
};

impl Reader<'_, '_> {
    /// Words for the rows: those of the file's name, and one noun behind a word that counts or
    /// chooses.
    pub(super) fn rows(&mut self) {
        let mut noun = None;
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            if self.covered[at] || token.is_stop || token.literal.is_some() {
                continue;
            }
            let is_row = match token.lower.as_str() {
                "line" | "lines" => true,
                "row" | "rows" | "record" | "records" | "entry" | "entries" => {
                    !self.table().is_lines
                }
                // `lines that contain "x"`
                _ => has(&self.lexicon.contains, token) && self.is_chosen(at + 1),
            };
            if is_row || has(&self.table().terms, token) {
                self.covered[at] = true;
                continue;
            }
            if self.lexicon.requests(token) {
                self.covered[at] = true;
                continue;
            }
            // A line is a line; but `level ERROR` says what the text in it is.
            let fits = if self.table().is_lines { self.is_by_value(at) } else { self.is_head(at) };
            if noun.is_none() && fits && !self.table().is_strict {
                noun = Some(token.term);
            }
            if noun.is_some_and(|it| it == token.term) {
                self.cover(at, at + 1, "the rows");
            }
        }
    }

    /// Whether a word is the head of a phrase that chooses rows: `all people in`, `the open tickets`.
    fn is_head(&self, at: usize) -> bool {
        const CHOOSING: [&str; 18] = [
            "the", "all", "every", "each", "any", "our", "my", "their", "these", "those", "which",
            "what", "many", "some", "more", "of", "number", "only",
        ];
        let token = &self.tokens[at];
        let is_verb = token.lower.ends_with("ed") || token.lower.ends_with("ing");
        let next = self.tokens.get(at + 1).filter(|_| !token.ends);
        let is_last =
            next.is_none_or(|it| it.is_stop || matches!(it.literal, Some(Literal::Path(_))));
        if is_verb || !is_last || at == 0 {
            return false;
        }
        let before = &self.tokens[at - 1];
        let chooses = CHOOSING.contains(&before.lower.as_str())
            || matches!(before.literal, Some(Literal::Number(_)));
        chooses || self.is_chosen(at - 1)
    }

    /// Whether a token is part of a filter or an order.
    fn is_chosen(&self, at: usize) -> bool {
        let Some(Token { text, .. }) = self.tokens.get(at) else { return false };
        self.covered[at]
            && self.query.parts.iter().any(|(phrase, stage)| {
                (stage.starts_with("where {") || stage == "sort")
                    && phrase.split(' ').any(|it| it == text)
            })
    }

    /// Whether the next token, or the one before, is a value that a filter looks for.
    fn is_by_value(&self, at: usize) -> bool {
        let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let mut texts = near.filter_map(|it| Some(self.tokens.get(it)?.text.as_str()));
        texts.any(|text| self.query.filters.iter().any(|it| it.text.contains(&literal::text(text))))
    }

    pub(super) fn uncovered(&self) -> Vec<String> {
        let is_open = |at: &usize| {
            let token = &self.tokens[*at];
            let compares = lexicon::compares(self.tokens, *at).is_some();
            // `the busiest one first`, but `more than one`.
            let before = at.checked_sub(1).map(|it| self.tokens[it].lower.as_str());
            let is_pronoun = token.lower == "one" && before != Some("than");
            let is_content =
                !token.is_stop || token.literal.is_some() || lexicon::negates(token) || compares;
            !self.covered[*at] && is_content && !is_pronoun
        };
        (0..self.tokens.len()).filter(is_open).map(|it| self.tokens[it].text.clone()).collect()
    }
}
