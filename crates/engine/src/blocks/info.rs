//! Components and their biases as data.

use std::collections::BTreeSet;

use serde::Serialize;
use svc_contract::{
    registry::{Component, FieldScheme, OpDef, Param, Scheme, Tier, Tuning},
    value::{Record, Text, Value},
};

/// What a list of components says about one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComponentInfo {
    /// The name, in lower snake case.
    pub name: &'static str,
    /// The cluster that it belongs to.
    pub category: &'static str,
    /// One line.
    pub description: &'static str,
    /// Whether one of its ops has a public name, which servers of tools offer.
    pub mcp: bool,
    /// The names of the record types of its params and results, sorted.
    pub types: Vec<&'static str>,
    /// Incremented whenever an op returns another result for the same arguments.
    pub version: u32,
    /// Whether it learns models.
    pub learns: bool,
    /// Its own ops. Every component also has `learn`, `save` and `load`.
    pub ops: Vec<OpInfo>,
}

/// What a list of components says about an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OpInfo {
    /// The name.
    pub name: &'static str,
    /// The params as `name: type = default`; the first one is the input.
    pub params: Vec<String>,
    /// The type of the result.
    pub result: String,
    /// The public name, if it has one.
    pub tool: Option<&'static str>,
    /// Who may call it by its public name: `free`, `researcher`, `builder`, ..
    pub tier: Option<&'static str>,
}

impl ComponentInfo {
    pub(super) fn of(component: &Component) -> Self {
        Self {
            name: component.name,
            category: component.cluster,
            description: component.summary,
            mcp: component.ops.iter().any(|it| it.tool.is_some()),
            types: types(component),
            version: component.version,
            learns: component.learns(),
            ops: component.ops.iter().map(OpInfo::of).collect(),
        }
    }
}

impl OpInfo {
    fn of(op: &OpDef) -> Self {
        Self {
            name: op.name,
            params: op.params.iter().map(Param::signature).collect(),
            result: op.yields.show(),
            tool: op.tool.map(|it| it.name),
            tier: op.tool.map(|it| Tier::name(it.tier)),
        }
    }
}

/// The names of the record types that a component takes or returns.
fn types(component: &Component) -> Vec<&'static str> {
    let mut names = BTreeSet::new();
    for op in component.ops {
        let params = op.params.iter().map(|it| it.scheme);
        params.chain([*op.yields]).for_each(|it| collect(it, &mut names));
    }
    names.into_iter().collect()
}

fn collect(scheme: Scheme, names: &mut BTreeSet<&'static str>) {
    match scheme {
        Scheme::List(inner, _) | Scheme::Map(inner) | Scheme::Optional(inner) => {
            collect(*inner, names);
        }
        Scheme::OneOf(all) => all.iter().for_each(|it| collect(*it, names)),
        Scheme::Flow(takes, gives, _) => {
            collect(*takes, names);
            collect(*gives, names);
        }
        Scheme::Record(name, fields) => {
            if !name.is_empty() {
                names.insert(name);
            }
            fields.iter().map(|it: &FieldScheme| it.scheme).for_each(|it| collect(it, names));
        }
        _ => {}
    }
}

/// The bias of a component, as the specification defines it.
pub(super) fn bias(component: &Component, tuning: &Tuning) -> Record {
    let texts = |all: &[&str]| all.iter().map(|it| Value::from(*it)).collect::<Vec<_>>();
    let evolvable = component.evolvable();
    let evolvable =
        evolvable.map(|it| (Text::from(it.name), evolvable_param(component, it, tuning)));
    record([
        ("name", component.name.into()),
        ("type", component.type_name().into()),
        ("strategy", component.bias.strategy.into()),
        ("assumptions", texts(component.bias.assumptions).into()),
        ("evolvable_params", Value::Record(evolvable.collect())),
        ("version", i64::from(component.version).into()),
    ])
}

/// The type, the value and the range of a param; the range is null if it has none.
fn evolvable_param(component: &Component, param: &Param, tuning: &Tuning) -> Value {
    let (min, max) = param.scheme.range().unwrap_or_default();
    Value::Record(record([
        ("type", param.scheme.unbounded().show().into()),
        ("value", tuning.default_of(component, param).unwrap_or_default()),
        ("min", min),
        ("max", max),
    ]))
}

fn record<const N: usize>(fields: [(&str, Value); N]) -> Record {
    fields.into_iter().map(|(name, value)| (Text::from(name), value)).collect()
}
