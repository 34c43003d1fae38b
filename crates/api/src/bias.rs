//! The bias of a component as JSON: its strategy, its assumptions, and what may be tuned.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::{
    registry::{Component, Param, Tuning},
    value::Value,
};

/// The bias of a component, as the specification defines it.
#[derive(JsonSchema, Serialize)]
pub struct BiasJson {
    name: &'static str,
    /// The name of the component as a type: `CtxRerank`.
    r#type: String,
    strategy: &'static str,
    assumptions: &'static [&'static str],
    evolvable_params: Vec<EvolvableJson>,
    version: u32,
}

/// A param that may be tuned automatically.
#[derive(JsonSchema, Serialize)]
struct EvolvableJson {
    name: &'static str,
    r#type: String,
    /// The default, including a tuned one.
    #[schemars(with = "serde_json::Value")]
    value: Value,
    /// The bounds of a number.
    #[serde(flatten)]
    range: Option<RangeJson>,
}

#[derive(JsonSchema, Serialize)]
struct RangeJson {
    #[schemars(with = "serde_json::Value")]
    min: Value,
    #[schemars(with = "serde_json::Value")]
    max: Value,
}

impl BiasJson {
    pub fn new(component: &Component, tuning: &Tuning) -> Self {
        let evolvable = component.evolvable().map(|it| EvolvableJson::new(component, it, tuning));
        Self {
            name: component.name,
            r#type: component.type_name(),
            strategy: component.bias.strategy,
            assumptions: component.bias.assumptions,
            evolvable_params: evolvable.collect(),
            version: component.version,
        }
    }
}

impl EvolvableJson {
    fn new(component: &Component, param: &Param, tuning: &Tuning) -> Self {
        Self {
            name: param.name,
            r#type: param.scheme.unbounded().show(),
            value: tuning.default_of(component, param).unwrap_or_default(),
            range: param.scheme.range().map(|(min, max)| RangeJson { min, max }),
        }
    }
}
