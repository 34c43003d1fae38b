//! The words of a text, and how much each says about it.

use std::collections::HashMap;

use super::read::Reading;

/// What is known about a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub is_stop: bool,
    pub count: f64,
    /// How often it is in capitals, or has a capital inside a sentence.
    pub acronyms: f64,
    pub names: f64,
    /// The numbers of the sentences with it, each counted from the beginning of its text.
    pub sentences: Vec<u32>,
    /// How often each other word stands at its left and at its right.
    pub before: HashMap<usize, f64>,
    pub after: HashMap<usize, f64>,
}

impl Word {
    /// The share of different words among its neighbours on one side.
    #[expect(clippy::cast_precision_loss, reason = "numbers of words are small")]
    fn variety(neighbours: &HashMap<usize, f64>) -> f64 {
        let all: f64 = neighbours.values().sum();
        if all > 0.0 { neighbours.len() as f64 / all } else { 0.0 }
    }

    fn median(&self) -> f64 {
        let mut all = self.sentences.clone();
        all.sort_unstable();
        match all.as_slice() {
            [] => 0.0,
            all => {
                let middle = all.len() / 2;
                let upper = f64::from(all[middle]);
                if all.len() % 2 == 1 {
                    upper
                } else {
                    f64::midpoint(f64::from(all[middle - 1]), upper)
                }
            }
        }
    }
}

/// The scores of words: lower is better.
#[expect(clippy::cast_precision_loss, reason = "numbers of words are small")]
pub(super) fn scores(reading: &Reading) -> Vec<f64> {
    let words = &reading.words;
    let valid: Vec<f64> = words.iter().filter(|it| !it.is_stop).map(|it| it.count).collect();
    let mean = valid.iter().sum::<f64>() / valid.len().max(1) as f64;
    let variance =
        valid.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / valid.len().max(1) as f64;
    let usual = mean + variance.sqrt();
    let most = words.iter().map(|it| it.count).fold(1.0, f64::max);
    let sentences = f64::from(reading.sentences.max(1));
    let score = |it: &Word| {
        let related =
            1.0 + (Word::variety(&it.before) + Word::variety(&it.after)) * it.count / most;
        let place = (3.0 + it.median()).ln().ln();
        let capitals = it.acronyms.max(it.names) / (1.0 + it.count.ln());
        let frequency = it.count / usual.max(f64::MIN_POSITIVE);
        let spread = it.sentences.len() as f64 / sentences;
        place * related / (capitals + (frequency + spread) / related)
    };
    words.iter().map(score).collect()
}
