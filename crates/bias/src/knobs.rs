//! The tunables of a component as a space to search in.

use std::collections::BTreeMap;

use svc_contract::{
    registry::{Component, OpError, Param, Registry, Scheme, Tuning},
    value::{Record, Text, Value},
};
use svc_optimize::{Dimension, Point, Space};

use crate::value::number;

/// Changed params of a component, by name. A param that has its default is not among them.
pub(crate) type Changes = BTreeMap<String, Value>;

/// The tunables of a component that evolution may change.
#[derive(Clone, Debug)]
pub(crate) struct Knobs {
    pub component: &'static Component,
    pub all: Vec<Knob>,
    pub space: Space,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Knob {
    pub name: &'static str,
    pub kind: Kind,
    pub default: Value,
}

/// Its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Float { min: f64, max: f64 },
    Int { min: i64, max: i64 },
    Choice(Vec<Value>),
}

/// The digits of a float that a person can compare.
const DIGITS: i32 = 3;

impl Knobs {
    /// The tunables of the component of this name.
    pub(crate) fn of(registry: &Registry, component: &str) -> Result<Self, OpError> {
        let found = registry.find(component).ok_or_else(|| {
            let error = OpError::not_found(format!("unknown component `{component}`"));
            match registry.suggest(component) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }
        })?;
        let component = found.component();
        let all: Vec<Knob> = component.evolvable().filter_map(Knob::of).collect();
        if all.is_empty() {
            let message = format!("`{}` has no tunables", component.name);
            return Err(OpError::invalid_input(message)
                .help("`svc bias snapshot` lists the components that have some"));
        }
        let dimensions = all.iter().map(|it| it.kind.dimension()).collect();
        let space = Space::new(dimensions).map_err(|err| OpError::bug(err.to_string()))?;
        Ok(Self { component, all, space })
    }

    /// The components that have tunables, by name.
    pub(crate) fn tunable(registry: &Registry) -> Vec<&'static Component> {
        let all =
            registry.components().iter().copied().filter(|it| it.evolvable().next().is_some());
        let mut all: Vec<&'static Component> = all.collect();
        all.sort_by_key(|it| it.name);
        all
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Knob> {
        self.all.iter().find(|it| it.name == name)
    }

    /// The changes at a point: with as few digits as a person can compare, and without defaults.
    pub(crate) fn changes(&self, point: &Point) -> Changes {
        let values = self.all.iter().zip(point);
        let values = values.map(|(knob, at)| (knob, knob.kind.value(*at)));
        values
            .filter(|(knob, value)| *value != knob.default)
            .map(|(knob, value)| (knob.name.to_owned(), value))
            .collect()
    }

    /// The point of changes.
    pub(crate) fn point(&self, changes: &Changes) -> Point {
        let at = |knob: &Knob| {
            let value = changes.get(knob.name).unwrap_or(&knob.default);
            knob.kind.at(value).unwrap_or(0.0)
        };
        self.all.iter().map(at).collect()
    }

    /// The changes as changed defaults of an engine.
    pub(crate) fn tuning(&self, registry: &Registry, changes: &Changes) -> Result<Tuning, OpError> {
        let mut tuning = Tuning::default();
        for (name, value) in changes {
            tuning.set(registry, &format!("{}.{name}", self.component.name), value.clone())?;
        }
        Ok(tuning)
    }

    /// Reads changes from a record of values: every name is a tunable, and every value is of its type and
    /// in its range. A value that is the default is not a change.
    pub(crate) fn read(&self, record: &Record) -> Result<Changes, OpError> {
        let mut changes = Changes::new();
        for (name, value) in record.iter() {
            let Some(knob) = self.find(name) else {
                let known: Vec<&str> = self.all.iter().map(|it| it.name).collect();
                let message = format!("`{name}` is not a tunable of `{}`", self.component.name);
                return Err(OpError::not_found(message)
                    .help(format!("its tunables are {}", known.join(", "))));
            };
            let value = knob.accept(value)?;
            if value != knob.default {
                changes.insert(knob.name.to_owned(), value);
            }
        }
        Ok(changes)
    }
}

