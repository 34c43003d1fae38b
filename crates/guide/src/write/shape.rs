//! The names and types in a file, for a prompt: never its values.

use svc_contract::value::{Value, literal};
use svc_text::visible::visible_line;

use crate::{Content, Seen};

/// The maximum number of items of a list that are looked at.
const MOST_ITEMS: usize = 2_000;

/// The maximum number of fields that are named, and the longest name.
const MOST_FIELDS: usize = 80;
const LONGEST_NAME: usize = 80;

/// The maximum depth of records and lists.
const DEEPEST: usize = 6;

/// The types of values, joined over all of them.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Nothing was seen but null.
    Empty,
    Plain(&'static str),
    List(Box<Shape>),
    Record(Vec<Field>),
    /// Several types, or a value that is too deep.
    Any,
}

#[derive(Clone, Debug, PartialEq)]
struct Field {
    name: String,
    shape: Shape,
    is_optional: bool,
}

/// The files with their names and types, one a line; empty if there is nothing to say.
pub(super) fn shapes(seen: &[Seen]) -> String {
    let lines: Vec<String> = seen.iter().filter_map(of_file).collect();
    if lines.is_empty() {
        return String::new();
    }
    let (first, rest) = ("The names and types in the files of the goal", lines.join("\n"));
    format!("{first}, each with the stages that read it, where {{T}} is the type:\n{rest}")
}

/// A text has no names.
fn of_file(seen: &Seen) -> Option<String> {
    // The cells of a table are texts, whatever they mean.
    let reads_cells = seen.reader.contains("parse_csv");
    let (Content::One(value) | Content::Rows { rows: value, .. }) = &seen.content else {
        return None;
    };
    let shape = Reader { reads_cells }.shape(value, 0);
    let is_named = matches!(&shape, Shape::List(_) | Shape::Record(_));
    let path = visible_line(&seen.path);
    is_named.then(|| format!("- `{path}`, read by `{}`: {}", seen.reader, written(&shape)))
}

struct Reader {
    reads_cells: bool,
}

impl Reader {
    fn shape(&self, value: &Value, depth: usize) -> Shape {
        match value {
            Value::Null => Shape::Empty,
            Value::Bool(_) => Shape::Plain("bool"),
            Value::Int(_) => Shape::Plain("int"),
            Value::Float(_) => Shape::Plain("float"),
            Value::Text(text) if self.reads_cells => of_cell(text),
            Value::Text(_) => Shape::Plain("string"),
            Value::Time(_) => Shape::Plain("time"),
            Value::Date(_) => Shape::Plain("date"),
            Value::List(_) | Value::Record(_) if depth == DEEPEST => Shape::Any,
            Value::List(items) => {
                let items = items.iter().take(MOST_ITEMS).map(|it| self.shape(it, depth + 1));
                Shape::List(Box::new(items.fold(Shape::Empty, |all, it| self.join(all, it))))
            }
            Value::Record(record) => {
                let field = |(name, it): (_, &Value)| {
                    let shape = self.shape(it, depth + 1);
                    let is_optional = shape == Shape::Empty;
                    Field { name: AsRef::<str>::as_ref(name).to_owned(), shape, is_optional }
                };
                Shape::Record(record.iter().map(field).collect())
            }
            _ => Shape::Any,
        }
    }

    fn join(&self, one: Shape, other: Shape) -> Shape {
        match (one, other) {
            (one, other) if one == other => one,
            (Shape::Empty, it) | (it, Shape::Empty) => it,
            (Shape::Plain("int" | "float"), Shape::Plain("int" | "float")) => Shape::Plain("float"),
            // A cell of a column of texts may look like a number.
            (Shape::Plain(_), Shape::Plain(_)) if self.reads_cells => Shape::Plain("string"),
            (Shape::List(one), Shape::List(other)) => {
                Shape::List(Box::new(self.join(*one, *other)))
            }
            (Shape::Record(one), Shape::Record(other)) => Shape::Record(self.fields(one, other)),
            _ => Shape::Any,
        }
    }

    fn fields(&self, mut all: Vec<Field>, new: Vec<Field>) -> Vec<Field> {
        for field in &mut all {
            field.is_optional |= !new.iter().any(|it| it.name == field.name);
        }
        for it in new {
            match all.iter_mut().find(|field| field.name == it.name) {
                Some(field) => {
                    let before = std::mem::replace(&mut field.shape, Shape::Empty);
                    field.shape = self.join(before, it.shape);
                    field.is_optional |= it.is_optional;
                }
                None => all.push(Field { is_optional: true, ..it }),
            }
        }
        all
    }
}

