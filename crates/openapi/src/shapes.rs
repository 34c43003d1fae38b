//! Schemas as types.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::{
    media::{self, Media},
    merge,
    names::{Names, camel},
    references::Document,
    shape::{FieldShape, Shape},
};

/// The deepest nesting of schemas, with those that they refer to.
const DEEPEST: usize = 48;
/// The most types inside one type: what is larger is `json` in its largest parts.
const LARGEST: usize = 1_000;
/// The most schemas and fields that are read, with repetitions: what follows is `json`.
const MOST_WORK: usize = 8_000_000;
/// The most fields of a record.
const MOST_FIELDS: usize = 400;
/// The longest documentation of a field, in bytes.
const LONGEST_DOC: usize = 240;

/// What a value is for: fields that are only read or only written are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    /// It is sent.
    In,
    /// It is received.
    Out,
}

/// A type, and the number of types inside.
pub(crate) type Counted = (Shape, usize);

/// The types that schemas become.
pub(crate) struct Shapes<'d> {
    pub(crate) document: Document<'d>,
    known: HashMap<(String, Use), Option<Counted>>,
    pub(crate) types: BTreeMap<String, Counted>,
    names: Names,
    /// The schemas and fields that were read.
    work: usize,
}

impl<'d> Shapes<'d> {
    pub(crate) fn new(document: Document<'d>) -> Self {
        Self {
            document,
            known: HashMap::new(),
            types: BTreeMap::new(),
            names: Names::default(),
            work: 0,
        }
    }

    /// The type of a schema.
    pub(crate) fn shape(&mut self, schema: &'d Value, to: Use) -> Shape {
        self.counted(schema, to, 0).0
    }

    pub(crate) fn counted(&mut self, schema: &'d Value, to: Use, depth: usize) -> Counted {
        let Some(object) = schema.as_object() else { return (Shape::Json, 1) };
        self.work += 1;
        if depth > DEEPEST || self.work > MOST_WORK {
            return (Shape::Json, 1);
        }
        let depth = depth + 1;
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            return self.reference(reference, to, depth);
        }
        let (shape, count) = merge::composed(self, schema, to, depth)
            .unwrap_or_else(|| self.plain(schema, to, depth));
        if is_nullable(schema) { (shape.nullable(), count) } else { (shape, count) }
    }

    fn reference(&mut self, reference: &str, to: Use, depth: usize) -> Counted {
        let key = (reference.to_owned(), to);
        match self.known.get(&key) {
            // It contains itself, or is being made.
            Some(None) => return (Shape::Json, 1),
            Some(Some(known)) => return known.clone(),
            None => {}
        }
        let Some(schema) = self.document.at(reference) else { return (Shape::Json, 1) };
        if depth > DEEPEST {
            return (Shape::Json, 1);
        }
        self.known.insert(key.clone(), None);
        let counted = self.counted(schema, to, depth);
        let named = match counted {
            (Shape::Record(fields), count) => {
                let other = (reference.to_owned(), if to == Use::In { Use::Out } else { Use::In });
                let shape = Shape::Record(fields);
                let same = match self.known.get(&other) {
                    Some(Some((Shape::Ref(name), _))) => {
                        let is_same = self.types.get(name).is_some_and(|it| it.0 == shape);
                        is_same.then(|| name.clone())
                    }
                    _ => None,
                };
                let name = same.unwrap_or_else(|| {
                    let last = reference.rsplit('/').next().unwrap_or_default();
                    let hint = if to == Use::In { "Input" } else { "" };
                    self.names.distinct(camel(last), hint)
                });
                self.types.insert(name.clone(), (shape, count));
                (Shape::Ref(name), count)
            }
            other => other,
        };
        self.known.insert(key, Some(named.clone()));
        named
    }

    /// The type of a schema without alternatives.
    fn plain(&mut self, schema: &'d Value, to: Use, depth: usize) -> Counted {
        if let Some(shape) = constants(schema, to) {
            return (shape, 1);
        }
        match kind(schema) {
            Some("object") => self.object(schema, to, depth),
            Some("array") => {
                let items = schema.get("items").filter(|it| it.is_object());
                let (item, count) = match items {
                    Some(items) => self.counted(items, to, depth),
                    None => (Shape::Json, 1),
                };
                (Shape::List(Box::new(item)), count + 1)
            }
            Some("string") if is_binary(schema) => (Shape::Bytes, 1),
            Some("string") => (Shape::String, 1),
            Some("integer") => (integer(schema, to), 1),
            Some("number") => (Shape::Float, 1),
            Some("boolean") => (Shape::Bool, 1),
            Some("null") => (Shape::Null, 1),
            _ => (Shape::Json, 1),
        }
    }

    /// The record of the properties of a schema.
    pub(crate) fn object(&mut self, schema: &'d Value, to: Use, depth: usize) -> Counted {
        let properties = schema.get("properties").and_then(Value::as_object);
        let Some(properties) = properties.filter(|it| !it.is_empty()) else {
            return match schema.get("additionalProperties").filter(|it| is_schema(it)) {
                Some(of) => {
                    let (item, count) = self.counted(of, to, depth);
                    (Shape::Map(Box::new(item)), count + 1)
                }
                None => (Shape::Json, 1),
            };
        };
        if properties.len() > MOST_FIELDS {
            return (Shape::Json, 1);
        }
        let required = required(schema);
        let mut fields = Vec::new();
        for (name, property) in properties {
            if is_left_out(property, to) {
                continue;
            }
            let (shape, count) = self.counted(property, to, depth);
            let is_required = required.contains(&name.as_str());
            let shape = if is_required { shape } else { shape.optional() };
            fields.push((FieldShape(name.clone(), shape, summary(property)), count));
        }
        record(fields)
    }

    /// The fields of a record type.
    pub(crate) fn fields(&mut self, shape: &Shape) -> Option<Vec<(FieldShape, usize)>> {
        match shape {
            Shape::Record(fields) => {
                let fields: Vec<_> =
                    fields.iter().map(|it| (it.clone(), self.count(&it.1))).collect();
                self.work += fields.iter().map(|it| it.1).sum::<usize>();
                (self.work <= MOST_WORK).then_some(fields)
            }
            Shape::Ref(name) => self.fields(&self.types.get(name)?.0.clone()),
            _ => None,
        }
    }

    /// The number of types inside a type.
    fn count(&self, shape: &Shape) -> usize {
        match shape {
            Shape::Ref(name) => self.types.get(name).map_or(1, |it| it.1),
            Shape::List(it) | Shape::Map(it) | Shape::Opt(it) | Shape::Nullable(it) => {
                self.count(it) + 1
            }
            Shape::Record(fields) => fields.iter().map(|it| self.count(&it.1)).sum::<usize>() + 1,
            _ => 1,
        }
    }
}

