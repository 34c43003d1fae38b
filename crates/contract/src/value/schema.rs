//! The JSON Schema of a type, for services that must return JSON.

use serde_json::{Map, Value as Json, json};

use super::{EnumType, RecordType, Type};

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
/// Units are strings, written as in the language.
pub fn of(ty: &Type, ranges: Ranges) -> Result<Json, &Type> {
    Ok(match ty {
        Type::Unknown | Type::Json => json!({}),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Int(range) => {
            number("integer", range.map(|(low, high)| (low.into(), high.into())), ranges)
        }
        Type::Float(range) => {
            number("number", range.map(|(low, high)| (low.into(), high.into())), ranges)
        }
        Type::Text => json!({ "type": "string" }),
        Type::Duration => unit("a duration, such as 30s, 5m or 1h30m"),
        Type::Money => unit("an amount of US dollars, such as $0.05"),
        Type::Size => unit("a size, such as 10MB or 2KiB"),
        Type::Model(_) => unit("the id of a model"),
        Type::List(item, max) => list(&of(item, ranges)?, *max, ranges),
        Type::Record(record) => object(record, ranges)?,
        Type::Enum(of) => one_of(of),
        Type::Optional(inner) => json!({ "anyOf": [of(inner, ranges)?, { "type": "null" }] }),
        _ => return Err(ty),
    })
}

/// Whether a schema is complete: `json` inside may be anything.
pub fn is_strict(ty: &Type) -> bool {
    match ty {
        Type::Unknown | Type::Json => false,
        Type::List(inner, _) | Type::Optional(inner) => is_strict(inner),
        Type::Record(record) => record.fields.iter().all(|(_, ty)| is_strict(ty)),
        _ => true,
    }
}

fn number(name: &str, range: Option<(Json, Json)>, ranges: Ranges) -> Json {
    match (range, ranges) {
        (None, _) => json!({ "type": name }),
        (Some((low, high)), Ranges::Asserted) => {
            json!({ "type": name, "minimum": low, "maximum": high })
        }
        (Some((low, high)), Ranges::Described) => {
            json!({ "type": name, "description": format!("from {low} to {high}") })
        }
    }
}

fn unit(what: &str) -> Json {
    json!({ "type": "string", "description": what })
}

fn list(item: &Json, max: Option<u64>, ranges: Ranges) -> Json {
    match (max, ranges) {
        (None, _) => json!({ "type": "array", "items": item }),
        (Some(max), Ranges::Asserted) => {
            json!({ "type": "array", "items": item, "maxItems": max })
        }
        (Some(max), Ranges::Described) => {
            let most = format!("at most {max} items");
            json!({ "type": "array", "items": item, "description": most })
        }
    }
}

fn object(record: &RecordType, ranges: Ranges) -> Result<Json, &Type> {
    let mut properties = Map::new();
    for (name, ty) in &record.fields {
        properties.insert(name.to_string(), of(ty, ranges)?);
    }
    let required: Vec<&str> = record.fields.iter().map(|(name, _)| name.as_ref()).collect();
    Ok(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

fn one_of(of: &EnumType) -> Json {
    let variants: Vec<&str> = of.variants.iter().map(AsRef::as_ref).collect();
    json!({ "type": "string", "enum": variants })
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
    fn records_are_closed_and_ranges_asserted() {
        let wanted = json!({
            "type": "object",
            "properties": {
                "title": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "kind": { "type": "string", "enum": ["bug", "idea"] },
                "scores": {
                    "type": "array",
                    "items": { "type": "number", "minimum": 0.0, "maximum": 1.0 },
                    "maxItems": 3,
                },
            },
            "required": ["title", "kind", "scores"],
            "additionalProperties": false,
        });
        assert_eq!(of(&note(), Ranges::Asserted), Ok(wanted));
    }

    #[test]
    fn ranges_can_be_described_in_words() {
        let schema = of(&note(), Ranges::Described).unwrap()["properties"]["scores"].clone();
        let item = json!({ "type": "number", "description": "from 0.0 to 1.0" });
        let wanted = json!({ "type": "array", "items": item, "description": "at most 3 items" });
        assert_eq!(schema, wanted);
    }

    #[test]
    fn what_cannot_be_said_is_named() {
        let inner = Type::record(vec![("data".into(), Type::Bytes)]);
        assert_eq!(of(&Type::list(inner), Ranges::Asserted), Err(&Type::Bytes));
        assert!(is_strict(&note()) && !is_strict(&Type::list(Type::Json)));
    }
}
