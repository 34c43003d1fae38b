//! TOML, by the crate `toml`.

use svc_contract::{
    registry::OpError,
    value::{Record, Text, Value, arithmetic::HEAVIEST, memory},
};

use super::{DEEPEST, place, too_deep, too_long};

/// The key under which the crate hands over a date or time.
const DATE: &str = "$__toml_private_datetime";

pub(super) fn read(text: &str) -> Result<Value, OpError> {
    toml::from_str(text).map(dates).map_err(|err| {
        let place = err.span().map(|it| place(text, it.start)).unwrap_or_default();
        let why = err.message().lines().next().unwrap_or_default();
        OpError::invalid_input(format!("invalid TOML: {why}{place}")).because(err)
    })
}

/// The same value with dates as text.
fn dates(value: Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.into_vec().into_iter().map(dates).collect()),
        Value::Record(record) => match record.get(DATE) {
            Some(date) if record.len() == 1 => date.clone(),
            _ => {
                let fields = record.iter().map(|(name, it)| (name.clone(), dates(it.clone())));
                Value::Record(fields.collect())
            }
        },
        other => other,
    }
}

/// Writes one document.
pub(super) fn write(value: &Value) -> Result<Value, OpError> {
    if value.weight() > HEAVIEST {
        return Err(too_long());
    }
    let Value::Record(table) = value else {
        let message = format!("cannot write TOML: a document is an object, not {}", value.kind());
        return Err(OpError::invalid_input(message));
    };
    // What is written is copied once.
    memory::room(usize::try_from(value.weight()).unwrap_or(usize::MAX).saturating_mul(2))?;
    let text = toml::to_string(&without_null(table, 0)?);
    text.map(Value::from)
        .map_err(|err| OpError::invalid_input(format!("cannot write TOML: {err}")).because(err))
}

/// The same object without fields that are null, which TOML does not have.
fn without_null(object: &Record, depth: usize) -> Result<Value, OpError> {
    let mut fields: Vec<(Text, Value)> = Vec::with_capacity(object.len());
    for (name, it) in object.iter().filter(|(_, it)| !it.is_null()) {
        fields.push((name.clone(), writable(it, depth + 1)?));
    }
    Ok(Value::Record(fields.into_iter().collect()))
}

fn writable(value: &Value, depth: usize) -> Result<Value, OpError> {
    if depth > DEEPEST {
        return Err(too_deep());
    }
    match value {
        Value::Record(object) => without_null(object, depth),
        Value::List(items) => items
            .iter()
            .map(|it| writable(it, depth + 1))
            .collect::<Result<_, _>>()
            .map(Value::List),
        Value::Null => {
            let message = "cannot write TOML: it has no null for an item of a list";
            Err(OpError::invalid_input(message).help("remove it with `compact`"))
        }
        other => Ok(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    #[test]
    fn documents_are_read() {
        let read = |text| json::write(&read(text).unwrap());
        assert_eq!(read(""), "{}");
        assert_eq!(
            read("t = 1979-05-27T07:32:00Z\na = [ { b = 0x1F }, { b = 1e3 } ]\nc.\"d.e\" = 'x\\y'"),
            r#"{"a":[{"b":31},{"b":1000.0}],"c":{"d.e":"x\\y"},"t":"1979-05-27T07:32:00Z"}"#
        );
    }

    #[test]
    fn mistakes_have_their_place() {
        let message = |text: &str| read(text).unwrap_err().message;
        assert!(
            message("a = 1\na = 2").contains("at line 2, column 1"),
            "{}",
            message("a = 1\na = 2")
        );
        assert!(message("é = ").starts_with("invalid TOML: "));
        assert!(message("a = nan").contains("out of range"));
        assert!(message(&format!("a = {}", "[".repeat(100_000))).contains("invalid TOML"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let values = r#"{"a":{"b":[1,2.5,true],"c":"x\ny"},"d":[{"e":[]},{"e":[[1],["\"q\""]]}],"z w":"2026-01-31"}"#;
        let written = write(&json::read(values).unwrap()).unwrap();
        assert_eq!(json::write(&read(written.as_str().unwrap()).unwrap()), values, "{written}");
        let of = |text: &str| write(&json::read(text).unwrap());
        assert_eq!(of(r#"{"a":null,"b":{"c":null}}"#).unwrap(), "[b]\n".into());
        assert!(of(r#"{"a":[null]}"#).unwrap_err().message.contains("no null"));
        assert!(of("[1]").unwrap_err().message.contains("not list"));
    }
}
