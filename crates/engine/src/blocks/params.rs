//! Values as arguments in a script: literals, or params of the script with a type.

use svc_contract::{
    registry::{OpError, OpRef, Param, Scheme, nearest},
    value::{Text, Type, Value, literal},
};

use super::Result;

/// An argument as a script writes it.
pub(super) enum Argument {
    /// A literal, or the name of a flow.
    Written(String),
    /// A param of the script, with its type.
    Given(String, Value),
}

/// Longer strings are given as params: the script stays readable in messages and records.
const LONGEST_LITERAL: usize = 256;

/// The value for a param of an op as an argument.
pub(super) fn argument(op: OpRef, name: &str, value: Value) -> Result<Argument> {
    let param = op.op.params.iter().find(|it| it.name == name);
    let param = param.ok_or_else(|| unknown(op, name))?;
    if param.scheme.flow().is_some() && !value.is_null() {
        return flow(op, param, &value).map(Argument::Written);
    }
    if param.scheme.tools().is_some() {
        return tools(op, param, &value).map(Argument::Written);
    }
    let ty = param.scheme.plain();
    if ty.holds_secret() {
        let message =
            format!("`{name}` of `{op}` is a secret: it comes from the host, not from the caller");
        return Err(OpError::invalid_input(message).help("run a script that declares the secret"));
    }
    if ty.has_unknown() {
        let ty = type_of(&value);
        if (type_text(&ty).is_none() || ty.has(&|it| *it == Type::Json))
            && let Some((value, ty)) = choice(param, &value)
        {
            return written(op, param, value, &ty);
        }
        return written(op, param, value, &ty);
    }
    let value = value.cast(&ty).map_err(|misfit| {
        OpError::invalid_input(misfit.within(name).to_string()).help(signature(op))
    })?;
    written(op, param, value, &ty)
}

/// The first of several declared types that a value has: a null or a mixed list inside of it does not
/// show which one is meant.
fn choice(param: &Param, value: &Value) -> Option<(Value, Type)> {
    let Scheme::OneOf(all) = param.scheme.required() else { return None };
    let types = all.iter().map(|it| it.plain()).filter(|it| !it.has_unknown());
    types.into_iter().find_map(|ty| Some((value.clone().cast(&ty).ok()?, ty)))
}

fn written(op: OpRef, param: &Param, value: Value, ty: &Type) -> Result<Argument> {
    // A literal has a type of its own, which is not json.
    let text = if *ty.required() == Type::Json { None } else { short(&value) };
    if let Some(text) = text {
        return Ok(Argument::Written(text));
    }
    let own = || type_text(&type_of(&value));
    let json = || {
        let is_json = !type_of(&value).is_beyond_json();
        match value {
            Value::List(_) if is_json => Some("[json]".to_owned()),
            Value::Record(_) if is_json => Some("json".to_owned()),
            _ => None,
        }
    };
    let ty = type_text(ty).or_else(own).or_else(json);
    let ty = ty.ok_or_else(|| {
        let message =
            format!("`{}` of `{op}` cannot be a value of the kind {}", param.name, value.kind());
        OpError::invalid_input(message).help(signature(op))
    })?;
    Ok(Argument::Given(ty, value))
}

/// A short literal, which the check can read: whether it is a variant, a path, within a range.
fn short(value: &Value) -> Option<String> {
    match value {
        // A literal is a sign and a number, and the number would not fit.
        Value::Int(i64::MIN) => None,
        Value::Null | Value::Bool(_) | Value::Int(_) => literal::written(value),
        Value::Text(it) | Value::Path(it) if it.len() <= LONGEST_LITERAL => literal::written(value),
        Value::List(it) if it.is_empty() => Some("[]".to_owned()),
        _ => None,
    }
}

