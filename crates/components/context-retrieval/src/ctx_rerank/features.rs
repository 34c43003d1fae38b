//! The features of hits: what speaks for each, from 0 to 1 within its query.

use std::collections::HashMap;

use svc_contract::registry::{Cx, OpError};
use svc_text::{
    language,
    stems::{Term, Vocabulary},
};

use super::{
    Candidate,
    evidence::{Evidence, Question, Reading},
};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The hits whose words are taken as those of the answer, each by this power of its score.
const FEEDBACK: usize = 15;
const CONTRAST: i32 = 4;

/// What the words of the question count, unless a model says otherwise: little, as the search
/// before has counted them in all documents. Where the given scores are equal, they decide.
pub(super) const OWN: [(usize, f64); 4] = [
    (place::WORDS, 0.02),
    (place::TOGETHER, super::ORDERED),
    (place::COVERED, 0.0075),
    (place::TITLE, super::TITLE),
];

/// The number of features.
pub(super) const COUNT: usize = 7;

/// The features of one hit.
pub(super) type Features = [f64; COUNT];

/// The place of each feature.
pub(super) mod place {
    /// The score of the incoming hit.
    pub(crate) const GIVEN: usize = 0;
    /// The BM25 score among the hits.
    pub(crate) const WORDS: usize = 1;
    /// Words of the question that stand together, as in it.
    pub(crate) const TOGETHER: usize = 2;
    /// The share of the question that the hit covers.
    pub(crate) const COVERED: usize = 3;
    /// The share of the question in the title.
    pub(crate) const TITLE: usize = 4;
    /// The share of the question at the beginning of the text.
    pub(crate) const EARLY: usize = 5;
    /// How similar the hit is to the first hits.
    pub(crate) const SIMILAR: usize = 6;
}

/// The hits of one query with their features.
#[derive(Debug)]
pub(super) struct Group {
    /// The places of the hits among all candidates.
    pub members: Vec<usize>,
    pub features: Vec<Features>,
}

/// Reads all candidates, query by query, in the order in which the queries occur first.
pub(super) fn groups(
    candidates: &[Candidate],
    reading: Reading,
    cx: &Cx,
) -> Result<Vec<Group>, OpError> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut of: Vec<Vec<usize>> = Vec::new();
    for (idx, it) in candidates.iter().enumerate() {
        let place = *places.entry(&it.query).or_insert(of.len());
        if place == of.len() {
            of.push(Vec::new());
        }
        of[place].push(idx);
    }
    of.into_iter().map(|members| group(members, candidates, reading, cx)).collect()
}

fn group(
    members: Vec<usize>,
    candidates: &[Candidate],
    reading: Reading,
    cx: &Cx,
) -> Result<Group, OpError> {
    let texts = members.iter().map(|it| candidates[*it].text.as_ref());
    let mut words = Vocabulary::of(language::most(texts));
    let query = members.first().map_or("", |it| candidates[*it].query.as_ref());
    let question = Question::new(query, &mut words);
    let mut evidence = Vec::with_capacity(members.len());
    for idx in &members {
        let it = &candidates[*idx];
        evidence.push(question.read(&it.title, &it.text, reading, &mut words, cx)?);
    }
    let given = members.iter().map(|it| candidates[*it].given).collect();
    let features = Reader::new(&question, &evidence).features(given);
    Ok(Group { members, features })
}

/// Turns the evidence in the hits of one query into features.
struct Reader<'a> {
    question: &'a Question,
    evidence: &'a [Evidence],
    idf: HashMap<Term, f64>,
    average: f64,
}

impl<'a> Reader<'a> {
    #[expect(clippy::cast_precision_loss, reason = "counts of hits are small")]
    fn new(question: &'a Question, evidence: &'a [Evidence]) -> Self {
        let total = evidence.len() as f64;
        let df = frequencies(evidence.iter().map(|it| &it.counts));
        let idf = |df: f64| ((total - df + 0.5) / (df + 0.5)).ln_1p();
        let words: f64 = evidence.iter().map(|it| it.words).sum();
        Self {
            question,
            evidence,
            idf: df.into_iter().map(|(term, df)| (term, idf(df))).collect(),
            average: (words / total.max(1.0)).max(1.0),
        }
    }

