//! The weights of the features, fitted to questions with known answers: the order by pairs of
//! sentences, of which one answers, the certainty by whether the shown sentences answer. The questions
//! are 1,442 of conversations about fourteen folders of documents (the order: 972 about eleven), a third
//! of which have no answer in them, and the English ones of `XQuAD`, also without the paragraph that
//! answers and with changed names and numbers.

use super::features;
use crate::language::Language;

pub(super) const ORDER: [f64; features::ORDER] = [
    1.9, 2.27, -0.34, 2.03, 0.59, 2.0, 1.43, -0.35, 0.14, -0.5, -0.27, 0.38, 2.32, -4.46, 1.45,
    -0.38, 0.77, 1.39, 3.17, 1.54, 1.23, 2.08, 2.06, -0.63, 1.39, 0.17, -1.01, 2.27, 4.36, -1.53,
    -0.14, 0.06, 0.6, 1.0, -0.08, 1.31, 0.04, -0.12, 0.15, 0.7, 0.05, 0.71, -1.74, 4.21, 0.59,
];

pub(super) const CERTAINTY_BASE: f64 = -2.06;
pub(super) const CERTAINTY: [f64; features::CERTAINTY] = [
    -0.01, 0.62, 0.92, 0.05, -0.22, 0.34, -0.2, -0.23, 0.15, 0.21, 1.54, -0.69, -0.1, -0.14, -0.22,
    -0.17, 0.06, 0.02, 0.31, 0.05, -0.2, -0.08, -0.43, 0.24, 0.0, -0.02, 0.6, 0.18, -0.48, 0.08,
    0.32, -0.29, -0.06, 0.03, 0.14, 0.09, -0.32, 0.53, 0.18, -0.04, 0.77, 0.31, 0.86, 0.14, -0.1,
    0.66, -0.17, 0.48, -0.21, 0.36, 0.04, -0.19, 0.23, 0.42, 0.27, 0.53, 0.96, 1.39, -0.07, -0.14,
    0.22, -0.04, 0.31, -0.58, -0.16, 0.12, -0.04, 0.14, 0.06, 0.3, -0.04, -0.53, -0.43, -0.01,
    -0.39, -0.03, 0.47, 0.1, 0.03, -0.25, -0.08, -0.41, -0.06, -0.31, -0.12, -0.14, 0.03, -0.26,
    0.37, 0.75, 0.21, 0.41, 0.47, 0.63, 0.58, -0.43, 0.19, 0.2, -0.63, -1.94, -0.1, -0.23, -0.81,
    -0.31, 0.11, -0.31, 0.16, -0.05, -0.02, -0.63, 0.35, 0.39, 0.4, -0.27, -0.17, -0.49, 1.34,
    -0.01, -0.07, -0.06, -0.09, 0.72, 0.31, -0.03, 0.28, -0.25, 0.36, -0.19, 0.47, 0.11, 0.18,
    -0.28, -0.55, 0.52, -1.92, -0.9, 0.04, 0.23,
];

/// The constant of the certainty. The weights are fitted to English; in other languages, fewer words
/// of a question are in its answer, as they have more forms or are pairs of characters.
pub(super) fn base(language: Language) -> f64 {
    let other = match language.code() {
        "en" => 0.0,
        "ja" | "ko" | "zh" => EAST_ASIAN,
        // Languages that write compounds as one word.
        "da" | "de" | "fi" | "hu" | "nl" | "no" | "sv" => COMPOUNDING,
        _ => OTHERS,
    };
    CERTAINTY_BASE + other
}

const EAST_ASIAN: f64 = 3.1;
const COMPOUNDING: f64 = 0.35;
const OTHERS: f64 = 0.15;
