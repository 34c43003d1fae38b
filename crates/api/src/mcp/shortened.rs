//! Definitions that are short enough to be read by a model with many others.

use svc_contract::value::{Record, Text, Value};

use super::{Definition, LARGEST_DEFINITION};
use crate::rest::object;

impl Definition {
    /// The definition within [`LARGEST_DEFINITION`] bytes: what a model needs least is left out
    /// first.
    pub(super) fn shortened(self) -> Self {
        let steps: [fn(Self) -> Self; 6] = [
            |it| it.with_input(|it| changed(it, 0, &|_, text| first(text))),
            |it| it.with_input(plain),
            |it| {
                it.with_input(|it| {
                    changed(it, 0, &|depth, text| {
                        if depth > 1 { String::new() } else { cut(text, 60) }
                    })
                })
            },
            |it| it.with_input(|it| flat(it, 0)),
            |it| Self { description: it.brief.clone(), ..it },
            |mut it| {
                it.input_schema = without(&it.input_schema, &it.spare);
                it
            },
        ];
        let mut it = self;
        for step in steps {
            if it.size() <= LARGEST_DEFINITION {
                return it;
            }
            it = step(it);
        }
        while it.size() > LARGEST_DEFINITION
            && let Some(longest) = longest(&it.input_schema)
        {
            let less = |_: usize, text: &str| {
                if text == longest { String::new() } else { text.to_owned() }
            };
            it.input_schema = changed(&it.input_schema, 0, &less);
        }
        // The last resort: what does not fit is then refused by the call itself.
        let last =
            [&["minimum", "maximum"][..], &["default"], &["additionalProperties"], &["anyOf"]];
        for words in last {
            if it.size() > LARGEST_DEFINITION {
                it.input_schema = without_words(&it.input_schema, words);
            }
        }
        it
    }

    fn with_input(mut self, change: impl Fn(&Value) -> Value) -> Self {
        self.input_schema = change(&self.input_schema);
        self
    }
}

/// The longest description in a schema; the names of fields are kept as long as there are others.
fn longest(schema: &Value) -> Option<String> {
    let mut all = Vec::new();
    texts(schema, &mut all);
    let is_words = |it: &&String| !it.starts_with('{');
    let words = all.iter().filter(is_words).max_by_key(|it| it.len());
    words.or_else(|| all.iter().max_by_key(|it| it.len())).cloned()
}

/// The descriptions in a schema.
fn texts(schema: &Value, all: &mut Vec<String>) {
    match schema {
        Value::Record(of) => {
            for (name, it) in of.iter() {
                match (name.as_ref(), it) {
                    ("description", Value::Text(text)) => all.push(text.to_string()),
                    ("default" | "enum" | "const", _) => {}
                    (_, it) => texts(it, all),
                }
            }
        }
        Value::List(items) => items.iter().for_each(|it| texts(it, all)),
        _ => {}
    }
}

/// A schema without some words of JSON Schema.
fn without_words(schema: &Value, words: &[&str]) -> Value {
    match schema {
        Value::Record(of) => {
            let kept = of.iter().filter(|(name, _)| !words.contains(&name.as_ref()));
            let kept = kept.map(|(name, it)| match (name.as_ref(), it) {
                ("properties", Value::Record(inner)) => {
                    (name.clone(), of_each(inner, |it| without_words(it, words)))
                }
                ("items", it) => (name.clone(), without_words(it, words)),
                _ => (name.clone(), it.clone()),
            });
            Value::Record(kept.collect())
        }
        other => other.clone(),
    }
}

/// A schema of an object without some of its fields.
fn without(schema: &Value, names: &[&str]) -> Value {
    let Value::Record(of) = schema else { return schema.clone() };
    let fields = of.iter().map(|(name, it)| match (name.as_ref(), it) {
        ("properties", Value::Record(inner)) => {
            let kept = inner.iter().filter(|(name, _)| !names.contains(&name.as_ref()));
            let kept = kept.map(|(name, it)| (name.clone(), it.clone()));
            (name.clone(), Value::Record(kept.collect()))
        }
        _ => (name.clone(), it.clone()),
    });
    Value::Record(fields.collect())
}

