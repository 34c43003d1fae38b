//! TOML, by the crate `toml`.

use svc_contract::{registry::OpError, value::Value};

/// The key under which the crate hands over a date or time.
const DATE: &str = "$__toml_private_datetime";

pub(super) fn read(text: &str) -> Result<Value, OpError> {
    toml::from_str(text).map(dates).map_err(|err| {
        let place = err.span().map(|it| place(text, it.start)).unwrap_or_default();
        let why = err.message().lines().next().unwrap_or_default();
        OpError::invalid_input(format!("invalid TOML: {why}{place}")).because(err)
    })
}

fn place(text: &str, offset: usize) -> String {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!(", at line {line}, column {column}")
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
}
