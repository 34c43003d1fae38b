//! The conditions of a search on metadata, as a script writes them:
//! `{ year: { at_least: 2020 }, lang: ["en", "de"] }`.

use svc_contract::{
    registry::{Field as Param, OpError, Scheme, nearest},
    value::{Record, Type, Value},
};

use super::facts::{self, Bounds, Kind};

/// The argument `where`: a record, a map, or a `json` value that is an object.
pub(in super::super) struct Conditions(Record);

impl Param for Conditions {
    const SCHEME: Scheme = Scheme::OneOf(&[
        // A record without fields is wider than all others.
        Scheme::Record("record", &[]),
        Scheme::Map(&Scheme::Var('W')),
        Scheme::Json,
    ]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Record(it) => Some(Self(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Record(self.0)
    }
}

/// What the metadata of a document must be.
#[derive(Clone, Debug)]
pub(in super::super) enum Condition {
    /// A field has a value in one of these ranges.
    Has(Field, Vec<Bounds>),
    Not(Box<Condition>),
    All(Vec<Condition>),
}

/// A field that a condition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Field {
    /// The names of nested fields, joined by dots.
    pub(super) path: String,
    /// The kinds that it is compared with.
    pub(super) kinds: Vec<Kind>,
}

/// The operators, each with its sign.
const OPERATORS: [(&str, &str); 10] = [
    ("is", "=="),
    ("not", "!="),
    ("at_least", ">="),
    ("above", ">"),
    ("at_most", "<="),
    ("below", "<"),
    ("one_of", "in"),
    ("none_of", "not in"),
    ("starts_with", "^="),
    ("exists", "?"),
];

/// The maximum depth of nested fields and operators.
const DEEPEST: usize = 16;

impl Condition {
    /// Reads the argument `where`; `None` for one that says nothing.
    pub(in super::super) fn of(given: Option<&Conditions>) -> Result<Option<Self>, OpError> {
        let Some(Conditions(record)) = given else { return Ok(None) };
        // Times, sizes and the like become what they are in JSON.
        let value = Value::Record(record.clone()).cast(&Type::Json).unwrap_or_default();
        let Value::Record(fields) = value else { return Ok(None) };
        let all = of_fields("", &fields, 0)?;
        Ok((!all.is_empty()).then_some(Self::All(all)))
    }

    /// The fields that it names, each time with the kinds it is compared with.
    pub(super) fn fields(&self) -> Vec<&Field> {
        match self {
            Self::Has(field, _) => vec![field],
            Self::Not(inner) => inner.fields(),
            Self::All(all) => all.iter().flat_map(Self::fields).collect(),
        }
    }
}

fn of_fields(path: &str, fields: &Record, depth: usize) -> Result<Vec<Condition>, OpError> {
    let of_field = |(name, value): (&_, &Value)| {
        let name: &str = AsRef::as_ref(name);
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        of_value(&path, value, depth)
    };
    fields.iter().map(of_field).collect()
}

fn of_value(path: &str, value: &Value, depth: usize) -> Result<Condition, OpError> {
    if depth > DEEPEST {
        return Err(invalid(&format!("nested too deeply (limit {DEEPEST})")));
    }
    let Value::Record(parts) = value else { return is(path, value) };
    let known = parts.iter().filter(|(name, _)| operator(name).is_some()).count();
    let sign = |name: &str| !name.chars().any(char::is_alphanumeric);
    let wrong =
        parts.iter().find(|(name, _)| operator(name).is_none() && (known > 0 || sign(name)));
    if parts.is_empty() {
        return Err(invalid(&format!("`{path}` has no condition; {}", help_on_operators())));
    }
    match wrong {
        Some((name, _)) => Err(unknown_operator(path, name)),
        None if known == 0 => Ok(Condition::All(of_fields(path, parts, depth + 1)?)),
        None => {
            let all = parts.iter().map(|(name, value)| of_operator(path, name, value, depth));
            Ok(Condition::All(all.collect::<Result<_, _>>()?))
        }
    }
}

/// The error for an operator that does not exist.
pub(super) fn unknown_operator(path: &str, name: &str) -> OpError {
    let names = OPERATORS.iter().map(|it| it.0);
    let near = nearest(name, names).map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
    invalid(&format!("unknown operator `{name}` for `{path}`{near}")).help(help_on_operators())
}

/// Whether a name is so close to that of an operator that it was meant.
pub(super) fn is_near_operator(name: &str) -> bool {
    nearest(name, OPERATORS.iter().map(|it| it.0)).is_some()
}

fn help_on_operators() -> String {
    let names: Vec<_> = OPERATORS.iter().map(|it| format!("`{}`", it.0)).collect();
    format!("use {}", names.join(", "))
}

fn operator(name: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|(word, sign)| name == *word || name == *sign).map(|it| it.0)
}