/// The first sentence of a text.
pub(super) fn first(text: &str) -> String {
    let line = text.trim().split("\n\n").next().unwrap_or_default().replace('\n', " ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}

/// A text of at most so many characters, cut between words.
fn cut(text: &str, most: usize) -> String {
    let text = first(text);
    if text.chars().count() <= most {
        return text;
    }
    let end = text.char_indices().nth(most - 2).map_or(text.len(), |(at, _)| at);
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!("{} ..", text[..end].trim_end_matches([',', ';', ':']))
}

/// A schema whose descriptions are rewritten, with their depth; empty ones are left out.
fn changed(schema: &Value, depth: usize, change: &dyn Fn(usize, &str) -> String) -> Value {
    match schema {
        Value::Record(of) => {
            let fields = of.iter().filter_map(|(name, it)| {
                let it = match (name.as_ref(), it) {
                    ("description", Value::Text(text)) => {
                        let text = change(depth, text);
                        return (!text.is_empty()).then(|| (name.clone(), text.into()));
                    }
                    ("properties", Value::Record(inner)) => {
                        of_each(inner, |it| changed(it, depth + 1, change))
                    }
                    ("default" | "enum" | "const", it) => it.clone(),
                    (_, it) => changed(it, depth, change),
                };
                Some((name.clone(), it))
            });
            Value::Record(fields.collect())
        }
        Value::List(items) => {
            items.iter().map(|it| changed(it, depth, change)).collect::<Vec<_>>().into()
        }
        other => other.clone(),
    }
}

/// The schema of what is one type or null.
fn or_null(of: &Record) -> Option<Value> {
    let choices = of.get("anyOf").and_then(Value::as_list)?;
    let is_null = |it: &Value| {
        it.as_record().and_then(|it| it.get("type")).and_then(Value::as_str) == Some("null")
    };
    let mut others = choices.iter().filter(|it| !is_null(it));
    let one = others.next()?;
    (choices.len() == 2 && others.next().is_none()).then(|| one.clone())
}

/// A schema without what only a validator needs: patterns, and null for what may be left out.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Record(of) => {
            if let Some(Value::Record(one)) = or_null(of).as_ref().map(plain) {
                let own = of.iter().filter(|(name, _)| name.as_ref() != "anyOf");
                let own = own.map(|(name, it)| (name.clone(), it.clone()));
                let is_new = |name: &str| name == "anyOf" || of.get(name).is_none();
                let one = one.iter().filter(|(name, _)| is_new(name));
                return Value::Record(
                    one.map(|(name, it)| (name.clone(), it.clone())).chain(own).collect(),
                );
            }
            let fields = of.iter().filter_map(|(name, it)| match (name.as_ref(), it) {
                ("pattern" | "minLength", _) => None,
                ("properties", Value::Record(inner)) => Some((name.clone(), of_each(inner, plain))),
                ("default" | "enum" | "const", _) => Some((name.clone(), it.clone())),
                _ => Some((name.clone(), plain(it))),
            });
            Value::Record(fields.collect())
        }
        Value::List(items) => items.iter().map(plain).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

/// A schema whose objects below the first only name their fields.
fn flat(schema: &Value, depth: usize) -> Value {
    match schema {
        Value::Record(of) => {
            if let (1.., Some(Value::Record(inner))) = (depth, of.get("properties")) {
                let required = of.get("required").and_then(Value::as_list);
                let name = |name: &Text| {
                    let is_it = |it: &Value| it.as_str() == Some(name.as_ref());
                    let is_required = required.is_some_and(|all| all.iter().any(is_it));
                    if is_required { name.to_string() } else { format!("{name}?") }
                };
                let names: Vec<String> = inner.iter().map(|(it, _)| name(it)).collect();
                let fields = format!("{{{}}}", names.join(", "));
                return object([("type", "object".into()), ("description", fields.into())]);
            }
            let fields = of.iter().map(|(name, it)| match (name.as_ref(), it) {
                ("properties", Value::Record(inner)) => {
                    (name.clone(), of_each(inner, |it| flat(it, depth + 1)))
                }
                _ => (name.clone(), flat(it, depth)),
            });
            Value::Record(fields.collect())
        }
        Value::List(items) => items.iter().map(|it| flat(it, depth)).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

fn of_each(of: &Record, change: impl Fn(&Value) -> Value) -> Value {
    Value::Record(of.iter().map(|(name, it)| (name.clone(), change(it))).collect())
}
