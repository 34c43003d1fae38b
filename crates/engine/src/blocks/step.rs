//! One step by the names of its component and op.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use svc_contract::value::Value;

/// A step of a pipeline: an op by its names, and its params.
///
/// As JSON it is `{"component": "text", "op": "split", "params": {"sep": ","}}`, where `params`
/// may be missing and `op` may be called `operation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineStep {
    /// The name of a component, or an alias of one of its ops.
    pub component: String,
    /// The name of the op.
    #[serde(alias = "operation")]
    pub op: String,
    /// The arguments by the names of the params. A param with a default may be missing.
    #[serde(default)]
    pub params: BTreeMap<String, Value>,
}

impl PipelineStep {
    /// A step without params.
    pub fn new(component: impl Into<String>, op: impl Into<String>) -> Self {
        Self { component: component.into(), op: op.into(), params: BTreeMap::new() }
    }

    /// Sets a param, also one that was set before.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }
}
