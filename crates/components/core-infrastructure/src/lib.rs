//! Core infrastructure: the pure functions, and files.

use svc_contract::{
    registry::{ANY_RECORD, Component, Field, OpError, Scheme},
    value::{
        BoundedText, Record, Value,
        arithmetic::{LONGEST_LIST, LONGEST_TEXT},
        json as json_text, memory,
    },
};

#[cfg(feature = "formats")]
mod adapt_archive;
#[cfg(feature = "formats")]
mod adapt_crypto;
#[cfg(feature = "http")]
mod adapt_http;
#[cfg(feature = "formats")]
mod adapt_template;
mod approval;
mod control;
mod csv;
#[cfg(feature = "database")]
mod database;
#[cfg(feature = "exec")]
mod exec;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "guide")]
mod guide;
mod json;
mod list;
mod map;
mod math;
mod navigator;
mod random;
mod text;
mod time;

pub const ALL: &[&Component] = &[
    &text::COMPONENT,
    &list::COMPONENT,
    &map::COMPONENT,
    &math::COMPONENT,
    &random::COMPONENT,
    &time::COMPONENT,
    &json::COMPONENT,
    &csv::COMPONENT,
    #[cfg(feature = "exec")]
    &exec::COMPONENT,
    #[cfg(feature = "files")]
    &files::COMPONENT,
    #[cfg(feature = "http")]
    &adapt_http::COMPONENT,
    &control::COMPONENT,
    &approval::COMPONENT,
    #[cfg(feature = "guide")]
    &guide::COMPONENT,
    &navigator::COMPONENT,
    #[cfg(feature = "formats")]
    &adapt_crypto::COMPONENT,
    #[cfg(feature = "formats")]
    &adapt_template::COMPONENT,
    #[cfg(feature = "formats")]
    &adapt_archive::COMPONENT,
    #[cfg(feature = "database")]
    &database::COMPONENT,
];

/// A string, as its UTF-8, or bytes.
#[derive(Clone, Debug)]
struct Content(Value);

impl Field for Content {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Text, Scheme::Bytes]);

    fn decode(value: Value) -> Option<Self> {
        matches!(value, Value::Text(_) | Value::Bytes(_)).then_some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

impl Content {
    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Value::Bytes(bytes) => bytes,
            other => other.as_str().unwrap_or_default().as_bytes(),
        }
    }
}

/// Any map: `map<T>`.
const ANY_MAP: Scheme = Scheme::Map(&Scheme::Var('T'));

/// A map, a record, or a `json` value that is an object.
struct Mapped(Record);

impl Field for Mapped {
    const SCHEME: Scheme = ANY_MAP;

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

/// A record, a map, or a `json` value that is an object. Each of several params with maps has a
/// type parameter of its own.
struct Keyed<const T: char = 'T'>(Record);

impl<const T: char> Field for Keyed<T> {
    const SCHEME: Scheme = Scheme::OneOf(&[ANY_RECORD, Scheme::Map(&Scheme::Var(T)), Scheme::Json]);

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

/// Rejects a text of this many bytes if no call may create it.
fn test_text_len(bytes: usize) -> Result<(), OpError> {
    if bytes <= LONGEST_TEXT {
        // The text is created, and then copied to be shared.
        return Ok(memory::room(bytes.saturating_mul(2))?);
    }
    Err(too_long())
}

/// Rejects a list of this many items if no call may create it.
fn test_list_len(items: usize) -> Result<(), OpError> {
    if items <= LONGEST_LIST {
        return Ok(());
    }
    let message = format!("the result would have more than {LONGEST_LIST} items");
    Err(OpError::failed(message).help("split the work into parts"))
}

/// The same for a list that is created in one step.
fn test_list_room(items: usize) -> Result<(), OpError> {
    test_list_len(items)?;
    Ok(memory::room(items * size_of::<Value>())?)
}

/// The text that `write` writes, of at most `limit` bytes.
fn written(
    most: usize,
    write: impl FnOnce(&mut BoundedText) -> std::fmt::Result,
) -> Result<String, OpError> {
    let mut text = BoundedText::new(most);
    match write(&mut text) {
        Ok(()) => Ok(text.into_string()),
        Err(_) => memory::check().map_err(OpError::from).and_then(|()| Err(too_long())),
    }
}

fn too_long() -> OpError {
    OpError::failed("the result would be larger than 256MiB (limit of one call)")
}

/// A number with so many decimals, by the one rule for rounding.
fn rounded(number: f64, digits: i64) -> f64 {
    svc_columns::rounded(number, i32::try_from(digits).unwrap_or_default())
}

/// The start of a text, for messages.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Parses JSON; the error has the position and the text around it.
fn read_json(text: &str) -> Result<Value, OpError> {
    // Editors on Windows start a file with this mark; JSON does not allow it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(no_json("empty text"));
    }
    json_text::read(text).map_err(|err| explain(text, err))
}

fn explain(text: &str, err: serde_json::Error) -> OpError {
    let message = err.to_string();
    let why = message.rsplit_once(" at line ").map_or(message.as_str(), |(why, _)| why);
    let why = why.replace("EOF", "the text ends").replace("expected ident", "unknown word");
    let Place { line, column, near } = Place::of(text, err.line(), err.column());
    let error = no_json(&format!("{why}, at line {line}, column {column}, near `{near}`"));
    let error = if text.trim_start().starts_with("```") {
        error.help("remove the lines with ``` of the Markdown code block around it")
    } else {
        error
    };
    error.because(err)
}

/// A position in a text, with some characters around it.
struct Place {
    line: usize,
    /// In characters, from 1.
    column: usize,
    near: String,
}

impl Place {
    /// The position of the byte `column` in a line, both counted from 1. The parser reports the end
    /// of a line as byte 0 of the next one.
    fn of(text: &str, line: usize, column: usize) -> Self {
        const AROUND: usize = 15;
        let line = if column == 0 { line.saturating_sub(1).max(1) } else { line };
        let content = text.split('\n').nth(line - 1).unwrap_or_default();
        let byte = if column == 0 { content.len() } else { (column - 1).min(content.len()) };
        let (before, after) = content.split_at(content.floor_char_boundary(byte));
        let start = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(byte, _)| byte);
        let near: String = before[start..].chars().chain(after.chars().take(AROUND)).collect();
        Self { line, column: before.chars().count() + 1, near: near.trim().to_owned() }
    }
}

/// The error for text that is not JSON.
fn no_json(why: &str) -> OpError {
    OpError::invalid_input(format!("invalid JSON: {why}"))
}

#[cfg(test)]
mod testing;
