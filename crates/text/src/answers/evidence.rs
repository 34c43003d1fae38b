//! Ranks sentences by what they share with a question.

use std::collections::BTreeMap;

use super::{
    features::{self, ORDER},
    question::Question,
    words::{Form, Read, Term},
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

/// A second sentence is shown if its score is at most this much below that of the first.
const ANOTHER: f64 = 2.5;

/// The sentences to show, in the order in which they are read.
pub(super) fn choose(
    read: &Read,
    question: &Question,
    ranked: &[Candidate],
    most: usize,
) -> Vec<usize> {
    let Some(best) = ranked.first() else { return Vec::new() };
    let mut chosen = vec![best.sentence];
    if depends_on_previous(&read.places[best.sentence].text)
        && let Some(before) = best.sentence.checked_sub(1)
        && read.places[before].section == read.places[best.sentence].section
        && read.places[before].form != Form::Heading
        && chosen.len() < most
    {
        chosen.insert(0, before);
    }
    let typed = |it: usize| question.wants.found(&read.places[it].text, &question.text);
    if chosen.len() < most && typed(best.sentence) < 0.4 {
        let is_near = |it: &usize| {
            read.places.get(*it).is_some_and(|it| it.section == read.places[best.sentence].section)
        };
        let near = [Some(best.sentence + 1), best.sentence.checked_sub(1)].into_iter().flatten();
        let mut near = near.filter(|it| is_near(it) && !chosen.contains(it));
        if let Some(it) = near.find(|it| typed(*it) > 0.7) {
            chosen.push(it);
        }
    }
    for other in ranked.iter().skip(1).filter(|it| it.score >= best.score - ANOTHER) {
        if chosen.len() >= most {
            break;
        }
        let is_same = chosen.contains(&other.sentence)
            || chosen.iter().any(|it| read.places[*it].text == read.places[other.sentence].text);
        // A heading of a few words says nothing more.
        let other_place = &read.places[other.sentence];
        let is_bare = other_place.form == Form::Heading && other_place.terms.len() < 4;
        if !is_same && !is_bare {
            chosen.push(other.sentence);
        }
    }
    chosen
}

/// Whether a sentence begins with a word that stands for something in the one before.
fn depends_on_previous(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "he", "she", "it", "they", "his", "her", "its", "their", "this", "that", "these", "those",
        "er", "sie", "es", "dies", "diese", "dieser", "él", "ella", "este", "esta", "such",
    ];
    let first = text.split(|it: char| !it.is_alphanumeric()).find(|it| !it.is_empty());
    first.is_some_and(|it| BEGINNINGS.contains(&it.to_lowercase().as_str()))
}
