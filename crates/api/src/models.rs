//! The models in a store as JSON and as rows of a table: `svc models`.

use serde::Serialize;
use svc_contract::value::{AboutModel, Metric, Record, Value};

use crate::store::StoredModel;

/// A model in `svc models --json`.
#[derive(Serialize)]
pub struct ModelJson<'a> {
    id: String,
    names: &'a [String],
    /// The size of its content in bytes.
    bytes: u64,
    /// The number of stored runs that learnt or used it.
    runs: usize,
    #[serde(flatten)]
    about: &'a AboutModel,
}

impl<'a> ModelJson<'a> {
    pub fn new(model: &'a StoredModel) -> Self {
        let StoredModel { id, about, names, runs, bytes } = model;
        Self { id: id.to_string(), names, bytes: *bytes, runs: *runs, about }
    }
}

/// The digits of an id that a table shows.
const SHOWN: usize = 12;

/// A model as a row of a table.
pub fn model_row(model: &StoredModel) -> Value {
    let StoredModel { id, about, names, runs, bytes } = model;
    let fields: [(&str, Value); 7] = [
        ("model", id.to_string()[..SHOWN].into()),
        ("component", about.component.clone().into()),
        ("names", names.join(", ").into()),
        ("learnt_from", count(about.rows)),
        ("quality", about.metrics.first().map(quality).unwrap_or_default().into()),
        ("runs", count(*runs as u64)),
        ("size", Value::Size(*bytes)),
    ];
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect::<Record>())
}

/// `ndcg@10 0.466 (0.430 to 0.501)`
fn quality(metric: &Metric) -> String {
    let Metric { name, value, low, high, .. } = metric;
    match low.zip(*high) {
        Some((low, high)) => format!("{name} {value:.3} ({low:.3} to {high:.3})"),
        None => format!("{name} {value:.3}"),
    }
}

fn count(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
