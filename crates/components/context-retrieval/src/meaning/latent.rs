//! Latent semantic analysis (Deerwester et al. 1990): vectors of texts in a space in which words that
//! occur together are near.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use svc_contract::registry::{Cx, Example, OpError, State};
use svc_encoder::latent::{self, Rows};
use svc_text::language::Language;

use super::{
    numbers::Numbers,
    terms::{Reader, Terms},
};

/// The most numbers of a space: with twice as many bytes each, a model may be 64 MiB.
const MOST_NUMBERS: usize = 12 << 20;

/// The most different words that are counted; documents have more only if most are not words.
const MOST_WORDS: usize = 2 << 20;

/// With this many documents, a word that only one of them has is left out: it is near to nothing.
const MANY: usize = 50;

/// The most languages that a space knows.
const MOST_LANGUAGES: usize = 8;

/// A space: how texts are read, and where each of their words is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(crate) struct Latent {
    reader: Reader,
    /// The words, in order.
    words: Vec<String>,
    /// How rare each of them is: ln((1 + n) / (1 + df)) + 1.
    rarity: Vec<f32>,
    /// For each word, as many numbers as the space has dimensions.
    places: Vec<f32>,
    width: usize,
}

/// A space as it is written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    languages: Vec<String>,
    ngram: usize,
    width: usize,
    words: String,
    rarity: Numbers,
    places: Numbers,
}

impl From<Latent> for Stored {
    fn from(it: Latent) -> Self {
        Self {
            languages: it.reader.languages.iter().map(|it| it.code().to_owned()).collect(),
            ngram: it.reader.ngram,
            width: it.width,
            words: it.words.join("\n"),
            rarity: Numbers(it.rarity),
            places: Numbers(it.places),
        }
    }
}

impl TryFrom<Stored> for Latent {
    type Error = String;

    fn try_from(it: Stored) -> Result<Self, String> {
        let words: Vec<String> = it.words.split('\n').map(str::to_owned).collect();
        let (Numbers(rarity), Numbers(places)) = (it.rarity, it.places);
        let fits = it.width > 0
            && rarity.len() == words.len()
            && words.len().checked_mul(it.width) == Some(places.len())
            && words.is_sorted();
        if !fits || rarity.iter().chain(&places).any(|it| !it.is_finite()) {
            return Err("the numbers of its words are incomplete".to_owned());
        }
        let languages = it.languages.iter().filter_map(|it| Language::of_code(it)).collect();
        let reader = Reader { languages, ngram: it.ngram.clamp(1, MOST_NGRAM) };
        Ok(Self { reader, words, rarity, places, width: it.width })
    }
}

/// The most words that are read as one.
pub(crate) const MOST_NGRAM: usize = 3;

impl State for Latent {
    const COMPONENT: &'static str = "ctx_vectors";
    const VERSION: u32 = super::VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Example = Example::ok(
        "Learn, save, load",
        r#"let texts = ["a cat purrs", "cats purr and sleep", "stocks fell", "the market of stocks fell"]
let docs = texts >> each { { id: it, title: "", path: "x", text: it } }
let model = docs >> vectors.learn >> vectors.save(path: "pets.svcm") >> vectors.load
["a sleeping cat", "markets"] >> vectors(model: model) >> vectors.nearest(
  points: texts >> vectors(model: model), top_k: 1) >> each { each { .at } }"#,
        "[[1],[3]]",
    );
}

/// How a space is learnt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) dimensions: usize,
    /// How much more the first axes count than the last ones: the power of their singular values.
    pub(crate) weighting: f64,
    pub(crate) ngram: usize,
    pub(crate) seed: u64,
}

/// A space, and the share of the squared weights of the documents' words that it keeps.
pub(crate) struct Learnt {
    pub(crate) space: Latent,
    pub(crate) kept: f64,
}

