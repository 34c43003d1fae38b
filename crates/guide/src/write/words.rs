//! The words of a goal: what it names, what it forbids, and what it quotes.

use svc_text::stems::{Vocabulary, words};

use crate::closed::negates;

/// The words that end a negation.
const ENDS: [&str; 4] = ["but", "and", "just", "only"];

/// The maximum length of the extension of a file name.
const LONGEST_EXTENSION: usize = 5;

/// A goal, taken apart.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The words outside of quotes and negations, without stop words.
    pub(super) content: Vec<String>,
    /// The words of the negated phrases.
    pub(super) negated: Vec<String>,
    /// Paths, addresses and quoted texts, as they are written.
    pub(super) literals: Vec<String>,
}

impl Words {
    pub(super) fn of(goal: &str) -> Self {
        let (rest, mut literals) = unquoted(goal);
        let mut all = Self::default();
        let mut is_negated = false;
        for token in rest.split_whitespace() {
            let bare = token.trim_matches(|it: char| ",;:!?()[]".contains(it));
            let bare = bare.strip_suffix('.').unwrap_or(bare);
            let lower = bare.to_lowercase();
            if is_literal(bare) {
                literals.push(bare.to_owned());
            } else if negates(bare) {
                is_negated = true;
            } else if ENDS.contains(&lower.as_str()) {
                is_negated = false;
            } else {
                let target = if is_negated { &mut all.negated } else { &mut all.content };
                target.extend(content(bare));
            }
            is_negated &= !token.ends_with([',', ';', ':', '.', '!', '?']);
        }
        all.literals = literals;
        all
    }

    /// How often the goal names this place.
    pub(super) fn mentions(&self, place: &str) -> usize {
        let plain = |it: &str| it.trim_start_matches("./").trim_end_matches('/').to_owned();
        let place = plain(place);
        self.literals.iter().filter(|it| plain(it) == place).count()
    }
}

/// The words of a text that are not stop words, in lower case.
pub(super) fn content(text: &str) -> Vec<String> {
    let mut vocabulary = Vocabulary::default();
    let found = vocabulary.read(text).filter(|it| !it.is_stop);
    found.map(|it| text[it.range].to_lowercase()).collect()
}

/// Whether a word, in any form, is among others.
pub(super) fn has(all: &[String], word: &str) -> bool {
    let mut vocabulary = Vocabulary::default();
    let Some(wanted) = vocabulary.read(word).next().map(|it| it.term) else { return false };
    all.iter().any(|it| vocabulary.read(it).any(|it| it.term == wanted))
}

/// The goal without its quoted texts, and those.
fn unquoted(goal: &str) -> (String, Vec<String>) {
    let (mut rest, mut literals) = (String::new(), Vec::new());
    let mut parts = goal.split(['"', '“', '”']).enumerate().peekable();
    while let Some((idx, part)) = parts.next() {
        // The text behind a quote that is not closed is a part of the goal.
        if idx % 2 == 1 && parts.peek().is_some() {
            literals.push(part.to_owned());
            rest.push(' ');
        } else {
            rest.push_str(part);
        }
    }
    (rest, literals)
}

/// Whether a word is a path or an address.
fn is_literal(word: &str) -> bool {
    if word.contains("://") || word.starts_with("./") || word.starts_with("../") {
        return true;
    }
    if word.starts_with("~/") || (word.len() > 1 && word.starts_with('/')) {
        return true;
    }
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    let is_extension = (2..=LONGEST_EXTENSION).contains(&extension.len())
        && extension.chars().all(|it| it.is_ascii_alphanumeric())
        && extension.starts_with(|it: char| it.is_ascii_alphabetic());
    let is_word = |it: &str| words(it).next().is_some() || it.ends_with('*');
    is_extension && is_word(stem) && !stem.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_taken_apart() {
        let words =
            Words::of("Count the words of ./a.txt, do not write anything, and find \"x y\".");
        assert_eq!(words.content, ["count", "words", "find"]);
        assert_eq!(words.negated, ["write", "anything"]);
        assert_eq!(words.literals, ["x y", "./a.txt"]);
        assert_eq!(words.mentions("a.txt"), 1);
    }

    #[test]
    fn paths_and_addresses_are_literals() {
        for yes in ["a.txt", "*.csv", "./notes", "~/x", "/tmp/x", "https://a.example/b"] {
            assert!(is_literal(yes), "{yes}");
        }
        for no in ["3.50", "e.g", "and/or", "word", "...", ".5"] {
            assert!(!is_literal(no), "{no}");
        }
    }

    #[test]
    fn forms_of_a_word_are_one() {
        assert!(has(&["sorting".to_owned()], "sorted"));
        assert!(!has(&["sorting".to_owned()], "writes"));
    }
}
