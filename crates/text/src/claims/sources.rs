//! The sentences of passages as evidence, and those of an answer as claims.

use std::ops::Range;

use super::{Evidence, Judged};
use crate::{
    blocks::{Block, blocks},
    language,
    plain::plain,
    sentences::{sentences, split},
};

/// The score from which on a claim counts as supported.
pub const SUPPORTED: f64 = 0.6;

/// The sentences of passages, ready to be compared with claims.
pub struct Sources {
    sentences: Vec<(usize, Range<usize>)>,
    evidence: Evidence,
}

impl Sources {
    /// Reads passages. `pause` is called every few milliseconds of work; an error of it ends the
    /// reading.
    pub fn read<E>(passages: &[&str], mut pause: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        /// A few milliseconds of work.
        const BETWEEN_PAUSES: usize = 64;
        let mut all = Vec::new();
        for (at, passage) in passages.iter().enumerate() {
            pause()?;
            all.extend(statements(passage).map(|it| (at, it)));
        }
        let text = |(at, range): &(usize, Range<usize>)| {
            plain(passages[*at].get(range.clone()).unwrap_or_default())
        };
        let mut evidence = Evidence::of(language::most(passages.iter().copied()));
        for (idx, sentence) in all.iter().enumerate() {
            if idx % BETWEEN_PAUSES == 0 {
                pause()?;
            }
            evidence.learn(&text(sentence));
        }
        for (idx, sentence) in all.iter().enumerate() {
            if idx % BETWEEN_PAUSES == 0 {
                pause()?;
            }
            evidence.add(sentence.0, &text(sentence));
        }
        Ok(Self { sentences: all, evidence })
    }

    /// Compares a sentence of Markdown with the passages.
    pub fn judge(&self, claim: &str) -> Judged {
        self.evidence.judge(&plain(claim))
    }

    /// The passage of a sentence that [`Judged::support`] names, and its place in that passage.
    pub fn place(&self, sentence: usize) -> Option<(usize, Range<usize>)> {
        self.sentences.get(sentence).cloned()
    }
}

/// The sentences of a passage, as byte ranges; what is not prose counts line by line.
pub fn statements(text: &str) -> impl Iterator<Item = Range<usize>> {
    blocks(text).flat_map(|block| lines_of(text, &block))
}

fn lines_of(text: &str, block: &Block) -> Vec<Range<usize>> {
    if block.is_prose() {
        return split(text, block.body.clone()).collect();
    }
    let mut at = block.body.start;
    let mut lines = Vec::new();
    for line in text.get(block.body.clone()).unwrap_or_default().split_inclusive('\n') {
        lines.extend(split(text, at..at + line.len()));
        at += line.len();
    }
    lines
}

/// The sentences of an answer, without numbers of sources such as `[1]`.
pub fn claims_of(answer: &str) -> Vec<String> {
    let without = without_numbers(answer);
    let found = sentences(&without).filter_map(|it| without.get(it));
    found.filter(|it| it.contains(char::is_alphanumeric)).map(str::to_owned).collect()
}

/// The text without numbers of sources, so that they do not begin a sentence.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" [") {
        let number = after.split(']').next().unwrap_or_default();
        let is_number = number.len() < after.len()
            && !number.is_empty()
            && number.bytes().all(|it| it.is_ascii_digit());
        out.push_str(before);
        rest = if is_number {
            after.get(number.len() + 1..).unwrap_or_default()
        } else {
            out.push_str(" [");
            after
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn sentences_of_an_answer_have_no_numbers_of_sources() {
        let answer = "It opened in 1937. [1] It is red [see below]. [2]\n\n- Two [3] lines";
        let wanted = ["It opened in 1937.", "It is red [see below].", "Two lines"];
        assert_eq!(claims_of(answer), wanted);
        assert!(claims_of(" [1] ... ").is_empty());
    }

    #[test]
    fn a_claim_names_the_place_that_supports_it() {
        let passages = ["Tea is hot.", "| year |\n|---|\n| The bridge opened in 1937 |"];
        let read = Sources::read(&passages, || Ok::<_, Infallible>(()));
        let Ok(sources) = read;
        let judged = sources.judge("The **bridge** opened in 1937.");
        assert!(judged.score >= SUPPORTED, "{judged:?}");
        assert_eq!(sources.place(judged.support[0]).unwrap().0, 1);
        assert!(sources.judge("The bridge opened in 1938.").score < SUPPORTED);
        assert!(sources.place(99).is_none());
    }

    #[test]
    fn a_pause_ends_the_reading() {
        assert_eq!(Sources::read(&["A text."], || Err("enough")).err(), Some("enough"));
    }
}
