//! The JSON Schemas of arguments and results, from the declarations of ops.

use svc_contract::{
    registry::{FieldScheme, Max, Param, ParamDefault, Scheme},
    value::{
        Record, Text, Type, Value,
        schema::{self, Ranges},
    },
};
use svc_lang::check::Input;

/// The longest text that bytes are written as, in hex digits: 1 MiB of them.
const LONGEST_BYTES: i64 = 2 << 20;

/// The schema of all arguments, a closed object; `None` if one that is required cannot come from
/// another program: a flow or a secret.
pub fn input(params: &[Param]) -> Option<Value> {
    let mut properties = Vec::new();
    let mut required = Vec::new();
    for param in params {
        let is_required = param.default.is_none();
        let Some(schema) = of_scheme(param.scheme) else {
            if is_required {
                return None;
            }
            continue;
        };
        let schema = if param.is_filled { filled(schema) } else { schema };
        let schema = documented(schema, &param.summary());
        let default = param.default.map(ParamDefault::value).filter(|it| !it.is_null());
        properties.push((Text::from(param.name), with_default(schema, default)));
        if is_required {
            required.push(Value::from(param.name));
        }
    }
    Some(object(properties, required))
}

/// The schema without empty texts and lists.
fn filled(schema: Value) -> Value {
    let Value::Record(of) = &schema else { return schema };
    if let Some(Value::List(choices)) = of.get("anyOf") {
        let choices: Vec<Value> = choices.iter().cloned().map(filled).collect();
        return with(schema, "anyOf", choices.into());
    }
    match of.get("type").and_then(Value::as_str) {
        Some("string") => with(schema, "minLength", 1.into()),
        Some("array") => with(schema, "minItems", 1.into()),
        _ => schema,
    }
}

/// The schema of a result. Other programs expect an object, so anything else is its field
/// `result`.
pub fn output(yields: Scheme) -> Value {
    let schema = of_scheme(yields).unwrap_or_else(any);
    match yields {
        Scheme::Record(..) => schema,
        _ => object(vec![("result".into(), schema)], vec!["result".into()]),
    }
}

/// The schema of the params of a script. Secrets come from the server.
pub fn of_params(inputs: &[Input]) -> Value {
    let mut properties = Vec::new();
    let mut required = Vec::new();
    for input in inputs.iter().filter(|it| !it.is_secret()) {
        properties.push((input.name.clone(), documented(of_type(&input.ty), input.doc.trim())));
        if input.is_required() && !matches!(input.ty, Type::Optional(_)) {
            required.push(Value::from(input.name.clone()));
        }
    }
    object(properties, required)
}

/// The schema of a type of a script; anything for what JSON Schema cannot say.
pub fn of_type(ty: &Type) -> Value {
    match ty {
        Type::Path => described("string", "a path"),
        Type::Bytes => bytes(),
        Type::List(item, max) => list(of_type(item), *max),
        Type::Optional(inner) => optional(of_type(inner)),
        Type::Map(item) => {
            fields([("type", "object".into()), ("additionalProperties", of_type(item))])
        }
        Type::Record(of) => {
            let properties = of.fields.iter().map(|(name, ty)| (name.clone(), of_type(ty)));
            let is_required = |ty: &Type| !matches!(ty, Type::Optional(_));
            let required = of.fields.iter().filter(|(_, ty)| is_required(ty));
            let required = required.map(|(name, _)| name.clone().into()).collect();
            object(properties.collect(), required)
        }
        plain => schema::of(plain, Ranges::Asserted).unwrap_or_else(|_| any()),
    }
}

