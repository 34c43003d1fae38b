//! YAML, by the crates `saphyr-parser` and `saphyr`.

use std::collections::HashMap;

use saphyr::{Mapping, Scalar, Yaml, YamlEmitter};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use svc_contract::{
    registry::{Cx, OpError},
    value::{
        BoundedText, Record, Text, Value,
        arithmetic::{HEAVIEST, LONGEST_TEXT},
        memory,
    },
};

use super::{DEEPEST, too_deep, too_long, yaml_scalars};

/// Reads one document.
pub(super) fn read(text: &str, cx: &Cx) -> Result<Value, OpError> {
    let mut reader = Reader::default();
    for (number, event) in Parser::new_from_str(text).enumerate() {
        if number.is_multiple_of(1_000) {
            cx.check()?;
        }
        let (event, place) = event.map_err(|err| unreadable(&err))?;
        reader.take(event, place.start)?;
    }
    Ok(reader.document.unwrap_or_default())
}

fn unreadable(err: &ScanError) -> OpError {
    invalid(err.info(), *err.marker())
}

fn invalid(why: &str, place: Marker) -> OpError {
    let (line, column) = (place.line(), place.col() + 1);
    OpError::invalid_input(format!("invalid YAML: {why}, at line {line}, column {column}"))
}

/// The document as far as it was read.
#[derive(Default)]
struct Reader {
    document: Option<Value>,
    open: Vec<Open>,
    /// The values that aliases refer to, by the number of their anchor.
    anchors: HashMap<usize, Value>,
}

/// A list or an object that has not ended.
struct Open {
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Object(Object),
}

#[derive(Default)]
struct Object {
    fields: Vec<(Text, Value)>,
    places: HashMap<Text, usize>,
    /// The values of merge keys.
    merged: Vec<Value>,
    /// The key whose value comes next.
    key: Option<Key>,
}

