//! Values of the language as params: in their text form, which the server reads as the type of the param.

use std::{error::Error, time::Duration};

use bytes::{BufMut as _, BytesMut};
use svc_contract::value::{Value, json};
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type, to_sql_checked};

use crate::params::{amount, unkept};

/// A bound value.
#[derive(Debug)]
pub(super) struct Param(Option<String>);

impl Param {
    pub(super) fn of(value: &Value, ty: &Type) -> Result<Self, String> {
        if value.is_null() { Ok(Self(None)) } else { text(value, ty).map(|it| Self(Some(it))) }
    }
}

impl ToSql for Param {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = &self.0 else { return Ok(IsNull::Yes) };
        out.put_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

fn text(value: &Value, ty: &Type) -> Result<String, String> {
    if *ty == Type::JSON || *ty == Type::JSONB {
        return match value {
            Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => {
                Err(unkept(value))
            }
            it => clean(json::write(it)),
        };
    }
    let base = match ty.kind() {
        Kind::Domain(base) => base,
        _ => ty,
    };
    Ok(match value {
        Value::Null => return Err("expected a value, found null".to_owned()),
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) if it.is_infinite() => {
            if *it > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
        }
        Value::Float(it) => it.to_string(),
        Value::Text(it) | Value::Path(it) => return clean(it.as_ref().to_owned()),
        Value::Bytes(it) => hex(it),
        Value::Size(it) => it.to_string(),
        Value::Duration(it) if *base == Type::INTERVAL => interval(*it),
        Value::Money(it) if !is_text(base) => amount(it.nanos()),
        Value::Date(_) | Value::Time(_) | Value::Duration(_) | Value::Money(_) => value.to_string(),
        Value::List(items) => match base.kind() {
            Kind::Array(item) => array(items.iter(), item)?,
            _ => {
                return Err(format!(
                    "expected {base}, found list; write `$1::jsonb` to keep it as JSON"
                ));
            }
        },
        Value::Record(_) => {
            return Err(format!(
                "expected {base}, found record; write `$1::jsonb` to keep it as JSON"
            ));
        }
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => {
            return Err(unkept(value));
        }
    })
}

fn is_text(ty: &Type) -> bool {
    [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME].contains(ty)
}

/// PostgreSQL keeps no null character in a text.
fn clean(text: String) -> Result<String, String> {
    match text.find('\0') {
        Some(at) => Err(format!("a text contains a null character (offset {at})")),
        None => Ok(text),
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("\\x");
    for it in bytes {
        text.push_str(&format!("{it:02x}"));
    }
    text
}

fn interval(it: Duration) -> String {
    format!("{}.{:06} seconds", it.as_secs(), it.subsec_micros())
}

/// `{1,"two",NULL}`, with a nested list as one more dimension.
fn array<'a>(items: impl Iterator<Item = &'a Value>, item: &Type) -> Result<String, String> {
    let mut all = Vec::new();
    for (idx, value) in items.enumerate() {
        all.push(match value {
            Value::Null => "NULL".to_owned(),
            Value::List(inner) if *item != Type::JSON && *item != Type::JSONB => {
                array(inner.iter(), item)?
            }
            other => {
                let text = text(other, item).map_err(|why| format!("item {}: {why}", idx + 1))?;
                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        });
    }
    Ok(format!("{{{}}}", all.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json_text: &str, ty: &Type) -> String {
        match Param::of(&json::read(json_text).unwrap(), ty) {
            Ok(Param(Some(it))) => it,
            Ok(Param(None)) => "NULL".to_owned(),
            Err(why) => why,
        }
    }

    #[test]
    fn values_have_the_text_form_of_their_type() {
        assert_eq!(shown("null", &Type::INT4), "NULL");
        assert_eq!(shown("1.5", &Type::NUMERIC), "1.5");
        assert_eq!(shown("\"it's {}\"", &Type::TEXT), "it's {}");
        assert_eq!(shown("\"a\"", &Type::JSONB), "\"a\"");
        assert_eq!(shown("[1, null, [2]]", &Type::INT4_ARRAY), "{\"1\",NULL,{\"2\"}}");
        assert_eq!(
            shown(r#"["a\"b", "c\\d", "{,}", ""]"#, &Type::TEXT_ARRAY),
            r#"{"a\"b","c\\d","{,}",""}"#
        );
        assert!(shown("[1]", &Type::INT4).contains("expected int4, found list"));
        assert!(shown("\"a\\u0000b\"", &Type::TEXT).contains("null character"));
        let (bytes, wait) =
            (Value::Bytes([0, 255].into()), Value::Duration(Duration::from_millis(1500)));
        assert_eq!(Param::of(&bytes, &Type::BYTEA).unwrap().0.unwrap(), "\\x00ff");
        assert_eq!(Param::of(&wait, &Type::INTERVAL).unwrap().0.unwrap(), "1.500000 seconds");
        assert_eq!(amount(-1_250_000_000), "-1.25");
    }
}
