//! The models in a store as JSON and as rows of a table: `svc models`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::value::{AboutModel, Metric, Record, Value};

use crate::store::StoredModel;

/// A model in `svc models --json`.
#[derive(JsonSchema, Serialize)]
pub struct ModelJson<'a> {
    id: String,
    names: &'a [String],
    /// The size of its content in bytes.
    bytes: u64,
    /// The number of stored runs that learnt or used it.
    runs: usize,
    component: &'a str,
    /// The version of the component that learnt it.
    version: u32,
    /// The version of the state's layout.
    layout: u32,
    /// The number of items that it was learnt from.
    rows: u64,
    /// How good it is, as measured on items that it was not learnt from.
    metrics: Vec<MetricJson<'a>>,
}

/// A measured number, with its interval if it has one.
#[derive(JsonSchema, Serialize)]
struct MetricJson<'a> {
    name: &'a str,
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// The number of measurements.
    n: u64,
}

impl<'a> ModelJson<'a> {
    pub fn new(model: &'a StoredModel) -> Self {
        let StoredModel { id, about, names, runs, bytes } = model;
        let AboutModel { component, version, layout, rows, metrics } = about;
        Self {
            id: id.to_string(),
            names,
            bytes: *bytes,
            runs: *runs,
            component,
            version: *version,
            layout: *layout,
            rows: *rows,
            metrics: metrics.iter().map(MetricJson::new).collect(),
        }
    }
}

impl<'a> MetricJson<'a> {
    fn new(metric: &'a Metric) -> Self {
        let Metric { name, value, low, high, n } = metric;
        Self { name, value: *value, low: *low, high: *high, n: *n }
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
