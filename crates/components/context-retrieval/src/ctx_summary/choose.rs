//! Chooses some of the ranked sentences, and puts them into reading order.

use std::collections::HashMap;

use svc_text::vectors::Vector;

use super::candidates::Sentence;

/// With a question, sentences ranked below this fraction of the best are not relevant.
const RELEVANT: f64 = 0.2;

/// The size limits of a summary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub sentences: usize,
    pub words: usize,
    /// Whether there is a question. Then the best sentence comes first, and sentences that do not
    /// answer it are left out.
    pub is_answer: bool,
    /// Sentences more similar than this count as duplicates.
    pub redundancy: f64,
}

/// Returns the chosen `sentences`, as indices in reading order.
pub(super) fn choose(
    sentences: &[Sentence],
    vectors: &[Vector],
    ranks: &[f64],
    room: Room,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by(|a, b| ranks[*b].total_cmp(&ranks[*a]).then(a.cmp(b)));
    let best = order.first().map_or(0.0, |it| ranks[*it]);
    let mut left = room.words;
    let mut chosen: Vec<usize> = Vec::new();
    for idx in order.iter().copied() {
        let repeats = |other: &usize| {
            vectors[idx].cosine(&vectors[*other]) > room.redundancy
                || sentences[idx].pattern.is_near(&sentences[*other].pattern)
        };
        let is_repeated = || chosen.iter().any(repeats);
        let count = sentences[idx].text.split_whitespace().count();
        if chosen.len() == room.sentences || (room.is_answer && ranks[idx] < RELEVANT * best) {
            break;
        }
        if count <= left && !is_repeated() {
            left -= count;
            chosen.push(idx);
        }
    }
    if chosen.is_empty() {
        // Every sentence is longer than the limit: the best one will be cut.
        chosen.extend(order.first());
    }
    in_reading_order(&mut chosen, sentences, room.is_answer);
    chosen
}

/// Sorts by document, then by position. An answer begins with its best sentence, and its documents
/// are ordered by their best ones.
fn in_reading_order(chosen: &mut [usize], sentences: &[Sentence], is_answer: bool) {
    let mut place_of_doc = HashMap::new();
    for (place, idx) in chosen.iter().enumerate() {
        let doc = sentences[*idx].doc;
        place_of_doc.entry(doc).or_insert(if is_answer { place } else { doc });
    }
    let rest = chosen.get_mut(usize::from(is_answer)..).unwrap_or_default();
    rest.sort_by_key(|it| (place_of_doc[&sentences[*it].doc], sentences[*it].at));
}