    fn features(&self, given: Vec<f64>) -> Vec<Features> {
        let of = |measure: &dyn Fn(&Evidence) -> f64| -> Vec<f64> {
            normal(self.evidence.iter().map(measure).collect())
        };
        let mut columns = [const { Vec::new() }; COUNT];
        columns[place::WORDS] = of(&|it| self.words(it));
        columns[place::TOGETHER] = of(&|it| self.together(it));
        columns[place::COVERED] = of(&|it| self.share(|term| it.counts.contains_key(term)));
        columns[place::TITLE] = of(&|it| self.share(|term| has(&it.in_title, *term)));
        columns[place::EARLY] = of(&|it| self.share(|term| has(&it.early, *term)));
        columns[place::GIVEN] = normal(given);
        columns[place::SIMILAR] = if self.evidence.iter().any(|it| !it.counts.is_empty()) {
            normal(similarities(self.evidence, &first_look(&columns)))
        } else {
            // Without a word of the question, no hit is known to be right.
            vec![0.0; self.evidence.len()]
        };
        let row = |idx: usize| columns.each_ref().map(|it| it[idx]);
        (0..self.evidence.len()).map(row).collect()
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
}

/// The scores of hits before they are compared with each other.
fn first_look(columns: &[Vec<f64>; COUNT]) -> Vec<f64> {
    let own = |idx: usize| -> f64 {
        OWN.iter().map(|(place, weight)| weight * columns[*place][idx]).sum()
    };
    let all = columns[place::GIVEN].iter().enumerate();
    all.map(|(idx, given)| super::GIVEN * given + own(idx)).collect()
}

fn has(terms: &[Term], term: Term) -> bool {
    terms.binary_search(&term).is_ok()
}

/// In how many hits each word occurs.
fn frequencies<'a>(hits: impl Iterator<Item = &'a HashMap<Term, f64>>) -> HashMap<Term, f64> {
    let mut df: HashMap<Term, f64> = HashMap::new();
    for term in hits.flat_map(HashMap::keys) {
        *df.entry(*term).or_default() += 1.0;
    }
    df
}

/// The cosine of each hit to the sum of the best other hits, by the words that are not in all of
/// them (Rocchio 1971). Zero if not all words were counted.
#[expect(clippy::cast_precision_loss, reason = "counts of hits are small")]
fn similarities(evidence: &[Evidence], scores: &[f64]) -> Vec<f64> {
    let total = evidence.len() as f64;
    let df = frequencies(evidence.iter().map(|it| &it.all));
    let vectors: Vec<Vec<(Term, f64)>> = evidence
        .iter()
        .map(|it| {
            let weight =
                |(term, count): (&Term, &f64)| (*term, count.ln_1p() * (total / df[term]).ln_1p());
            let mut vector: Vec<(Term, f64)> = it.all.iter().map(weight).collect();
            // A fixed order, so that sums are the same in every run.
            vector.sort_unstable_by_key(|(term, _)| *term);
            unit(vector)
        })
        .collect();
    let mut best: Vec<usize> = (0..scores.len()).collect();
    best.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    best.truncate(FEEDBACK);
    let most = best.first().map_or(0.0, |it| scores[*it]);
    let share = |idx: usize| if most > 0.0 { (scores[idx] / most).powi(CONTRAST) } else { 1.0 };
    let shares: Vec<(usize, f64)> = best.into_iter().map(|it| (it, share(it))).collect();
    let mut sum: HashMap<Term, f64> = HashMap::new();
    for (idx, share) in &shares {
        for (term, weight) in &vectors[*idx] {
            *sum.entry(*term).or_default() += share * weight;
        }
    }
    let all: f64 = shares.iter().map(|it| it.1).sum();
    let similarity = |(idx, vector): (usize, &Vec<(Term, f64)>)| {
        let own = shares.iter().find(|it| it.0 == idx).map_or(0.0, |it| it.1);
        let others = |term: &Term, weight: f64| sum.get(term).map_or(0.0, |it| it - own * weight);
        let similarity: f64 = vector.iter().map(|(term, it)| it * others(term, *it)).sum();
        // The best hits are compared with one hit less.
        if all > own { similarity / (all - own) } else { 0.0 }
    };
    vectors.iter().enumerate().map(similarity).collect()
}

fn unit(mut vector: Vec<(Term, f64)>) -> Vec<(Term, f64)> {
    let length = vector.iter().map(|(_, it)| it * it).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    for (_, it) in &mut vector {
        *it /= length;
    }
    vector
}

/// Scales the values so that the largest is 1.
pub(super) fn normal(mut values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for it in &mut values {
            *it /= most;
        }
    }
    values
}
