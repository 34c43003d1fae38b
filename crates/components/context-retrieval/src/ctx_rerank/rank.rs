//! Orders hits by their evidence.

use std::collections::HashMap;

use svc_contract::{
    registry::{Cx, OpError},
    value::Text,
};
use svc_text::stems::{Term, Vocabulary};

use super::{
    Candidate,
    evidence::{Evidence, Question},
};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The weight of each kind of evidence; together they are 1.
const GIVEN: f64 = 0.7;
const WORDS: f64 = 0.08;
const TOGETHER: f64 = 0.14;
const COVERED: f64 = 0.03;
const IN_TITLE: f64 = 0.05;

/// Returns all candidates, best first, with new scores.
pub(super) fn rank(mut candidates: Vec<Candidate>, cx: &Cx) -> Result<Vec<Candidate>, OpError> {
    let mut of: HashMap<Text, Vec<usize>> = HashMap::new();
    for (idx, it) in candidates.iter().enumerate() {
        of.entry(it.query.clone()).or_default().push(idx);
    }
    for (query, members) in of {
        let mut words = Vocabulary::default();
        let question = Question::new(&query, &mut words);
        let mut evidence = Vec::with_capacity(members.len());
        for idx in &members {
            let it = &candidates[*idx];
            evidence.push(question.read(&it.title, &it.text, &mut words, cx)?);
        }
        let given: Vec<f64> = members.iter().map(|it| candidates[*it].given).collect();
        let scores = Group::new(&question, &evidence).scores(&given);
        for (idx, score) in members.into_iter().zip(scores) {
            candidates[idx].score = score;
        }
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(candidates)
}

/// The hits of one query.
struct Group<'a> {
    question: &'a Question,
    evidence: &'a [Evidence],
    idf: HashMap<Term, f64>,
    average: f64,
}

impl<'a> Group<'a> {
    #[expect(clippy::cast_precision_loss, reason = "counts of hits are small")]
    fn new(question: &'a Question, evidence: &'a [Evidence]) -> Self {
        let total = evidence.len() as f64;
        let mut df: HashMap<Term, f64> = HashMap::new();
        for term in evidence.iter().flat_map(|it| it.counts.keys()) {
            *df.entry(*term).or_default() += 1.0;
        }
        let idf = |df: f64| ((total - df + 0.5) / (df + 0.5)).ln_1p();
        let words: f64 = evidence.iter().map(|it| it.words).sum();
        Self {
            question,
            evidence,
            idf: df.into_iter().map(|(term, df)| (term, idf(df))).collect(),
            average: (words / total.max(1.0)).max(1.0),
        }
    }

    fn idf(&self, term: Term) -> f64 {
        self.idf.get(&term).copied().unwrap_or_default()
    }

    fn saturated(&self, count: f64, evidence: &Evidence) -> f64 {
        let length = K1 * (1.0 - B + B * evidence.words / self.average);
        count * (K1 + 1.0) / (count + length)
    }

    /// The BM25 score among these hits. Terms are added in the order of the question, so that sums
    /// are the same in every run.
    fn words(&self, it: &Evidence) -> f64 {
        let count = |term: &Term| it.counts.get(term).copied().unwrap_or_default();
        let terms = self.question.terms.iter();
        terms.map(|term| self.idf(*term) * self.saturated(count(term), it)).sum()
    }

    fn together(&self, it: &Evidence) -> f64 {
        let pairs = self.question.pairs.iter().zip(&it.together);
        let weight = |a: &Term, b: &Term| self.idf(*a).min(self.idf(*b));
        pairs.map(|((a, b), count)| weight(a, b) * self.saturated(*count, it)).sum()
    }

    /// The fraction of the question that the words with `has` make up; rare words count more.
    fn share(&self, has: impl Fn(&Term) -> bool) -> f64 {
        let terms = self.question.terms.iter();
        terms.filter(|it| has(it)).map(|it| self.idf(*it)).sum()
    }

    /// A score from 0 to 1 for each hit.
    fn scores(&self, given: &[f64]) -> Vec<f64> {
        let of = |measure: &dyn Fn(&Evidence) -> f64| -> Vec<f64> {
            normal(self.evidence.iter().map(measure).collect())
        };
        let words = of(&|it| self.words(it));
        let together = of(&|it| self.together(it));
        let covered = of(&|it| self.share(|term| it.counts.contains_key(term)));
        let in_title = of(&|it| self.share(|term| it.in_title.binary_search(term).is_ok()));
        let given = normal(given.to_vec());
        let mixed = (0..given.len()).map(|idx| {
            GIVEN * given[idx]
                + WORDS * words[idx]
                + TOGETHER * together[idx]
                + COVERED * covered[idx]
                + IN_TITLE * in_title[idx]
        });
        normal(mixed.collect())
    }
}

/// Scales the values so that the largest is 1.
fn normal(mut values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for it in &mut values {
            *it /= most;
        }
    }
    values
}
