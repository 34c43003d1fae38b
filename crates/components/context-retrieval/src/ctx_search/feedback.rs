//! What the best documents say, as evidence for others: pseudo-relevance feedback (Rocchio 1971), and
//! the scores of those that are alike (score regularization, Diaz 2005).
//!
//! The words of the best documents, each document by a power of its score, are a second query, with
//! which the documents that the first one found are compared. A document is not compared with
//! itself, and the first one stays the first. Then, what the documents that one is most like score
//! counts for it: documents that answer one question resemble each other. Both change the order of
//! what a query finds, and find nothing else.

use std::collections::HashMap;

use svc_contract::registry::Cx;
use tantivy::DocAddress;

use super::{
    place::Snapshot,
    rank::{self, Ranked},
    stems::{Reading, Stem, Stems},
    trouble::Trouble,
    weights::Feedback,
};
use crate::meaning::spread;

/// The number of best documents that are compared.
const COMPARED: usize = 100;

/// A document counts by this power of its score, so that the first ones count most.
const CONTRAST: i32 = 6;

/// The number of documents that one is most like.
const NEIGHBOURS: usize = 10;

/// How much either counts with a weight of 1, compared to the query. More would help many queries,
/// and hurt those whose best documents are wrong.
const SHARE: f64 = 0.5;

/// The least difference of two scores.
const LEAST: f64 = 1e-4;

/// The stems of a document by their numbers, with their weights. Its length is 1.
type Vector = Vec<(usize, f64)>;

/// Raises the scores of the best documents by how much they are like the first ones, and by the
/// scores of those that they are most like.
pub(super) fn apply(
    cx: &Cx,
    there: &Snapshot,
    feedback: Feedback,
    found: &mut [Ranked],
) -> Result<(), Trouble> {
    let compared = rank::first(there, found, COMPARED)?;
    let most = compared.first().map_or(0.0, |it| it.0);
    if most <= 0.0 {
        return Ok(());
    }
    let texts = Texts::read(cx, there, compared.iter().map(|it| it.1))?;
    let mut scores: Vec<f64> = compared.iter().map(|it| it.0 / most).collect();
    let (of_words, of_neighbours) = feedback.shares();
    if of_words > 0.0 {
        let likeness = texts.likeness(&scores, feedback);
        let likest = highest(&likeness).max(f64::MIN_POSITIVE);
        raise(&mut scores, of_words, likeness.iter().map(|it| it / likest));
    }
    if of_neighbours > 0.0 {
        cx.check()?;
        let around = texts.around(&scores);
        raise(&mut scores, of_neighbours, spread(&around));
    }
    let scores = scores.into_iter().map(|it| rank::rounded(it * most));
    let mut of: HashMap<DocAddress, f64> = compared.iter().map(|it| it.1).zip(scores).collect();
    if let Some((_, first)) = compared.first()
        && let Some(score) = of.get_mut(first)
    {
        // The others have at most its score.
        *score += LEAST;
    }
    for it in found {
        if let Some(score) = of.get(&it.doc) {
            it.score = rank::rounded(*score);
        }
    }
    Ok(())
}

fn highest(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(0.0, f64::max)
}

/// Raises scores by values from 0 to 1. The first score stays the highest: what the others are
/// compared with is more certain than they are.
fn raise(scores: &mut [f64], weight: f64, by: impl Iterator<Item = f64>) {
    let scale = SHARE * weight * highest(scores);
    for (score, by) in scores.iter_mut().zip(by) {
        *score += scale * by;
    }
    let highest = highest(scores);
    scores.iter_mut().take(1).for_each(|it| *it = highest);
}

/// The words of some documents.
struct Texts {
    /// The stems, by their numbers.
    stems: Vec<Stem>,
    vectors: Vec<Vector>,
}

impl Texts {
    fn read(
        cx: &Cx,
        there: &Snapshot,
        docs: impl Iterator<Item = DocAddress>,
    ) -> Result<Self, Trouble> {
        let mut reading = Reading::new(&there.searcher);
        let mut all = Vec::new();
        for doc in docs {
            cx.check()?;
            all.push(reading.stems(doc)?);
        }
        Ok(Self::of(&all))
    }

    /// The vectors of documents: how often a stem occurs, and how rare it is among these documents.
    #[expect(clippy::cast_precision_loss, reason = "these documents are few")]
    fn of(docs: &[Stems]) -> Self {
        let mut numbers: HashMap<Stem, usize> = HashMap::new();
        let (mut stems, mut rarities) = (Vec::new(), Vec::<f64>::new());
        let mut vectors: Vec<Vector> = Vec::with_capacity(docs.len());
        for doc in docs {
            let mut vector = Vector::with_capacity(doc.len());
            for (stem, count) in doc.iter() {
                let number = *numbers.entry(*stem).or_insert(stems.len());
                if number == stems.len() {
                    stems.push(*stem);
                    rarities.push(0.0);
                }
                rarities[number] += 1.0;
                vector.push((number, f64::from(*count).ln_1p()));
            }
            vectors.push(vector);
        }
        let all = vectors.len() as f64;
        for it in &mut rarities {
            *it = (all / *it).ln_1p();
        }
        for vector in &mut vectors {
            for (stem, weight) in vector.iter_mut() {
                *weight *= rarities[*stem];
            }
            let length = vector.iter().map(|it| it.1 * it.1).sum::<f64>().sqrt();
            for (_, weight) in vector.iter_mut() {
                *weight /= length.max(f64::MIN_POSITIVE);
            }
        }
        Self { stems, vectors }
    }

