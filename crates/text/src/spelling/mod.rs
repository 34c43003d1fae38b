//! Corrections of misspelt words, from words with their counts.
//!
//! Candidates are found by symmetric deletes: two words at most `d` edits apart have a form in
//! common that each becomes by at most `d` deletions (Garbe 2012). An edit is an extra, missing or
//! wrong letter, or two neighbours swapped. A noisy channel ranks them (Kernighan, Church & Gale
//! 1990): how often the word occurs, against how likely the edits are.

mod edits;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::OnceLock,
};

/// The maximum number of words that are known: the most frequent ones.
pub const MOST_WORDS: usize = 100_000;

/// The maximum number of characters of a word.
pub const LONGEST: usize = 32;

/// The maximum number of edits.
pub const MOST_EDITS: usize = 3;

/// The characters at the beginning of a word that are deleted. Those behind it are compared later.
const PREFIX: usize = 7;

/// Words with their counts, as in a text.
#[derive(Debug, Default)]
pub struct Lexicon {
    /// The most frequent first.
    known: Vec<(Box<str>, u64)>,
    places: HashMap<Box<str>, u32>,
    /// The sum of the counts.
    total: u64,
    /// The deletes of each number of edits, from 1, once they are needed.
    deletes: [OnceLock<Deletes>; MOST_EDITS],
}

/// Pairs of the hash of a form and the place of a word, sorted.
type Deletes = Vec<(u32, u32)>;

/// How corrections are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The maximum number of edits, from 1 to [`MOST_EDITS`].
    pub edits: usize,
    /// From 0, only the edits count, to 1, only the frequency of the words does.
    pub prior: f64,
}

/// A correction of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    pub word: Box<str>,
    pub edits: usize,
    /// Higher is better; comparable for one word.
    pub score: f64,
}