impl Latent {
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The vector of a text, of length 1; of zeros if no word of it is known.
    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f64; self.width];
        for (word, weight) in self.weights(text) {
            let place = &self.places[word * self.width..][..self.width];
            for (sum, it) in sum.iter_mut().zip(place) {
                *sum += weight * f64::from(*it);
            }
        }
        let length = sum.iter().map(|it| it * it).sum::<f64>().sqrt();
        let scale = if length > 0.0 { length.recip() } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "a vector has numbers of 32 bits")]
        let rounded = |it: f64| (it * scale) as f32;
        sum.into_iter().map(rounded).collect()
    }

    /// The known words of a text in their order, with their weights, which have length 1.
    fn weights(&self, text: &str) -> Vec<(usize, f64)> {
        let mut counts: HashMap<usize, u32> = HashMap::new();
        self.reader.read(text, |term| {
            if let Ok(word) = self.words.binary_search_by(|it| it.as_str().cmp(term)) {
                *counts.entry(word).or_default() += 1;
            }
        });
        let mut counts: Vec<(usize, u32)> = counts.into_iter().collect();
        counts.sort_unstable();
        weighted(counts, |it| f64::from(self.rarity[it]))
    }
}

/// The weights of words by how often a text has them, (1 + ln tf) · idf, scaled to length 1.
fn weighted(counts: Vec<(usize, u32)>, rarity: impl Fn(usize) -> f64) -> Vec<(usize, f64)> {
    let weight = |(word, count): (usize, u32)| (word, (1.0 + f64::from(count).ln()) * rarity(word));
    let mut all: Vec<(usize, f64)> = counts.into_iter().map(weight).collect();
    let length = all.iter().map(|it| it.1 * it.1).sum::<f64>().sqrt();
    if length > 0.0 {
        for it in &mut all {
            it.1 /= length;
        }
    }
    all
}

/// Learns a space from texts.
pub(crate) fn learn<T: AsRef<str>>(
    texts: impl ExactSizeIterator<Item = Result<T, OpError>>,
    plan: Plan,
    cx: &Cx,
) -> Result<Learnt, OpError> {
    let total = texts.len() as u64;
    let mut terms = Terms::new(plan.ngram, MOST_WORDS);
    for (done, text) in (0..).zip(texts) {
        cx.check()?;
        cx.progress("reading texts", done, Some(total));
        terms.add(text?.as_ref());
    }
    cx.progress("reading texts", total, Some(total));
    let most = MOST_NUMBERS / (plan.dimensions + latent::SURPLUS);
    let least = if terms.texts() < MANY { 1 } else { 2 };
    let chosen = terms.most_frequent(least, most);
    if chosen.is_empty() {
        let message = "expected documents with words, found none";
        return Err(OpError::invalid_input(message).help("pass documents with text"));
    }
    let rarity: Vec<f64> = chosen.iter().map(|it| rarity(terms.texts(), it.texts)).collect();
    let mut rows = Rows::new(chosen.len());
    for counts in terms.counts(&chosen) {
        cx.check()?;
        let row = weighted(counts, |it| rarity[it]);
        rows.push(row.into_iter().map(|(word, weight)| (column(word), narrow(weight))));
    }
    let languages = terms.languages(MOST_LANGUAGES);
    let words: Vec<String> = chosen.into_iter().map(|it| it.term).collect();
    drop(terms);
    let mut rng = fastrand::Rng::with_seed(plan.seed);
    let found = latent::axes(&rows, plan.dimensions, &mut || rng.f64(), &mut || cx.check())?;
    let first = found.singular.first().copied().unwrap_or(1.0);
    let powers = found.singular.iter().map(|it| (it / first).powf(plan.weighting - 1.0));
    let powers: Vec<f64> = powers.collect();
    let places = found.axes.rows().into_iter().flat_map(|row| {
        let place = row.iter().zip(&powers).map(|(it, power)| narrow(it * power));
        place.collect::<Vec<_>>()
    });
    let kept = found.singular.iter().map(|it| it * it).sum::<f64>() / rows.sum_of_squares();
    let space = Latent {
        reader: Reader { languages, ngram: plan.ngram },
        places: places.collect(),
        rarity: rarity.into_iter().map(narrow).collect(),
        words,
        width: powers.len(),
    };
    Ok(Learnt { space, kept })
}

/// The inverse document frequency, smoothed as if one more text had every word.
#[expect(clippy::cast_precision_loss, reason = "counts of texts are far below 2^52")]
fn rarity(texts: usize, having: usize) -> f64 {
    ((1 + texts) as f64 / (1 + having) as f64).ln() + 1.0
}

fn column(word: usize) -> u32 {
    u32::try_from(word).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "a model has numbers of 32 bits")]
fn narrow(it: f64) -> f32 {
    it as f32
}

#[cfg(test)]
mod tests;