fn of_operator(path: &str, name: &str, value: &Value, depth: usize) -> Result<Condition, OpError> {
    let operator = operator(name).unwrap_or_default();
    let list = || {
        let found = || expected(path, operator, "a list of values", value);
        if value.as_list().is_none() { Err(found()) } else { is(path, value) }
    };
    match operator {
        "is" => is(path, value),
        "not" => of_value(path, value, depth + 1).map(not),
        "one_of" => list(),
        "none_of" => list().map(not),
        "exists" => match value {
            Value::Bool(true) => Ok(exists(path)),
            Value::Bool(false) => Ok(not(exists(path))),
            other => Err(expected(path, operator, "true or false", other)),
        },
        "starts_with" => match value.as_str() {
            Some(text) => {
                let start = facts::fact(path, Kind::Text, text.as_bytes());
                let end = after_all(&start);
                Ok(has(path, vec![Kind::Text], vec![start..end]))
            }
            None => Err(expected(path, operator, "a text", value)),
        },
        _ => compared(path, operator, value),
    }
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

fn has(path: &str, kinds: Vec<Kind>, bounds: Vec<Bounds>) -> Condition {
    Condition::Has(Field { path: path.to_owned(), kinds }, bounds)
}

fn exists(path: &str) -> Condition {
    has(path, Vec::new(), vec![facts::of_field(path, None), facts::inside(path)])
}

/// The condition that a field has this value, or one of a list.
fn is(path: &str, value: &Value) -> Result<Condition, OpError> {
    match value {
        Value::Null => Ok(not(exists(path))),
        Value::List(items) => {
            let (mut kinds, mut all) = (Vec::new(), Vec::new());
            for item in items {
                let (kind, bounds) = equal(path, item)?;
                kinds.push(kind);
                all.push(bounds);
            }
            kinds.sort_unstable();
            kinds.dedup();
            Ok(has(path, kinds, all))
        }
        value => equal(path, value).map(|(kind, bounds)| has(path, vec![kind], vec![bounds])),
    }
}

/// The facts that are this value. A day is each time of that day.
fn equal(path: &str, value: &Value) -> Result<(Kind, Bounds), OpError> {
    if let Some(times) = value.as_str().and_then(facts::date) {
        let at = |time| facts::fact(path, Kind::Date, &facts::of_time(time));
        return Ok((Kind::Date, at(times.start)..at(times.end)));
    }
    let (kind, value) = facts::scalar(value)
        .ok_or_else(|| expected(path, "is", "true, false, a number or a text", value))?;
    let start = facts::fact(path, kind, &value);
    let end = after(&start);
    Ok((kind, start..end))
}

/// The facts that are at least, above, at most or below a value.
fn compared(path: &str, operator: &str, value: &Value) -> Result<Condition, OpError> {
    if matches!(value, Value::Bool(_) | Value::Null) {
        return Err(expected(path, operator, "a number, a date or a text", value));
    }
    let (kind, equal) = equal(path, value)
        .map_err(|_| expected(path, operator, "a number, a date or a text", value))?;
    let all = facts::of_field(path, Some(kind));
    let bounds = match operator {
        "at_least" => equal.start..all.end,
        "above" => equal.end..all.end,
        "at_most" => all.start..equal.end,
        _ => all.start..equal.start,
    };
    Ok(has(path, vec![kind], vec![bounds]))
}

/// The first bytes after these.
fn after(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0]].concat()
}

/// The first bytes after all that begin with these, which are of UTF-8.
fn after_all(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0xff]].concat()
}

fn expected(path: &str, operator: &str, wanted: &str, found: &Value) -> OpError {
    let found = match found {
        Value::Null | Value::Bool(_) => found.to_string(),
        other => other.kind().to_owned(),
    };
    invalid(&format!("expected {wanted} for `{operator}` of `{path}`, found {found}"))
}

fn invalid(why: &str) -> OpError {
    OpError::invalid_input(format!("invalid `where`: {why}"))
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    fn of(text: &str) -> Result<Option<Condition>, OpError> {
        Condition::of(Conditions::decode(json::read(text).unwrap()).as_ref())
    }

    fn message(text: &str) -> String {
        of(text).unwrap_err().message
    }

    #[test]
    fn mistakes_are_named() {
        assert!(
            message(r#"{"a":{"at_least":1,"atmost":2}}"#)
                .contains("unknown operator `atmost` for `a`; did you mean `at_most`?")
        );
        assert!(message(r#"{"a":{"=>":1}}"#).contains("unknown operator `=>` for `a`"));
        assert!(message(r#"{"a":{}}"#).contains("`a` has no condition"));
        assert!(
            message(r#"{"a":{"one_of":1}}"#)
                .contains("expected a list of values for `one_of` of `a`")
        );
        assert!(
            message(r#"{"a":{"above":true}}"#)
                .contains("expected a number, a date or a text for `above` of `a`, found true")
        );
        assert!(message(r#"{"a":{"exists":1}}"#).contains("expected true or false"));
        assert!(message(r#"{"a":{"starts_with":1}}"#).contains("expected a text"));
        assert!(message(r#"{"a":[[1]]}"#).contains("found list"));
        assert!(
            message(&format!("{{\"a\":{}1{}}}", "{\"b\":".repeat(40), "}".repeat(40)))
                .contains("too deeply")
        );
        assert!(
            message(&format!("{{\"a\":{}1{}}}", "{\"not\":".repeat(40), "}".repeat(40))).len()
                < 200
        );
        assert!(of("{}").unwrap().is_none());
        assert!(Condition::of(None).unwrap().is_none());
    }
}
