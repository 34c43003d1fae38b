//! The texts of XML as values of a type.

use svc_contract::{
    registry::OpError,
    value::{Record, Text, Type, Value},
};

use super::xml::{ATTRIBUTE, TEXT};

/// A value that was read from XML as a `ty`. A mistake has its path.
pub(super) fn typed(value: Value, ty: &Type) -> Result<Value, OpError> {
    of(value, ty).map_err(|Misfit { path, why }| {
        let path = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
        OpError::invalid_input(format!("{path}{why}"))
    })
}

struct Misfit {
    path: String,
    why: String,
}

impl Misfit {
    fn inside(self, step: &str) -> Self {
        let gap = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{step}{gap}{}", self.path), ..self }
    }
}

fn of(value: Value, ty: &Type) -> Result<Value, Misfit> {
    match ty {
        Type::Optional(_) if is_empty(&value) => Ok(Value::Null),
        Type::Optional(inner) => of(value, inner),
        Type::List(item, _) => {
            let items = match value {
                Value::List(items) => items.into_vec(),
                // One element of a name is not a list.
                one => vec![one],
            };
            let items = items.into_iter().enumerate();
            let items: Result<Vec<Value>, Misfit> = items
                .map(|(idx, it)| of(it, item).map_err(|err| err.inside(&format!("[{idx}]"))))
                .collect();
            whole(items?.into(), ty)
        }
        Type::Record(record) => {
            let element = element(value).ok_or_else(|| Misfit {
                path: String::new(),
                why: format!("expected {ty}, found a list of elements"),
            })?;
            let mut fields = Vec::with_capacity(record.fields.len());
            for (name, ty) in &record.fields {
                let value = match found(&element, name) {
                    Some(it) => of(it, ty).map_err(|err| err.inside(name))?,
                    None => missing(name, ty)?,
                };
                fields.push((name.clone(), value));
            }
            Ok(Value::Record(fields.into_iter().collect()))
        }
        Type::Map(item) => match value {
            Value::Record(all) => {
                let fields = all.iter().map(|(name, it)| {
                    let value = of(it.clone(), item).map_err(|err| err.inside(name))?;
                    Ok((name.clone(), value))
                });
                Ok(Value::Record(fields.collect::<Result<Vec<_>, _>>()?.into_iter().collect()))
            }
            it if is_empty(&it) => Ok(Value::Record(std::iter::empty().collect())),
            it => whole(it, ty),
        },
        Type::Json => Ok(value),
        _ => whole(text_of(value), ty),
    }
}

fn whole(value: Value, ty: &Type) -> Result<Value, Misfit> {
    let path = String::new();
    match value {
        it @ Value::Text(_) => it.of_cell(ty),
        it => it.cast(ty),
    }
    .map_err(|err| Misfit { path, why: err.to_string() })
}

fn is_empty(value: &Value) -> bool {
    value.as_str().is_some_and(|it| it.trim().is_empty())
}

/// An element as a record: one with nothing but text has only that.
fn element(value: Value) -> Option<Record> {
    match value {
        Value::Record(it) => Some(it),
        Value::List(_) => None,
        text => Some([(Text::from(TEXT), text)].into_iter().collect()),
    }
}

/// The text of an element whose attributes do not matter.
fn text_of(value: Value) -> Value {
    let text = value.as_record().and_then(|it| {
        let has_elements = it.names().iter().any(|it| !it.starts_with([ATTRIBUTE, '#']));
        let text = it.get(TEXT).cloned().unwrap_or_else(|| Value::text(""));
        (!has_elements).then_some(text)
    });
    text.unwrap_or(value)
}

/// The element, the attribute, or the text that a field is named after.
fn found(element: &Record, field: &str) -> Option<Value> {
    let plain = element.get(field).or_else(|| element.get(&format!("{ATTRIBUTE}{field}")));
    let text = || element.get(TEXT).filter(|_| field == "text");
    let prefixed = || {
        let local = |name: &Text| {
            let name = name.strip_prefix(ATTRIBUTE).unwrap_or(name);
            name.split_once(':').is_some_and(|(prefix, local)| prefix != "xmlns" && local == field)
        };
        element.iter().find(|(name, _)| local(name)).map(|(_, it)| it)
    };
    plain.or_else(text).or_else(prefixed).cloned()
}

fn missing(name: &str, ty: &Type) -> Result<Value, Misfit> {
    match ty {
        Type::Optional(_) | Type::Json => Ok(Value::Null),
        Type::List(..) => Ok(Value::List(Vec::new().into())),
        _ => {
            let why = format!("expected {ty}, found no element or attribute of this name");
            Err(Misfit { path: name.to_owned(), why })
        }
    }
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;
    use crate::{adapt_convert::xml, testing::cx};

    fn of(text: &str, ty: &Type) -> String {
        match xml::read(text, &cx()).and_then(|it| typed(it, ty)) {
            Ok(it) => json::write(&it),
            Err(err) => err.message,
        }
    }

    fn record<const N: usize>(fields: [(&str, Type); N]) -> Type {
        Type::record(fields.into_iter().map(|(name, ty)| (name.into(), ty)).collect())
    }

    #[test]
    fn texts_are_read_as_their_types() {
        let item = record([("id", Type::INT), ("text", Type::Text), ("on", Type::Date.optional())]);
        let ty = record([("l", record([("i", Type::list(item)), ("n", Type::FLOAT.optional())]))]);
        assert_eq!(
            of("<l><i id=' 1 '>a</i><n>2</n><i on='2026-01-31' id='2'/></l>", &ty),
            "`l.i[1].text`: expected string, found no element or attribute of this name"
        );
        assert_eq!(
            of("<l><i x:id='1'>a</i><n> 2</n></l>", &ty),
            r#"{"l":{"i":[{"id":1,"text":"a","on":null}],"n":2.0}}"#
        );
        assert_eq!(of("<l/>", &ty), r#"{"l":{"i":[],"n":null}}"#);
        assert_eq!(of("<l><i id='x'>a</i></l>", &ty), "`l.i[0].id`: expected int, found \"x\"");
        let map = record([("m", Type::Map(std::sync::Arc::new(Type::Bool)))]);
        assert_eq!(of("<m><a>true</a><b>FALSE</b></m>", &map), r#"{"m":{"a":true,"b":false}}"#);
        assert_eq!(of("<a n='1'>7</a>", &record([("a", Type::INT)])), r#"{"a":7}"#);
        assert_eq!(of("<a/>", &record([("a", Type::Text)])), r#"{"a":""}"#);
        let several = record([("l", record([("i", Type::INT)]))]);
        assert!(of("<l><i>1</i><i>2</i></l>", &several).starts_with("`l.i`: expected int, found"));
    }
}