    /// How much each document is like the first ones except itself.
    fn likeness(&self, scores: &[f64], feedback: Feedback) -> Vec<f64> {
        let first = scores.iter().take(feedback.docs);
        let shares: Vec<f64> = first.map(|it| it.max(0.0).powi(CONTRAST)).collect();
        let mut sums = vec![0.0; self.stems.len()];
        for (vector, share) in self.vectors.iter().zip(&shares) {
            for (stem, weight) in vector {
                sums[*stem] += share * weight;
            }
        }
        let mut terms: Vec<usize> = (0..sums.len()).filter(|it| sums[*it] > 0.0).collect();
        // Equal weights are in an order that depends on their words alone.
        terms.sort_unstable_by(|a, b| {
            sums[*b].total_cmp(&sums[*a]).then_with(|| self.stems[*a].cmp(&self.stems[*b]))
        });
        terms.truncate(feedback.terms);
        // A term that a few of the documents share by chance counts less than by its weight alone.
        let heaviest = terms.first().map_or(1.0, |it| sums[*it]);
        let mut common = vec![0.0; sums.len()];
        for it in terms {
            common[it] = sums[it] / heaviest;
        }
        let all: f64 = shares.iter().sum();
        let like = |(idx, vector): (usize, &Vector)| {
            let own = shares.get(idx).copied().unwrap_or_default();
            let product = |(stem, weight): &(usize, f64)| {
                common[*stem] * weight * (sums[*stem] - own * weight)
            };
            let sum: f64 = vector.iter().map(product).sum();
            // The best documents are compared with one document less.
            if all > own { sum / (all - own) } else { 0.0 }
        };
        self.vectors.iter().enumerate().map(like).collect()
    }

    /// The mean score of the documents that each is most like, those that it is more like counting more.
    fn around(&self, scores: &[f64]) -> Vec<f64> {
        let mean = |mut alike: Vec<(f64, f64)>| {
            alike.sort_by(|a, b| b.0.total_cmp(&a.0));
            alike.truncate(NEIGHBOURS);
            let all: f64 = alike.iter().map(|it| it.0).sum();
            let sum: f64 = alike.iter().map(|it| it.0 * it.1).sum();
            if all > 0.0 { sum / all } else { 0.0 }
        };
        let similar = self.similar();
        let others = |idx: usize| {
            let all = similar[idx].iter().copied().zip(scores.iter().copied());
            all.enumerate().filter(|it| it.0 != idx).map(|it| it.1).collect()
        };
        (0..scores.len()).map(|it| mean(others(it))).collect()
    }

    /// How similar any two documents are: the cosine of their vectors.
    fn similar(&self) -> Vec<Vec<f64>> {
        let mut having: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.stems.len()];
        for (doc, vector) in self.vectors.iter().enumerate() {
            for (stem, weight) in vector {
                having[*stem].push((doc, *weight));
            }
        }
        let mut similar = vec![vec![0.0; self.vectors.len()]; self.vectors.len()];
        for docs in having {
            for (doc, weight) in &docs {
                let row = &mut similar[*doc];
                for (other, its) in &docs {
                    row[*other] += weight * its;
                }
            }
        }
        similar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents of stems that are numbers.
    fn texts(docs: &[&[Stem]]) -> Texts {
        let stems = |doc: &&[Stem]| -> Stems { doc.iter().map(|it| (*it, 1)).collect() };
        Texts::of(&docs.iter().map(stems).collect::<Vec<_>>())
    }

    fn feedback(terms: usize, docs: usize) -> Feedback {
        Feedback { terms, weight: 0.5, docs, neighbours: 0.0 }
    }

    #[test]
    fn a_document_like_the_best_one_comes_before_others() {
        let texts = texts(&[&[0, 1], &[2, 3], &[0, 4]]);
        let likeness = texts.likeness(&[1.0, 0.9, 0.9], feedback(10, 1));
        assert!(likeness[2] > likeness[1], "{likeness:?}");
    }

    #[test]
    fn a_document_is_not_compared_with_itself() {
        let texts = texts(&[&[0], &[1], &[1]]);
        let likeness = texts.likeness(&[1.0; 3], feedback(10, 3));
        assert!(likeness[0].abs() < 1e-9 && likeness[1] > 0.3, "{likeness:?}");
    }

    #[test]
    fn what_is_like_documents_with_high_scores_is_around_them() {
        let texts = texts(&[&[0, 1], &[0, 1, 2], &[3, 4], &[3, 4, 5], &[6]]);
        let around = texts.around(&[1.0, 0.5, 0.5, 0.1, 0.5]);
        assert!((around[1] - 1.0).abs() < 1e-9 && (around[2] - 0.1).abs() < 1e-9, "{around:?}");
        // It is like nothing.
        assert!(around[4].abs() < 1e-9, "{around:?}");
    }

    #[test]
    fn the_first_score_stays_the_highest() {
        let mut scores = [1.0, 0.9, 0.2];
        raise(&mut scores, 1.0, [0.0, 1.0, 0.5].into_iter());
        assert!((scores[0] - 1.4).abs() < 1e-9 && (scores[1] - 1.4).abs() < 1e-9, "{scores:?}");
        assert!((scores[2] - 0.45).abs() < 1e-9, "{scores:?}");
    }
}
