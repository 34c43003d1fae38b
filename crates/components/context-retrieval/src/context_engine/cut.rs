//! Cuts a passage to the sentences that matter most.

use std::ops::Range;

use svc_text::{
    sentences::split,
    stems::{Term, Vocabulary},
    tokens::bytes,
};

/// The maximum number of places where a part may begin.
const MOST_STARTS: usize = 500;

/// Returns the run of sentences of at most `tokens` tokens that has the most terms of the question,
/// the first one among equals, or nothing if no sentence is short enough.
pub(super) fn cut(
    text: &str,
    asked: &[Term],
    tokens: usize,
    words: &mut Vocabulary,
) -> Option<Range<usize>> {
    let most = bytes(tokens);
    let sentences: Vec<(Range<usize>, Vec<Term>)> = split(text, 0..text.len())
        .map(|it| {
            let read = words.read(&text[it.clone()]).map(|it| it.term);
            let mut terms: Vec<Term> = read.filter(|it| asked.binary_search(it).is_ok()).collect();
            terms.sort_unstable();
            terms.dedup();
            (it, terms)
        })
        .collect();
    let mut best: Option<(usize, Range<usize>)> = None;
    let starts = sentences.iter().enumerate().filter(|it| it.0 == 0 || !it.1.1.is_empty());
    for (first, (start, _)) in starts.take(MOST_STARTS) {
        let mut found: Vec<Term> = Vec::new();
        let mut end = None;
        for (range, terms) in &sentences[first..] {
            if range.end - start.start > most {
                break;
            }
            end = Some(range.end);
            found
                .extend(terms.iter().filter(|it| !found.contains(it)).copied().collect::<Vec<_>>());
        }
        let Some(end) = end else { continue };
        if best.as_ref().is_none_or(|it| found.len() > it.0) {
            best = Some((found.len(), start.start..end));
        }
    }
    best.map(|it| it.1)
}
