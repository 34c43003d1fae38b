//! Renders values for people.
//!
//! | value | rendered as |
//! |---|---|
//! | null | nothing |
//! | a string | itself |
//! | a list | one item per line |
//! | a list of records | a table; tab-separated with a header line in a pipe |
//! | `{ text, sources }` | the text, followed by the numbered sources |
//! | another record | `name  value`, one field per line |
//!
//! On a terminal, tables are cut to its width, and records that are too wide for a table are shown
//! one below the other. In a pipe nothing is cut.

mod records;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use svc_contract::value::{List, Record, Value};
use svc_lang::diag::visible;

/// The reader of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    /// A person at a terminal of this width.
    Terminal { width: u16, colour: bool },
    /// A pipe or a file, with lines of any length.
    Pipe,
}

/// Renders a value as text that ends with a newline; null is the empty text.
pub(super) fn show(value: &Value, reader: Reader) -> String {
    let mut text = lines(value, reader);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Renders a list as an overview: its records as one table, with the columns that fit on the
/// terminal.
pub(super) fn brief(items: &List, reader: Reader) -> String {
    let rows: Option<Vec<&Record>> = items.iter().map(Value::as_record).collect();
    match (rows, reader) {
        (Some(rows), Reader::Terminal { width, colour }) if !rows.is_empty() => {
            records::brief(&rows, reader, width, colour)
        }
        _ => items.iter().map(|it| reader.text(it) + "\n").collect(),
    }
}

/// The value as lines. The last one may lack its newline.
fn lines(value: &Value, reader: Reader) -> String {
    match value {
        Value::Null => String::new(),
        Value::List(items) if items.is_empty() => String::new(),
        Value::List(items) => {
            let rows: Option<Vec<&Record>> = items.iter().map(Value::as_record).collect();
            match rows {
                Some(rows) => records::table(&rows, reader),
                None => items.iter().map(|it| reader.text(it) + "\n").collect(),
            }
        }
        Value::Record(record) => match cited(record) {
            Some((text, sources)) => with_sources(text, sources, reader),
            None => records::fields(record, reader),
        },
        other => reader.text(other),
    }
}

/// The text and the sources of a summary.
fn cited(record: &Record) -> Option<(&Value, &[Value])> {
    let (text, sources) = (record.get("text")?, record.get("sources")?.as_list()?);
    let fits = record.len() == 2 && text.as_str().is_some();
    let named = sources.iter().all(|it| it.as_str().is_some());
    (fits && named).then(|| (text, sources.iter().as_slice()))
}

fn with_sources(text: &Value, sources: &[Value], reader: Reader) -> String {
    let mut shown = reader.text(text);
    if sources.is_empty() {
        return shown;
    }
    shown.push_str("\n\n");
    for (idx, source) in sources.iter().enumerate() {
        shown += &["[", &(idx + 1).to_string(), "] ", &one_line(source, reader), "\n"].concat();
    }
    shown
}

impl Reader {
    /// A value that is not a table: a string unchanged, others in the notation of the language.
    fn text(self, value: &Value) -> String {
        let text = match value.as_str() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(value.to_string()),
        };
        match self {
            Self::Terminal { .. } => visible(&text).into_owned(),
            Self::Pipe => text.into_owned(),
        }
    }

    /// The same reader with less room.
    fn narrower(self, by: usize) -> Self {
        match self {
            Self::Terminal { width, colour } => {
                let by = u16::try_from(by).unwrap_or(u16::MAX);
                Self::Terminal { width: width.saturating_sub(by).max(20), colour }
            }
            Self::Pipe => Self::Pipe,
        }
    }
}

/// A value on one line, for a cell of a table.
fn one_line(value: &Value, reader: Reader) -> String {
    match (value, reader) {
        (Value::Null, _) => String::new(),
        (Value::Float(it), Reader::Terminal { .. }) => short_float(*it),
        _ => {
            let text = reader.text(value);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

/// A float, rounded for people.
fn short_float(it: f64) -> String {
    let exact = Value::Float(it).to_string();
    if exact.len() > 8 && (0.001..1e6).contains(&it.abs()) { format!("{it:.4}") } else { exact }
}
