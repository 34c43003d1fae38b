//! The weights of the features, fitted to questions with known answers: the order by pairs of
//! sentences, of which one answers, the certainty by whether the best sentences answer. The questions
//! are the English ones of `XQuAD` and of `SQuAD` 2.0, those with changed names, years and subjects, and 150
//! about notes and manuals.

use super::features;
use crate::language::Language;

pub(super) const ORDER: [f64; features::ORDER] = [
    1.23, 1.38, -0.9, 0.44, 1.97, 2.85, 1.48, -0.44, 0.5, -0.84, 0.01, 0.34, 2.86, -4.52, 1.54, -1.74, 0.98, -3.15, 3.08, 1.82, -0.19, 1.98, 1.03, -1.97, -0.26, 2.22, -0.16, 2.28, 4.66, -1.82, 0.78, 0.18, 0.7, 2.94,
];

pub(super) const CERTAINTY_BASE: f64 = -7.41;
pub(super) const CERTAINTY: [f64; features::CERTAINTY] = [
    -0.7, -0.38, -0.29, -1.27, -0.68, 0.15, 0.3, 0.7, -0.43, 0.23, 2.04, -1.18, -0.07, -0.52, 0.82, 0.57, 0.18, -0.02, 0.8, 0.15, -1.06, -2.85, -0.59, -0.02, 0.13, 0.76, 0.77, 0.62, -0.47, 0.2, 0.88, 0.12, -1.39, 1.25, 0.37, 0.13, -0.22, -0.01, 1.49, -0.31, -1.81, 0.38, 1.24, -0.53, -3.93, 1.79, 0.54, -0.62, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
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
