//! Ranks sentences by what they share with a question.

use std::collections::BTreeMap;

use super::{
    features::{self, ORDER},
    question::Question,
    reading::Read,
    words::Term,
};

/// A sentence, compared with a question.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub sentence: usize,
    pub features: [f64; ORDER],
    pub score: f64,
    /// How nearly each word of the question is found: in the sentence, with its neighbours, in its
    /// block with the headings, in its document.
    pub found: [Vec<f64>; 4],
}

/// So many rows with the highest number of their table are compared at most.
const EXTREMES: usize = 8;

/// The best sentences, the best first.
pub(super) fn rank(read: &Read, question: &Question, most: usize) -> Vec<Candidate> {
    let blocks = block_scores(read, question);
    let best = blocks.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut rough: Vec<(usize, f64)> = Vec::new();
    for (block, score) in &blocks {
        for sentence in read.blocks[*block].clone() {
            let found = found(question, read.places[sentence].terms.iter().map(|it| it.0));
            let own = weigh(question, &found);
            rough.push((sentence, own + 0.5 * score));
        }
    }
    // A short question may share no word with its answer, which is near to the one before.
    let around = question.topics.last().into_iter().flat_map(|it| it.around(read));
    let around = around.chain(question.extremes.iter().copied().take(EXTREMES));
    let around: Vec<usize> = around.filter(|it| rough.iter().all(|has| has.0 != *it)).collect();
    rough.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    rough.truncate(most);
    let mut all: Vec<Candidate> = rough
        .into_iter()
        .map(|it| it.0)
        .chain(around)
        .map(|sentence| {
            let of_block = blocks.get(&read.places[sentence].block).copied().unwrap_or_default();
            features::compare(read, question, sentence, of_block / best)
        })
        .collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.sentence.cmp(&b.sentence)));
    all
}

/// How much of a question each block has that has a word of it, with its headings.
fn block_scores(read: &Read, question: &Question) -> BTreeMap<usize, f64> {
    let mut by_block: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (term, asked) in &question.by_term {
        for sentence in &read.with[*term as usize] {
            let block = read.places[*sentence as usize].block;
            let found = by_block.entry(block).or_insert_with(|| vec![0.0; question.asked.len()]);
            for (idx, quality) in asked {
                found[*idx] = found[*idx].max(*quality);
            }
        }
    }
    let mut scores = BTreeMap::new();
    for (block, found) in by_block {
        let section = read.places[read.blocks[block].start].section;
        let mut found = found;
        for (it, other) in found
            .iter_mut()
            .zip(self::found(question, read.sections[section].terms.iter().copied()))
        {
            *it = it.max(0.7 * other);
        }
        scores.insert(block, weigh(question, &found));
    }
    scores
}

/// How nearly each word of a question is among terms.
pub(super) fn found(question: &Question, terms: impl Iterator<Item = Term>) -> Vec<f64> {
    let mut found = vec![0.0_f64; question.asked.len()];
    for term in terms {
        for (idx, quality) in question.by_term.get(&term).into_iter().flatten() {
            found[*idx] = found[*idx].max(*quality);
        }
    }
    found
}

/// The weight of what was found.
pub(super) fn weigh(question: &Question, found: &[f64]) -> f64 {
    question.asked.iter().zip(found).map(|(it, found)| it.weight * found).sum()
}
