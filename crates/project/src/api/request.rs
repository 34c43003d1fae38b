//! The request of a call.

use svc_contract::{
    registry::OpError,
    value::{Record, Text, Value, json},
};
use svc_openapi::{FieldShape, Media, Operation, Parameter, Place, Shape, Style};
use svc_requests::{self as requests, Body, Part, escaped};

use super::Api;

/// The parts of a request that its arguments decide.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
}

impl Api {
    /// The request of an operation with these arguments, in the order of its parameters.
    pub(super) fn parts(
        &self,
        address: String,
        operation: &Operation,
        args: &[Value],
    ) -> Result<Parts, OpError> {
        let mut parts = Parts { url: address, ..Parts::default() };
        let (mut query, mut cookies) = (Vec::new(), Vec::new());
        let mut fields: Vec<Sent<'_>> = Vec::new();
        for (param, value) in operation.params.iter().zip(args) {
            if value.is_null() && !matches!(param.shape, Shape::Nullable(_) | Shape::Json) {
                continue;
            }
            match param.place {
                Place::Path => {
                    let text = in_path(param, value)?;
                    parts.url = parts.url.replace(&format!("{{{}}}", param.wire()), &text);
                }
                Place::Query => query.extend(pairs(param, value)?),
                Place::Header => {
                    let text = joined(param, value, ",")?;
                    let name = param.wire().to_ascii_lowercase();
                    parts.headers.push(requests::header(name, text)?);
                }
                Place::Cookie => {
                    let text = escaped(&joined(param, value, ",")?);
                    cookies.push(format!("{}={text}", param.wire()));
                }
                Place::Field => {
                    let value = self.sent(&param.shape, value);
                    fields.push(Sent { param, value, filename: None });
                }
                Place::Filename => {
                    if let Some(of) = fields.iter_mut().find(|it| it.param.wire() == param.wire()) {
                        of.filename = value.as_str();
                    }
                }
                Place::Body => parts.body = self.whole(operation, param, value),
            }
        }
        parts.url = requests::with_query(&parts.url, &requests::fields(&query));
        if !cookies.is_empty() {
            parts.headers.push(requests::header("cookie".to_owned(), cookies.join("; "))?);
        }
        let has_fields = operation.params.iter().any(|it| it.place == Place::Field);
        if has_fields {
            parts.body = body_of(operation, &fields)?;
        }
        if operation.answer == Media::Json {
            parts.headers.push(("accept".to_owned(), "application/json".to_owned()));
        }
        Ok(parts)
    }

    fn whole(&self, operation: &Operation, param: &Parameter, value: &Value) -> Body {
        let content = match (operation.body.media, value) {
            (Media::Text, Value::Text(text)) => text.as_bytes().to_vec(),
            (Media::Bytes, Value::Bytes(bytes)) => bytes.to_vec(),
            _ => json::write(&self.sent(&param.shape, value)).into_bytes(),
        };
        Body { media_type: Some(operation.body.media_type.clone().into()), content }
    }

    /// The value without the fields that are left out.
    fn sent(&self, shape: &Shape, value: &Value) -> Value {
        match (shape, value) {
            (Shape::Opt(it) | Shape::Nullable(it), value) => self.sent(it, value),
            (Shape::Ref(name), value) => self.sent(self.types.shape(Some(&self.lock), name), value),
            (Shape::List(it), Value::List(items)) => {
                Value::List(items.iter().map(|value| self.sent(it, value)).collect())
            }
            (Shape::Map(it), Value::Record(values)) => {
                let values = values.iter().map(|(key, value)| (key.clone(), self.sent(it, value)));
                Value::Record(values.collect())
            }
            (Shape::Record(fields), Value::Record(values)) => {
                let field = |FieldShape(name, shape, _): &FieldShape| {
                    let value = values.get(name)?;
                    let is_left_out = value.is_null() && matches!(shape, Shape::Opt(_));
                    (!is_left_out).then(|| (Text::from(name.as_str()), self.sent(shape, value)))
                };
                Value::Record(fields.iter().filter_map(field).collect())
            }
            (_, value) => value.clone(),
        }
    }
}

/// A field of a body.
struct Sent<'a> {
    param: &'a Parameter,
    value: Value,
    filename: Option<&'a str>,
}

