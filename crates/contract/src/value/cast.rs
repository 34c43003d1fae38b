//! Casts a value of an unknown type to a given type: `x as T`, inputs from outside, results of
//! components.

use super::{
    EnumType, List, Model, Money, Record, RecordType, Text, Type, TypeMismatch, Value, json,
    misfit::{Misfit, Step},
    times, units,
};

impl Value {
    /// Casts this value to `wanted`.
    ///
    /// Units, times, dates, paths and bytes are read from strings as in JSON, whole floats become ints, a
    /// missing field of an optional type becomes null, and fields that are not in the record
    /// type are dropped. Everything else must match exactly. The resulting record has the
    /// fields of its type, in order.
    pub fn cast(self, wanted: &Type) -> Result<Self, TypeMismatch> {
        let is_composed = matches!(self, Self::List(_) | Self::Record(_));
        if is_composed && wanted.admits(&self) && wanted.is_exactly(&self) {
            return Ok(self);
        }
        cast(self, wanted).map_err(Misfit::whole)
    }

    /// A value as a person writes it, to be cast to `ty`: text stays text if text is expected,
    /// and is parsed as JSON otherwise.
    pub fn from_words(text: Text, ty: &Type) -> Self {
        match ty.required() {
            Type::Text
            | Type::Path
            | Type::Enum(_)
            | Type::Duration
            | Type::Time
            | Type::Date
            | Type::Money
            | Type::Size => {
                if ty.is_optional() && text.as_ref() == "null" {
                    Self::Null
                } else {
                    Self::Text(text)
                }
            }
            _ => json::read(&text).unwrap_or(Self::Text(text)),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
fn cast(value: Value, wanted: &Type) -> Result<Value, Misfit> {
    use Value as V;
    Ok(match (value, wanted) {
        (it, Type::Unknown) => it,
        (it, Type::Json) => as_json(it),
        (V::Null, Type::Optional(_)) => V::Null,
        (it, Type::Optional(inner)) => return cast(it, inner),
        (V::Bool(it), Type::Bool) => V::Bool(it),
        (V::Int(it), Type::Int(range)) if inside(it, *range) => V::Int(it),
        (V::Float(it), Type::Int(range)) if whole(it).is_some_and(|it| inside(it, *range)) => {
            V::Int(whole(it).unwrap_or_default())
        }
        (V::Int(it), Type::Float(range)) if inside(it as f64, *range) => V::Float(it as f64),
        (V::Float(it), Type::Float(range)) if inside(it, *range) => V::Float(it),
        (V::Text(it), Type::Text) => V::Text(it),
        (V::Text(it), Type::Enum(of)) if of.contains(&it) => V::Text(it),
        (V::Text(it), Type::Path) => V::Path(it),
        (V::Path(it), Type::Path) => V::Path(it),
        (V::Duration(it), Type::Duration) => V::Duration(it),
        (V::Time(it), Type::Time) => V::Time(it),
        (V::Date(it), Type::Date) => V::Date(it),
        (V::Money(it), Type::Money) => V::Money(it),
        (V::Size(it), Type::Size) => V::Size(it),
        (V::Bytes(it), Type::Bytes) => V::Bytes(it),
        (V::Secret(it), Type::Secret) => V::Secret(it),
        (V::Flow(it), Type::Flow(_)) => V::Flow(it),
        (V::Model(it), Type::Model(of)) if it.may_be_of(of) => V::Model(it),
        (V::Opaque(it), Type::Opaque(of)) if it.ty() == *of => V::Opaque(it),
        (V::Text(it), Type::Model(_)) => match it.parse() {
            Ok(id) => V::Model(Model::stored(id)),
            Err(()) => return Err(wrong(wanted, &V::Text(it))),
        },
        (V::Text(it), Type::Bytes) => match json::read_bytes(&it) {
            Some(bytes) => V::Bytes(bytes.into()),
            None => return Err(wrong(wanted, &V::Text(it))),
        },
        (V::Text(it), Type::Duration | Type::Time | Type::Date | Type::Money | Type::Size) => {
            return read_unit(&it, wanted).ok_or_else(|| wrong(wanted, &V::Text(it)));
        }
        (V::Int(it), Type::Size) if it >= 0 => V::Size(it.unsigned_abs()),
        (V::List(items), Type::List(item, max)) => V::List(cast_items(items, item, *max)?),
        (V::Record(record), Type::Map(item)) => V::Record(cast_values(&record, item)?),
        (V::Record(record), Type::Record(of)) => V::Record(cast_fields(&record, of)?),
        (it, wanted) => return Err(wrong(wanted, &it)),
    })
}

/// The form of a value in JSON, where units, times, dates, paths and bytes are plain strings and numbers.
fn as_json(value: Value) -> Value {
    use Value as V;
    match value {
        it if Type::Json.is_exactly(&it) => it,
        V::Size(it) => i64::try_from(it).map_or_else(|_| V::Size(it).to_string().into(), V::Int),
        V::Path(it) => V::Text(it),
        V::List(items) => V::List(items.into_vec().into_iter().map(as_json).collect()),
        V::Record(record) => {
            let fields = record.iter().map(|(name, it)| (name.clone(), as_json(it.clone())));
            V::Record(fields.collect())
        }
        unit @ (V::Duration(_) | V::Time(_) | V::Date(_) | V::Money(_)) => {
            V::from(unit.to_string())
        }
        // In JSON it is a string of hex digits.
        bytes @ V::Bytes(_) => V::from(bytes.to_string().trim_matches('"')),
        model @ V::Model(_) => V::from(model.to_string()),
        it => it,
    }
}

fn cast_items(items: List, item: &Type, max: Option<u64>) -> Result<List, Misfit> {
    if let Some(max) = max.filter(|max| items.len() as u64 > *max) {
        let wanted = format!("a list of at most {max} items");
        let given = format!("a list of {} items", items.len());
        return Err(Misfit::new(wanted, given));
    }
    items
        .into_vec()
        .into_iter()
        .enumerate()
        .map(|(idx, it)| cast(it, item).map_err(|wrong| wrong.inside(Step::Item(idx))))
        .collect()
}

fn cast_values(record: &Record, item: &Type) -> Result<Record, Misfit> {
    let values: Result<Vec<Value>, Misfit> = record
        .iter()
        .map(|(key, it)| cast(it.clone(), item).map_err(|it| it.inside(Step::Field(key.clone()))))
        .collect();
    Ok(Record::new(record.names().clone(), values?))
}

fn cast_fields(record: &Record, of: &RecordType) -> Result<Record, Misfit> {
    of.fields
        .iter()
        .map(|(name, ty)| {
            let value = match record.get(name) {
                Some(it) => {
                    cast(it.clone(), ty).map_err(|it| it.inside(Step::Field(name.clone())))?
                }
                None if ty.is_optional() => Value::Null,
                None => {
                    let missing = Misfit::new(ty.to_string(), "nothing");
                    return Err(missing.inside(Step::Field(name.clone())));
                }
            };
            Ok((name.clone(), value))
        })
        .collect()
}

fn read_unit(text: &str, wanted: &Type) -> Option<Value> {
    match wanted {
        Type::Duration => units::parse_duration(text).map(Value::Duration),
        Type::Time => times::parse_time(text).map(Value::Time),
        Type::Date => times::parse_date(text).map(Value::Date),
        Type::Money => Money::read(text).map(Value::Money),
        _ => units::parse_size(text).map(Value::Size),
    }
}

fn inside<N: PartialOrd + Copy>(it: N, range: Option<(N, N)>) -> bool {
    range.is_none_or(|(low, high)| low <= it && it <= high)
}

#[expect(clippy::cast_possible_truncation, reason = "the range is tested first")]
fn whole(it: f64) -> Option<i64> {
    (it.fract() == 0.0 && it.abs() < 9.0e18).then_some(it as i64)
}

fn wrong(wanted: &Type, given: &Value) -> Misfit {
    let wanted = match wanted {
        Type::Enum(of) => one_of(of),
        Type::Time => format!("a time such as {}", times::TIME_EXAMPLE),
        Type::Date => format!("a date such as {}", times::DATE_EXAMPLE),
        other => other.to_string(),
    };
    let given = match given {
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Null => given.to_string(),
        Value::Text(it) if it.chars().count() <= 40 => format!("{it:?}"),
        other => format!("a {}", other.kind()),
    };
    Misfit::new(wanted, given)
}

fn one_of(of: &EnumType) -> String {
    let all: Vec<String> = of.variants.iter().map(|it| format!("{it:?}")).collect();
    format!("one of {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_misfit_says_where() {
        let wanted =
            Type::list(Type::record(vec![("score".into(), Type::Float(Some((0.0, 1.0))))]));
        let good = json::read(r#"[{"score": 1, "more": 2}]"#).unwrap().cast(&wanted).unwrap();
        assert_eq!(json::write(&good), r#"[{"score":1.0}]"#);
        let bad = json::read(r#"[{"score": 0.5}, {"score": 7}]"#).unwrap().cast(&wanted);
        assert_eq!(bad.unwrap_err().to_string(), "expected float 0..1 for `[1].score`, found 7");
    }
}
