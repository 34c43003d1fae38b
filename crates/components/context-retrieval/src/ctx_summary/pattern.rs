//! Sentences that say the same about something else: `Version 1 has ..`, `Version 2 has ..`.

use svc_text::{
    claims::is_negation,
    stems::{Term, Vocabulary},
};

/// A sentence of at least so many words repeats another one that differs in one of them.
const LONG: usize = 6;

/// The terms of a sentence in their order, with nothing for a number, however it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    terms: Vec<Option<Term>>,
    negations: usize,
}

impl Pattern {
    pub(super) fn of(text: &str, words: &mut Vocabulary) -> Self {
        let mut terms = Vec::new();
        for word in words.read(text) {
            let is_number = text[word.range].starts_with(|it: char| it.is_ascii_digit());
            let term = (!is_number).then_some(word.term);
            // `1.2.3` and `1,000` are one number.
            if term.is_some() || terms.last() != Some(&None) {
                terms.push(term);
            }
        }
        let negations =
            text.split_whitespace().filter(|it| is_negation(&it.to_lowercase())).count();
        Self { terms, negations }
    }

    /// Whether two sentences differ only in numbers, or, if they are long, in one word that does not
    /// negate the other one.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        if self.negations != other.negations {
            return false;
        }
        let (one, other) = (self.terms.as_slice(), other.terms.as_slice());
        let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
        if one == other {
            return one.iter().any(Option::is_some);
        }
        if shorter < LONG || longer > shorter + 1 {
            return false;
        }
        let before = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        let after = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
        before + after + 1 >= longer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: &str, other: &str) -> bool {
        let mut words = Vocabulary::default();
        let (one, other) = (Pattern::of(one, &mut words), Pattern::of(other, &mut words));
        assert_eq!(one.is_near(&other), other.is_near(&one));
        one.is_near(&other)
    }

    #[test]
    fn numbers_and_one_word_do_not_make_a_difference() {
        assert!(near("Version 1 adds a faster search.", "Version 1.2.3 adds a faster search!"));
        assert!(near("It costs 5 euros.", "It costs 1,000 euros."));
        let red = "The red team won the first game.";
        assert!(near(red, "The blue team won the first game."));
        assert!(near(red, "The red team won the very first game."));
        assert!(near(red, "Yesterday the red team won the first game."));
        assert!(!near(red, "The blue team lost the first game."));
        assert!(!near("Cats sleep all day long.", "Dogs sleep all day long."));
        assert!(!near(red, "The red team never won the first game."));
        assert!(!near(red, "The red team didn't win the first game."));
        assert!(!near("1", "2") && !near("", ""));
    }
}