fn body_of(operation: &Operation, fields: &[Sent<'_>]) -> Result<Body, OpError> {
    let content = match operation.body.media {
        Media::Multipart => {
            let parts: Result<Vec<_>, OpError> = fields.iter().map(parts_of).collect();
            return Ok(requests::multipart(&parts?.into_iter().flatten().collect::<Vec<_>>()));
        }
        Media::Form => {
            let mut all = Vec::new();
            for Sent { param, value, .. } in fields {
                deep(param.wire(), value, &mut all)?;
            }
            requests::fields(&all)
        }
        _ => {
            let fields = fields.iter().map(|it| (Text::from(it.param.wire()), it.value.clone()));
            json::write(&Value::Record(fields.collect::<Record>()))
        }
    };
    let media_type = Some(operation.body.media_type.clone().into());
    Ok(Body { media_type, content: content.into_bytes() })
}

/// The parts that a field is: one for each item of a list.
fn parts_of<'a>(field: &'a Sent<'_>) -> Result<Vec<Part<'a>>, OpError> {
    let Sent { param, value, filename } = field;
    let items = match value {
        Value::List(items) => items.iter().collect(),
        one => vec![one],
    };
    let own = Some(param.media_type.as_str()).filter(|it| !it.is_empty());
    let part = |value: &Value| {
        let (filename, media_type, content) = match value {
            Value::Bytes(bytes) => {
                (Some(filename.unwrap_or("file")), Some("application/octet-stream"), bytes.to_vec())
            }
            Value::Record(_) | Value::List(_) => {
                (None, Some("application/json"), json::write(value).into_bytes())
            }
            plain_value => (None, None, plain(param, plain_value)?.into_bytes()),
        };
        Ok(Part { name: param.wire(), filename, media_type: own.or(media_type), content })
    };
    items.into_iter().filter(|it| !it.is_null()).map(part).collect()
}

/// A value of a path. Neither `..` nor an empty text may lead to another operation.
fn in_path(param: &Parameter, value: &Value) -> Result<String, OpError> {
    let text = joined(param, value, ",")?;
    if matches!(text.as_str(), "" | "." | "..") {
        let message = format!("invalid `{}`: `{text}` cannot be a part of a path", param.name);
        return Err(OpError::invalid_input(message));
    }
    Ok(escaped(&text))
}

/// A value as the fields of a query.
fn pairs(param: &Parameter, value: &Value) -> Result<Vec<(String, String)>, OpError> {
    let name = param.wire().to_owned();
    let sep = match param.style {
        Style::Json => return Ok(vec![(name, json::write(value))]),
        Style::Deep => {
            let mut all = Vec::new();
            deep(&name, value, &mut all)?;
            return Ok(all);
        }
        Style::Form => {
            return match value {
                Value::List(items) => {
                    items.iter().map(|it| Ok((name.clone(), plain(param, it)?))).collect()
                }
                Value::Record(fields) => {
                    let given = fields.iter().filter(|it| !it.1.is_null());
                    given.map(|(name, it)| Ok((name.to_string(), plain(param, it)?))).collect()
                }
                other => Ok(vec![(name, plain(param, other)?)]),
            };
        }
        Style::Comma => ",",
        Style::Space => " ",
        Style::Pipe => "|",
    };
    Ok(vec![(name, joined(param, value, sep)?)])
}

/// `a[b][0]=1`, as servers in PHP and Rails read it.
fn deep(name: &str, value: &Value, all: &mut Vec<(String, String)>) -> Result<(), OpError> {
    match value {
        Value::Null => {}
        Value::List(items) => {
            for (idx, item) in items.iter().enumerate() {
                deep(&format!("{name}[{idx}]"), item, all)?;
            }
        }
        Value::Record(fields) => {
            for (key, value) in fields.iter() {
                deep(&format!("{name}[{key}]"), value, all)?;
            }
        }
        value => all.extend(requests::written(name, value)?.map(|it| (name.to_owned(), it))),
    }
    Ok(())
}

/// A value as one text: the items of a list, or the names and values of a record, in one line.
fn joined(param: &Parameter, value: &Value, sep: &str) -> Result<String, OpError> {
    if param.style == Style::Json {
        return Ok(json::write(value));
    }
    let texts: Result<Vec<String>, OpError> = match value {
        Value::List(items) => items.iter().map(|it| plain(param, it)).collect(),
        Value::Record(fields) => {
            let given = fields.iter().filter(|it| !it.1.is_null());
            given.map(|(name, it)| Ok(format!("{name}{sep}{}", plain(param, it)?))).collect()
        }
        other => return plain(param, other),
    };
    Ok(texts?.join(sep))
}

fn plain(param: &Parameter, value: &Value) -> Result<String, OpError> {
    Ok(requests::written(&param.name, value)?.unwrap_or_default())
}