impl Lexicon {
    /// The most frequent of these words; of equally frequent ones, the first in the alphabet. Words
    /// that are too long are left out.
    pub fn new(counts: impl IntoIterator<Item = (Box<str>, u64)>) -> Self {
        let fits = |it: &(Box<str>, u64)| it.1 > 0 && (1..=LONGEST).contains(&it.0.chars().count());
        let mut words: Vec<(Box<str>, u64)> = counts.into_iter().filter(fits).collect();
        words.sort_unstable_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.cmp(b)));
        words.dedup_by(|a, b| a.0 == b.0);
        words.truncate(MOST_WORDS);
        let total = words.iter().fold(0, |sum: u64, it| sum.saturating_add(it.1));
        let places = words.iter().zip(0..).map(|((it, _), place)| (it.clone(), place)).collect();
        Self { known: words, places, total, deletes: Default::default() }
    }

    /// The words with their counts, the most frequent first.
    pub fn counts(&self) -> &[(Box<str>, u64)] {
        &self.known
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub fn has(&self, word: &str) -> bool {
        self.places.contains_key(word)
    }

    /// The corrections of a word in lower case, the best first. `check` is called between steps of
    /// a few milliseconds, and ends the work with its error.
    pub fn correct<E>(
        &self,
        word: &str,
        search: Choice,
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<Correction>, E> {
        let edits = search.edits.clamp(1, MOST_EDITS);
        let letters: Vec<char> = word.chars().take(LONGEST + MOST_EDITS + 1).collect();
        if letters.is_empty() || letters.len() > LONGEST + MOST_EDITS {
            return Ok(Vec::new());
        }
        let deletes = self.deletes(edits, check)?;
        let mut places: Vec<u32> = Vec::new();
        for form in forms(&letters, edits) {
            let start = deletes.partition_point(|it| it.0 < form);
            let same = deletes[start..].iter().take_while(|it| it.0 == form);
            places.extend(same.map(|it| it.1));
        }
        places.sort_unstable();
        places.dedup();
        let mut found = Vec::new();
        for (idx, place) in places.into_iter().enumerate() {
            if idx % 1_024 == 0 {
                check()?;
            }
            found.extend(self.correction(&letters, place, edits, search.prior));
        }
        // Equal scores: the more frequent word, as they are in that order.
        found.sort_by(|a: &Correction, b| b.score.total_cmp(&a.score));
        Ok(found)
    }

    fn correction(
        &self,
        letters: &[char],
        place: u32,
        edits: usize,
        prior: f64,
    ) -> Option<Correction> {
        let (word, count) = self.known.get(place as usize)?;
        let other: Vec<char> = word.chars().collect();
        let needed = edits::edits(letters, &other, edits)?;
        #[expect(clippy::cast_precision_loss, reason = "a ratio of counts")]
        let frequency = (*count as f64 / self.total.max(1) as f64).ln();
        let score = prior * frequency - (1.0 - prior) * edits::cost(letters, &other);
        Some(Correction { word: word.clone(), edits: needed, score })
    }

    fn deletes<E>(
        &self,
        edits: usize,
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<&Deletes, E> {
        let slot = &self.deletes[edits - 1];
        if let Some(known) = slot.get() {
            return Ok(known);
        }
        let mut deletes = Vec::new();
        for ((word, _), place) in self.known.iter().zip(0_u32..) {
            if place % 1_024 == 0 {
                check()?;
            }
            let letters: Vec<char> = word.chars().collect();
            deletes.extend(forms(&letters, edits).into_iter().map(|it| (it, place)));
        }
        deletes.sort_unstable();
        Ok(slot.get_or_init(|| deletes))
    }
}

/// The hashes of what the beginning of a word becomes by up to `edits` deletions.
fn forms(letters: &[char], edits: usize) -> BTreeSet<u32> {
    let mut forms = BTreeSet::new();
    let mut seen: HashSet<Vec<char>> = HashSet::new();
    let mut last = vec![letters[..letters.len().min(PREFIX)].to_vec()];
    for left in (0..=edits).rev() {
        let mut next = Vec::new();
        for form in last {
            forms.insert(hash(&form));
            if left == 0 {
                continue;
            }
            for at in 0..form.len() {
                let mut shorter = form.clone();
                shorter.remove(at);
                if seen.insert(shorter.clone()) {
                    next.push(shorter);
                }
            }
        }
        last = next;
    }
    forms
}

/// FNV-1a over the characters. What has an equal hash by chance is compared afterwards.
fn hash(chars: &[char]) -> u32 {
    let start = 0x811c_9dc5_u32;
    chars.iter().fold(start, |hash, it| (hash ^ u32::from(*it)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Choice = Choice { edits: 2, prior: 0.5 };

    fn words(counts: &[(&str, u64)]) -> Lexicon {
        Lexicon::new(counts.iter().map(|(word, count)| ((*word).into(), *count)))
    }

    fn corrected(words: &Lexicon, word: &str, search: Choice) -> Vec<String> {
        let found = words.correct(word, search, &mut || Ok::<(), ()>(())).unwrap();
        found.into_iter().map(|it| it.word.into()).collect()
    }

    #[test]
    fn the_nearest_and_most_frequent_word_is_the_best() {
        let words = words(&[("access", 9), ("axes", 90), ("assess", 5), ("recess", 4)]);
        assert_eq!(corrected(&words, "acess", PLAIN)[0], "access");
        assert_eq!(corrected(&words, "accses", PLAIN)[0], "access");
        assert_eq!(corrected(&words, "zzzzzz", PLAIN), [""; 0]);
        assert_eq!(corrected(&words, "", PLAIN), [""; 0]);
    }

    #[test]
    fn every_word_within_the_edits_is_found() {
        let known = ["abcdefghijkl", "internationally", "ab", "überzeugen", "don't"];
        let words = words(&known.map(|it| (it, 3)));
        for (given, edits, expected) in [
            ("bacdefghijkl", 1, "abcdefghijkl"),
            ("abcdefghijlkx", 2, "abcdefghijkl"),
            ("xinternationaly", 2, "internationally"),
            ("ntrntionally", 3, "internationally"),
            ("b", 1, "ab"),
            ("ubrzeugen", 2, "überzeugen"),
            ("dont", 1, "don't"),
        ] {
            let found = corrected(&words, given, Choice { edits, prior: 0.5 });
            assert!(found.iter().any(|it| it == expected), "{given}: {found:?}");
        }
    }

    #[test]
    fn the_prior_decides_between_near_and_frequent_words() {
        let words = words(&[("form", 1), ("from", 100_000)]);
        assert_eq!(corrected(&words, "forn", Choice { edits: 2, prior: 0.0 })[0], "form");
        assert_eq!(corrected(&words, "forn", Choice { edits: 2, prior: 1.0 })[0], "from");
    }

    #[test]
    fn only_the_most_frequent_words_are_kept() {
        let many = (0..MOST_WORDS + 10).map(|it| (format!("w{it}").into(), it as u64 + 1));
        let words = Lexicon::new(many.chain([("x".repeat(33).into(), 1 << 40)]));
        assert_eq!(words.counts().len(), MOST_WORDS);
        assert!(!words.has("w0") && words.has(&format!("w{}", MOST_WORDS + 9)));
        assert_eq!(corrected(&words, &"x".repeat(1 << 20), PLAIN), [""; 0]);
    }
}
