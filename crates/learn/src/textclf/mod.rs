//! Classes of texts: hashed n-grams, a linear support vector machine or complement naive Bayes, and probabilities.
//!
//! [`learn`] tries both methods by cross-validation and keeps the better one; [`Classifier`] is what is kept, and
//! says which words decided.

mod bayes;
mod features;
mod platt;
mod svm;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::{Stop, Trouble, float};
use features::{Document, Vocabulary, each_feature};

/// How to learn.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The longest phrase, in words.
    pub ngram: usize,
    /// The longest piece of a word, in letters; 0 for none.
    pub char_ngram: usize,
    /// What a mistake of the support vector machine costs.
    pub cost: f64,
    pub folds: usize,
    pub seed: u64,
}

/// A method of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    Svm,
    Bayes,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Svm => "linear support vector machine",
            Self::Bayes => "complement naive Bayes",
        }
    }
}

/// What was learnt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Classifier {
    pub labels: Vec<String>,
    pub method: Method,
    ngram: usize,
    char_ngram: usize,
    vocabulary: Vocabulary,
    weights: Weights,
    /// For each output, what turns its score into a probability.
    sigmoids: Vec<(f64, f64)>,
}

/// A weight of each feature for each output: one output for two classes, else one a class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Weights {
    outputs: Vec<Vec<f32>>,
    biases: Vec<f64>,
}

impl Weights {
    fn score(&self, output: usize, document: &Document) -> f64 {
        let weights = &self.outputs[output];
        let sum: f64 =
            document.iter().map(|(at, it)| f64::from(weights[*at as usize]) * f64::from(*it)).sum();
        sum + self.biases[output]
    }

    fn scores(&self, document: &Document) -> Vec<f64> {
        (0..self.outputs.len()).map(|it| self.score(it, document)).collect()
    }
}

/// The class with these scores: one score is for the second of two classes.
fn chosen(scores: &[f64]) -> usize {
    if let [one] = scores {
        return usize::from(*one > 0.0);
    }
    let best = scores.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |it| it.0)
}

/// How good a method is, by cross-validation.
#[derive(Clone, Debug)]
pub struct Quality {
    pub method: Method,
    pub accuracy: f64,
    pub macro_f1: f64,
    /// For each class.
    pub f1: Vec<f64>,
}

/// A class, and why.
#[derive(Clone, Debug)]
pub struct Classified {
    pub label: usize,
    pub confidence: f64,
    /// Words and phrases with what they add to the score of the class, largest first.
    pub because: Vec<(String, f64)>,
}

/// The fewest texts of a class.
const FEWEST: usize = 2;

/// Learns classes from texts. Returns the classifier, and the quality of both methods, the better one first.
///
/// # Errors
/// Fewer than two classes, a class with a single text, or fewer texts than parts.
pub fn learn(
    texts: &[&str],
    of: &[usize],
    labels: Vec<String>,
    settings: Settings,
    stop: &Stop<'_>,
) -> Result<(Classifier, Vec<Quality>), Trouble> {
    test_counts(of, &labels, settings.folds)?;
    let hashed = features::hashed(texts, settings.ngram, settings.char_ngram, stop)?;
    let parts = parts(of, labels.len(), settings.folds, settings.seed);
    let methods = [Method::Svm, Method::Bayes];
    let outputs = if labels.len() == 2 { 1 } else { labels.len() };
    let mut scores = [vec![Vec::new(); texts.len()], vec![Vec::new(); texts.len()]];
    for part in 0..settings.folds {
        let inside: Vec<usize> = (0..texts.len()).filter(|it| parts[*it] != part).collect();
        let vocabulary = Vocabulary::of(&hashed, &inside);
        let documents: Vec<Document> = hashed.iter().map(|it| vocabulary.document(it)).collect();
        for (scores, method) in scores.iter_mut().zip(methods) {
            let weights = trained(
                method,
                &documents,
                &inside,
                of,
                outputs,
                vocabulary.len(),
                settings,
                stop,
            )?;
            for (at, scores) in scores.iter_mut().enumerate().filter(|it| parts[it.0] == part) {
                *scores = weights.scores(&documents[at]);
            }
        }
    }
    let mut all: Vec<(Quality, usize)> = methods
        .iter()
        .zip(&scores)
        .enumerate()
        .map(|(at, (method, scores))| (quality(*method, scores, of, labels.len()), at))
        .collect();
    all.sort_by(|a, b| b.0.macro_f1.total_cmp(&a.0.macro_f1));
    let (method, at) = (all[0].0.method, all[0].1);
    let sigmoids = (0..outputs)
        .map(|output| {
            let class = if outputs == 1 { 1 } else { output };
            let pairs = scores[at].iter().zip(of).map(|(it, of)| (it[output], *of == class));
            platt::sigmoid(&pairs.collect::<Vec<_>>())
        })
        .collect();
    let everything: Vec<usize> = (0..texts.len()).collect();
    let vocabulary = Vocabulary::of(&hashed, &everything);
    let documents: Vec<Document> = hashed.iter().map(|it| vocabulary.document(it)).collect();
    let weights =
        trained(method, &documents, &everything, of, outputs, vocabulary.len(), settings, stop)?;
    let classifier = Classifier {
        labels,
        method,
        ngram: settings.ngram,
        char_ngram: settings.char_ngram,
        vocabulary,
        weights,
        sigmoids,
    };
    Ok((classifier, all.into_iter().map(|it| it.0).collect()))
}

