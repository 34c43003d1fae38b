//! What counts when a candidate of the front is chosen.

use svc_contract::{registry::OpError, value::Value};

use crate::value::number;

/// How much quality, speed and cost count when a candidate of the front is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    pub quality: f64,
    pub speed: f64,
    pub cost: f64,
}

impl Weights {
    /// Equal weights, as the tools have them by default.
    pub const EQUAL: Self = Self { quality: 1.0, speed: 1.0, cost: 1.0 };
    /// Quality decides.
    pub const QUALITY: Self = Self { quality: 1.0, speed: 0.0, cost: 0.0 };

    /// The weights of a record; without one, these.
    pub fn with(self, given: Option<&Value>) -> Result<Self, OpError> {
        let record = match given {
            None | Some(Value::Null) => return Ok(self),
            Some(Value::Record(it)) => it,
            Some(other) => {
                let message = format!("expected an object as the weights, found {}", other.kind());
                return Err(OpError::invalid_input(message));
            }
        };
        let mut all = Self { quality: 0.0, speed: 0.0, cost: 0.0 };
        for (name, value) in record.iter() {
            let weight =
                number(value).filter(|it| it.is_finite() && *it >= 0.0).ok_or_else(|| {
                    OpError::invalid_input(format!(
                        "expected a number from 0 as the weight `{name}`"
                    ))
                })?;
            match &**name {
                "quality" => all.quality = weight,
                "speed" => all.speed = weight,
                "cost" => all.cost = weight,
                _ => {
                    return Err(OpError::invalid_input(format!("unknown weight `{name}`"))
                        .help("the weights are speed, cost and quality"));
                }
            }
        }
        if all.quality + all.speed + all.cost <= 0.0 {
            return Err(OpError::invalid_input("at least one weight is above 0"));
        }
        Ok(all)
    }

    /// The weighted mean of three scores from 0 to 1.
    pub fn score(self, quality: f64, speed: f64, cost: f64) -> f64 {
        let sum = self.quality + self.speed + self.cost;
        (self.quality * quality + self.speed * speed + self.cost * cost) / sum
    }
}

/// The weighted score: a speed is one half if it is that of the active version.
pub(crate) fn score_of(weights: Weights, quality: f64, speed: f64, cost: f64) -> f64 {
    weights.score(quality, speed / (1.0 + speed), 1.0 / (1.0 + cost.max(0.0)))
}
