//! Scalars of YAML: what a text with a tag means, and which texts need quotes.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;
use saphyr::{Scalar, Yaml};
use saphyr_parser::{ScalarStyle, Tag};
use svc_contract::value::Value;

/// A scalar as a value, or what is wrong with it.
pub(super) fn read(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Value, String> {
    let is_plain = style == ScalarStyle::Plain;
    match tag {
        Some(tag) if tag.is_yaml_core_schema() => tagged(text, &tag.suffix),
        Some(tag) if tag.handle.is_empty() && tag.suffix == "!" => Ok(Value::text(text.as_ref())),
        None if is_plain && text.is_empty() => Ok(Value::Null),
        // The tag of an application says nothing about JSON.
        _ if is_plain => plain(text),
        _ => Ok(Value::text(text.as_ref())),
    }
}

/// Tests the tag of a list or an object.
pub(super) fn test_collection(tag: Option<&Tag>, is_list: bool) -> Result<(), String> {
    let Some(tag) = tag.filter(|it| it.is_yaml_core_schema()) else { return Ok(()) };
    let fits: &[&str] = if is_list { &["seq", "omap", "pairs"] } else { &["map", "set"] };
    let found = if is_list { "a list" } else { "an object" };
    match &*tag.suffix {
        it if fits.contains(&it) => Ok(()),
        it if is_known(it) => Err(format!("{found} does not fit the tag `!!{it}`")),
        it => Err(unknown(it)),
    }
}

const SCALARS: [&str; 8] = ["str", "int", "float", "bool", "null", "binary", "timestamp", "merge"];

fn is_known(tag: &str) -> bool {
    SCALARS.contains(&tag) || ["seq", "omap", "pairs", "map", "set"].contains(&tag)
}

fn unknown(tag: &str) -> String {
    format!("unknown tag `!!{tag}`")
}

/// A text with a tag of YAML itself: quotes around it change nothing.
fn tagged(text: Cow<'_, str>, tag: &str) -> Result<Value, String> {
    let shown = shorten(&text);
    let misfit = || format!("`{shown}` does not fit the tag `!!{tag}`");
    match (tag, tag == "null" && text.is_empty()) {
        // JSON has neither bytes nor times: bytes are their text in base64.
        ("str" | "binary" | "timestamp", _) => return Ok(Value::text(text.as_ref())),
        ("null", true) => return Ok(Value::Null),
        ("int" | "float" | "bool" | "null", _) => {}
        (it, _) if is_known(it) => return Err(misfit()),
        _ => return Err(unknown(tag)),
    }
    let value = plain(text)?;
    #[expect(clippy::cast_precision_loss, reason = "the document asks for a float")]
    match (tag, value) {
        ("int", it @ Value::Int(_))
        | ("float", it @ Value::Float(_))
        | ("bool", it @ Value::Bool(_))
        | ("null", it @ Value::Null) => Ok(it),
        ("float", Value::Int(it)) => Ok(Value::Float(it as f64)),
        _ => Err(misfit()),
    }
}

/// A text without quotes and tags, by the core schema of YAML 1.2.
fn plain(text: Cow<'_, str>) -> Result<Value, String> {
    let shown = shorten(&text);
    Ok(match Scalar::parse_from_cow(text) {
        Scalar::Null => Value::Null,
        Scalar::Boolean(it) => it.into(),
        Scalar::Integer(it) => it.into(),
        Scalar::FloatingPoint(it) if it.is_finite() => it.into_inner().into(),
        Scalar::FloatingPoint(_) => return Err(format!("the number `{shown}` is out of range")),
        Scalar::String(it) => Value::text(it.as_ref()),
    })
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A text to be written, in quotes if a reader of YAML 1.1 or 1.2 takes it for something else.
pub(super) fn written(text: &str) -> Yaml<'_> {
    if text.contains(is_special) {
        return Yaml::Representation(Cow::Owned(escaped(text)), ScalarStyle::DoubleQuoted, None);
    }
    if is_ambiguous(text) {
        // None of these texts has a letter that is written otherwise in quotes.
        return Yaml::Representation(Cow::Borrowed(text), ScalarStyle::DoubleQuoted, None);
    }
    Yaml::Value(Scalar::String(Cow::Borrowed(text)))
}

/// Whether some reader ends a line at a letter, or refuses it, unless it is escaped: YAML 1.1 has more
/// line breaks than 1.2.
pub(super) fn is_special(it: char) -> bool {
    matches!(
        it,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len() + 8);
    for it in text.chars() {
        match it {
            '"' | '\\' => all.extend(['\\', it]),
            '\n' => all.push_str("\\n"),
            '\t' => all.push_str("\\t"),
            it if it.is_control() || is_special(it) => {
                all.push_str(&format!("\\u{:04x}", u32::from(it)));
            }
            it => all.push(it),
        }
    }
    all
}

/// Whether a text without quotes is a number, a time, a boolean or null to some reader: in YAML 1.1, `yes`,
/// `1_000`, `0b1`, `1:30` (in base 60) and `2024-01-01` are not texts.
fn is_ambiguous(text: &str) -> bool {
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        let words = r"y|yes|n|no|on|off|true|false|null|~|=|<<";
        let special = r"[-+]?\.(?:inf|nan)";
        let based = r"[-+]?0(?:b[01_]+|o[0-7_]+|x[0-9a-f_]+)";
        let number =
            r"[-+]?(?:[0-9][0-9_,]*(?::[0-9_]+)*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[-+]?[0-9_]+)?";
        let time = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t ][0-9:.tz +-]*)?";
        let whole = format!("^(?i:{words}|{special}|{based}|{number}|{time})$");
        Regex::new(&whole).unwrap_or_else(|err| unreachable!("the pattern is tested: {err}"))
    });
    let is_near = |it: u8| it.is_ascii_digit() || b"+-.~=<yYnNoOtTfF".contains(&it);
    text.bytes().next().is_some_and(is_near) && OTHER.is_match(text)
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::super::yaml;
    use crate::testing::as_json;

    fn of(text: &str) -> Result<String, String> {
        as_json(yaml::read, text)
    }

    #[test]
    fn texts_that_some_reader_takes_for_something_else_have_quotes() {
        for text in [
            "y",
            "N",
            "yes",
            "No",
            "ON",
            "off",
            "oN",
            "True",
            "nULL",
            "~",
            "=",
            "<<",
            "1",
            "-1",
            "+12",
            "007",
            "1_000",
            "-1_0.5",
            "1,000",
            "0b101",
            "0o17",
            "-0x1F",
            "0x_f",
            "1.",
            ".5",
            "1e3",
            "1E-3",
            "1_0e5",
            "1:30",
            "-190:20:30.15",
            ".inf",
            "-.INF",
            ".NaN",
            "+.inf",
            "2024-01-01",
            "2024-1-1",
            "2024-01-01T10:00:00Z",
            "2024-01-01 10:00:00.5 +02:00",
        ] {
            let written = yaml::write(&text.into()).unwrap();
            assert_eq!(written.as_str(), Some(&*format!("\"{text}\"\n")));
            assert_eq!(of(written.as_str().unwrap()).unwrap(), json::write(&text.into()));
        }
        for text in [
            "yesterday",
            "1.2.3",
            "192.168.0.1",
            "x1",
            "3 apples",
            "2024-01",
            "e3",
            "1_a",
            "0x",
            "inf",
            "nan",
            "in 5",
            "5 kg",
            "nothing",
        ] {
            let written = yaml::write(&text.into()).unwrap();
            let plain = [format!("{text}\n"), format!("\"{text}\"\n")];
            let is_number = text.parse::<f64>().is_ok() || text.starts_with("0x");
            assert_eq!(written.as_str(), Some(&*plain[usize::from(is_number)]));
        }
        let keys = json::read(r#"{"on":1,"2024-01-01":2,"1:30":3}"#).unwrap();
        let expected = "\"on\": 1\n\"2024-01-01\": 2\n\"1:30\": 3\n";
        assert_eq!(yaml::write(&keys).unwrap().as_str(), Some(expected));
    }

    #[test]
    fn letters_that_some_reader_takes_for_a_line_break_are_escaped() {
        for (text, expected) in [
            ("\u{85}", r#""\u0085""#),
            ("a\u{2028}b", r#""a\u2028b""#),
            ("\"\u{2029}\\\n", r#""\"\u2029\\\n""#),
            ("\u{9f}\u{1}", r#""\u009f\u0001""#),
            ("\u{feff}é", r#""\ufeffé""#),
        ] {
            let written = yaml::write(&text.into()).unwrap();
            assert_eq!(written.as_str(), Some(&*format!("{expected}\n")));
            assert_eq!(of(written.as_str().unwrap()).unwrap(), json::write(&text.into()));
        }
        let keys = json::read("{\"a\u{85}\": 1}").unwrap();
        let written = yaml::write(&keys).unwrap();
        assert_eq!(written.as_str(), Some("\"a\\u0085\": 1\n"));
        assert_eq!(of(written.as_str().unwrap()).unwrap(), json::write(&keys));
    }

    #[test]
    fn tags_decide_what_a_text_is() {
        for (text, expected) in [
            ("!!str 1", "\"1\""),
            ("!!str", "\"\""),
            ("!!int \"1\"", "1"),
            ("!!int 0x1F", "31"),
            ("!!float 1", "1.0"),
            ("!!float '2.5'", "2.5"),
            ("!!bool 'True'", "true"),
            ("!!null ''", "null"),
            ("!!binary aGk=", "\"aGk=\""),
            ("!!timestamp 2024-01-01", "\"2024-01-01\""),
            ("!degree 50", "50"),
            ("!Ref x", "\"x\""),
            ("!Sub '50'", "\"50\""),
            ("! 50", "\"50\""),
            ("!!set {a, b}", r#"{"a":null,"b":null}"#),
            ("!!omap [a: 1]", r#"[{"a":1}]"#),
        ] {
            assert_eq!(of(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_text_that_does_not_fit_its_tag_is_an_error() {
        for (text, expected) in [
            ("a: !!int x", "`x` does not fit the tag `!!int`, at line 1, column 4"),
            ("!!int 1.5", "`1.5` does not fit the tag `!!int`"),
            ("!!bool 1", "`1` does not fit the tag `!!bool`"),
            ("!!null x", "`x` does not fit the tag `!!null`"),
            ("!!seq x", "`x` does not fit the tag `!!seq`"),
            ("!!str [1]", "a list does not fit the tag `!!str`"),
            ("!!seq {a: 1}", "an object does not fit the tag `!!seq`"),
            ("!!python/name:os.system x", "unknown tag `!!python/name:os.system`"),
            ("!!python/tuple [1]", "unknown tag `!!python/tuple`"),
            ("!!float .inf", "the number `.inf` is out of range"),
        ] {
            let found = of(text).unwrap_err();
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