#[expect(
    clippy::too_many_arguments,
    reason = "all of them vary between the calls, or belong to the data"
)]
fn trained(
    method: Method,
    documents: &[Document],
    rows: &[usize],
    of: &[usize],
    outputs: usize,
    width: usize,
    settings: Settings,
    stop: &Stop<'_>,
) -> Result<Weights, Trouble> {
    match method {
        Method::Svm => svm::train(documents, rows, of, outputs, width, settings, stop),
        Method::Bayes => Ok(bayes::train(documents, rows, of, outputs, width)),
    }
}

fn test_counts(of: &[usize], labels: &[String], folds: usize) -> Result<(), Trouble> {
    if labels.len() < 2 {
        return Err(Trouble::new(format!("expected at least two classes, found {}", labels.len()))
            .help("add texts of another class"));
    }
    let mut counts = vec![0; labels.len()];
    for it in of {
        counts[*it] += 1;
    }
    if let Some(at) = counts.iter().position(|it| *it < FEWEST) {
        let (label, found) = (&labels[at], counts[at]);
        return Err(Trouble::new(format!(
            "expected at least {FEWEST} texts of each class, found {found} of `{label}`"
        ))
        .help("add texts of this class, or leave it out"));
    }
    if of.len() < folds {
        let found = of.len();
        return Err(Trouble::new(format!(
            "expected at least {folds} texts, one for each part of the cross-validation, found {found}"
        )));
    }
    Ok(())
}

/// The part of each text: equal shares of each class, in a random order.
fn parts(of: &[usize], classes: usize, folds: usize, seed: u64) -> Vec<usize> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut parts = vec![0; of.len()];
    let mut next = 0;
    for class in 0..classes {
        let mut own: Vec<usize> = (0..of.len()).filter(|it| of[*it] == class).collect();
        rng.shuffle(&mut own);
        for at in own {
            parts[at] = next % folds;
            next += 1;
        }
    }
    parts
}

fn quality(method: Method, scores: &[Vec<f64>], of: &[usize], classes: usize) -> Quality {
    let mut right = vec![0_usize; classes];
    let mut given = vec![0_usize; classes];
    let mut real = vec![0_usize; classes];
    for (scores, of) in scores.iter().zip(of) {
        let found = chosen(scores);
        given[found] += 1;
        real[*of] += 1;
        right[*of] += usize::from(found == *of);
    }
    let f1: Vec<f64> = (0..classes)
        .map(|it| 2.0 * float(right[it]) / float(given[it] + real[it]).max(1.0))
        .collect();
    Quality {
        method,
        accuracy: float(right.iter().sum()) / float(of.len()),
        macro_f1: f1.iter().sum::<f64>() / float(classes),
        f1,
    }
}

impl Classifier {
    /// The class of a text.
    pub fn classify(&self, text: &str, most_terms: usize) -> Classified {
        let tokens = features::tokens(text);
        let mut found: Vec<(u32, (usize, usize))> = Vec::new();
        each_feature(&tokens, self.ngram, self.char_ngram, |hash, block, range| {
            if let Some(at) = self.vocabulary.place(hash, block) {
                found.push((at, range));
            }
        });
        let counted: Vec<u32> = found.iter().map(|it| it.0).collect();
        let document = self.vocabulary.weighted(counted);
        let scores = self.weights.scores(&document);
        let label = chosen(&scores);
        let probabilities = self.probabilities(&scores);
        Classified {
            label,
            confidence: probabilities[label],
            because: self.because(label, &document, &found, &tokens, most_terms),
        }
    }

    fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        let each: Vec<f64> = scores
            .iter()
            .zip(&self.sigmoids)
            .map(|(it, sigmoid)| platt::probability(*it, *sigmoid))
            .collect();
        if let [one] = each[..] {
            return vec![1.0 - one, one];
        }
        let sum: f64 = each.iter().sum();
        each.iter().map(|it| it / sum.max(1e-300)).collect()
    }

    /// What each word and phrase adds to the score of a class. Pieces of a word count as the word.
    fn because(
        &self,
        label: usize,
        document: &Document,
        found: &[(u32, (usize, usize))],
        tokens: &[String],
        most: usize,
    ) -> Vec<(String, f64)> {
        let weight = |at: u32| {
            let at = at as usize;
            match &self.weights.outputs[..] {
                [one] => f64::from(one[at]) * if label == 1 { 1.0 } else { -1.0 },
                all => f64::from(all[label][at]),
            }
        };
        let mut counts = std::collections::HashMap::<u32, f64>::new();
        for it in found {
            *counts.entry(it.0).or_default() += 1.0;
        }
        let values: std::collections::HashMap<u32, f64> =
            document.iter().map(|(at, it)| (*at, f64::from(*it))).collect();
        let mut terms = std::collections::BTreeMap::<String, f64>::new();
        for (at, (from, to)) in found {
            let share = values.get(at).copied().unwrap_or(0.0) / counts[at];
            *terms.entry(tokens[*from..*to].join(" ")).or_default() += share * weight(*at);
        }
        let mut all: Vec<(String, f64)> = terms.into_iter().filter(|it| it.1 > 0.0).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(most);
        all
    }
}
