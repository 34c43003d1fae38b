//! Near-duplicates: texts that share most of their shingles.
//!
//! `MinHash` (Broder 1997) with 128 permutations finds pairs that may be alike, by bands of equal
//! minima (locality-sensitive hashing); the exact Jaccard similarity of their shingles decides. The same
//! texts give the same result on every machine.

use std::collections::HashMap;

use super::scripts::{folded, words};

/// The number of permutations.
const PERMUTATIONS: usize = 128;

/// The words of a shingle. In scripts without spaces a word is a pair of neighbouring characters.
const WORDS: usize = 3;

/// The probability of a pair at the threshold to be missed.
const MISSED: f64 = 1e-6;

/// The distinct shingles of a text: each three words in sequence, without case, accents and
/// punctuation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// The shingles of `text`. A text of fewer than three words has one, of all its words; one
    /// without words has that of its characters, and one without characters none.
    pub fn of(text: &str) -> Self {
        let all: Vec<u64> = words(text).map(|it| hash(folded(&text[it]).as_bytes())).collect();
        let mut shingles: Vec<u64> = match all.len() {
            0 => Some(text.trim())
                .filter(|it| !it.is_empty())
                .map(|it| hash(it.as_bytes()))
                .into_iter()
                .collect(),
            1..WORDS => vec![joined(&all)],
            _ => all.windows(WORDS).map(joined).collect(),
        };
        shingles.sort_unstable();
        shingles.dedup();
        Self(shingles)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of their shingles that both have, from 0 to 1. Of two texts without any, it is 0.
    #[expect(clippy::cast_precision_loss, reason = "numbers of shingles are small")]
    pub fn jaccard(&self, other: &Self) -> f64 {
        let (mut one, mut two) = (self.0.as_slice(), other.0.as_slice());
        let mut both = 0;
        while let ([a, rest @ ..], [b, others @ ..]) = (one, two) {
            both += usize::from(a == b);
            if a <= b {
                one = rest;
            }
            if b <= a {
                two = others;
            }
        }
        let all = self.len() + other.len() - both;
        if all == 0 { 0.0 } else { both as f64 / all as f64 }
    }

    /// The least hash of the shingles under each permutation.
    pub fn signature(&self) -> Signature {
        let mut least = [u64::MAX; PERMUTATIONS];
        for shingle in &self.0 {
            for (seed, least) in (1_u64..).zip(&mut least) {
                *least = mixed(shingle ^ seed.wrapping_mul(GOLDEN)).min(*least);
            }
        }
        Signature(least)
    }
}

/// The `MinHash` of a text.
#[derive(Clone, Debug)]
pub struct Signature([u64; PERMUTATIONS]);

impl Signature {
    /// The estimated Jaccard similarity: the share of equal minima.
    #[expect(clippy::cast_precision_loss, reason = "there are 128")]
    pub fn likeness(&self, other: &Self) -> f64 {
        let same = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        same as f64 / PERMUTATIONS as f64
    }
}

/// Texts, so that near-duplicates of further ones are found without comparing with each.
#[derive(Clone, Debug)]
pub struct Known {
    threshold: f64,
    /// The number of minima that must be equal for two texts to be compared.
    rows: usize,
    bands: HashMap<u64, Vec<usize>>,
    texts: Vec<Shingles>,
}