/// The name of a flow, as a script passes it on.
fn flow(op: OpRef, param: &Param, value: &Value) -> Result<String> {
    let is_name = |it: &&str| {
        let mut words = it.split('.');
        words
            .all(|it| it.starts_with(|it: char| it.is_ascii_lowercase()) && it.bytes().all(is_sign))
    };
    let name = value.as_str().filter(is_name).ok_or_else(|| {
        let (name, found) = (param.name, value.kind());
        let message = format!("expected the name of an op for `{name}` of `{op}`, found {found}");
        OpError::invalid_input(message).help("write a name, such as \"upper\"")
    })?;
    Ok(name.to_owned())
}

/// The names of tools, as a script lists them.
fn tools(op: OpRef, param: &Param, value: &Value) -> Result<String> {
    let Value::List(items) = value else {
        let (name, found) = (param.name, value.kind());
        let message = format!("expected the names of ops for `{name}` of `{op}`, found {found}");
        return Err(OpError::invalid_input(message).help("write a list, such as [\"upper\"]"));
    };
    let names: Result<Vec<String>> = items.iter().map(|it| flow(op, param, it)).collect();
    Ok(format!("[{}]", names?.join(", ")))
}

fn is_sign(it: u8) -> bool {
    it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_'
}

fn unknown(op: OpRef, name: &str) -> OpError {
    let error = OpError::invalid_input(format!("unknown param `{name}` of `{op}`"));
    match nearest(name, op.op.params.iter().map(|it| it.name)) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help(signature(op)),
    }
}

/// The params of an op, for help.
pub(super) fn signature(op: OpRef) -> String {
    let params: Vec<String> = op.op.params.iter().map(Param::signature).collect();
    if params.is_empty() {
        return format!("`{op}` has no params");
    }
    format!("the params of `{op}` are {}", params.join(", "))
}

/// The type of a value; json where its parts have no common type.
fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Never.optional(),
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::INT,
        Value::Float(_) => Type::FLOAT,
        Value::Text(_) => Type::Text,
        Value::Duration(_) => Type::Duration,
        Value::Time(_) => Type::Time,
        Value::Date(_) => Type::Date,
        Value::Money(_) => Type::Money,
        Value::Size(_) => Type::Size,
        Value::Path(_) => Type::Path,
        Value::Bytes(_) => Type::Bytes,
        Value::Secret(_) => Type::Secret,
        Value::Flow(_) => Type::Unknown,
        Value::Opaque(it) => Type::Opaque(it.ty()),
        Value::Model(it) => match it.content() {
            Some(content) => Type::Model(content.about.component.clone()),
            None => Type::Unknown,
        },
        Value::List(items) => {
            let types = items.iter().map(type_of);
            let joined = types.map(Some).reduce(|a, b| a?.join(&b?));
            Type::list(joined.unwrap_or(Some(Type::Never)).unwrap_or(Type::Json))
        }
        Value::Record(of) => {
            let field = |(name, value): (&Text, &Value)| (name.clone(), type_of(value));
            Type::record(of.iter().map(field).collect())
        }
    }
}

/// A type as a script writes it without the names of declared types; `None` if it cannot.
fn type_text(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Unknown
        | Type::Never
        | Type::Secret
        | Type::Flow(_)
        | Type::Opaque(_)
        | Type::Var(_) => {
            return None;
        }
        Type::List(item, None) => format!("[{}]", type_text(item)?),
        Type::List(item, Some(max)) => format!("[{}; max {max}]", type_text(item)?),
        Type::Map(item) => format!("map<{}>", type_text(item)?),
        Type::Optional(inner) if matches!(**inner, Type::Enum(_)) => return None,
        Type::Optional(inner) => format!("{}?", type_text(inner)?),
        Type::Enum(of) => {
            let variants = of.variants.iter().map(|it| literal::text(it));
            variants.collect::<Vec<_>>().join(" | ")
        }
        Type::Record(of) => {
            let field = |(name, ty): &(Text, Type)| {
                is_word(name).then(|| Some(format!("{name}: {}", type_text(ty)?)))?
            };
            let fields: Option<Vec<String>> = of.fields.iter().map(field).collect();
            format!("{{ {} }}", fields?.join(", "))
        }
        plain => plain.to_string(),
    })
}

fn is_word(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}
