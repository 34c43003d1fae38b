//! Finds the sentences at the centre of a text, or of an answer.
//!
//! Continuous `LexRank` (Erkan & Radev 2004): a sentence is central if it is similar to central
//! sentences. With a question, biased `LexRank` (Otterbacher, Erkan & Radev 2005): the walk over
//! the sentences restarts at those with words of the question. A sentence does not count as similar
//! to itself, so a sentence that is similar to no other ranks lowest, not in the middle.

use std::collections::HashMap;

use svc_contract::registry::{Cx, OpError};
use svc_text::{stems::Term, vectors::Vector};

use super::question::Walk;

const EXACT_TO: f64 = 1e-6;
const MOST_TURNS: usize = 200;

/// Returns the rank of each sentence; those less similar than `threshold` are not linked. Ranks add up to 1, as `walk.starts` does.
pub(super) fn lexrank(
    sentences: &[Vector],
    walk: &Walk,
    threshold: f64,
    cx: &Cx,
) -> Result<Vec<f64>, OpError> {
    let Walk { starts, follow, .. } = walk;
    let links = links(sentences, threshold, cx)?;
    let mut ranks = starts.clone();
    for _ in 0..MOST_TURNS {
        cx.check()?;
        // From a sentence that is similar to no other, the walk can only restart.
        let lost: f64 =
            ranks.iter().zip(&links).filter(|(_, row)| row.is_empty()).map(|(it, _)| it).sum();
        let again = 1.0 - follow + follow * lost;
        let mut next: Vec<f64> = starts.iter().map(|it| again * it).collect();
        for (rank, row) in ranks.iter().zip(&links) {
            for (to, share) in row {
                next[*to] += follow * rank * share;
            }
        }
        let change: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
        ranks = next;
        if change < EXACT_TO {
            break;
        }
    }
    Ok(ranks)
}

/// Returns for each sentence the similar ones, with shares that add up to 1.
fn links(sentences: &[Vector], threshold: f64, cx: &Cx) -> Result<Vec<Vec<(usize, f64)>>, OpError> {
    let mut postings: HashMap<Term, Vec<(usize, f64)>> = HashMap::new();
    for (idx, sentence) in sentences.iter().enumerate() {
        for (term, weight) in sentence.weights() {
            postings.entry(*term).or_default().push((idx, *weight));
        }
    }
    let mut rows = Vec::with_capacity(sentences.len());
    let mut cosines = vec![0.0; sentences.len()];
    for (idx, sentence) in sentences.iter().enumerate() {
        cx.check()?;
        cosines.fill(0.0);
        for (term, weight) in sentence.weights() {
            for (other, its) in postings.get(term).into_iter().flatten() {
                cosines[*other] += weight * its;
            }
        }
        cosines[idx] = 0.0;
        cosines.iter_mut().filter(|it| **it < threshold).for_each(|it| *it = 0.0);
        let sum: f64 = cosines.iter().sum();
        let row = cosines.iter().enumerate().filter(|(_, it)| **it > 0.0);
        rows.push(row.map(|(to, cosine)| (to, cosine / sum)).collect());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cx;
    use svc_text::{stems::Vocabulary, vectors::vectors};

    #[test]
    fn the_sentence_that_is_like_the_others_ranks_highest() {
        let mut words = Vocabulary::default();
        let texts = ["red apples", "red apples and green pears", "green pears", "old cheese"];
        let made = vectors(&texts.map(|it| words.terms(it)));
        let walk =
            |starts: [f64; 4], follow| Walk { starts: starts.into(), follow, is_answer: false };
        let ranks = lexrank(&made, &walk([0.25; 4], 0.85), 0.0, &cx()).unwrap();
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        assert!(ranks[1] > ranks[0] && ranks[0] > ranks[3], "{ranks:?}");
        let biased = lexrank(&made, &walk([0.0, 0.0, 0.0, 1.0], 0.15), 0.0, &cx()).unwrap();
        assert!(biased[3] > 0.9, "{biased:?}");
    }
}