/// The schema of a declared type; `None` for one that no other program can write.
fn of_scheme(scheme: Scheme) -> Option<Value> {
    Some(match scheme {
        Scheme::Flow(..) | Scheme::Secret | Scheme::Opaque(_) => return None,
        Scheme::Path => described("string", "a path"),
        Scheme::Bytes => bytes(),
        Scheme::Tools(_) => list(described("string", "a component or its op, by name"), None),
        Scheme::List(item, max) => {
            let max = if let Max::Is(it) = max { Some(it) } else { None };
            list(of_scheme(*item)?, max)
        }
        Scheme::Map(item) => {
            fields([("type", "object".into()), ("additionalProperties", of_scheme(*item)?)])
        }
        Scheme::Optional(inner) => optional(of_scheme(*inner)?),
        Scheme::Record(_, all) => record(all)?,
        Scheme::OneOf(all) => {
            // A type that another program cannot write is left out. So is `json` among others: a
            // value that a program sends has a type of its own.
            let is_json = |it: &&Scheme| matches!(it.required(), Scheme::Json);
            let others = all.iter().filter(|it| !is_json(it));
            let choices: Vec<Value> = others.filter_map(|it| of_scheme(*it)).collect();
            if choices.is_empty() && all.iter().any(|it| is_json(&it)) {
                return Some(any());
            }
            match <[Value; 1]>::try_from(choices) {
                Ok([only]) => only,
                Err(choices) if choices.is_empty() => return None,
                Err(choices) => fields([("anyOf", choices.into())]),
            }
        }
        Scheme::Var(_) | Scheme::Amount(_) | Scheme::Ordered(_) => any(),
        plain => of_type(&plain.plain()),
    })
}

fn record(all: &[FieldScheme]) -> Option<Value> {
    let mut properties = Vec::new();
    for field in all {
        let doc = field.doc.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        properties.push((Text::from(field.name), documented(of_scheme(field.scheme)?, doc.trim())));
    }
    let required = all.iter().filter(|it| !matches!(it.scheme, Scheme::Optional(_)));
    Some(object(properties, required.map(|it| it.name.into()).collect()))
}

fn object(properties: Vec<(Text, Value)>, required: Vec<Value>) -> Value {
    let properties: Record = properties.into_iter().collect();
    let mut all = vec![("type", "object".into()), ("properties", properties.into())];
    if !required.is_empty() {
        all.push(("required", required.into()));
    }
    all.push(("additionalProperties", false.into()));
    Value::Record(all.into_iter().map(|(name, it)| (Text::from(name), it)).collect())
}

fn list(item: Value, max: Option<u64>) -> Value {
    let all = [("type", Value::from("array")), ("items", item)];
    let max = max.map(|it| ("maxItems", it.into()));
    Value::Record(all.into_iter().chain(max).map(|(name, it)| (Text::from(name), it)).collect())
}

fn optional(inner: Value) -> Value {
    if inner == any() {
        return inner;
    }
    fields([("anyOf", vec![inner, fields([("type", "null".into())])].into())])
}

fn bytes() -> Value {
    fields([
        ("type", "string".into()),
        ("pattern", "^([0-9a-fA-F]{2})*$".into()),
        ("maxLength", LONGEST_BYTES.into()),
        ("description", "bytes, as hex digits".into()),
    ])
}

/// The schema that everything fits.
fn any() -> Value {
    fields([])
}

fn described(name: &str, what: &str) -> Value {
    fields([("type", name.into()), ("description", what.into())])
}

/// The schema with a description, if it has none of its own that says how to write a value.
fn documented(schema: Value, doc: &str) -> Value {
    if doc.is_empty() {
        return schema;
    }
    let Value::Record(of) = &schema else { return schema };
    let own = of.get("description").and_then(Value::as_str).map(str::to_owned);
    let text = match own {
        Some(own) => format!("{} ({own})", doc.trim_end_matches('.')),
        None => doc.to_owned(),
    };
    with(schema, "description", text.into())
}

fn with_default(schema: Value, default: Option<Value>) -> Value {
    match default {
        Some(it) => with(schema, "default", it),
        None => schema,
    }
}

/// The schema with one more keyword, or another value of it.
fn with(schema: Value, name: &str, value: Value) -> Value {
    let Value::Record(of) = schema else { return schema };
    let others = of.iter().filter(|(it, _)| it.as_ref() != name);
    let others = others.map(|(name, it)| (name.clone(), it.clone()));
    Value::Record(others.chain([(Text::from(name), value)]).collect())
}

fn fields<const N: usize>(all: [(&str, Value); N]) -> Value {
    Value::Record(all.into_iter().map(|(name, it)| (Text::from(name), it)).collect())
}