fn of_cell(text: &str) -> Shape {
    let text = text.trim();
    let is_number = text.starts_with(|it: char| it.is_ascii_digit() || it == '-');
    match text {
        "" => Shape::Empty,
        "true" | "false" => Shape::Plain("bool"),
        _ if text.parse::<i64>().is_ok() => Shape::Plain("int"),
        _ if is_number && text.parse::<f64>().is_ok() => Shape::Plain("float"),
        _ if is_date(text) => Shape::Plain("date"),
        _ => Shape::Plain("string"),
    }
}

/// Whether a text has the form of `2025-01-31`.
fn is_date(text: &str) -> bool {
    let is_right = |(at, it): (usize, u8)| match at {
        4 | 7 => it == b'-',
        _ => it.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

/// A type, as a script writes it.
fn written(shape: &Shape) -> String {
    match shape {
        Shape::Plain(name) => (*name).to_owned(),
        Shape::Empty | Shape::Any => "json".to_owned(),
        Shape::List(item) => format!("[{}]", written(item)),
        Shape::Record(fields) if fields.iter().any(|it| is_value(&it.name)) => {
            "json, whose names may be values and are not shown".to_owned()
        }
        Shape::Record(fields) => {
            let more = if fields.len() > MOST_FIELDS { ", .." } else { "" };
            let shown: Vec<String> = fields.iter().take(MOST_FIELDS).map(of_field).collect();
            format!("{{ {}{more} }}", shown.join(", "))
        }
    }
}

fn of_field(field: &Field) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let starts = field.name.starts_with(|it: char| it.is_ascii_lowercase() || it == '_');
    let is_bare = starts && field.name.chars().all(is_plain);
    let name = if is_bare { field.name.clone() } else { literal::text(&field.name) };
    format!("{name}: {}{}", written(&field.shape), if field.is_optional { "?" } else { "" })
}

/// Whether a name may be a value: the first line of a table without a header, or the key of a map
/// from people or days.
fn is_value(name: &str) -> bool {
    let name = name.trim();
    // An attribute of an XML element.
    let name = name.strip_prefix('@').filter(|it| !it.contains('@')).unwrap_or(name);
    let is_number = name.starts_with(|it: char| it.is_ascii_digit() || "+-.".contains(it))
        && name.chars().all(|it| it.is_ascii_digit() || "+-., :/TZ%€$".contains(it));
    name.is_empty() || is_number || name.contains('@') || name.chars().count() > LONGEST_NAME
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    fn of(reader: &str, json: &str) -> String {
        let value = json::read(json).unwrap();
        shapes(&[Seen {
            path: "x".into(),
            within: None,
            reader: reader.into(),
            nouns: None,
            content: Content::One(value),
        }])
    }

    #[test]
    fn cells_have_the_types_of_their_columns() {
        let rows = r#"[{"id": "1", "paid": "true", "on": "2025-01-02", "to": "Ann", "sum": "1"},
            {"id": "2", "paid": "false", "on": "", "to": "7", "sum": "2.5"}]"#;
        let shown = of("read >> parse_csv<{T}>()", rows);
        let wanted = "[{ id: int, paid: bool, on: date?, to: string, sum: float }]";
        assert!(shown.ends_with(wanted), "{shown}");
    }

    #[test]
    fn records_are_joined() {
        let shown =
            of("read", r#"{"a": [{"b": 1, "First Name": "x"}, {"b": null}], "c": [1, "x"]}"#);
        let wanted = r#"{ a: [{ b: int?, "First Name": string? }], c: [json] }"#;
        assert!(shown.ends_with(wanted), "{shown}");
    }

    #[test]
    fn values_are_never_names() {
        for names in [r#"[{"2024-01-01": "x", "Ann": "y"}]"#, r#"{"ann@example.com": 1, "b": 2}"#] {
            let shown = of("read", names);
            assert!(!shown.to_lowercase().contains("ann") && !shown.contains("2024"), "{shown}");
        }
        assert_eq!(of("read", r#""Ann has 3""#), "");
    }
}
