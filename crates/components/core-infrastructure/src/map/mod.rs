//! Working with maps: values of one type by keys that only the run knows.

use svc_contract::{
    registry::{Bias, Component, Field, FieldScheme, Max, Scheme, inline},
    value::{Record, Value},
};

mod build;
mod parts;

pub(super) const COMPONENT: Component = Component {
    name: "map",
    cluster: "core-infrastructure",
    summary: "Builds maps from lists, and reads and merges them.",
    version: 1,
    bias: Bias::new(
        "a value for each key, in the order in which the keys were added",
        &["keys are strings", "a key occurs once"],
    ),
    aliases: &[("to_map", "to_map"), ("values", "values"), ("merge", "merge")],
    ops: &[inline::<build::ToMap>(), inline::<parts::Values>(), inline::<build::Merge>()],
};

/// Any map: `map<T>`.
const ANY: Scheme = Scheme::Map(&Scheme::Var('T'));

/// A map, a record, or a `json` value that is an object.
pub(crate) struct Mapped(pub(crate) Record);

impl Field for Mapped {
    const SCHEME: Scheme = ANY;

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Record(it) => Some(Self(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Record(self.0)
    }
}

/// `[{ key: string, value: T }]`
const ENTRIES: Scheme = Scheme::List(
    &Scheme::Record(
        "",
        &[
            FieldScheme { name: "key", doc: "The key.", scheme: Scheme::Text },
            FieldScheme { name: "value", doc: "The value of the key.", scheme: Scheme::Var('T') },
        ],
    ),
    Max::Unknown,
);

/// `[{ key: string, items: T }]`
const GROUPS: Scheme = Scheme::List(
    &Scheme::Record(
        "",
        &[
            FieldScheme { name: "key", doc: "The key of the group.", scheme: Scheme::Text },
            FieldScheme { name: "items", doc: "Its items.", scheme: Scheme::Var('T') },
        ],
    ),
    Max::Unknown,
);
