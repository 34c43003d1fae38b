//! The kinds of values that serde does not know. They pass through it as text under a name: a
//! newtype when they are written, and the variant of an enum when they are read. Other formats
//! ignore the name of a newtype, so they contain the text.

use crate::value::{Type, Value};

pub(in crate::value) const DURATION: &str = "svc::duration";
pub(in crate::value) const TIME: &str = "svc::time";
pub(in crate::value) const DATE: &str = "svc::date";
pub(in crate::value) const MONEY: &str = "svc::money";
pub(in crate::value) const SIZE: &str = "svc::size";
pub(in crate::value) const PATH: &str = "svc::path";
pub(in crate::value) const BYTES: &str = "svc::bytes";
pub(in crate::value) const MODEL: &str = "svc::model";

/// A secret, a flow or a value of the program, which nothing can write.
pub(in crate::value) const OPAQUE: &str = "svc::opaque";

/// Any value, as the target of reading.
pub(in crate::value) const VALUE: &str = "svc::value";

/// The name for a value that serde does not know.
pub(in crate::value) fn name(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Duration(_) => DURATION,
        Value::Time(_) => TIME,
        Value::Date(_) => DATE,
        Value::Money(_) => MONEY,
        Value::Size(_) => SIZE,
        Value::Path(_) => PATH,
        Value::Bytes(_) => BYTES,
        Value::Model(_) => MODEL,
        Value::Secret(_) | Value::Flow(_) | Value::Opaque(_) => OPAQUE,
        _ => return None,
    })
}

/// The type that a name stands for.
pub(in crate::value) fn ty(name: &str) -> Option<Type> {
    Some(match name {
        DURATION => Type::Duration,
        TIME => Type::Time,
        DATE => Type::Date,
        MONEY => Type::Money,
        SIZE => Type::Size,
        PATH => Type::Path,
        BYTES => Type::Bytes,
        MODEL => Type::Model("".into()),
        _ => return None,
    })
}

/// The text from which [`Value::cast`] creates the same value again.
pub(in crate::value) fn text(value: &Value) -> String {
    match value.as_str() {
        Some(path) => path.to_owned(),
        None => value.to_string().trim_matches('"').to_owned(),
    }
}
