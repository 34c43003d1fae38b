//! Conversion of rhai values directly to the declared type.

use std::sync::Arc;

use rhai::{Blob, Dynamic, FnPtr, Map};
use svc_contract::value::{List, Record, Text, Type, TypeMismatch, Value};

use super::{amount::Amount, limits};

/// A type, prepared for the conversion of many values: records of one type share their
/// names.
#[derive(Debug)]
pub(super) enum Shape {
    Record(Arc<[Text]>, Vec<Self>, String),
    List(Box<Self>, Option<u64>, String),
    Map(Box<Self>, String),
    Optional(Box<Self>),
    Other(Type),
}

impl Shape {
    pub(super) fn of(ty: &Type) -> Self {
        match ty {
            Type::Record(of) => {
                let names = of.fields.iter().map(|(name, _)| name.clone()).collect();
                let shapes = of.fields.iter().map(|(_, ty)| Self::of(ty)).collect();
                Self::Record(names, shapes, ty.to_string())
            }
            Type::List(item, max) => Self::List(Self::of(item).into(), *max, ty.to_string()),
            Type::Map(item) => Self::Map(Self::of(item).into(), ty.to_string()),
            Type::Optional(inner) => Self::Optional(Self::of(inner).into()),
            other => Self::Other(other.clone()),
        }
    }

    /// Converts a value to this shape, or returns the part that does not fit.
    pub(super) fn leave(&self, value: Dynamic) -> Result<Value, TypeMismatch> {
        self.part(value, limits::DEPTH)
    }

    fn part(&self, value: Dynamic, depth: usize) -> Result<Value, TypeMismatch> {
        match self {
            Self::Optional(_) if value.is_unit() => Ok(Value::Null),
            Self::Optional(inner) => inner.part(value, depth),
            Self::Record(names, shapes, wanted) => match value.try_cast_result::<Map>() {
                Ok(map) => record(map, names, shapes, depth),
                Err(other) => Err(misfit(wanted, &other)),
            },
            Self::List(item, max, wanted) => match value.into_array_result() {
                Ok(items) => list(items, item, *max, depth),
                Err(other) => Err(misfit(wanted, &other)),
            },
            Self::Map(item, wanted) => match value.try_cast_result::<Map>() {
                Ok(map) => keyed(map, item, depth),
                Err(other) => Err(misfit(wanted, &other)),
            },
            Self::Other(ty) => {
                let amounts = if *ty == Type::Json { Amounts::AsJson } else { Amounts::Kept };
                any(value, depth, ty, amounts)?.cast(ty)
            }
        }
    }

    fn wanted(&self) -> String {
        match self {
            Self::Record(_, _, wanted) | Self::List(_, _, wanted) | Self::Map(_, wanted) => {
                wanted.clone()
            }
            Self::Optional(inner) => format!("{}?", inner.wanted()),
            Self::Other(ty) => ty.to_string(),
        }
    }
}

/// Conversion of a rhai value to an array.
trait IntoArray: Sized {
    fn into_array_result(self) -> Result<Vec<Dynamic>, Dynamic>;
}

impl IntoArray for Dynamic {
    fn into_array_result(self) -> Result<Vec<Dynamic>, Dynamic> {
        self.try_cast_result()
    }
}

fn record(
    mut map: Map,
    names: &Arc<[Text]>,
    shapes: &[Shape],
    depth: usize,
) -> Result<Value, TypeMismatch> {
    let mut values = Vec::with_capacity(names.len());
    for (name, shape) in names.iter().zip(shapes) {
        values.push(match (map.remove(name.as_ref()), shape) {
            (Some(it), _) => shape.part(it, depth).map_err(|it| below(it, name))?,
            (None, Shape::Optional(_)) => Value::Null,
            (None, _) => {
                let (path, wanted) = (name.to_string(), shape.wanted());
                return Err(TypeMismatch { path, wanted, given: "nothing".to_owned() });
            }
        });
    }
    Ok(Value::Record(Record::new(names.clone(), values)))
}

fn keyed(map: Map, shape: &Shape, depth: usize) -> Result<Value, TypeMismatch> {
    let mut fields = Vec::with_capacity(map.len());
    for (key, it) in map {
        let value = shape.part(it, depth).map_err(|it| below(it, &key))?;
        fields.push((Text::from(key.as_str()), value));
    }
    Ok(Value::Record(fields.into_iter().collect()))
}

fn list(
    items: Vec<Dynamic>,
    shape: &Shape,
    max: Option<u64>,
    depth: usize,
) -> Result<Value, TypeMismatch> {
    if let Some(max) = max.filter(|it| items.len() as u64 > *it) {
        let given = format!("one of {}", items.len());
        return Err(TypeMismatch {
            path: String::new(),
            wanted: format!("a list of at most {max}"),
            given,
        });
    }
    let part = |(idx, it)| shape.part(it, depth).map_err(|it| below(it, &format!("[{idx}]")));
    let items: Result<List, TypeMismatch> = items.into_iter().enumerate().map(part).collect();
    items.map(Value::List)
}

