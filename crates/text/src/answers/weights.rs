//! The weights of the features, fitted to questions with known answers: the order by pairs of
//! sentences, of which one answers, the certainty by whether the best sentences answer. The questions
//! are the English ones of `XQuAD` and of `SQuAD` 2.0, those with changed names, years and subjects, 150
//! about notes and manuals, and 957 of conversations about nine folders of documents.

use super::features;
use crate::language::Language;

pub(super) const ORDER: [f64; features::ORDER] = [
    1.78, 1.77, -0.33, 0.68, 1.36, 2.84, 1.52, -0.48, 0.38, -0.94, -0.05, 0.34, 3.0, -4.46, 2.03,
    -1.77, 0.94, -3.2, 2.58, 1.64, 0.0, 2.0, 0.52, -1.85, 0.0, 1.77, -0.26, 3.02, 4.63, -2.74,
    1.03, 0.14, 1.01, 3.29, 0.14, 1.94,
];

pub(super) const CERTAINTY_BASE: f64 = -3.47;
pub(super) const CERTAINTY: [f64; features::CERTAINTY] = [
    -0.01, 0.66, 0.39, 0.02, -0.12, 0.05, 0.02, -0.15, -0.23, -0.23, 0.85, 0.03, -0.13, -0.15,
    -0.14, -0.13, 0.07, 0.06, 0.41, 0.51, 0.0, 0.22, -0.31, 0.12, 0.04, -0.33, 0.15, 0.92, -0.08,
    0.12, 0.77, -0.11, 0.13, 0.54, 0.37, 0.42, -0.35, -0.14, 0.27, -0.31, -0.48, 0.1, 0.95, -0.23,
    -0.35, 0.22, -0.21, 0.02, -0.13, 0.44, 0.07, -0.22, 0.14, 0.48, -0.13, 0.37, 1.06, 1.09, -0.44,
    0.25, 0.75, -0.55, 0.16, 0.0, 0.2, 0.02, -3.41, 0.39, 0.1, -0.17, -0.46, -0.57, -0.78, -0.21,
    -0.22, 0.03, -0.64, 0.74, 0.93, -0.08,
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
