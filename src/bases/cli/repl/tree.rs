//! Renders nested values as trees.

use svc_contract::value::Value;

/// The maximum number of items of a list.
const MOST_ITEMS: usize = 5;

/// The maximum depth of a tree.
const DEEPEST: usize = 8;

/// The lines of a tree, none wider than `width`.
pub(super) fn tree(value: &Value, width: usize) -> Vec<String> {
    let mut picture = Picture { width, lines: Vec::new() };
    picture.node("", "", None, value);
    picture.lines
}

struct Picture {
    width: usize,
    lines: Vec<String>,
}

impl Picture {
    /// Draws a value after `lead`; its parts are drawn after `below`.
    fn node(&mut self, lead: &str, below: &str, name: Option<&str>, value: &Value) {
        let name = name.map(|it| format!("{it}: ")).unwrap_or_default();
        self.line(&format!("{lead}{name}{}", head(value)));
        if below.chars().count() / STEP.chars().count() >= DEEPEST {
            return;
        }
        match value {
            Value::Record(it) => {
                let parts: Vec<_> = it.iter().map(|(name, it)| (Some(name), it)).collect();
                self.parts(below, &parts, 0);
            }
            Value::List(items) if items.iter().any(is_nested) || items.len() > MOST_ITEMS => {
                let parts: Vec<_> =
                    items.iter().take(MOST_ITEMS).map(|it| (None::<&str>, it)).collect();
                self.parts(below, &parts, items.len() - parts.len());
            }
            _ => {}
        }
    }

    fn parts<N: AsRef<str>>(&mut self, below: &str, parts: &[(Option<N>, &Value)], more: usize) {
        for (idx, (name, part)) in parts.iter().enumerate() {
            let is_last = idx + 1 == parts.len() && more == 0;
            let (fork, under) = if is_last { ("└─ ", "   ") } else { ("├─ ", STEP) };
            let name = name.as_ref().map(AsRef::as_ref);
            self.node(&format!("{below}{fork}"), &format!("{below}{under}"), name, part);
        }
        if more > 0 {
            self.line(&format!("{below}└─ … {more} more"));
        }
    }

    fn line(&mut self, line: &str) {
        self.lines.push(cut(line, self.width));
    }
}

const STEP: &str = "│  ";

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::Record(_) | Value::List(_))
}

/// A value on one line, or the kind and size of a larger one.
fn head(value: &Value) -> String {
    match value {
        Value::Record(it) if it.is_empty() => "{}".to_owned(),
        Value::Record(_) => "{…}".to_owned(),
        Value::List(items) if items.iter().any(is_nested) || items.len() > MOST_ITEMS => {
            format!("[{}]", items.len())
        }
        // Quoted, so that `\n` keeps the text on one line.
        other => {
            let text = other.to_string();
            match other.as_str() {
                Some(_) => format!("{text:?}"),
                None => text,
            }
        }
    }
}

/// The line, cut to `width`.
pub(super) fn cut(line: &str, width: usize) -> String {
    use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
    if line.width() <= width {
        return line.to_owned();
    }
    let mut taken = 0;
    let fits = |it: &char| {
        taken += it.width().unwrap_or(0);
        taken < width
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_contract::value::json;

    #[test]
    fn what_is_nested_is_drawn() {
        let value = json::read(
            r#"{"title":"a\nb","tags":["x","y"],"by":{"name":"ada"},"pages":[[1],[2],[3],[4],[5],[6]]}"#,
        );
        let lines = tree(&value.unwrap(), 24);
        let wanted = [
            "{…}",
            "├─ title: \"a\\nb\"",
            "├─ tags: [\"x\",\"y\"]",
            "├─ by: {…}",
            "│  └─ name: \"ada\"",
            "└─ pages: [6]",
            "   ├─ [1]",
            "   ├─ [2]",
            "   ├─ [3]",
            "   ├─ [4]",
            "   ├─ [5]",
            "   └─ … 1 more",
        ];
        assert_eq!(lines, wanted);
        assert_eq!(cut("日本語の文", 5), "日本…");
    }
}