impl Knob {
    fn of(param: &'static Param) -> Option<Self> {
        let default = param.default?.value();
        let kind = match param.scheme.required() {
            Scheme::FloatRange(min, max) => Kind::Float { min, max },
            Scheme::IntRange(min, max) => Kind::Int { min, max },
            Scheme::Bool => Kind::Choice(vec![Value::Bool(false), Value::Bool(true)]),
            Scheme::Enum(names) => {
                Kind::Choice(names.iter().map(|it| Value::Text((*it).into())).collect())
            }
            _ => return None,
        };
        Some(Self { name: param.name, kind, default })
    }

    /// A value of the type of this tunable, in its range.
    pub(crate) fn accept(&self, value: &Value) -> Result<Value, OpError> {
        let (expected, accepted) = match (&self.kind, value) {
            (Kind::Float { min, max }, _) => {
                let fits = number(value).filter(|it| it.is_finite() && (*min..=*max).contains(it));
                (format!("a float from {min} to {max}"), fits.map(Value::Float))
            }
            (Kind::Int { min, max }, Value::Int(it)) => {
                let fits = (min..=max).contains(&it).then_some(Value::Int(*it));
                (format!("an int from {min} to {max}"), fits)
            }
            (Kind::Int { min, max }, _) => (format!("an int from {min} to {max}"), None),
            (Kind::Choice(all), _) => {
                let names: Vec<String> = all.iter().map(Param::written).collect();
                (
                    format!("one of {}", names.join(", ")),
                    all.iter().find(|it| *it == value).cloned(),
                )
            }
        };
        accepted.ok_or_else(|| {
            let found = Param::written(value);
            OpError::invalid_input(format!(
                "expected {expected} for `{}`, found {found}",
                self.name
            ))
        })
    }
}

impl Kind {
    fn dimension(&self) -> Dimension {
        match self {
            // A range over several orders of magnitude is searched by factors.
            Self::Float { min, max } => {
                Dimension::Float { min: *min, max: *max, log: *min > 0.0 && max / min > 100.0 }
            }
            Self::Int { min, max } => Dimension::Int { min: *min, max: *max },
            Self::Choice(all) => Dimension::Choice { count: all.len() },
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in a small range")]
    fn value(&self, at: f64) -> Value {
        match self {
            Self::Float { min, max } => Value::Float(significant(at).clamp(*min, *max)),
            Self::Int { min, max } => Value::Int((at.round() as i64).clamp(*min, *max)),
            Self::Choice(all) => {
                let last = all.len().saturating_sub(1);
                all.get((at.round().max(0.0) as usize).min(last)).cloned().unwrap_or_default()
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "in a small range")]
    fn at(&self, value: &Value) -> Option<f64> {
        match self {
            Self::Float { .. } | Self::Int { .. } => number(value),
            Self::Choice(all) => all.iter().position(|it| it == value).map(|it| it as f64),
        }
    }
}

/// A number with three significant digits.
pub(crate) fn significant(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "an exponent")]
    let digits = DIGITS - 1 - number.abs().log10().floor() as i32;
    let text = format!("{number:.*}", usize::try_from(digits.clamp(0, 12)).unwrap_or(0));
    text.parse().unwrap_or(number)
}

/// The changes as a record.
pub(crate) fn record(changes: &Changes) -> Value {
    let fields = changes.iter().map(|(name, value)| (Text::from(name.as_str()), value.clone()));
    Value::Record(fields.collect())
}

/// `b = 0.5, k1 = 1.5`; `the defaults` without changes.
pub(crate) fn shown(changes: &Changes) -> String {
    if changes.is_empty() {
        return "the defaults".to_owned();
    }
    let all: Vec<String> =
        changes.iter().map(|(name, value)| format!("{name} = {}", Param::written(value))).collect();
    all.join(", ")
}
