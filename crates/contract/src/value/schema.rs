//! The JSON Schema of a type, for services that must return JSON.

use super::{EnumType, Record, RecordType, Text, Type, Value, json};

/// How a duration and a size are written, as `units` reads them.
const DURATION: &str = r"^([0-9]{1,9}(\.[0-9]{1,9})?(ms|s|m|h|d))+$";
const SIZE: &str = r"^[0-9]{1,9}(\.[0-9]{1,9})?(B|kB|KiB|MB|MiB|GB|GiB)$";

/// The representation of ranges and of list limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranges {
    /// As `minimum`, `maximum` and `maxItems`.
    Asserted,
    /// In words, for services that refuse a schema with these keywords.
    Described,
}

/// The schema of `ty`, or the part of it that has none.
///
/// Records are closed and all their fields are required; a field of type `T?` may be null.
/// Units are strings, written as in the language; times and dates are strings with a `format`. The schema is a value, whose fields keep their
/// order: services answer in it.
pub fn of(ty: &Type, ranges: Ranges) -> Result<Value, &Type> {
    Ok(match ty {
        Type::Unknown | Type::Json | Type::Var(_) => fields([]),
        Type::Bool => typed("boolean", []),
        Type::Int(range) => {
            number("integer", range.map(|(low, high)| (low.into(), high.into())), ranges)
        }
        Type::Float(range) => {
            number("number", range.map(|(low, high)| (low.into(), high.into())), ranges)
        }
        Type::Text => typed("string", []),
        Type::Duration => unit("a duration, such as 30s, 5m or 1h30m", DURATION, ranges),
        Type::Time => typed("string", [("format", "date-time".into())]),
        Type::Date => typed("string", [("format", "date".into())]),
        // Without a pattern, which language models do not need here and which costs tokens.
        Type::Money => described("an amount of US dollars, such as $0.05"),
        Type::Size => unit("a size, such as 10MB or 2KiB", SIZE, ranges),
        Type::Model(_) => described("the id of a model"),
        Type::List(item, max) => list(of(item, ranges)?, *max, ranges),
        Type::Record(record) => of_record(record, ranges)?,
        Type::Map(item) => typed("object", [("additionalProperties", of(item, ranges)?)]),
        Type::Enum(of) => one_of(of),
        Type::Optional(inner) => {
            fields([("anyOf", vec![of(inner, ranges)?, typed("null", [])].into())])
        }
        _ => return Err(ty),
    })
}

/// The schema of an object that has these properties, all of them required, and no others.
pub fn object(properties: Record) -> Value {
    let required: Vec<Value> = properties.names().iter().map(|it| it.clone().into()).collect();
    typed(
        "object",
        [
            ("properties", properties.into()),
            ("required", required.into()),
            ("additionalProperties", false.into()),
        ],
    )
}

/// Whether a schema is complete: `json` inside may be anything.
pub fn is_strict(ty: &Type) -> bool {
    match ty {
        Type::Unknown | Type::Json | Type::Map(_) | Type::Var(_) => false,
        Type::List(inner, _) | Type::Optional(inner) => is_strict(inner),
        Type::Record(record) => record.fields.iter().all(|(_, ty)| is_strict(ty)),
        _ => true,
    }
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Record(fields.into_iter().map(|(name, value)| (Text::from(name), value)).collect())
}

/// The schema of a type with this name in JSON Schema, with further keywords.
fn typed<const N: usize>(name: &str, more: [(&str, Value); N]) -> Value {
    let all = std::iter::once(("type", name.into())).chain(more);
    Value::Record(all.map(|(name, value)| (Text::from(name), value)).collect())
}

fn number(name: &str, range: Option<(Value, Value)>, ranges: Ranges) -> Value {
    match (range, ranges) {
        (None, _) => typed(name, []),
        (Some((low, high)), Ranges::Asserted) => typed(name, [("minimum", low), ("maximum", high)]),
        (Some((low, high)), Ranges::Described) => {
            let range = format!("from {} to {}", json::write(&low), json::write(&high));
            typed(name, [("description", range.into())])
        }
    }
}

fn unit(what: &str, pattern: &str, ranges: Ranges) -> Value {
    match ranges {
        Ranges::Asserted => {
            typed("string", [("description", what.into()), ("pattern", pattern.into())])
        }
        Ranges::Described => described(what),
    }
}

fn described(what: &str) -> Value {
    typed("string", [("description", what.into())])
}

fn list(item: Value, max: Option<u64>, ranges: Ranges) -> Value {
    match (max, ranges) {
        (None, _) => typed("array", [("items", item)]),
        (Some(max), Ranges::Asserted) => {
            typed("array", [("items", item), ("maxItems", max.into())])
        }
        (Some(max), Ranges::Described) => {
            let most = format!("at most {max} items");
            typed("array", [("items", item), ("description", most.into())])
        }
    }
}

fn of_record(record: &RecordType, ranges: Ranges) -> Result<Value, &Type> {
    let properties = record.fields.iter().map(|(name, ty)| Ok((name.clone(), of(ty, ranges)?)));
    properties.collect::<Result<Record, _>>().map(object)
}

fn one_of(of: &EnumType) -> Value {
    let variants: Vec<Value> = of.variants.iter().map(|it| it.clone().into()).collect();
    typed("string", [("enum", variants.into())])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn note() -> Type {
        let kinds = EnumType { name: None, variants: vec!["bug".into(), "idea".into()] };
        let scores = Type::List(Arc::new(Type::Float(Some((0.0, 1.0)))), Some(3));
        Type::record(vec![
            ("title".into(), Type::Text.optional()),
            ("kind".into(), Type::Enum(Arc::new(kinds))),
            ("scores".into(), scores),
        ])
    }

    #[test]
    fn records_are_closed_ordered_and_ranges_asserted() {
        let wanted = r#"{"type":"object","properties":{"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"kind":{"type":"string","enum":["bug","idea"]},"scores":{"type":"array","items":{"type":"number","minimum":0.0,"maximum":1.0},"maxItems":3}},"required":["title","kind","scores"],"additionalProperties":false}"#;
        assert_eq!(json::write(&of(&note(), Ranges::Asserted).unwrap()), wanted);
    }

    #[test]
    fn ranges_can_be_described_in_words() {
        let schema = json::write(&of(&note(), Ranges::Described).unwrap());
        let item = r#"{"type":"number","description":"from 0.0 to 1.0"}"#;
        let wanted = r#""scores":{"type":"array","items":_,"description":"at most 3 items"}"#;
        assert!(schema.contains(&wanted.replace('_', item)), "{schema}");
    }

    #[test]
    fn what_cannot_be_said_is_named() {
        let inner = Type::record(vec![("data".into(), Type::Bytes)]);
        assert_eq!(of(&Type::list(inner), Ranges::Asserted), Err(&Type::Bytes));
        assert!(is_strict(&note()) && !is_strict(&Type::list(Type::Json)));
    }
}