/// A record whose largest fields are `json` if it would be too large.
pub(crate) fn record(mut fields: Vec<(FieldShape, usize)>) -> Counted {
    if fields.is_empty() || fields.len() > MOST_FIELDS {
        return (Shape::Json, 1);
    }
    let mut total = fields.iter().map(|it| it.1).sum::<usize>() + 1;
    while total > LARGEST {
        let Some((field, count)) = fields.iter_mut().max_by_key(|it| it.1) else { break };
        total -= *count - 1;
        (field.1, *count) = (Shape::Json, 1);
    }
    (Shape::Record(fields.into_iter().map(|it| it.0).collect()), total)
}

fn is_schema(value: &Value) -> bool {
    value.as_object().is_some_and(|it| !it.is_empty())
}

fn is_left_out(property: &Value, to: Use) -> bool {
    let mark = if to == Use::In { "readOnly" } else { "writeOnly" };
    property.get(mark).and_then(Value::as_bool).unwrap_or(false)
}

pub(crate) fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The first line of the description, or its start.
pub(crate) fn summary(of: &Value) -> String {
    let text = of.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.trim().split("\n\n").next().unwrap_or_default();
    shortened(text, LONGEST_DOC)
}

/// The text in one line, cut at a word.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let visible = |it: char| if it.is_control() { ' ' } else { it };
    // Longer texts are cut anyway.
    let text: String = text.chars().take(4 * most).map(visible).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().map(|it| it.0).take_while(|it| *it <= most).last();
    let cut = &text[..end.unwrap_or_default()];
    let cut = cut.rsplit_once(' ').map_or(cut, |it| it.0);
    format!("{cut} ..")
}

/// Whether a schema accepts null: `nullable` of 3.0, or `"null"` among the types of 3.1.
fn is_nullable(schema: &Value) -> bool {
    let is_null = |it: &Value| it.as_str() == Some("null") || it.is_null();
    let among = |name: &str| {
        let all = schema.get(name).and_then(Value::as_array);
        all.is_some_and(|it| it.len() > 1 && it.iter().any(is_null))
    };
    schema.get("nullable").and_then(Value::as_bool).unwrap_or(false)
        || among("type")
        || schema
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|it| it.iter().any(Value::is_null))
        || schema.get("x-nullable").and_then(Value::as_bool).unwrap_or(false)
}

/// The one type of a schema that is not null: as written, or else by its other words.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(it)) => Some(it),
        Some(Value::Array(all)) => {
            let mut kinds = all.iter().filter_map(Value::as_str).filter(|it| *it != "null");
            match (kinds.next(), kinds.next()) {
                (Some("integer"), Some("number")) | (Some("number"), Some("integer")) => {
                    Some("number")
                }
                (Some(_), Some(_)) => None,
                (kind, _) => kind.or_else(|| (!all.is_empty()).then_some("null")),
            }
        }
        _ if schema.get("properties").is_some() => Some("object"),
        _ if schema.get("items").is_some() => Some("array"),
        _ => None,
    }
}

/// The choices of a text that is sent; a text that is received may be one that is newer than the
/// document.
fn constants(schema: &Value, to: Use) -> Option<Shape> {
    let constant = schema.get("const").map(std::slice::from_ref);
    let all = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).or(constant)?;
    let texts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
    let others = all.iter().filter(|it| !it.is_string() && !it.is_null()).count();
    if texts.is_empty() || others > 0 {
        return None;
    }
    let mut choices: Vec<String> = Vec::new();
    for text in texts {
        if !choices.iter().any(|it| it == text) {
            choices.push(text.to_owned());
        }
    }
    // An empty choice cannot be written as a variant.
    let is_text = to == Use::Out || choices.len() > 200 || choices.iter().any(String::is_empty);
    Some(if is_text { Shape::String } else { Shape::Enum(choices) })
}

/// Whether a string stands for bytes: by its format in 3.0, by its media type in 3.1.
fn is_binary(schema: &Value) -> bool {
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    let is_encoded = text("contentEncoding").is_some_and(|it| it != "binary");
    let is_bytes = text("contentMediaType").is_some_and(|it| media::kind(it) == Media::Bytes);
    text("format") == Some("binary") || (is_bytes && !is_encoded)
}

fn integer(schema: &Value, to: Use) -> Shape {
    let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
    match (bound("minimum"), bound("maximum")) {
        (Some(low), Some(high)) if to == Use::In && low <= high => Shape::Ints(low, high),
        _ => Shape::Int,
    }
}