impl Known {
    /// Texts are alike if their Jaccard similarity is at least `threshold`. Below 0.1, some may be
    /// missed.
    pub fn new(threshold: f64) -> Self {
        Self { threshold, rows: rows(threshold), bands: HashMap::new(), texts: Vec::new() }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Adds a text, and returns the numbers of those before that it is like, with the similarity.
    pub fn add(&mut self, text: &str) -> Vec<(usize, f64)> {
        let (shingles, keys, like) = self.look(text);
        self.keep(shingles, keys);
        like
    }

    /// Returns the text with the highest similarity if there is one that is alike, the first one
    /// among equals; otherwise adds the text.
    pub fn add_unless_known(&mut self, text: &str) -> Option<(usize, f64)> {
        let (shingles, keys, like) = self.look(text);
        let best = like.into_iter().min_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if best.is_none() {
            self.keep(shingles, keys);
        }
        best
    }

    fn look(&self, text: &str) -> (Shingles, Vec<u64>, Vec<(usize, f64)>) {
        let shingles = Shingles::of(text);
        if shingles.is_empty() {
            return (shingles, Vec::new(), Vec::new());
        }
        let keys = self.keys(&shingles.signature());
        let mut others: Vec<usize> =
            keys.iter().filter_map(|it| self.bands.get(it)).flatten().copied().collect();
        others.sort_unstable();
        others.dedup();
        let compared = others.into_iter().map(|it| (it, self.texts[it].jaccard(&shingles)));
        let like = compared.filter(|it| it.1 >= self.threshold).collect();
        (shingles, keys, like)
    }

    fn keep(&mut self, shingles: Shingles, keys: Vec<u64>) {
        let number = self.texts.len();
        self.texts.push(shingles);
        for key in keys {
            self.bands.entry(key).or_default().push(number);
        }
    }

    /// One key for each band of minima.
    fn keys(&self, signature: &Signature) -> Vec<u64> {
        let bands = signature.0.chunks_exact(self.rows).enumerate();
        bands.map(|(idx, band)| mixed(joined(band) ^ idx as u64)).collect()
    }
}

/// The largest number of rows of a band with which hardly any pair at the threshold is missed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "there are 128 at most"
)]
fn rows(threshold: f64) -> usize {
    let is_enough = |rows: &usize| {
        let (exponent, bands) = (*rows as i32, (PERMUTATIONS / rows) as i32);
        (1.0 - threshold.clamp(0.0, 1.0).powi(exponent)).powi(bands) <= MISSED
    };
    (1..=32).rev().find(is_enough).unwrap_or(1)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// FNV-1a, mixed.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    mixed(bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

fn joined(hashes: &[u64]) -> u64 {
    hashes.iter().fold(GOLDEN, |all, it| mixed(all ^ it))
}

/// The finalizer of `SplitMix64`, a permutation of all numbers.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[expect(clippy::cast_precision_loss, reason = "numbers of shingles are small")]
    fn exact(one: &str, other: &str) -> f64 {
        let shingles = |text: &str| -> BTreeSet<Vec<String>> {
            let words: Vec<String> = words(text).map(|it| folded(&text[it]).into()).collect();
            words.windows(3).map(<[String]>::to_vec).collect()
        };
        let (one, other) = (shingles(one), shingles(other));
        one.intersection(&other).count() as f64 / one.union(&other).count() as f64
    }

    fn numbers(range: std::ops::Range<u32>) -> String {
        range.map(|it| format!("w{it}")).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #[test]
        fn the_similarity_is_exact_and_its_estimate_is_near(
            from in 0_u32..60, len in 5_u32..200, other in 5_u32..200
        ) {
            let (one, other) = (numbers(0..len), numbers(from..from + other));
            let wanted = exact(&one, &other);
            let (one, other) = (Shingles::of(&one), Shingles::of(&other));
            prop_assert!((one.jaccard(&other) - wanted).abs() < 1e-12);
            let estimate = one.signature().likeness(&other.signature());
            // Five standard deviations at most.
            prop_assert!((estimate - wanted).abs() < 0.23, "{estimate} {wanted}");
        }

        #[test]
        fn exactly_the_pairs_above_the_threshold_are_found(
            places in proptest::collection::vec((0_u32..40, 20_u32..60), 2..12),
            threshold in 0.3_f64..=1.0
        ) {
            let texts: Vec<String> =
                places.iter().map(|(from, len)| numbers(*from..from + len)).collect();
            let mut known = Known::new(threshold);
            for (idx, text) in texts.iter().enumerate() {
                let found: Vec<usize> = known.add(text).into_iter().map(|it| it.0).collect();
                let wanted: Vec<usize> =
                    (0..idx).filter(|it| exact(&texts[*it], text) >= threshold).collect();
                prop_assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn case_accents_and_punctuation_do_not_matter() {
        let same = |one: &str, other: &str| Shingles::of(one) == Shingles::of(other);
        assert!(same("The Café, is open!", "the cafe is OPEN"));
        assert!(same("one", "One.") && same("a b", "A, b"));
        assert!(!same("a b c", "c b a"));
        let (one, other) =
            ("東京は日本の首都で大きい都市です。", "東京は日本の首都で大きな都市です");
        let likeness = Shingles::of(one).jaccard(&Shingles::of(other));
        assert!(likeness > 0.4 && likeness < 1.0, "{likeness}");
    }

    #[test]
    fn texts_without_words() {
        let mut known = Known::new(0.8);
        assert_eq!((known.add(""), known.add(" ")), (vec![], vec![]));
        assert_eq!(known.add("?!"), []);
        assert_eq!(known.add("?!"), [(2, 1.0)]);
        assert_eq!(known.add_unless_known("!?"), None);
        assert_eq!(known.add_unless_known(" !?"), Some((4, 1.0)));
    }

    #[test]
    fn texts_that_share_a_little_are_all_new() {
        let mut known = Known::new(0.8);
        let text = |it: u32| numbers(it * 20..it * 20 + 100);
        assert!((0..2_000).all(|it| known.add_unless_known(&text(it)).is_none()));
        assert_eq!(known.len(), 2_000);
    }
}
