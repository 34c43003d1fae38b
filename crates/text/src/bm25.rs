//! Ranks texts in memory against a question: BM25 over weighted fields.

use std::collections::HashMap;

use super::stems::Term;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Some texts, indexed for questions.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    texts: Vec<HashMap<Term, f64>>,
    lengths: Vec<f64>,
    average: f64,
    found_in: HashMap<Term, f64>,
}

impl Ranking {
    /// Indexes texts, given as terms with the weight of each occurrence: a word of a title counts
    /// more than one of the text below it.
    pub fn of(texts: impl IntoIterator<Item = Vec<(Term, f64)>>) -> Self {
        let mut all = Self::default();
        for terms in texts {
            let mut counts: HashMap<Term, f64> = HashMap::new();
            for (term, weight) in terms {
                *counts.entry(term).or_default() += weight;
            }
            for term in counts.keys() {
                *all.found_in.entry(*term).or_default() += 1.0;
            }
            all.lengths.push(counts.values().sum());
            all.texts.push(counts);
        }
        all.average = (all.lengths.iter().sum::<f64>() / all.total().max(1.0)).max(1.0);
        all
    }

    #[expect(clippy::cast_precision_loss, reason = "so many texts do not fit into memory")]
    fn total(&self) -> f64 {
        self.texts.len() as f64
    }

    /// The inverse document frequency of a term: rarer terms have a higher value.
    pub fn idf(&self, term: Term) -> f64 {
        let found = self.found_in.get(&term).copied().unwrap_or_default();
        ((self.total() - found + 0.5) / (found + 0.5)).ln_1p()
    }

    /// The score of a term of a question for the text `idx`; 0 if the text does not contain it.
    pub fn score(&self, idx: usize, term: Term) -> f64 {
        let count = self.texts.get(idx).and_then(|it| it.get(&term)).copied().unwrap_or_default();
        let length = self.lengths.get(idx).copied().unwrap_or_default();
        let norm = K1 * (1.0 - B + B * length / self.average);
        self.idf(term) * count * (K1 + 1.0) / (count + norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stems::Vocabulary;

    #[test]
    fn rare_words_and_weighty_fields_count_more() {
        let mut words = Vocabulary::default();
        let mut text = |title: &str, body: &str| {
            let title = words.terms(title).into_iter().map(|it| (it, 3.0)).collect::<Vec<_>>();
            let body = words.terms(body).into_iter().map(|it| (it, 1.0));
            title.into_iter().chain(body).collect::<Vec<_>>()
        };
        let texts =
            [text("budget", "money limits"), text("money", "limits"), text("time", "limits")];
        let ranking = Ranking::of(texts);
        let (money, limits) = (words.terms("money")[0], words.terms("limits")[0]);
        assert!(ranking.idf(money) > ranking.idf(limits));
        assert!(ranking.score(1, money) > ranking.score(0, money));
        assert!(ranking.score(2, money).abs() < f64::EPSILON);
    }
}
