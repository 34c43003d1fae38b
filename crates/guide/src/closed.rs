//! The closed classes of English words by which goals are read.

/// The words that negate what follows them, with straight apostrophes.
const NEGATIONS: [&str; 32] = [
    "not",
    "no",
    "never",
    "without",
    "nothing",
    "none",
    "nobody",
    "neither",
    "nor",
    "cannot",
    "can't",
    "cant",
    "don't",
    "dont",
    "doesn't",
    "doesnt",
    "didn't",
    "didnt",
    "isn't",
    "isnt",
    "aren't",
    "arent",
    "wasn't",
    "wasnt",
    "weren't",
    "hasn't",
    "haven't",
    "hadn't",
    "won't",
    "mustn't",
    "shouldn't",
    "wouldn't",
];

/// Whether a word negates what follows it, in any case and with any apostrophe.
pub(crate) fn negates(word: &str) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    NEGATIONS.contains(&lower.as_str())
}

/// Whether a negation says that there is not a single one.
pub(crate) fn denies_all(word: &str) -> bool {
    matches!(word, "never" | "no" | "nobody" | "none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_are_known_in_any_form() {
        for yes in ["not", "Don’t", "WITHOUT", "isn't", "cannot"] {
            assert!(negates(yes), "{yes}");
        }
        for no in ["note", "now", "can", "known", ""] {
            assert!(!negates(no), "{no}");
        }
    }
}
