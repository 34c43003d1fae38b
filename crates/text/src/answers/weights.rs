//! The weights of the features, fitted to questions with known answers: the order by pairs of
//! sentences, of which one answers, the certainty by whether the best sentences answer. The questions
//! are the English ones of `XQuAD` and of `SQuAD` 2.0, those with changed names, years and subjects, and 150
//! about notes and manuals.

use super::features;
use crate::language::Language;

pub(super) const ORDER: [f64; features::ORDER] = [
    1.78, 1.77, -0.33, 0.68, 1.36, 2.84, 1.52, -0.48, 0.38, -0.94, -0.05, 0.34, 3.0, -4.46, 2.03,
    -1.77, 0.94, -3.2, 2.58, 1.64, 0.0, 2.0, 0.52, -1.85, 0.0, 1.77, -0.26, 3.02, 4.63, -2.74,
    1.03, 0.14, 1.01, 3.29, 0.14, 1.94,
];

pub(super) const CERTAINTY_BASE: f64 = -3.48;
pub(super) const CERTAINTY: [f64; features::CERTAINTY] = [
    0.0, 0.58, 0.41, 0.08, -0.13, 0.08, 0.0, -0.15, -0.23, -0.22, 0.83, 0.01, -0.12, -0.15, -0.15,
    -0.12, 0.08, 0.06, 0.41, 0.49, 0.01, 0.29, -0.31, 0.14, 0.03, -0.3, 0.11, 0.77, -0.1, 0.13,
    0.72, -0.11, 0.12, 0.54, 0.36, 0.39, -0.31, -0.13, 0.28, -0.3, -0.5, 0.08, 0.92, -0.21, -0.31,
    0.18, -0.21, 0.03, -0.13, 0.4, 0.05, -0.22, 0.11, 0.47, -0.14, 0.37, 1.03, 1.07, -0.51, 0.59,
    0.73, -0.55, 0.17, 0.0, 0.2, 0.01, -3.41, 0.4, 0.09, -0.15, -0.41, -0.63, -0.78, -0.21, -0.21,
    0.02, -0.65, 0.69, 0.85, -0.17,
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

const EAST_ASIAN: f64 = 3.2;
const COMPOUNDING: f64 = 1.0;
const OTHERS: f64 = 0.5;
