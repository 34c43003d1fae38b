//! Words for the rows themselves, and the words that nothing covers.

use svc_contract::value::literal;

use super::{
    super::{
        closed,
        derived::Part,
        lexicon::has,
        query::Measure,
        words::{Literal, Token},
    },
    Reader,
    values::is_common_part,
};

/// Whether a verb says of somebody and a value only that they belong together.
fn is_light_verb(word: &str) -> bool {
    matches!(
        word,
        "play"
            | "plays"
            | "use"
            | "uses"
            | "used"
            | "speak"
            | "speaks"
            | "attend"
            | "attends"
            | "attended"
            | "visit"
            | "visited"
            | "teach"
            | "teaches"
            | "taught"
            | "study"
            | "studies"
            | "live"
            | "lives"
            | "work"
            | "works"
            | "drive"
            | "drives"
            | "bought"
            | "buy"
            | "ordered"
    )
}

impl Reader<'_, '_> {
    /// Words for the rows: those of the file's name, and one noun behind a word that counts or
    /// chooses.
    pub(super) fn rows(&mut self) {
        let mut noun = None;
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            let is_open = token.is_stop || token.literal.is_some() || self.is_imperative(at);
            if (self.covered[at] || is_open) && !self.lexicon.requests(token) {
                continue;
            }
            // `one row per customer` chooses some of them.
            if token.lower == "one" && self.is_rows(at + 1) {
                continue;
            }
            let is_row = match token.lower.as_str() {
                "line" | "lines" => true,
                "row" | "rows" | "record" | "records" | "entry" | "entries" => {
                    !self.table().is_lines
                }
                // `the biggest group first`
                "group" | "groups" => !self.query.groups.is_empty(),
                // `lines that contain "x"`
                _ => has(&self.lexicon.contains, token) && self.is_chosen(at + 1),
            };
            if is_row || has(&self.table().terms, token) {
                self.covered[at] = true;
                continue;
            }
            let is_grouped =
                matches!(self.before(at, 1).last(), Some(&("and" | "per" | "each" | "every")));
            let adds = matches!(token.lower.as_str(), "still" | "yet");
            if self.lexicon.requests(token) && !adds
                || adds && !self.query.filters.is_empty()
                || self.is_person(at) && !is_grouped
            {
                self.covered[at] = true;
                continue;
            }
            // `pupils who play the cello`: what they do with it is not in the table.
            let is_verb = is_light_verb(&token.lower)
                && (at + 1..(at + 3).min(self.tokens.len())).any(|it| self.is_value(it));
            if is_verb {
                self.cover(at, at + 1, "where");
                continue;
            }
            // A line is a line; but `level ERROR` says what the text in it is.
            let fits = if self.table().is_lines { self.is_by_value(at) } else { self.is_head(at) };
            // `how many refunds are in sales.csv`: nothing says that the rows are refunds.
            let query = &self.query;
            let is_restricted = self.table().is_lines
                || !query.filters.is_empty()
                || !query.groups.is_empty()
                || !query.orders.is_empty()
                || query.measures.iter().any(|it| it.measure != Measure::Count);
            if noun.is_none() && fits && is_restricted && !self.table().is_strict {
                noun = Some(token.term);
            }
            if noun.is_some_and(|it| it == token.term) {
                self.cover(at, at + 1, "the rows");
            }
        }
    }

    /// Whether a token is a value that a filter looks for.
    pub(super) fn is_value(&self, at: usize) -> bool {
        self.query.filters.iter().any(|it| it.is_value && !it.is_not && it.from <= at && at < it.to)
    }

    /// Whether a token is part of a condition: `won`, of the deals.
    pub(super) fn is_filtered(&self, at: usize) -> bool {
        self.query.filters.iter().any(|it| it.from <= at && at < it.to)
    }

    /// Whether a word is the head of a phrase that chooses rows: `all people in`, `the open tickets`.
    fn is_head(&self, at: usize) -> bool {
        const CHOOSING: [&str; 18] = [
            "the", "all", "every", "each", "any", "our", "my", "their", "these", "those", "which",
            "what", "many", "some", "more", "of", "number", "only",
        ];
        let token = &self.tokens[at];
        let is_verb = ["ed", "ing", "est"].iter().any(|it| token.lower.ends_with(it));
        let next = self.tokens.get(at + 1).filter(|_| !token.ends);
        let is_last =
            next.is_none_or(|it| it.is_stop || matches!(it.literal, Some(Literal::Path(_))));
        // The most expensive month is not a row.
        let is_part = Part::of(&token.lower).is_some();
        // Neither is `12:00`, nor an average.
        let is_op = closed::total(token).is_some()
            || closed::superlative(token).is_some()
            || !token.text.contains(char::is_alphabetic);
        if is_verb || is_part || is_op || !is_last {
            return false;
        }
        let Some(before) = at.checked_sub(1).map(|it| &self.tokens[it]) else {
            // `products with a price below 5`, but not `list of products`.
            return token.lower.ends_with('s')
                && matches!(self.word(1), "with" | "that" | "whose" | "where" | "who");
        };
        let begins = matches!(before.literal, Some(Literal::Path(_)))
            && matches!(
                self.word(at + 1),
                "with" | "in" | "from" | "who" | "that" | "whose" | "by"
            );
        let chooses = CHOOSING.contains(&before.lower.as_str())
            || matches!(before.literal, Some(Literal::Number(_))) && !self.is_chosen(at - 1);
        // `were returned late`: what follows is not what was returned.
        let is_state =
            at > 1 && matches!(self.word(at - 2), "is" | "are" | "was" | "were" | "been");
        // `the boss of Priya` is none of the rows.
        let is_one = !token.lower.ends_with('s') || token.lower.ends_with("ss");
        let is_column = self.mentions.iter().any(|it| !it.is_used && it.at <= at && at < it.end);
        let is_attribute = is_column || is_one && self.word(at + 1) == "of";
        if is_attribute || self.is_in_values(at) || is_state && self.is_chosen(at - 1) {
            return false;
        }
        // `the sum of the colour`: a column that is not there, and not the rows.
        let article = usize::from(before.lower == "the");
        let is_measured = at > 1 + article
            && self.word(at - 1 - article) == "of"
            && closed::total(&self.tokens[at - 2 - article]).is_some();
        if is_measured {
            return false;
        }
        let is_number = matches!(before.literal, Some(Literal::Number(_)));
        chooses || begins || self.is_chosen(at - 1) && !is_number
    }

    /// Whether a word stands in a short value: then it says which rows, and not what rows are.
    fn is_in_values(&self, at: usize) -> bool {
        let is_text = |it: &usize| self.is_text(*it);
        let mut values = self.table().own().filter(is_text).flat_map(|it| &self.col(it).values);
        values.any(|it| is_common_part(it, self.word(at)))
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
            let compares = closed::compares(self.tokens, *at).is_some();
            // `the busiest one first`, but `more than one`.
            let before = at.checked_sub(1).map(|it| self.tokens[it].lower.as_str());
            let is_counted = matches!(before, Some("than" | "only" | "just" | "exactly" | "least"));
            // `one row per customer` chooses some.
            let is_pronoun = token.lower == "one" && !is_counted && !self.is_rows(*at + 1);
            // Words without a topic that change the result.
            let binds = matches!(
                token.lower.as_str(),
                "or" | "than" | "between" | "most" | "more" | "both" | "same" | "once" | "per"
            );
            let is_content = !token.is_stop
                || token.literal.is_some()
                || closed::negates(token)
                || compares
                || binds;
            !self.covered[*at] && is_content && !is_pronoun
        };
        (0..self.tokens.len()).filter(is_open).map(|it| self.tokens[it].text.clone()).collect()
    }
}
