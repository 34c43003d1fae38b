//! Runs as JSON and as rows of a table: `svc runs`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::{
    registry::Usage,
    value::{Record, Value, units},
};

use svc_text::dates::{instant, time};

use crate::{failure, schemas, store::Run};

/// A run in `svc runs --json` and `svc show --json`.
#[derive(JsonSchema, Serialize)]
pub struct RunJson {
    run: String,
    script: String,
    state: &'static str,
    /// As in RFC 3339, like `ended`.
    started: String,
    ended: Option<String>,
    tokens: u64,
    cost: String,
    #[schemars(schema_with = "schemas::recorded_error")]
    error: Option<serde_json::Value>,
}

impl RunJson {
    pub fn new(run: &Run) -> Self {
        Self {
            run: run.id.to_string(),
            script: run.script.clone(),
            state: run.state.word(),
            started: instant(run.started),
            ended: run.ended.map(instant),
            tokens: run.used.tokens,
            cost: run.used.cost.to_string(),
            error: recorded_error(run.error.as_deref()),
        }
    }
}

pub(crate) fn recorded_error(error: Option<&str>) -> Option<serde_json::Value> {
    error.and_then(|it| serde_json::from_str(it).ok())
}

pub(crate) fn row<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect::<Record>())
}

/// A run as a row of a table.
pub fn run_row(run: &Run) -> Value {
    let took = run.ended.map(|it| u64::try_from(it.saturating_sub(run.started)).unwrap_or(0));
    let took = took.map(|it| units::show_duration(Duration::from_millis(it)));
    row([
        ("run", run.id.as_str().into()),
        ("script", run.script.as_str().into()),
        ("state", run.state.word().into()),
        ("started", time(run.started).into()),
        ("took", took.unwrap_or_default().into()),
        ("cost", cost(run.used).into()),
    ])
}

/// A run as one record: a row, with the reason and the place of its failure.
pub fn run_record(run: &Run) -> Value {
    let row = run_row(run);
    let Some((row, failed)) = row.as_record().zip(failure::shown(run)) else { return row };
    let fields = row.iter().map(|(name, value)| (name.clone(), value.clone()));
    Value::Record(fields.chain([("failed".into(), failed.into())]).collect())
}

/// The usage as text; empty if nothing was used.
pub(crate) fn cost(used: Usage) -> String {
    if used == Usage::default() { String::new() } else { used.to_string() }
}
