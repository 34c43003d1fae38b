//! The text of a document, JSON or YAML, as JSON.

use std::{collections::HashMap, fmt};

use saphyr::Scalar;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The deepest nesting; that of `serde_json`.
const DEEPEST: usize = 127;
/// The most values of a YAML document, with those that its aliases repeat.
const MOST: usize = 4_000_000;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(pub String);

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

pub(crate) fn error(message: impl Into<String>) -> ReadError {
    ReadError(message.into())
}

/// Reads a document. One that begins with `{` is JSON, any other is YAML.
pub fn parse(bytes: &[u8]) -> Result<Value, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|err| {
        error(format!("not valid UTF-8 (invalid byte at offset {})", err.valid_up_to()))
    })?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|err| error(format!("invalid JSON: {err}")));
    }
    Yaml::default().read(text)
}

#[derive(Default)]
struct Yaml {
    document: Option<Value>,
    open: Vec<Open>,
    /// The values that aliases repeat, with their number of values.
    anchors: HashMap<usize, (Value, usize)>,
    count: usize,
}

struct Open {
    anchor: usize,
    before: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

impl Yaml {
    fn read(mut self, text: &str) -> Result<Value, ReadError> {
        for event in Parser::new_from_str(text) {
            let (event, place) = event.map_err(|err| {
                error(format!("invalid YAML: {}, at line {}", err.info(), err.marker().line()))
            })?;
            self.take(event).map_err(|why| {
                error(format!("invalid YAML: {why}, at line {}", place.start.line()))
            })?;
        }
        self.document.ok_or_else(|| error("the document is empty"))
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::DocumentStart(_) if self.document.is_some() => Err("found a second document"),
            Event::Scalar(text, style, anchor, tag) => {
                if let Some(key) = self.key() {
                    *key = Some(text.into_owned());
                    return Ok(());
                }
                let value =
                    match Scalar::parse_from_cow_and_metadata(text.clone(), style, tag.as_ref()) {
                        Some(Scalar::Boolean(it)) => it.into(),
                        Some(Scalar::Integer(it)) => it.into(),
                        Some(Scalar::FloatingPoint(it)) if it.is_finite() => it.into_inner().into(),
                        Some(Scalar::Null) if style == ScalarStyle::Plain => Value::Null,
                        _ => text.into_owned().into(),
                    };
                self.add(value, anchor, 1)
            }
            Event::SequenceStart(anchor, _) => self.start(anchor, Content::List(Vec::new())),
            Event::MappingStart(anchor, _) => self.start(anchor, Content::Object(Map::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let value = match open.content {
                    Content::List(items) => Value::Array(items),
                    Content::Object(object, _) => Value::Object(object),
                };
                let count = self.count - open.before;
                self.count = open.before;
                self.add(value, open.anchor, count + 1)
            }
            Event::Alias(anchor) => {
                let (value, count) = self.anchors.get(&anchor).ok_or("unknown anchor")?;
                if self.count + count > MOST {
                    return Err("its aliases make the document too large");
                }
                let (value, count) = (value.clone(), *count);
                if let (Some(text), Some(key)) = (value.as_str(), self.key()) {
                    *key = Some(text.to_owned());
                    return Ok(());
                }
                self.add(value, 0, count)
            }
            _ => Ok(()),
        }
    }

    /// The key of the open object, if it comes next.
    fn key(&mut self) -> Option<&mut Option<String>> {
        match &mut self.open.last_mut()?.content {
            Content::Object(_, key @ None) => Some(key),
            _ => None,
        }
    }

    fn start(&mut self, anchor: usize, content: Content) -> Result<(), &'static str> {
        if self.key().is_some() {
            return Err("expected a plain key");
        }
        if self.open.len() >= DEEPEST {
            return Err("too deeply nested (limit 127)");
        }
        self.open.push(Open { anchor, before: self.count, content });
        Ok(())
    }

    fn add(&mut self, value: Value, anchor: usize, count: usize) -> Result<(), &'static str> {
        self.count += count;
        if self.count > MOST {
            return Err("too many values (limit 4,000,000)");
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (value.clone(), count));
        }
        match self.open.last_mut().map(|it| &mut it.content) {
            None => self.document = Some(value),
            Some(Content::List(items)) => items.push(value),
            Some(Content::Object(object, key)) => match (key.take(), value) {
                (Some(key), Value::Object(merged)) if key == "<<" => {
                    for (name, value) in merged {
                        object.entry(name).or_insert(value);
                    }
                }
                (Some(key), value) => drop(object.insert(key, value)),
                (None, _) => return Err("expected a plain key"),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn yaml_reads_as_json() {
        let yaml = "a: &x {b: 1, c: [true, null, '2', 2.5]}\nd: *x\n? e\n: <not merged>\nf:\n  <<: *x\n  b: 3\n200: ok\n";
        let json = r#"{"a": {"b": 1, "c": [true, null, "2", 2.5]}, "d": {"b": 1, "c": [true, null, "2", 2.5]},
            "e": "<not merged>", "f": {"b": 3, "c": [true, null, "2", 2.5]}, "200": "ok"}"#;
        assert_eq!(parse(yaml.as_bytes()).unwrap(), parse(json.as_bytes()).unwrap());
    }

    #[test]
    fn hostile_texts_are_refused() {
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for it in 1..30 {
            let last = format!("*a{}", it - 1);
            bomb += &format!("a{it}: &a{it} [{}]\n", [last.as_str(); 10].join(", "));
        }
        assert!(parse(bomb.as_bytes()).unwrap_err().0.contains("too large"));
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
        assert!(parse(format!("{{\"a\": {}", "[".repeat(100_000)).as_bytes()).is_err());
        assert!(parse(b"{\"a\": \xff}").is_err());
        assert!(parse(b"").is_err());
        assert!(parse(b"a: *b").is_err());
    }
}
