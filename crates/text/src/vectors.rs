//! Texts as vectors of weighted terms, and their similarity.

use std::collections::HashMap;

use super::stems::Term;

/// A text as a vector of length one over its terms, with tf-idf weights as in the "idf-modified
/// cosine" of Erkan & Radev (2004).
#[derive(Clone, Debug, Default)]
pub struct Vector(Vec<(Term, f64)>);

/// Returns one vector per text. A term's idf is `ln(1 + n / df)` over these texts, which keeps
/// terms that are in all of them.
pub fn vectors(texts: &[Vec<Term>]) -> Vec<Vector> {
    let counted: Vec<Vec<(Term, f64)>> = texts.iter().map(|it| count(it)).collect();
    let mut df: HashMap<Term, f64> = HashMap::new();
    for (term, _) in counted.iter().flatten() {
        *df.entry(*term).or_default() += 1.0;
    }
    let idf = |term: Term| idf(texts.len(), df.get(&term).copied().unwrap_or(1.0));
    counted.into_iter().map(|it| unit(it, idf)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of texts are small")]
fn idf(texts: usize, df: f64) -> f64 {
    (texts as f64 / df).ln_1p()
}

/// Returns each distinct term, in order, with its number of occurrences.
fn count(terms: &[Term]) -> Vec<(Term, f64)> {
    let mut sorted = terms.to_vec();
    sorted.sort_unstable();
    let mut counts: Vec<(Term, f64)> = Vec::new();
    for term in sorted {
        match counts.last_mut() {
            Some((last, count)) if *last == term => *count += 1.0,
            _ => counts.push((term, 1.0)),
        }
    }
    counts
}

fn unit(mut counts: Vec<(Term, f64)>, idf: impl Fn(Term) -> f64) -> Vector {
    for (term, weight) in &mut counts {
        *weight *= idf(*term);
    }
    let length = counts.iter().map(|(_, it)| it * it).sum::<f64>().sqrt();
    for (_, weight) in &mut counts {
        *weight /= length;
    }
    Vector(counts)
}

impl Vector {
    /// The cosine of the angle between the two, from 0 to 1.
    pub fn cosine(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let mut sum = 0.0;
        while let ([(x, weight), rest_a @ ..], [(y, other), rest_b @ ..]) = (a, b) {
            if x == y {
                sum += weight * other;
            }
            if x <= y {
                a = rest_a;
            }
            if y <= x {
                b = rest_b;
            }
        }
        sum
    }

    /// The terms and their weights, ordered by term.
    pub fn weights(&self) -> &[(Term, f64)] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stems::Vocabulary;

    #[test]
    fn like_texts_are_near() {
        let mut words = Vocabulary::default();
        let texts = ["red apples fall", "the red apple falls", "green pears", ""];
        let made = vectors(&texts.map(|it| words.terms(it)));
        assert!((made[0].cosine(&made[1]) - 1.0).abs() < 1e-9);
        assert!(made[0].cosine(&made[2]).abs() < 1e-9);
        assert!(made[3].cosine(&made[3]).abs() < 1e-9);
    }
}
