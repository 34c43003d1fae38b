//! The types of values that were read, so that scripts read them as what they are.

use std::sync::Arc;

use svc_contract::value::{RecordType, Type, Value};

use crate::tables::{Content, Seen};

/// The stages that read a file as what is in it; as any value if its parts differ.
pub(super) fn reader(seen: &Seen) -> String {
    let stages = &seen.reader;
    // Readers of rows read a list of `{T}`.
    let is_of_rows = !stages.contains("<{T}>") || stages.contains("parse_csv");
    let ty = match &seen.content {
        Content::One(value) => type_of(value),
        Content::Rows { .. } | Content::Texts(_) => None,
    };
    match &ty {
        Some(Type::List(item, _)) if is_of_rows || stages.contains("[{T}]") => {
            stages.replace("{T}", &item.to_string())
        }
        Some(ty) if !is_of_rows => stages.replace("{T}", &ty.to_string()),
        _ => untyped(stages),
    }
}

/// The stages that read any value.
pub(super) fn untyped(stages: &str) -> String {
    let plain = stages.replace(" >> each { it as {T} }", "");
    plain.replace("<[{T}]>", "").replace("<{T}>", "")
}

/// The type of a value; `None` if its parts have different ones.
fn type_of(value: &Value) -> Option<Type> {
    Some(match value {
        Value::Int(_) => Type::INT,
        Value::Float(_) => Type::FLOAT,
        Value::Bool(_) => Type::Bool,
        Value::Text(_) => Type::Text,
        Value::List(items) => {
            let mut types = items.iter().map(type_of);
            let first = types.next()??;
            let item = types.try_fold(first, |all, it| both(&all, &it?))?;
            Type::List(Arc::new(item), None)
        }
        Value::Record(record) => {
            let is_plain = |it: &str| it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
            let fields = record.iter().map(|(name, it)| {
                Some((name.clone(), type_of(it)?)).filter(|(name, _)| is_plain(name))
            });
            let fields = fields.collect::<Option<Vec<_>>>()?;
            Type::Record(Arc::new(RecordType { name: None, fields }))
        }
        _ => return None,
    })
}

/// The type that both have: `float` for whole numbers and others.
fn both(one: &Type, other: &Type) -> Option<Type> {
    Some(match (one, other) {
        _ if one == other => one.clone(),
        (Type::Int(_), Type::Float(_)) | (Type::Float(_), Type::Int(_)) => Type::FLOAT,
        (Type::List(one, _), Type::List(other, _)) => Type::List(Arc::new(both(one, other)?), None),
        (Type::Record(one), Type::Record(other)) if one.fields.len() == other.fields.len() => {
            let fields = one
                .fields
                .iter()
                .map(|(name, ty)| Some((name.clone(), both(ty, other.get(name)?)?)));
            let fields = fields.collect::<Option<Vec<_>>>()?;
            Type::Record(Arc::new(RecordType { name: None, fields }))
        }
        _ => return None,
    })
}
