//! The params that are searched, as a script writes them.

#[cfg(feature = "learn")]
use svc_contract::registry::OpError;
use svc_contract::{
    registry::{Field, Scheme, record},
    value::{Record, Value},
};
#[cfg(feature = "learn")]
use svc_optimize::{Dimension, Point, Space};

record! {
    /// The range of a param: numbers from `min` to `max`, or `choices`.
    struct ParamRange {
        /// The lowest value.
        min: Option<f64>,
        /// The highest value.
        max: Option<f64>,
        /// Whether only whole numbers are meant.
        int: Option<bool>,
        /// Whether ratios count, and not differences; for ranges over several powers of ten.
        log: Option<bool>,
        /// The list of values to choose from, instead of a range.
        choices: Option<Value>,
    }
}

/// The params with their ranges, by name.
#[derive(Clone, Debug)]
pub(super) struct Ranges(Record);

impl Field for Ranges {
    const SCHEME: Scheme = Scheme::Map(&ParamRange::SCHEME);

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

/// What is searched, with the names and the choices that points are shown with.
#[cfg(feature = "learn")]
#[derive(Debug)]
pub(super) struct Named {
    pub(super) space: Space,
    params: Vec<(svc_contract::value::Text, Vec<Value>)>,
}

/// The most params of a space.
#[cfg(feature = "learn")]
const MOST_PARAMS: usize = 200;

#[cfg(feature = "learn")]
impl Named {
    pub(super) fn new(ranges: &Ranges) -> Result<Self, OpError> {
        if ranges.0.is_empty() || ranges.0.len() > MOST_PARAMS {
            let message = format!("expected 1 to {MOST_PARAMS} params, found {}", ranges.0.len());
            return Err(OpError::invalid_input(message));
        }
        let mut dimensions = Vec::new();
        let mut params = Vec::new();
        for (name, range) in ranges.0.iter() {
            let (dimension, choices) = ParamRange::decode(range.clone())
                .ok_or("expected a record")
                .and_then(dimension)
                .map_err(|reason| invalid(name, reason))?;
            if let Err(svc_optimize::SpaceError::Dimension { reason, .. }) =
                Space::new(vec![dimension])
            {
                return Err(invalid(name, reason));
            }
            dimensions.push(dimension);
            params.push((name.clone(), choices));
        }
        let space =
            Space::new(dimensions).map_err(|err| OpError::invalid_input(err.to_string()))?;
        Ok(Self { space, params })
    }

    pub(super) fn has_choices(&self) -> bool {
        self.space.dimensions().iter().any(|it| matches!(it, Dimension::Choice { count: 2.. }))
    }

    /// A point as a record.
    pub(super) fn shown(&self, point: &[f64]) -> Value {
        let fields = self.params.iter().zip(self.space.dimensions()).zip(point);
        let fields = fields.map(|(((name, choices), dimension), value)| {
            let value = match dimension {
                Dimension::Float { .. } => Value::Float(*value),
                Dimension::Int { .. } => Value::Int(int(*value)),
                Dimension::Choice { .. } => {
                    let at = usize::try_from(int(*value)).unwrap_or(0);
                    choices.get(at).cloned().unwrap_or_default()
                }
            };
            (name.clone(), value)
        });
        Value::Record(fields.collect())
    }

    /// The point of a record.
    pub(super) fn point(&self, at: &Value) -> Result<Point, OpError> {
        let Some(record) = at.as_record() else {
            let message = format!("expected a record of params, found {}", at.kind());
            return Err(OpError::invalid_input(message));
        };
        if let Some(name) =
            record.names().iter().find(|it| !self.params.iter().any(|own| own.0 == **it))
        {
            return Err(OpError::invalid_input(format!("unknown param `{name}`")));
        }
        let mut point = Point::new();
        for ((name, choices), dimension) in self.params.iter().zip(self.space.dimensions()) {
            let value = record.get(name).unwrap_or(&Value::Null);
            let number = if let Dimension::Choice { .. } = dimension {
                choices
                    .iter()
                    .position(|it| it == value)
                    .and_then(|it| u32::try_from(it).ok())
                    .map(f64::from)
            } else {
                f64::decode(value.clone())
            };
            let (min, max) = dimension.bounds();
            let Some(number) = number.filter(|it| (min..=max).contains(it)) else {
                let wanted = match dimension {
                    Dimension::Choice { .. } => "one of the choices".to_owned(),
                    _ => format!("{min} to {max}"),
                };
                let message = format!("expected {wanted} for `{name}`, found {value}");
                return Err(OpError::invalid_input(message));
            };
            if dimension.cells().is_some() && number.fract() != 0.0 {
                let message = format!("expected a whole number for `{name}`, found {value}");
                return Err(OpError::invalid_input(message));
            }
            point.push(number);
        }
        Ok(point)
    }
}

#[cfg(feature = "learn")]
fn invalid(name: &str, reason: &str) -> OpError {
    OpError::invalid_input(format!("invalid range of `{name}`: {reason}"))
        .help("give `min` and `max`, perhaps with `int: true` or `log: true`; or `choices`")
}

#[cfg(feature = "learn")]
fn dimension(range: ParamRange) -> Result<(Dimension, Vec<Value>), &'static str> {
    let ParamRange { min, max, int: whole, log, choices } = range;
    if let Some(choices) = choices {
        let Value::List(choices) = choices else { return Err("`choices` is not a list") };
        let choices = choices.into_vec();
        if min.is_some() || max.is_some() {
            return Err("it has `choices` and bounds");
        }
        return Ok((Dimension::Choice { count: choices.len() }, choices));
    }
    let (Some(min), Some(max)) = (min, max) else { return Err("missing `min` or `max`") };
    let dimension = match (whole == Some(true), log == Some(true)) {
        (true, true) => return Err("`int` and `log` exclude each other"),
        (true, false) if min.fract() != 0.0 || max.fract() != 0.0 => {
            return Err("the bounds are not whole");
        }
        (true, false) if min.abs().max(max.abs()) > 4.5e15 => {
            return Err("the ints are too large to be exact");
        }
        (true, false) => Dimension::Int { min: int(min), max: int(max) },
        (false, log) => Dimension::Float { min, max, log },
    };
    Ok((dimension, Vec::new()))
}

/// A whole float as an int.
#[cfg(feature = "learn")]
#[expect(clippy::cast_possible_truncation, reason = "it is whole, and exact as a float")]
fn int(value: f64) -> i64 {
    value as i64
}
