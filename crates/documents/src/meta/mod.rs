//! What a document says about itself, besides its title: the fields of a record, front matter, and
//! the properties of pages, PDFs, office documents and mail. All of it is bounded.

use svc_contract::value::{Record, Text, Value};

pub(super) mod dates;
pub(super) mod front;
pub(super) mod record;

/// The maximum size of the metadata of a document, in bytes. Fields after it are left out.
pub(super) const MOST: usize = 4 << 10;

/// The maximum size of one text, in bytes; a longer one is cut, and ends with `…`.
pub(super) const LONGEST: usize = 1 << 10;

/// The maximum depth of lists and objects. What is deeper is left out.
pub(super) const DEEPEST: usize = 8;

/// The size of a value that is not a text, and of what is around a value, in bytes.
const AROUND: usize = 8;

/// What is left of the room for metadata.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room(usize);

impl Room {
    pub(super) fn new() -> Self {
        Self(MOST)
    }

    /// Uses room, and returns whether there was enough.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    pub(super) fn has_for(self, name: &str) -> bool {
        self.0 > name.len() + AROUND
    }

    /// The text, cut if it is too long; `None` without room.
    pub(super) fn text(&mut self, text: &str) -> Option<Value> {
        let most = LONGEST.min(self.0.checked_sub(AROUND)?);
        let cut = if text.len() > most {
            let end = text.floor_char_boundary(most.checked_sub('…'.len_utf8())?);
            format!("{}…", &text[..end])
        } else {
            text.to_owned()
        };
        self.take(cut.len() + AROUND);
        Some(cut.into())
    }

    /// The value with what there is room for; `None` if there is none.
    fn value(&mut self, value: &Value, depth: usize) -> Option<Value> {
        match value {
            Value::List(_) | Value::Record(_) if depth >= DEEPEST => None,
            Value::Text(it) => self.text(it),
            Value::List(items) => {
                self.take(AROUND).then_some(())?;
                let items = items.iter().map_while(|it| self.value(it, depth + 1));
                Some(Value::from(items.collect::<Vec<_>>()))
            }
            Value::Record(fields) => {
                self.take(AROUND).then_some(())?;
                let mut kept = Fields::default();
                for (name, it) in fields.iter() {
                    self.field(name, it, depth + 1, &mut kept);
                }
                Some(kept.end())
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
                self.take(AROUND).then(|| value.clone())
            }
            other => self.text(&other.to_string()),
        }
    }

    fn field(&mut self, name: &str, value: &Value, depth: usize, fields: &mut Fields) {
        if !self.has_for(name) {
            return;
        }
        if let Some(value) = self.value(value, depth) {
            self.take(name.len());
            fields.set(name, value);
        }
    }
}

/// The fields of an object, each once.
#[derive(Default)]
pub(super) struct Fields(Vec<(Text, Value)>);

impl Fields {
    /// Sets a field. A repeated one has the last value, as in JSON.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        match self.0.iter_mut().find(|(it, _)| it.as_ref() == name) {
            Some((_, it)) => *it = value,
            None => self.0.push((name.into(), value)),
        }
    }

    pub(super) fn end(self) -> Value {
        Value::Record(self.0.into_iter().collect::<Record>())
    }
}

/// The metadata of a document while it is collected.
pub(super) struct Meta {
    room: Room,
    fields: Fields,
}

impl Meta {
    pub(super) fn new() -> Self {
        Self { room: Room::new(), fields: Fields::default() }
    }

    /// Adds a value, as far as there is room.
    pub(super) fn add(&mut self, name: &str, value: &Value) {
        self.room.field(name, value, 0, &mut self.fields);
    }

    /// Adds a text that is not empty.
    pub(super) fn text(&mut self, name: &str, text: Option<&str>) {
        let text = text.map(str::trim).filter(|it| !it.is_empty());
        if let Some(text) = text {
            self.add(name, &text.into());
        }
    }

    /// Adds a date, in the form of RFC 3339 if it is in a known form.
    pub(super) fn date(&mut self, name: &str, said: Option<&str>) {
        let normal = said.and_then(dates::normal);
        self.text(name, normal.as_deref().or(said));
    }

    /// The object, or null if nothing is known.
    pub(super) fn end(self) -> Value {
        if self.fields.0.is_empty() { Value::Null } else { self.fields.end() }
    }
}

/// The value with what there is room for, as the metadata of a document.
pub(super) fn bounded(value: &Value) -> Value {
    let Value::Record(fields) = value else { return Value::Null };
    let mut meta = Meta::new();
    for (name, it) in fields.iter() {
        meta.add(name, it);
    }
    meta.end()
}

/// The metadata of a document with the properties of its file: `modified`, from nanoseconds since
/// 1970, and `size` in bytes. What the document says about itself wins.
pub fn of_file(meta: &Value, modified: i128, size: u64) -> Value {
    let mut fields = Fields::default();
    if let Some(modified) = dates::of_nanos(modified) {
        fields.set("modified", modified.into());
    }
    fields.set("size", Value::from(size));
    for (name, value) in meta.as_record().into_iter().flat_map(Record::iter) {
        fields.set(name, value.clone());
    }
    fields.end()
}

/// Returns a date, or a time in UTC, of a form that pages, mail and feeds use.
pub fn date(said: &str) -> Option<String> {
    dates::normal(said)
}

/// What the front matter of Markdown says besides the title, or null.
pub fn front_matter(text: &str) -> Value {
    front::meta(&front::fields(&text[..front::len(text)]))
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    #[test]
    fn metadata_is_bounded() {
        let of = |text: &str| json::write(&bounded(&json::read(text).unwrap()));
        assert_eq!(
            of(r#"{"a":[1,null,{"b":"x"}],"c":true}"#),
            r#"{"a":[1,null,{"b":"x"}],"c":true}"#
        );
        assert_eq!(of("{}"), "null");
        assert_eq!(of("[1]"), "null");
        let long = of(&format!(r#"{{"a":"{}","b":1}}"#, "é".repeat(100_000)));
        assert!(long.len() <= LONGEST + 20 && long.ends_with("é…\",\"b\":1}"), "{}", long.len());
        let many = (0..10_000).map(|it| format!("\"f{it}\":\"{}\"", "x".repeat(50)));
        let many = of(&format!("{{{}}}", many.collect::<Vec<_>>().join(",")));
        assert!((MOST / 2..2 * MOST).contains(&many.len()), "{}", many.len());
        let deep = format!(r#"{{"a":{}{},"b":2}}"#, "[".repeat(100), "]".repeat(100));
        assert_eq!(of(&deep), r#"{"a":[[[[[[[[]]]]]]]],"b":2}"#);
    }
}
