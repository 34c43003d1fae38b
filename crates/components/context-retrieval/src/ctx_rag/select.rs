//! Chooses passages by maximal marginal relevance (Carbonell & Goldstein 1998), without
//! near-duplicates.

use svc_text::{
    language,
    near::Known,
    stems::Vocabulary,
    tokens::tokens,
    vectors::{Vector, vectors},
};

use super::{rank::Candidate, sources::Source};

/// Passages more similar than this count as duplicates: the cosine of their words, and the Jaccard
/// similarity of their shingles.
const SAME: f64 = 0.9;
const NEAR: f64 = 0.8;

/// Passages with a score below this are not relevant.
const RELEVANT: f64 = 0.1;

/// How many passages to choose, and by which criteria.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub top_k: usize,
    pub max_tokens: usize,
    /// 1 minus the lambda of the method.
    pub diversity: f64,
}

/// The chosen passages.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Best first.
    pub passages: Vec<Candidate>,
    /// How many of the best ones were too long for what was left of the tokens.
    pub too_long: usize,
    /// How many were left out although they match as well as a chosen one, because they repeat a
    /// better one.
    pub repeated: usize,
}

/// Chooses among `candidates`.
pub(super) fn select(candidates: Vec<Candidate>, sources: &[Source], choice: Choice) -> Chosen {
    let mut best = best(candidates, sources, choice.top_k);
    let mut repeated =
        if choice.diversity > 0.0 { drop_repeated(&mut best, sources) } else { Vec::new() };
    let mut pool = Pool::new(best, sources);
    let mut left = choice.max_tokens;
    let Chosen { mut passages, mut too_long, .. } = Chosen::default();
    while passages.len() < choice.top_k {
        let Some(idx) = pool.next(choice.diversity) else { break };
        let entry = pool.entries.remove(idx);
        let is_repeated = choice.diversity > 0.0 && entry.likeness > SAME;
        if is_repeated {
            repeated.push(entry.candidate.score);
            continue;
        }
        if entry.tokens > left {
            too_long += usize::from(passages.len() + too_long < choice.top_k);
            continue;
        }
        left -= entry.tokens;
        pool.compare(&entry.vector);
        passages.push(entry.candidate);
    }
    passages.sort_by(|a, b| b.score.total_cmp(&a.score));
    let least = passages.last().map_or(f64::MAX, |it| it.score);
    let repeated = repeated.into_iter().filter(|it| *it >= least).count();
    Chosen { passages, too_long, repeated }
}

/// Drops the passages that nearly repeat a better one, and returns their scores.
fn drop_repeated(best: &mut Vec<Candidate>, sources: &[Source]) -> Vec<f64> {
    let mut known = Known::new(NEAR);
    let mut scores = Vec::new();
    best.retain(|it| {
        let is_new = known.add_unless_known(it.text(sources)).is_none();
        if !is_new {
            scores.push(it.score);
        }
        is_new
    });
    scores
}

/// Returns the passages to choose from, best first: those that match well, or the leading passages
/// of the best documents if none does.
fn best(mut candidates: Vec<Candidate>, sources: &[Source], top_k: usize) -> Vec<Candidate> {
    if candidates.iter().any(|it| it.score > 0.0) {
        candidates.retain(|it| it.score >= RELEVANT);
        candidates.sort_by(|a, b| {
            let place = |it: &Candidate| (&sources[it.source].id, it.number);
            b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
        });
    } else {
        candidates.sort_by_key(|it| (it.number, it.source));
    }
    candidates.truncate(top_k.saturating_mul(4).saturating_add(50));
    candidates
}

struct Pool {
    entries: Vec<Entry>,
}

struct Entry {
    candidate: Candidate,
    relevance: f64,
    tokens: usize,
    vector: Vector,
    /// The similarity to the most similar chosen passage.
    likeness: f64,
}

impl Pool {
    #[expect(clippy::cast_precision_loss, reason = "the pool is small")]
    fn new(candidates: Vec<Candidate>, sources: &[Source]) -> Self {
        let texts: Vec<&str> = candidates.iter().map(|it| it.text(sources)).collect();
        let mut words = Vocabulary::of(language::most(texts.iter().copied()));
        let terms: Vec<_> = texts.iter().map(|it| words.terms(it)).collect();
        let sizes: Vec<usize> = texts.iter().map(|it| tokens(it)).collect();
        let has_match = candidates.iter().any(|it| it.score > 0.0);
        let count = candidates.len() as f64;
        let entries = candidates.into_iter().zip(vectors(&terms)).zip(sizes).enumerate();
        let entry =
            |(idx, ((candidate, vector), tokens)): (usize, ((Candidate, Vector), usize))| {
                let by_order = 1.0 - idx as f64 / count;
                let relevance = if has_match { candidate.score } else { by_order };
                Entry { candidate, relevance, tokens, vector, likeness: 0.0 }
            };
        Self { entries: entries.map(entry).collect() }
    }

    /// The entry with the highest marginal relevance; the first among equals.
    fn next(&self, diversity: f64) -> Option<usize> {
        // Passages on one subject are alike: only those that say nearly the same lose by it.
        let repeats = |it: &Entry| it.likeness.powi(12);
        let gain = |it: &Entry| (1.0 - diversity) * it.relevance - diversity * repeats(it);
        let gains = self.entries.iter().map(gain).enumerate();
        gains.min_by(|(_, a), (_, b)| b.total_cmp(a)).map(|(idx, _)| idx)
    }

    fn compare(&mut self, chosen: &Vector) {
        for entry in &mut self.entries {
            entry.likeness = entry.likeness.max(entry.vector.cosine(chosen));
        }
    }
}
