//! How good a result is, from the run that made it.
//!
//! Four numbers from 0 to 1, each of them only if it is known: whether the result passes its tests or
//! its sources support it (`accuracy`), how sure it is (`confidence`), whether all of it is there
//! (`completeness`), and whether it used what was expected (`efficiency`). Everything is read from
//! the result, the journal and the plan, so a restart changes nothing.
//!
//! **Invariant:** the work is bounded: see `said.rs` and `passages.rs`. A failed run has no quality.

mod accuracy;
mod completeness;
mod passages;
mod run;
mod said;

#[cfg(test)]
mod tests;

use svc_contract::{
    registry::{choices, record},
    value::{Record, Text, Type, Value},
};

pub use accuracy::supported;
pub(crate) use run::{Rated, of_stored};
use said::Said;

choices! {
    /// What a utility means: below 0.5, below 0.8, and the rest.
    pub enum Level { Low = "low", Fair = "fair", Good = "good" }
}

record! {
    /// How good a result is, in numbers from 0 to 1; what is not known is null.
    pub struct Quality {
        /// The share of its tests that it passes, or of its sentences that its sources support.
        accuracy: Option<f64>,
        /// What it states itself, times the share of calls that succeeded at the first attempt.
        confidence: Option<f64>,
        /// The least share of items that were finished, of fields that are present, and of the words
        /// of the question that are in it.
        completeness: Option<f64>,
        /// The expected cost, or else time, divided by what was used.
        efficiency: Option<f64>,
        /// The weighted geometric mean of the numbers that are known.
        utility: f64,
        /// The weight of the numbers that are known.
        coverage: f64,
        /// `low` for a utility below 0.5, `fair` below 0.8, or `good`.
        level: Level,
    }
}

/// The numbers that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Parts {
    accuracy: Option<f64>,
    confidence: Option<f64>,
    completeness: Option<f64>,
    efficiency: Option<f64>,
}

/// In the order of [`Parts`].
const WEIGHTS: [f64; 4] = [0.35, 0.25, 0.25, 0.15];

/// The names of params with a question, the first that is there counts.
const QUESTIONS: [&str; 4] = ["question", "query", "task", "goal"];

/// A longer first param is a text to work on, not a question.
const LONGEST_QUESTION: usize = 300;

impl Quality {
    /// `None` if nothing is known.
    fn of(parts: Parts) -> Option<Self> {
        let Parts { accuracy, confidence, completeness, efficiency } = parts;
        let known = [accuracy, confidence, completeness, efficiency].map(|it| it.and_then(unit));
        let weighted =
            || known.iter().zip(WEIGHTS).filter_map(|(it, weight)| Some(((*it)?, weight)));
        let coverage: f64 = weighted().map(|(_, weight)| weight).sum();
        if coverage <= 0.0 {
            return None;
        }
        let mean = weighted().map(|(it, weight)| weight * it.ln()).sum::<f64>() / coverage;
        // Rounding must not lead outside.
        let least = weighted().map(|(it, _)| it).fold(1.0, f64::min);
        let greatest = weighted().map(|(it, _)| it).fold(0.0, f64::max);
        let utility = rounded(mean.exp()).clamp(least, greatest);
        let [accuracy, confidence, completeness, efficiency] = known;
        let (coverage, level) = (rounded(coverage), Level::of(utility));
        Some(Self { accuracy, confidence, completeness, efficiency, utility, coverage, level })
    }

    /// The quality of a result whose run is not stored: what the result itself says.
    pub(crate) fn of_result(
        value: &Value,
        ty: Option<&Type>,
        question: Option<&str>,
    ) -> Option<Self> {
        let said = Said::of(value);
        Self::of(Parts {
            accuracy: accuracy::of(value, &said, &[]),
            confidence: own_confidence(value),
            completeness: completeness::of(value, ty, &said, question, None),
            efficiency: None,
        })
    }
}

impl Level {
    fn of(utility: f64) -> Self {
        match utility {
            it if it < 0.5 => Self::Low,
            it if it < 0.8 => Self::Fair,
            _ => Self::Good,
        }
    }
}

/// The question among named arguments.
pub(crate) fn question<'a>(mut named: impl FnMut(&str) -> Option<&'a Value>) -> Option<&'a Text> {
    QUESTIONS.iter().find_map(|name| text_of(named(name)?))
}

/// The question of a script: also its first param, if that is a short text.
fn question_of(params: &Record) -> Option<&Text> {
    let first = || params.iter().find_map(|(_, it)| text_of(it));
    let first = || first().filter(|it| it.len() <= LONGEST_QUESTION);
    question(|name| params.get(name)).or_else(first)
}

fn text_of(value: &Value) -> Option<&Text> {
    match value {
        Value::Text(it) if !it.trim().is_empty() => Some(it),
        _ => None,
    }
}

/// The confidence that a result states, if it is a share.
fn own_confidence(value: &Value) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only 0 and 1 are shares")]
    let stated = match value.as_record()?.get("confidence")? {
        Value::Float(it) => *it,
        Value::Int(it) => *it as f64,
        _ => return None,
    };
    (0.0..=1.0).contains(&stated).then_some(stated)
}

/// A number from 0 to 1 as it is shown.
fn unit(it: f64) -> Option<f64> {
    it.is_finite().then(|| rounded(it.clamp(0.0, 1.0)))
}

fn rounded(it: f64) -> f64 {
    (it * 1_000.0).round() / 1_000.0
}

/// A part of a whole that is not empty.
fn share(part: usize, whole: usize) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let share = part as f64 / whole as f64;
    (whole > 0).then_some(share)
}
