//! Which sentences answer a question.

use std::ops::Range;

use svc_contract::registry::{Cx, OpError};
use svc_text::{
    claims::{Named, named},
    language,
    plain::plain,
    stems::{Term, Vocabulary},
    vectors::{Vector, vectors},
};

use super::places::Place;

/// The weight of a word of the question that is in a title, a heading or the sentence before.
const IN_CONTEXT: f64 = 0.4;

/// What a sentence gains that has what the question asks for.
const HAS_ANSWER: f64 = 1.25;

/// How much of the score depends on the passage.
const OF_PASSAGE: f64 = 0.5;

/// Sentences with a smaller part of the best score are left out.
const RELEVANT: f64 = 0.5;

/// Sentences that are more similar say the same, and almost the same.
const REPEATED: f64 = 0.6;
const SAME: f64 = 0.95;

/// A sentence that is not shown on its own has fewer words, or more.
const WORDS: std::ops::RangeInclusive<usize> = 4..=80;

/// A sentence of a passage.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The index of its passage.
    pub place: usize,
    pub range: Range<usize>,
    pub text: String,
    /// How much of the question it covers, from 0 to 1.
    pub covered: f64,
    score: f64,
    vector: Vector,
}

/// What a question asks for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    question: String,
    kinds: &'static [Named],
}

impl Wanted {
    pub(super) fn of(question: &str) -> Self {
        const NUMBERS: &[&str] = &[
            "how many",
            "how much",
            "how long",
            "how old",
            "how far",
            "how high",
            "how tall",
            "how large",
            "what percentage",
            "what number",
            "how often",
            "how fast",
        ];
        const TIMES: &[&str] = &[
            "when ",
            "what year",
            "which year",
            "what date",
            "what day",
            "what month",
            "since when",
        ];
        const NAMES: &[&str] = &[
            "who ",
            "whom ",
            "whose ",
            "where ",
            "which city",
            "what city",
            "which country",
            "what country",
            "what is the name",
            "what was the name",
        ];
        let lower = question.to_lowercase();
        let asks = |all: &[&str]| all.iter().any(|it| lower.contains(it));
        let kinds: &[Named] = match () {
            () if asks(NUMBERS) => &[Named::Number],
            () if asks(TIMES) => &[Named::Date],
            () if asks(NAMES) => &[Named::Name],
            () => &[],
        };
        Self { question: question.to_owned(), kinds }
    }

    /// The words of a sentence that answer: the first ones of the wanted kind that are not in the
    /// question.
    pub(super) fn span(&self, sentence: &str) -> Option<Range<usize>> {
        let mut words = Vocabulary::default();
        let asked = words.terms(&self.question);
        let mut is_new = |range: &Range<usize>| {
            let terms = words.terms(sentence.get(range.clone()).unwrap_or_default());
            terms.iter().any(|it| !asked.contains(it))
        };
        let found = named(sentence).into_iter();
        let mut found = found.filter(|(_, kind)| self.kinds.contains(kind)).map(|(range, _)| range);
        found.find(|it| is_new(it))
    }
}

/// All sentences with words of the question, scored.
pub(super) fn candidates(
    places: &[Place],
    titles: &[&str],
    scores: &[f64],
    wanted: &Wanted,
    cx: &Cx,
) -> Result<Vec<Candidate>, OpError> {
    let mut words = Vocabulary::of(language::most(places.iter().map(|it| it.text.as_ref())));
    let asked = words.question(&wanted.question);
    let mut read = Vec::new();
    for (at, place) in places.iter().enumerate() {
        cx.check()?;
        let title = words.terms(titles.get(at).copied().unwrap_or_default());
        let mut before = Vec::new();
        for (idx, range) in place.sentences().enumerate() {
            if idx % 256 == 0 {
                cx.check()?;
            }
            let raw = place.text.get(range.clone()).unwrap_or_default();
            let terms = words.terms(raw);
            let context = [title.as_slice(), &before].concat();
            before.clone_from(&terms);
            let count = raw.split_whitespace().count().max(terms.len());
            let is_shown = WORDS.contains(&count) && !raw.trim_end().ends_with([':', '?']);
            if is_shown && terms.iter().any(|it| asked.contains(it)) {
                read.push((at, range, terms, context));
            }
        }
    }
    let terms: Vec<Vec<Term>> = read.iter().map(|(_, _, it, _)| it.clone()).collect();
    let idf = idf(&asked, &terms);
    let most = scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let candidates = read.into_iter().zip(vectors(&terms));
    let candidate = |((place, range, terms, context), vector): (Read, Vector)| {
        let text = plain(places[place].text.get(range.clone()).unwrap_or_default());
        let (score, covered) = relevance(&terms, &context, &idf);
        let of_passage = scores.get(place).copied().unwrap_or_default() / most;
        let gain = if wanted.span(&text).is_some() { HAS_ANSWER } else { 1.0 };
        let score = score * gain * (1.0 - OF_PASSAGE + OF_PASSAGE * of_passage);
        Candidate { place, range, text, covered, score, vector }
    };
    let mut candidates: Vec<Candidate> = candidates.map(candidate).collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(candidates)
}

type Read = (usize, Range<usize>, Vec<Term>, Vec<Term>);

#[expect(clippy::cast_precision_loss, reason = "counts of sentences are small")]
fn idf(asked: &[Term], sentences: &[Vec<Term>]) -> Vec<(Term, f64)> {
    let all = sentences.len() as f64;
    let df = |term: &Term| sentences.iter().filter(|it| it.contains(term)).count() as f64;
    asked.iter().map(|it| (*it, ((all + 1.0) / (df(it) + 0.5)).ln_1p())).collect()
}

/// The score of a sentence, and how much of the question it covers.
fn relevance(terms: &[Term], context: &[Term], idf: &[(Term, f64)]) -> (f64, f64) {
    let weight = |term: &Term| match () {
        () if terms.contains(term) => 1.0,
        () if context.contains(term) => IN_CONTEXT,
        () => 0.0,
    };
    let all: f64 = idf.iter().map(|(_, it)| it).sum();
    let found: f64 = idf.iter().map(|(term, it)| it * weight(term)).sum();
    let covered = if all > 0.0 { found / all } else { 0.0 };
    (found * covered.sqrt(), covered)
}

/// The best sentences, each with those of other places that say the same.
pub(super) fn choose(candidates: &[Candidate], most: usize) -> Vec<Vec<&Candidate>> {
    let best = candidates.first().map_or(0.0, |it| it.score);
    let mut chosen: Vec<Vec<&Candidate>> = Vec::new();
    for candidate in candidates.iter().filter(|it| it.score >= RELEVANT * best) {
        let likeness = |it: &Vec<&Candidate>| it[0].vector.cosine(&candidate.vector);
        let all = chosen.iter().map(likeness).enumerate();
        match all.max_by(|(_, a), (_, b)| a.total_cmp(b)) {
            Some((at, it)) if it > SAME => chosen[at].push(candidate),
            Some((_, it)) if it > REPEATED => {}
            _ if chosen.len() < most => chosen.push(vec![candidate]),
            _ => {}
        }
    }
    chosen
}
