//! The best phrases.

use strsim::normalized_levenshtein;
use svc_contract::registry::{Cx, OpError};

use super::{read::Reading, words};

/// A few milliseconds of work.
const BETWEEN_CHECKS: usize = 256;

/// A phrase, by its words as they stand first.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub text: String,
    /// Lower is better.
    pub score: f64,
    pub count: usize,
}

/// Returns the best phrases that do not repeat better ones, the best first.
pub(super) fn phrases(
    reading: &Reading,
    dedup: f64,
    most: usize,
    cx: &Cx,
) -> Result<Vec<Phrase>, OpError> {
    let scores = words::scores(reading);
    let mut all: Vec<Phrase> = reading
        .phrases
        .iter()
        .map(|(key, it)| {
            let score = score(key, it.count, &scores);
            Phrase { text: it.text.clone(), score, count: it.count }
        })
        .collect();
    all.sort_by(|a, b| a.score.total_cmp(&b.score).then_with(|| a.text.cmp(&b.text)));
    let mut best: Vec<(String, Phrase)> = Vec::new();
    for (idx, phrase) in all.into_iter().enumerate() {
        if idx % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        if best.len() == most {
            break;
        }
        let lower = phrase.text.to_lowercase();
        if !best.iter().any(|it| repeats(&lower, &it.0, dedup)) {
            best.push((lower, phrase));
        }
    }
    Ok(best.into_iter().map(|it| it.1).collect())
}

#[expect(clippy::cast_precision_loss, reason = "numbers of phrases are small")]
fn score(key: &[usize], count: usize, scores: &[f64]) -> f64 {
    let words = key.iter().map(|it| scores[*it]);
    let (product, sum) = words.fold((1.0, 0.0), |(product, sum), it| (product * it, sum + it));
    product / (count as f64 * (1.0 + sum))
}

/// Whether a phrase is part of a better one, or much like it. Both are in lower case.
fn repeats(phrase: &str, better: &str, dedup: f64) -> bool {
    let is_part = format!(" {better} ").contains(&format!(" {phrase} "));
    is_part || normalized_levenshtein(better, phrase) > dedup
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_other_forms_repeat_a_phrase() {
        assert!(repeats("network", "neural network", 0.9));
        assert!(repeats("neural networks", "neural network", 0.9));
        assert!(!repeats("neural networks", "neural network", 1.0));
        assert!(!repeats("net", "neural network", 0.9));
        assert!(!repeats("small neural network", "neural network", 0.9));
    }

    #[test]
    fn frequent_phrases_of_good_words_are_better() {
        let scores = [0.5, 0.1];
        assert!(score(&[1], 1, &scores) < score(&[0], 1, &scores));
        assert!(score(&[0, 1], 2, &scores) < score(&[0, 1], 1, &scores));
    }
}
