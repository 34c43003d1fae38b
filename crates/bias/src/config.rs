//! How evolutions work: their budgets, and their strategy.

use std::time::Duration;

use svc_contract::{registry::OpError, value::Value};

use crate::{
    advice::Model,
    value::{number, object},
};

/// The settings of an evolution. An evaluation is one candidate on all training cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The most rounds of proposals.
    pub max_iterations: u64,
    /// The most evaluations.
    pub max_evaluations: u64,
    /// The longest time.
    pub max_time: Duration,
    pub seed: u64,
    /// A strategy that comes with this program, or a file.
    pub strategy: String,
    /// A language model as one more proposer. It costs money, so the settings of a tool cannot name one.
    pub model: Option<Model>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_iterations: 30,
            max_evaluations: 80,
            max_time: Duration::from_mins(10),
            seed: 1,
            strategy: "debate".to_owned(),
            model: None,
        }
    }
}

const FIELDS: [&str; 5] = ["max_iterations", "max_evaluations", "max_seconds", "seed", "strategy"];

impl Config {
    /// These settings, with others that are given as a record.
    pub fn with(mut self, given: Option<&Value>) -> Result<Self, OpError> {
        let record = match given {
            None | Some(Value::Null) => return Ok(self),
            Some(Value::Record(record)) => record,
            Some(other) => {
                let message = format!("expected an object as the config, found {}", other.kind());
                return Err(OpError::invalid_input(message));
            }
        };
        for (name, value) in record.iter() {
            self.set(name, value)?;
        }
        Ok(self)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), OpError> {
        match name {
            "max_iterations" => self.max_iterations = whole(name, value, 1, 10_000)?,
            "max_evaluations" => self.max_evaluations = whole(name, value, 1, 100_000)?,
            "max_seconds" => {
                let most = 24.0 * 3600.0;
                let seconds = number(value).filter(|it| *it > 0.0 && *it <= most);
                let seconds =
                    seconds.ok_or_else(|| expected(name, "a number up to 86400", value))?;
                self.max_time = Duration::from_secs_f64(seconds);
            }
            "seed" => self.seed = whole(name, value, 0, i64::MAX)?,
            "strategy" => {
                let text = value.as_str().filter(|it| !it.is_empty());
                let text = text.ok_or_else(|| expected(name, "the name of a strategy", value))?;
                text.clone_into(&mut self.strategy);
            }
            _ => {
                let message = format!("unknown setting `{name}`");
                let help = format!("the settings are {}", FIELDS.join(", "));
                return Err(OpError::invalid_input(message).help(help));
            }
        }
        Ok(())
    }

    pub fn value(&self) -> Value {
        object([
            ("max_iterations", self.max_iterations.into()),
            ("max_evaluations", self.max_evaluations.into()),
            ("max_seconds", self.max_time.as_secs_f64().into()),
            ("seed", self.seed.into()),
            ("strategy", self.strategy.clone().into()),
        ])
    }
}

fn whole(name: &str, value: &Value, least: i64, most: i64) -> Result<u64, OpError> {
    match value {
        Value::Int(it) if (least..=most).contains(it) => Ok(it.cast_unsigned()),
        _ => Err(expected(name, &format!("an int from {least} to {most}"), value)),
    }
}

fn expected(name: &str, what: &str, found: &Value) -> OpError {
    let found = svc_contract::registry::Param::written(found);
    OpError::invalid_input(format!("expected {what} for `{name}`, found {found}"))
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    #[test]
    fn a_part_is_merged_and_wrong_parts_are_named() {
        let with = |text: &str| Config::default().with(Some(&json::read(text).unwrap()));
        let merged = with(r#"{"max_iterations": 3, "strategy": "bandit_online"}"#).unwrap();
        assert_eq!((merged.max_iterations, merged.max_evaluations), (3, 80));
        assert_eq!(Config::default().with(Some(&merged.value())).unwrap(), merged);
        for (text, part) in [
            ("[]", "expected an object"),
            (r#"{"max_iterations": 0}"#, "an int from 1 to 10000"),
            (r#"{"max_iterations": 1.5}"#, "found 1.5"),
            (r#"{"max_seconds": -1}"#, "a number up to 86400"),
            (r#"{"iterations": 1}"#, "unknown setting `iterations`"),
            (r#"{"strategy": ""}"#, "the name of a strategy"),
        ] {
            let message = with(text).unwrap_err().message;
            assert!(message.contains(part), "{message}");
        }
    }
}
