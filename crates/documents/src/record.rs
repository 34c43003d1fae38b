//! One record of a file of records: `{"id", "text", "title"?}`, and its other fields.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use svc_contract::value::Value;

use super::{
    Document,
    meta::{Fields, Room, record::field},
};

/// The maximum length of an id in bytes.
const LONGEST_ID: usize = 1 << 10;

/// The maximum number of characters of a title that is made from the text.
const TITLE_CHARS: usize = 80;

/// A record in a file.
pub(super) struct Record {
    id: Id,
    text: String,
    title: Option<String>,
    /// Its other fields.
    meta: Value,
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RecordVisitor)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Record, A::Error> {
        let (mut id, mut text, mut title) = (None, None, None);
        let (mut room, mut fields) = (Room::new(), Fields::default());
        while let Some(name) = entries.next_key::<String>()? {
            match name.as_str() {
                "id" => set("id", &mut id, entries.next_value()?)?,
                "text" => set("text", &mut text, entries.next_value()?)?,
                "title" => set("title", &mut title, entries.next_value::<Option<String>>()?)?,
                name => field(&mut entries, name, (&mut room, 0), &mut fields)?,
            }
        }
        Ok(Record {
            id: id.ok_or_else(|| A::Error::missing_field("id"))?,
            text: text.ok_or_else(|| A::Error::missing_field("text"))?,
            title: title.flatten(),
            meta: fields.end(),
        })
    }
}

fn set<T, E: Error>(name: &'static str, field: &mut Option<T>, value: T) -> Result<(), E> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

enum Id {
    Text(String),
    Number(serde_json::Number),
}

/// Implemented by hand because serde's derive would first buffer any other value.
impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string or a number as `id`")
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<Id, E> {
        Ok(Id::Text(it.to_owned()))
    }

    fn visit_i64<E: Error>(self, it: i64) -> Result<Id, E> {
        Ok(Id::Number(it.into()))
    }

    fn visit_u64<E: Error>(self, it: u64) -> Result<Id, E> {
        Ok(Id::Number(it.into()))
    }

    fn visit_f64<E: Error>(self, it: f64) -> Result<Id, E> {
        let number = serde_json::Number::from_f64(it);
        number.map(Id::Number).ok_or_else(|| E::custom("its `id` is not a number"))
    }
}

impl Record {
    /// Returns the document, or why the record is invalid.
    pub(super) fn document(self, start: u64, end: u64) -> Result<Document, String> {
        let id = match self.id {
            Id::Text(it) => it,
            Id::Number(it) => it.to_string(),
        };
        if id.is_empty() || id.len() > LONGEST_ID {
            return Err(format!("its `id` must have 1 to {LONGEST_ID} bytes"));
        }
        let title = self
            .title
            .filter(|it| !it.trim().is_empty())
            .or_else(|| beginning(&self.text))
            .unwrap_or_else(|| id.clone());
        Ok(Document { id, title, text: self.text, start, end, meta: self.meta })
    }
}

/// The first words of a text, up to the length of a title.
fn beginning(text: &str) -> Option<String> {
    let text = text.trim_start();
    let line = text.lines().next().filter(|it| !it.is_empty())?;
    match line.char_indices().nth(TITLE_CHARS) {
        None => Some(line.trim_end().to_owned()),
        Some((cut, _)) => {
            let head = &line[..cut];
            let head = head.rsplit_once(' ').map_or(head, |(words, _)| words);
            Some(format!("{}…", head.trim_end()))
        }
    }
}

/// The problem of a record, without serde's description of the position.
pub(super) fn why(err: &serde_json::Error) -> String {
    let text = err.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    if err.is_data() { format!("not a record with `id` and `text`: {what}") } else { what.into() }
}