/// The conversion of durations, money, sizes, times and dates in a value without a declared type.
#[derive(Clone, Copy)]
enum Amounts {
    Kept,
    /// JSON has no amounts.
    AsJson,
}

/// Converts a constant of any type, and keeps its amounts.
pub(super) fn constant(value: Dynamic) -> Result<Value, TypeMismatch> {
    any(value, limits::DEPTH, &Type::Json, Amounts::Kept)
}

/// Converts a value of any type; `wanted` is for messages.
fn any(
    value: Dynamic,
    depth: usize,
    wanted: &Type,
    amounts: Amounts,
) -> Result<Value, TypeMismatch> {
    let Some(depth) = depth.checked_sub(1) else {
        let given = format!("nested deeper than {} levels", limits::DEPTH);
        return Err(TypeMismatch { path: String::new(), wanted: wanted.to_string(), given });
    };
    if value.is_unit() {
        return Ok(Value::Null);
    }
    let value = match value.as_bool() {
        Ok(it) => return Ok(Value::Bool(it)),
        Err(_) => value,
    };
    if let Ok(it) = value.as_int() {
        return Ok(Value::Int(it));
    }
    if let Ok(it) = value.as_float() {
        return if it.is_finite() {
            Ok(Value::Float(it))
        } else {
            Err(misfit(&wanted.to_string(), &value))
        };
    }
    if let Ok(it) = value.as_char() {
        return Ok(it.to_string().into());
    }
    if let Ok(it) = value.as_immutable_string_ref() {
        return Ok(Value::text(it.as_str()));
    }
    let value = match value.try_cast_result::<Amount>() {
        Ok(Amount(it)) => {
            return Ok(match amounts {
                Amounts::Kept => it,
                Amounts::AsJson => it.cast(&Type::Json).unwrap_or_default(),
            });
        }
        Err(other) => other,
    };
    let value = match value.into_array_result() {
        Ok(items) => {
            let part = |(idx, it)| {
                any(it, depth, &Type::Json, amounts).map_err(|it| below(it, &format!("[{idx}]")))
            };
            let items: Result<List, TypeMismatch> =
                items.into_iter().enumerate().map(part).collect();
            return items.map(Value::List);
        }
        Err(other) => other,
    };
    let value = match value.try_cast_result::<Map>() {
        Ok(map) => {
            let parts = map.into_iter().map(|(name, it)| {
                let value = any(it, depth, &Type::Json, amounts).map_err(|it| below(it, &name))?;
                Ok((Text::from(name.as_str()), value))
            });
            return parts.collect::<Result<Record, _>>().map(Value::Record);
        }
        Err(other) => other,
    };
    match value.try_cast_result::<Blob>() {
        Ok(it) => Ok(Value::Bytes(it.into())),
        Err(other) => Err(misfit(&wanted.to_string(), &other)),
    }
}

fn below(misfit: TypeMismatch, step: &str) -> TypeMismatch {
    let path = match misfit.path.as_str() {
        "" => step.to_owned(),
        inner if inner.starts_with('[') => format!("{step}{inner}"),
        inner => format!("{step}.{inner}"),
    };
    TypeMismatch { path, ..misfit }
}

fn misfit(wanted: &str, given: &Dynamic) -> TypeMismatch {
    TypeMismatch { path: String::new(), wanted: wanted.to_owned(), given: kind(given) }
}

/// Describes a value of rhai for messages.
fn kind(value: &Dynamic) -> String {
    if value.is_unit() {
        return "null".to_owned();
    }
    if value.is_int() || value.is_float() || value.is_bool() {
        return value.to_string();
    }
    if value.is::<FnPtr>() {
        return "a function".to_owned();
    }
    let name = match value.type_name() {
        "array" => "a list",
        "map" => "a record",
        "string" | "char" => "a string",
        "blob" => "bytes",
        other if other.ends_with("Amount") => "an amount",
        other if other.contains("ange") => "a range",
        _ => "a value of another kind",
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use rhai::Array;

    use super::*;
    use svc_contract::value::json;

    #[test]
    fn a_misfit_says_where() {
        let line = Type::record(vec![("total".into(), Type::FLOAT)]);
        let shape = Shape::of(&Type::record(vec![("lines".into(), Type::list(line))]));
        let line = |total: Dynamic| Dynamic::from_map([("total".into(), total)].into());
        let lines = |all: Array| Dynamic::from_map([("lines".into(), all.into())].into());
        let good = shape.leave(lines(vec![line(1_i64.into()), line(2.5_f64.into())])).unwrap();
        assert_eq!(json::write(&good), r#"{"lines":[{"total":1.0},{"total":2.5}]}"#);
        let wrong = shape.leave(lines(vec![line(1_i64.into()), line("x".into())])).unwrap_err();
        assert_eq!(wrong.to_string(), "expected float for `lines[1].total`, found \"x\"");
        let missing = shape.leave(Dynamic::from_map(Map::new())).unwrap_err();
        assert_eq!(missing.to_string(), "expected [{ total: float }] for `lines`, found nothing");
    }
}
