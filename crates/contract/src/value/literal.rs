//! Values as literals of a script.

use std::fmt::Write as _;

use super::{Value, json};

/// A value as an expression; `None` if the language has no literal for it, such as for bytes or
/// for a field whose name is not a word.
pub fn written(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => json::write(value),
        // Only numbers can be negative literals.
        Value::Money(it) if it.nanos() < 0 => value.to_string().replace("-$", "$0 - $"),
        Value::Duration(_) | Value::Money(_) | Value::Size(_) => value.to_string(),
        // Also where nothing says that a time is expected.
        Value::Time(it) => format!("(\"{it}\" as time)"),
        Value::Date(it) => format!("(\"{it}\" as date)"),
        Value::Text(it) | Value::Path(it) => text(it),
        Value::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(written).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Record(record) => {
            let field = |(name, value): (&super::Text, &Value)| {
                is_word(name).then(|| Some(format!("{name}: {}", written(value)?)))?
            };
            let fields: Option<Vec<String>> = record.iter().map(field).collect();
            format!("{{ {} }}", fields?.join(", "))
        }
        Value::Bytes(_)
        | Value::Secret(_)
        | Value::Flow(_)
        | Value::Model(_)
        | Value::Opaque(_) => return None,
    })
}

/// A text as a string literal.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' | '$' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            it if it.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(it));
            }
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

fn is_word(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_');
    first && chars.all(|it| it.is_ascii_alphanumeric() || it == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_say_what_they_are() {
        let value = json::read(r#"{"a": ["x\n\"$", 1.0, null], "b": {"c": true}}"#).unwrap();
        let expected = r#"{ a: ["x\n\"\$", 1.0, null], b: { c: true } }"#;
        assert_eq!(written(&value).unwrap(), expected);
        assert_eq!(written(&json::read(r#"{"a b": 1}"#).unwrap()), None);
        assert_eq!(text("\u{7}"), r#""\u{7}""#);
    }
}
