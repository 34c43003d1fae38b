//! The front matter of Markdown: YAML between two `---`, or TOML between two `+++`.

use saphyr_parser::{Event, Parser, ScalarStyle};
use svc_contract::value::Value;

use super::{DEEPEST, Fields, Meta, dates};

/// The maximum size of front matter that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// Fields whose value is a date in any form. In others, it must begin with the year.
const DATES: &[&str] = &[
    "created",
    "date",
    "expirydate",
    "issued",
    "lastmod",
    "modified",
    "pubdate",
    "publishdate",
    "published",
    "updated",
];

/// The length of front matter, with its marks and the end of its last line.
pub(in super::super) fn len(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next() else { return 0 };
    let mark = first.trim_end();
    if !matches!(mark, "---" | "+++") {
        return 0;
    }
    let mut len = first.len();
    for line in lines {
        len += line.len();
        if line.trim_end() == mark {
            return len;
        }
    }
    0
}

/// The fields of front matter. One that cannot be read has none.
pub(in super::super) fn fields(matter: &str) -> Value {
    let inner = matter.trim_end().get(3..matter.trim_end().len().saturating_sub(3));
    let Some(inner) = inner.filter(|it| it.len() <= LONGEST) else { return Value::Null };
    let read = if matter.starts_with('+') {
        toml::from_str(inner).ok().map(dates_as_text)
    } else {
        of_yaml(inner)
    };
    read.unwrap_or_default()
}

/// The key under which the crate `toml` hands over a date or time.
const DATE: &str = "$__toml_private_datetime";

/// The same value with the dates of TOML as text.
fn dates_as_text(value: Value) -> Value {
    match value {
        Value::List(items) => items.iter().cloned().map(dates_as_text).collect::<Vec<_>>().into(),
        Value::Record(record) => match record.get(DATE) {
            Some(date) if record.len() == 1 => date.clone(),
            _ => {
                let fields = record.iter();
                let fields = fields.map(|(name, it)| (name.clone(), dates_as_text(it.clone())));
                Value::Record(fields.collect())
            }
        },
        other => other,
    }
}

/// The metadata of a document with these fields: without its title, and with dates as in RFC 3339.
pub(in super::super) fn meta(fields: &Value) -> Value {
    let mut meta = Meta::new();
    let Value::Record(fields) = fields else { return Value::Null };
    for (name, value) in fields.iter().filter(|(name, _)| name.as_ref() != "title") {
        let normal = value.as_str().and_then(|said| {
            let is_date = DATES.contains(&name.to_lowercase().replace(['_', '-'], "").as_str());
            if is_date { dates::normal(said) } else { dates::strict(said) }
        });
        meta.add(name, &normal.map_or_else(|| value.clone(), Value::from));
    }
    meta.end()
}

/// Reads YAML. Aliases are left out: they make a small text large.
fn of_yaml(text: &str) -> Option<Value> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let value = match event.ok()?.0 {
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::Alias(_) => Value::Null,
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() > DEEPEST => {
                return None;
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Object(Fields::default(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop()? {
                Open::List(items) => items.into(),
                Open::Object(fields, _) => fields.end(),
            },
            _ => continue,
        };
        match open.last_mut() {
            None => return Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object(fields, key)) => match key.take() {
                Some(key) => fields.set(&key, value),
                None => {
                    *key = Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                }
            },
        }
    }
    None
}

/// A list or an object that has not ended.
enum Open {
    List(Vec<Value>),
    Object(Fields, Option<String>),
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return true.into(),
        "false" | "False" | "FALSE" => return false.into(),
        _ => {}
    }
    let is_number =
        text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '-' | '+' | '.'));
    let float = || text.parse::<f64>().ok().filter(|it| it.is_finite());
    match text.parse::<i64>() {
        Ok(it) => it.into(),
        Err(_) => float().filter(|_| is_number).map_or_else(|| text.into(), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    fn of(matter: &str) -> String {
        json::write(&meta(&fields(matter)))
    }

    #[test]
    fn fields_are_those_of_yaml_and_toml() {
        let yaml = "---\ntitle: A\nyear: 2020\ndate: 18 Nov 2019\ntags: [a, 'b c']\nnested:\n  deep: {x: 1.5}\n\
                    draft: false\nnone: ~\nversion: \"1.0\"\nat: 2019-11-18 10:00:00 +0100\n---\n";
        assert_eq!(
            of(yaml),
            r#"{"year":2020,"date":"2019-11-18","tags":["a","b c"],"nested":{"deep":{"x":1.5}},"draft":false,"none":null,"version":"1.0","at":"2019-11-18T09:00:00Z"}"#
        );
        let toml = "+++\ntitle = 'A'\nyear = 2020\ndate = 2019-11-18\n[extra]\nlang = 'en'\n+++\n";
        assert_eq!(of(toml), r#"{"date":"2019-11-18","extra":{"lang":"en"},"year":2020}"#);
    }

    #[test]
    fn front_matter_that_cannot_be_read_has_no_fields() {
        let bomb = format!("---\na: &a [x, x]\nb: &b [*a, *a]\nc: {}\n---\n", "[*b, *b]");
        assert_eq!(of(&bomb), r#"{"a":["x","x"],"b":[null,null],"c":[null,null]}"#);
        let deep = format!("---\na: {}\n---\n", "[".repeat(10_000));
        for matter in [
            "---\na: [\n---\n",
            "---\n- a\n---\n",
            "---\n---\n",
            "+++\na\n+++\n",
            &deep,
            "---\nwords\n---",
        ] {
            assert_eq!(of(matter), "null", "{}", &matter[..matter.len().min(40)]);
        }
        assert_eq!(len("---\na: 1\n---"), 12);
        assert_eq!(len("+++\na = 1\n---\nb"), 0);
    }
}
