//! What the best documents say, as evidence for others: pseudo-relevance feedback (Rocchio 1971).
//!
//! The words of the best documents, each document by a power of its score, are a second query, with
//! which the documents that the first one found are compared. A document is not compared with
//! itself, and the first one stays the first. It changes the order of what a query finds, and finds
//! nothing else.

use std::collections::{BTreeMap, HashMap};

use svc_contract::registry::Cx;
use tantivy::{DocAddress, TantivyDocument, schema::Value as _};

use super::{
    analyzer,
    place::Snapshot,
    rank::{self, Ranked},
    schema::{self, fields},
    trouble::Trouble,
    weights::Feedback,
};

/// The number of best documents that are compared.
const COMPARED: usize = 100;

/// The maximum number of words of a document that are read.
const MOST_WORDS: usize = 5_000;

/// A document counts by this power of its score, so that the first ones count most.
const CONTRAST: i32 = 6;

/// How much the words of the best documents count with a weight of 1, compared to the query. More
/// would help many queries, and hurt those whose best documents are wrong.
const SHARE: f64 = 0.5;

/// The least difference of two scores.
const LEAST: f64 = 1e-4;

/// The words of a document with their weights. Its length is 1.
type Vector = BTreeMap<String, f64>;

/// Raises the scores of the best documents by how much they are like the first ones.
pub(super) fn apply(
    cx: &Cx,
    there: &Snapshot,
    feedback: Feedback,
    found: &mut [Ranked],
) -> Result<(), Trouble> {
    let compared = rank::first(there, found, COMPARED)?;
    let most = compared.first().map_or(0.0, |it| it.0);
    if most <= 0.0 {
        return Ok(());
    }
    let vectors = vectors(cx, there, compared.iter().map(|it| it.1))?;
    let given: Vec<f64> = compared.iter().map(|it| it.0 / most).collect();
    let likeness = likeness(&vectors, &given, feedback);
    let likest = likeness.iter().copied().fold(0.0, f64::max);
    if likest <= 0.0 {
        return Ok(());
    }
    let of: HashMap<DocAddress, f64> =
        compared.iter().zip(likeness).map(|(it, likeness)| (it.1, likeness / likest)).collect();
    let mut highest: f64 = 0.0;
    for it in &mut *found {
        let learnt = of.get(&it.doc).copied().unwrap_or_default() * most;
        it.score = rank::rounded(it.score + SHARE * feedback.weight * learnt);
        highest = highest.max(it.score);
    }
    // What the first one is compared with is less certain than itself.
    let first = compared.first().map(|it| it.1);
    if let Some(it) = found.iter_mut().find(|it| Some(it.doc) == first) {
        it.score = rank::rounded(highest + LEAST);
    }
    Ok(())
}

/// The vectors of documents: how often a word occurs, and how rare it is among these documents.
#[expect(clippy::cast_precision_loss, reason = "these documents are few")]
fn vectors(
    cx: &Cx,
    there: &Snapshot,
    docs: impl Iterator<Item = DocAddress>,
) -> Result<Vec<Vector>, Trouble> {
    let mut vectors = Vec::new();
    let mut frequencies: HashMap<String, f64> = HashMap::new();
    for doc in docs {
        cx.check()?;
        let counts = counts(there, doc)?;
        for stem in counts.keys() {
            *frequencies.entry(stem.clone()).or_default() += 1.0;
        }
        vectors.push(counts);
    }
    let all = vectors.len() as f64;
    for vector in &mut vectors {
        for (stem, weight) in vector.iter_mut() {
            *weight = weight.ln_1p() * (all / frequencies[stem]).ln_1p();
        }
        let length = vector.values().map(|it| it * it).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        for weight in vector.values_mut() {
            *weight /= length;
        }
    }
    Ok(vectors)
}

/// How often each stem occurs in a document.
fn counts(there: &Snapshot, doc: DocAddress) -> Result<Vector, Trouble> {
    let row: TantivyDocument = there.searcher.doc(doc)?;
    let language = schema::language(&row);
    let mut counts = Vector::new();
    let texts = [fields().title, fields().text].map(|it| row.get_first(it));
    let texts = texts.into_iter().flatten().filter_map(|it| it.as_str());
    let stems = texts.flat_map(|it| analyzer::terms(language, it).map(|it| it.1));
    for stem in stems.take(MOST_WORDS) {
        *counts.entry(stem).or_default() += 1.0;
    }
    Ok(counts)
}

/// How much each document is like the first ones except itself.
fn likeness(vectors: &[Vector], given: &[f64], feedback: Feedback) -> Vec<f64> {
    let shares: Vec<f64> =
        given.iter().take(feedback.docs).map(|it| it.max(0.0).powi(CONTRAST)).collect();
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (vector, share) in vectors.iter().zip(&shares) {
        for (stem, weight) in vector {
            *sums.entry(stem).or_default() += share * weight;
        }
    }
    let mut terms: Vec<(&str, f64)> = sums.into_iter().collect();
    // Equal weights stay in the order of their words.
    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
    terms.truncate(feedback.terms);
    // A term that a few of the documents share by chance counts less than by its weight alone.
    let heaviest = terms.first().map_or(1.0, |it| it.1.max(f64::MIN_POSITIVE));
    let all: f64 = shares.iter().sum();
    let like = |(idx, vector): (usize, &Vector)| {
        let own = shares.get(idx).copied().unwrap_or_default();
        let product = |(stem, sum): &(&str, f64)| {
            let common = sum / heaviest;
            vector.get(*stem).map_or(0.0, |weight| common * weight * (sum - own * weight))
        };
        let sum: f64 = terms.iter().map(product).sum();
        // The best documents are compared with one document less.
        if all > own { sum / (all - own) } else { 0.0 }
    };
    vectors.iter().enumerate().map(like).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(stems: &[&str]) -> Vector {
        #[expect(clippy::cast_precision_loss, reason = "few stems")]
        let weight = (stems.len() as f64).sqrt().recip();
        stems.iter().map(|it| ((*it).to_owned(), weight)).collect()
    }

    #[test]
    fn a_document_like_the_best_one_comes_before_others() {
        let vectors = [vector(&["a", "b"]), vector(&["c", "d"]), vector(&["a", "e"])];
        let feedback = Feedback { terms: 10, weight: 0.5, docs: 1 };
        let likeness = likeness(&vectors, &[1.0, 0.9, 0.9], feedback);
        assert!(likeness[2] > likeness[1], "{likeness:?}");
    }

    #[test]
    fn a_document_is_not_compared_with_itself() {
        let vectors = [vector(&["a"]), vector(&["b"]), vector(&["b"])];
        let feedback = Feedback { terms: 10, weight: 0.5, docs: 3 };
        let likeness = likeness(&vectors, &[1.0; 3], feedback);
        assert!(likeness[0].abs() < 1e-9 && likeness[1] > 0.4, "{likeness:?}");
    }
}
