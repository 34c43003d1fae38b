//! The estimate of a run as objects for programs: parts of the output of `svc check --json` and
//! `svc plan --json`.

use std::time::Duration;

use serde::Serialize;
use svc_contract::value::Money;
use svc_lang::plan::{EffectUse, Envelope, Verdict};

/// One effect of a run on the world.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Effect {
    pub verb: &'static str,
    pub scope: Option<String>,
}

/// The cost, tokens and time of something.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct EnvelopeJson {
    pub tokens: Range<u64>,
    pub cost: Range<String>,
    /// In milliseconds.
    pub time: Range<f64>,
}

#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Range<T> {
    pub min: T,
    /// `None` if it is unknown.
    pub expected: Option<T>,
    /// `None` if unlimited.
    pub max: Option<T>,
}

/// The estimate for one bound, before the run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Bound {
    pub bound: &'static str,
    pub limit: String,
    pub holds: &'static str,
    pub why: String,
    /// The price tables used for the costs.
    pub prices: Vec<String>,
}

pub(super) fn effects<'e>(effects: impl IntoIterator<Item = &'e EffectUse>) -> Vec<Effect> {
    effects
        .into_iter()
        .map(|it| Effect {
            verb: it.verb.name(),
            scope: it.place.as_ref().map(ToString::to_string),
        })
        .collect()
}

pub(super) fn bounds(verdicts: &[Verdict]) -> Vec<Bound> {
    let bound = |it: &Verdict| Bound {
        bound: it.key.name(),
        limit: it.limit.clone(),
        holds: it.holds.word(),
        why: it.why.clone(),
        prices: it.prices.clone(),
    };
    verdicts.iter().map(bound).collect()
}

pub(super) fn envelope(envelope: &Envelope) -> EnvelopeJson {
    let Envelope { tokens, cost, time } = envelope;
    let money = |it: Money| it.to_string();
    EnvelopeJson {
        tokens: Range { min: tokens.min, expected: tokens.expected, max: tokens.max },
        cost: Range {
            min: money(cost.min),
            expected: cost.expected.map(money),
            max: cost.max.map(money),
        },
        time: Range {
            min: millis(time.min),
            expected: time.expected.map(millis),
            max: time.max.map(millis),
        },
    }
}

/// A duration as in every output for programs: milliseconds with their fraction.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