enum Key {
    Name(Text),
    Merge,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, place: Marker) -> Result<(), OpError> {
        match event {
            Event::DocumentStart(_) if self.document.is_some() => {
                let why = "expected one document, found another one";
                Err(invalid(why, place).help("split the text at its lines of `---`"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.expects_key() {
                    if anchor != 0 {
                        self.anchors.insert(anchor, Value::text(text.as_ref()));
                    }
                    return self.key(text.as_ref(), style, place);
                }
                let value = yaml_scalars::read(text, style, tag.as_deref())
                    .map_err(|why| invalid(&why, place))?;
                self.add(value, anchor, place)
            }
            Event::SequenceStart(anchor, tag) => {
                let fits = yaml_scalars::test_collection(tag.as_deref(), true);
                fits.map_err(|why| invalid(&why, place))?;
                self.start(anchor, Content::List(Vec::new()), place)
            }
            Event::MappingStart(anchor, tag) => {
                let fits = yaml_scalars::test_collection(tag.as_deref(), false);
                fits.map_err(|why| invalid(&why, place))?;
                self.start(anchor, Content::Object(Object::default()), place)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let value = match open.content {
                    Content::List(items) => Value::from(items),
                    Content::Object(object) => object.end(place)?,
                };
                self.add(value, open.anchor, place)
            }
            Event::Alias(anchor) => {
                // A value that contains itself has no end.
                let value = self.anchors.get(&anchor).cloned();
                let value = value.ok_or_else(|| invalid("unknown anchor", place))?;
                match value.as_str() {
                    Some(name) if self.expects_key() => {
                        self.key(name, ScalarStyle::SingleQuoted, place)
                    }
                    _ => self.add(value, 0, place),
                }
            }
            _ => Ok(()),
        }
    }

    fn expects_key(&self) -> bool {
        let top = self.open.last().map(|it| &it.content);
        matches!(top, Some(Content::Object(Object { key: None, .. })))
    }

    fn start(&mut self, anchor: usize, content: Content, place: Marker) -> Result<(), OpError> {
        if self.expects_key() {
            return Err(invalid("expected a plain key, found a list or an object", place));
        }
        if self.open.len() == DEEPEST {
            return Err(too_deep());
        }
        self.open.push(Open { anchor, content });
        Ok(())
    }

    fn key(&mut self, name: &str, style: ScalarStyle, place: Marker) -> Result<(), OpError> {
        let Some(Open { content: Content::Object(object), .. }) = self.open.last_mut() else {
            return Ok(());
        };
        if name == "<<" && style == ScalarStyle::Plain {
            object.key = Some(Key::Merge);
            return Ok(());
        }
        let name = Text::from(name);
        if object.places.insert(name.clone(), object.fields.len()).is_some() {
            return Err(invalid(&format!("duplicate key `{name}`"), place));
        }
        object.key = Some(Key::Name(name));
        Ok(())
    }

    /// Adds a complete value to what is open.
    fn add(&mut self, value: Value, anchor: usize, place: Marker) -> Result<(), OpError> {
        memory::make(size_of::<Value>())?;
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        // Values share their parts, so that an alias takes no memory; written out, it does.
        if value.weight() > HEAVIEST {
            return Err(invalid("aliases make the document too large", place));
        }
        match self.open.last_mut().map(|it| &mut it.content) {
            None => self.document = Some(value),
            Some(Content::List(items)) => items.push(value),
            Some(Content::Object(object)) => match object.key.take() {
                Some(Key::Name(name)) => object.fields.push((name, value)),
                Some(Key::Merge) => object.merged.push(value),
                None => return Err(invalid("expected a plain key", place)),
            },
        }
        Ok(())
    }
}

impl Object {
    /// The object with the fields of its merge keys: its own fields, and then those of earlier
    /// objects, win.
    fn end(self, place: Marker) -> Result<Value, OpError> {
        let Self { mut fields, mut places, merged, .. } = self;
        let mut objects = Vec::new();
        for value in merged {
            match value {
                Value::List(items) => objects.extend(items.into_vec()),
                one => objects.push(one),
            }
        }
        for object in objects {
            let Value::Record(object) = object else {
                return Err(invalid("expected an object for the merge key `<<`", place));
            };
            for (name, value) in object.iter() {
                if !places.contains_key(name) {
                    places.insert(name.clone(), fields.len());
                    fields.push((name.clone(), value.clone()));
                }
            }
        }
        Ok(Value::Record(fields.into_iter().collect::<Record>()))
    }
}

/// Writes one document.
pub(super) fn write(value: &Value) -> Result<Value, OpError> {
    if value.weight() > HEAVIEST {
        return Err(too_long());
    }
    let tree = tree(value, 0)?;
    let mut text = BoundedText::new(LONGEST_TEXT);
    let mut emitter = YamlEmitter::new(&mut text);
    if emitter.dump(&tree).is_err() {
        return Err(memory::check().err().map_or_else(too_long, OpError::from));
    }
    let text = text.into_string();
    // Only a second document needs a mark at its start.
    Ok(format!("{}\n", text.strip_prefix("---\n").unwrap_or(&text)).into())
}

/// A key in one line, as they are written, has at most 1,024 letters (YAML 1.2, 7.4.2).
fn test_key(name: &str) -> Result<(), OpError> {
    const LONGEST: usize = 1_000;
    let is_escaped =
        |it: char| it.is_control() || "\"\\".contains(it) || yaml_scalars::is_special(it);
    let letters = |it: char| if is_escaped(it) { 6 } else { 1 };
    if name.len() > LONGEST / 6 && name.chars().map(letters).sum::<usize>() > LONGEST {
        let count = name.chars().count();
        let message = format!("cannot write a key of {count} letters as YAML (limit {LONGEST})");
        return Err(OpError::invalid_input(message).help("write JSON, or shorten the key"));
    }
    Ok(())
}

fn tree(value: &Value, depth: usize) -> Result<Yaml<'_>, OpError> {
    if depth > DEEPEST {
        return Err(too_deep());
    }
    memory::room(size_of::<Yaml<'_>>())?;
    Ok(match value {
        Value::Bool(it) => Yaml::Value(Scalar::Boolean(*it)),
        Value::Int(it) => Yaml::Value(Scalar::Integer(*it)),
        Value::Float(it) if it.is_finite() => Yaml::Value(Scalar::FloatingPoint((*it).into())),
        Value::List(items) => {
            Yaml::Sequence(items.iter().map(|it| tree(it, depth + 1)).collect::<Result<_, _>>()?)
        }
        Value::Record(record) => {
            let mut mapping = Mapping::new();
            for (name, it) in record.iter() {
                test_key(name)?;
                mapping.insert(yaml_scalars::written(name), tree(it, depth + 1)?);
            }
            Yaml::Mapping(mapping)
        }
        other => match other.as_str() {
            Some(text) => yaml_scalars::written(text),
            None => Yaml::Value(Scalar::Null),
        },
    })
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;
    use crate::testing::as_json;

    fn of(text: &str) -> Result<String, String> {
        as_json(read, text)
    }

    #[test]
    fn documents_are_read() {
        assert_eq!(of("").unwrap(), "null");
        assert_eq!(
            of("---\na: [1, 2.5, x, true, no, ~]\n...\n").unwrap(),
            r#"{"a":[1,2.5,"x",true,"no",null]}"#
        );
        assert_eq!(of("b: |\n  x\n  y\na: >-\n  c\n  d\n").unwrap(), r#"{"b":"x\ny\n","a":"c d"}"#);
        assert_eq!(of("1: '007'\ntrue: !!str 5").unwrap(), r#"{"1":"007","true":"5"}"#);
        assert_eq!(of("a: &x [1]\nb: *x").unwrap(), r#"{"a":[1],"b":[1]}"#);
        assert_eq!(of("&x a: ! 12\nb: *x").unwrap(), r#"{"a":"12","b":"a"}"#);
        assert_eq!(
            of("a: &a {x: 1, y: 1}\nb: {<<: [*a, {z: 3, x: 9}], y: 2}").unwrap(),
            r#"{"a":{"x":1,"y":1},"b":{"y":2,"x":1,"z":3}}"#
        );
    }

    #[test]
    fn mistakes_have_their_place() {
        assert_eq!(
            of("a: 1\nb: 2\na: 3").unwrap_err(),
            "invalid YAML: duplicate key `a`, at line 3, column 1"
        );
        assert!(of("a: [1").unwrap_err().contains("line"));
        assert!(of("a: 1\n---\nb: 2").unwrap_err().contains("found another one"));
        assert!(of("? [a]\n: 1").unwrap_err().contains("plain key"));
        assert!(of("a: .inf").unwrap_err().contains("out of range"));
        assert!(of("a: *b").unwrap_err().contains("invalid YAML"));
        assert!(of("a: &a [*a]").unwrap_err().contains("anchor"));
    }

    #[test]
    fn bombs_are_refused() {
        assert!(of(&"[".repeat(100_000)).is_err());
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(of(&deep).unwrap_err().contains("nesting"));
        assert!(of(&"- ".repeat(10_000)).is_err());
        let mut laughs =
            String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
        for n in 1..12 {
            let refs = vec![format!("*a{}", n - 1); 10].join(", ");
            laughs += &format!("a{n}: &a{n} [{refs}]\n");
        }
        assert!(of(&laughs).unwrap_err().contains("too large"));
    }

    #[test]
    fn keys_that_cannot_be_read_are_not_written() {
        let with_key = |name: String| {
            let names = [svc_contract::value::Text::from(name)];
            Value::Record(svc_contract::value::Record::new(names.into(), vec![Value::Int(1)]))
        };
        for name in ["é".repeat(1_000), "\"".repeat(166), "\u{1}".repeat(166)] {
            let value = with_key(name);
            let written = write(&value).unwrap();
            assert_eq!(of(written.as_str().unwrap()).unwrap(), json::write(&value));
        }
        let err = write(&with_key("k".repeat(1_001))).unwrap_err();
        assert_eq!(err.message, "cannot write a key of 1001 letters as YAML (limit 1000)");
        assert!(write(&with_key("\"".repeat(170))).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let values = r##"{"a b":["true","1","-","","~","x: y","#c","'q'","\"","multi\nline","é"," s ","0x1f","1e3","2026-01-01","yes","<<"],"n":[1,2.5,-0.1,null,true,[],{}],"<<":1,"1":{"x":[[1],[{"y":2}]]}}"##;
        let value = json::read(values).unwrap();
        let written = write(&value).unwrap();
        assert_eq!(of(written.as_str().unwrap()).unwrap(), values, "{written}");
    }
}
