//! The bias of a component as a record, as the specification defines it: what is active, and what is
//! proposed.

use svc_contract::{
    registry::{Component, OpError, Param},
    value::{Record as ValueRecord, Text, Value},
};

use crate::{
    knobs::{Changes, Kind, Knobs},
    value::{object, texts},
};

/// A bias: the params that differ from the defaults, and its version.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub changes: Changes,
    pub version: u64,
}

/// The fields of a bias.
const FIELDS: [&str; 6] =
    ["name", "type", "strategy", "assumptions", "evolvable_params", "version"];

impl Record {
    pub(crate) fn value(&self, knobs: &Knobs) -> Value {
        let component = knobs.component;
        let params = knobs.all.iter().map(|knob| {
            let value = self.changes.get(knob.name).unwrap_or(&knob.default).clone();
            let (kind, min, max) = match &knob.kind {
                Kind::Float { min, max } => ("float", Some((*min).into()), Some((*max).into())),
                Kind::Int { min, max } => ("int", Some((*min).into()), Some((*max).into())),
                Kind::Choice(all) if matches!(all.first(), Some(Value::Bool(_))) => {
                    ("bool", None, None)
                }
                Kind::Choice(_) => ("string", None, None),
            };
            let all: [(&str, Option<Value>); 4] =
                [("type", Some(kind.into())), ("value", Some(value)), ("min", min), ("max", max)];
            let all = all.into_iter().filter_map(|(name, it)| Some((Text::from(name), it?)));
            (Text::from(knob.name), Value::Record(all.collect()))
        });
        object([
            ("name", component.name.into()),
            ("type", component.type_name().into()),
            ("strategy", component.bias.strategy.into()),
            ("assumptions", texts(component.bias.assumptions.iter().copied())),
            ("evolvable_params", Value::Record(params.collect())),
            ("version", self.version.into()),
        ])
    }

    /// Reads a whole bias. The first safety layer: each field is there and of its type, name, type,
    /// strategy and assumptions are those of the component, each tunable is there, and each value is of
    /// its type and in its range.
    pub(crate) fn read(value: &Value, knobs: &Knobs) -> Result<Self, OpError> {
        let Value::Record(record) = value else {
            let message = format!("expected an object as the bias, found {}", value.kind());
            return Err(OpError::invalid_input(message));
        };
        if let Some((name, _)) = record.iter().find(|(name, _)| !FIELDS.contains(&&***name)) {
            let message = format!("unknown field `{name}` of the bias");
            return Err(OpError::invalid_input(message)
                .help(format!("its fields are {}", FIELDS.join(", "))));
        }
        same_component(record, knobs.component)?;
        let version = match field(record, "version")? {
            Value::Int(it) if *it >= 0 => it.cast_unsigned(),
            other => return Err(expected("an int from 0", "version", other)),
        };
        let params = match field(record, "evolvable_params")? {
            Value::Record(params) => params,
            other => return Err(expected("an object", "evolvable_params", other)),
        };
        if let Some(missing) = knobs.all.iter().find(|it| !params.has(it.name)) {
            let message = format!("`{}` is missing in `evolvable_params`", missing.name);
            return Err(OpError::invalid_input(message)
                .help("a candidate is a whole bias: take it from a snapshot or a proposal"));
        }
        let values: Result<ValueRecord, OpError> = params
            .iter()
            .map(|(name, it)| Ok((name.clone(), value_of(name, it, knobs)?)))
            .collect();
        Ok(Self { changes: knobs.read(&values?)?, version })
    }
}

fn field<'r>(record: &'r ValueRecord, name: &str) -> Result<&'r Value, OpError> {
    record
        .get(name)
        .ok_or_else(|| OpError::invalid_input(format!("`{name}` is missing in the bias")))
}

fn expected(what: &str, name: &str, found: &Value) -> OpError {
    let found = Param::written(found);
    OpError::invalid_input(format!("expected {what} for `{name}`, found {found}"))
}

fn same_component(record: &ValueRecord, component: &Component) -> Result<(), OpError> {
    let wanted = [
        ("name", component.name.to_owned()),
        ("type", component.type_name()),
        ("strategy", component.bias.strategy.to_owned()),
    ];
    for (name, own) in wanted {
        let found = field(record, name)?;
        if found.as_str() != Some(&own) {
            return Err(expected(&format!("\"{own}\""), name, found));
        }
    }
    let found = field(record, "assumptions")?;
    if *found != texts(component.bias.assumptions.iter().copied()) {
        return Err(expected(
            &format!("the assumptions of `{}`", component.name),
            "assumptions",
            found,
        ));
    }
    Ok(())
}

/// The value of one param. Its type and its bounds, if they are given, are those of the tunable: a
/// candidate cannot widen what it may be.
fn value_of(name: &str, given: &Value, knobs: &Knobs) -> Result<Value, OpError> {
    let Value::Record(given) = given else { return Err(expected("an object", name, given)) };
    let value = given
        .get("value")
        .ok_or_else(|| OpError::invalid_input(format!("`value` is missing in `{name}`")))?;
    let Some(knob) = knobs.find(name) else { return Ok(value.clone()) };
    let own = Record { changes: Changes::new(), version: 0 }.value(knobs);
    let own =
        own.as_record().and_then(|it| it.get("evolvable_params")?.as_record()?.get(knob.name));
    let own = own.and_then(Value::as_record);
    for (field, found) in given.iter().filter(|(field, _)| &***field != "value") {
        let wanted = own.and_then(|it| it.get(field));
        let is_same = wanted.is_some_and(|it| {
            it == found
                || crate::value::number(it)
                    .zip(crate::value::number(found))
                    .is_some_and(|(a, b)| (a - b).abs() < f64::EPSILON * a.abs().max(1.0))
        });
        if !is_same {
            let wanted = wanted.map_or_else(|| "nothing".to_owned(), Param::written);
            return Err(expected(&wanted, &format!("{name}.{field}"), found));
        }
    }
    Ok(value.clone())
}
