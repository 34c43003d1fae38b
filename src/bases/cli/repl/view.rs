//! Shows values: as many lines as the screen holds, the rest on demand.

use std::borrow::Cow;

use svc_contract::value::Value;
use svc_lang::diag::visible;

use super::{
    super::{
        Session,
        run::reader,
        show,
        terminal::{Ink, Stream},
    },
    settings::{Settings, View},
    tree,
};

/// The lines of a value, some of them not shown yet.
#[derive(Debug, Default)]
pub(super) struct Rest {
    lines: Vec<String>,
    shown: usize,
}

/// A value as lines.
pub(super) fn lines(value: &Value, settings: &Settings, session: &Session) -> Vec<String> {
    let text = match settings.view {
        View::Json => serde_json::to_string_pretty(value).unwrap_or_else(|it| it.to_string()),
        View::Tree => return pictured(value, session),
        View::Auto if session.is_prompt && is_nested(value) => return pictured(value, session),
        View::Auto if session.is_prompt && is_nothing(value) => value.to_string(),
        View::Auto if session.is_prompt => match value.as_list() {
            Some(items) => show::brief(items, reader(session)),
            None => show::show(value, reader(session)),
        },
        View::Auto => show::show(value, reader(session)),
    };
    if !session.is_prompt {
        return text.lines().map(str::to_owned).collect();
    }
    let width = super::super::screen::size().0;
    text.lines().flat_map(|it| textwrap::wrap(it, width)).map(Cow::into_owned).collect()
}

fn pictured(value: &Value, session: &Session) -> Vec<String> {
    let width = if session.terminal.out.is_terminal { super::super::screen::size().0 } else { 200 };
    let lines = tree::tree(value, width);
    lines.iter().map(|it| visible(it).into_owned()).collect()
}

/// Whether a value would be shown as empty text.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        other => other.as_str().is_some_and(str::is_empty),
    }
}

/// Whether a table would hide nested values.
fn is_nested(value: &Value) -> bool {
    let is_plain = |it: &Value| match it {
        Value::Record(_) => false,
        Value::List(items) => {
            items.iter().all(|it| !matches!(it, Value::Record(_) | Value::List(_)))
        }
        _ => true,
    };
    match value {
        Value::Record(it) => !it.iter().all(|(_, it)| is_plain(it)),
        Value::List(items) => items.iter().any(|it| matches!(it, Value::List(_))),
        _ => false,
    }
}

impl Rest {
    pub(super) fn new(lines: Vec<String>) -> Self {
        Self { lines, shown: 0 }
    }

    /// The next lines, followed by a note on the remaining ones.
    pub(super) fn next(&mut self, rows: usize, out: Stream) -> String {
        let left = self.lines.len() - self.shown;
        // One row is reserved for the note.
        let count = if left <= rows { left } else { rows.saturating_sub(1).max(1) };
        let mut text = String::new();
        for line in &self.lines[self.shown..self.shown + count] {
            text += line;
            text.push('\n');
        }
        self.shown += count;
        if let left @ 1.. = self.lines.len() - self.shown {
            let hint = format!("… {left} more lines: `:more` shows the next, `:all` all of them");
            text += &out.paint(&hint, Ink::Dim);
            text.push('\n');
        }
        text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.shown == self.lines.len()
    }
}
