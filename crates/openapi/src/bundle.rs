//! A document that refers to other files, as one document.
//!
//! The files stand in the document under `x-files`, each by a name that is made of its own, and
//! references lead there. Who reads files is someone else: [`Bundle::next_file`] names one after the other.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::names::Names;

/// Where the other files are.
const FILES: &str = "x-files";

/// A document while its files are gathered.
#[derive(Debug)]
pub struct Bundle {
    document: Value,
    /// The name of each file, by its place.
    names: BTreeMap<String, String>,
    distinct: Names,
    /// The files that are referred to and not there yet.
    wanted: Vec<Wanted>,
    files: Map<String, Value>,
}

/// A file that is referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its path or address.
    pub place: String,
    /// What refers to it.
    pub by: String,
}

/// The place that a reference means, from the place of the document that contains it; `None` if it
/// may not lead there.
pub type Join<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

impl Bundle {
    /// A document from a place.
    pub fn new(place: &str, mut document: Value, join: Join<'_>) -> Result<Self, String> {
        let mut bundle = Self {
            document: Value::Null,
            names: BTreeMap::new(),
            distinct: Names::default(),
            wanted: Vec::new(),
            files: Map::new(),
        };
        bundle.redirect(&mut document, &Origin { place, name: None, join })?;
        bundle.document = document;
        Ok(bundle)
    }

    /// Whether it refers to no other file.
    pub fn is_whole(&self) -> bool {
        self.names.is_empty()
    }

    /// How many other files it has, also those that are not there yet.
    pub fn files(&self) -> usize {
        self.names.len()
    }

    /// A file that is referred to and not there yet. It is to be added next.
    pub fn next_file(&mut self) -> Option<Wanted> {
        self.wanted.pop()
    }

    /// Adds the content of a file.
    pub fn add(&mut self, place: &str, mut content: Value, join: Join<'_>) -> Result<(), String> {
        let Some(name) = self.names.get(place).cloned() else { return Ok(()) };
        self.redirect(&mut content, &Origin { place, name: Some(&name), join })?;
        self.files.insert(name, content);
        Ok(())
    }

    /// The one document.
    pub fn finish(self) -> Value {
        let mut document = self.document;
        if let (Some(fields), false) = (document.as_object_mut(), self.files.is_empty()) {
            fields.insert(FILES.to_owned(), Value::Object(self.files));
        }
        document
    }

    /// Makes all references of a value lead into the one document.
    fn redirect(&mut self, value: &mut Value, from: &Origin<'_>) -> Result<(), String> {
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|it| self.redirect(it, from)),
            Value::Object(fields) => fields.iter_mut().try_for_each(|(name, it)| match it {
                Value::String(reference) if name == "$ref" => {
                    *reference = self.target(reference, from)?;
                    Ok(())
                }
                other => self.redirect(other, from),
            }),
            _ => Ok(()),
        }
    }

    /// What a reference is in the one document.
    fn target(&mut self, reference: &str, from: &Origin<'_>) -> Result<String, String> {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let inside = |name: &str| format!("#/{FILES}/{name}{pointer}");
        if file.is_empty() {
            return Ok(from.name.map_or_else(|| reference.to_owned(), inside));
        }
        let place = (from.join)(from.place, file).ok_or_else(|| {
            format!("`{}` refers to `{file}`, which is not next to it", from.place)
        })?;
        if let Some(name) = self.names.get(&place) {
            return Ok(inside(name));
        }
        let name = self.distinct.distinct(stem(&place), "");
        let target = inside(&name);
        self.names.insert(place.clone(), name);
        self.wanted.push(Wanted { place, by: from.place.to_owned() });
        Ok(target)
    }
}

/// The document that is looked through.
struct Origin<'a> {
    place: &'a str,
    /// Its name in the one document; that itself has none.
    name: Option<&'a str>,
    join: Join<'a>,
}

/// The name of a file without its ending, with signs that a reference need not escape.
fn stem(place: &str) -> String {
    let file = place.rsplit(['/', '\\']).next().unwrap_or(place);
    let stem = file.split(['.', '?']).next().unwrap_or(file);
    let signs = stem.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' });
    let stem: String = signs.collect();
    if stem.is_empty() { "file".to_owned() } else { stem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Bundle, Wanted};

    #[test]
    fn files_become_a_part_of_the_document() {
        let join = |_: &str, file: &str| (!file.starts_with('/')).then(|| file.to_owned());
        let document = json!({
            "a": { "$ref": "pet.yaml" },
            "b": [{ "$ref": "x/pet.yaml#/Pet" }, { "$ref": "#/a" }],
            // A property of this name.
            "properties": { "$ref": { "type": "string" } },
        });
        let mut bundle = Bundle::new("api.yaml", document, &join).unwrap();
        assert_eq!(bundle.files(), 2);
        let second = Wanted { place: "x/pet.yaml".to_owned(), by: "api.yaml".to_owned() };
        assert_eq!(bundle.next_file(), Some(second));
        let pet = json!({ "Pet": { "$ref": "#/Other" }, "Other": { "$ref": "pet.yaml#/a" } });
        bundle.add("x/pet.yaml", pet, &join).unwrap();
        assert_eq!(bundle.next_file().unwrap().place, "pet.yaml");
        bundle.add("pet.yaml", json!({ "a": { "$ref": "pet.yaml#/a" } }), &join).unwrap();
        assert_eq!(bundle.next_file(), None, "each is named once");
        let wanted = json!({
            "a": { "$ref": "#/x-files/pet" },
            "b": [{ "$ref": "#/x-files/pet_2/Pet" }, { "$ref": "#/a" }],
            "properties": { "$ref": { "type": "string" } },
            "x-files": {
                "pet": { "a": { "$ref": "#/x-files/pet/a" } },
                "pet_2": {
                    "Pet": { "$ref": "#/x-files/pet_2/Other" },
                    "Other": { "$ref": "#/x-files/pet/a" },
                },
            },
        });
        assert_eq!(bundle.finish(), wanted);
        let wrong = Bundle::new("api.yaml", json!({ "$ref": "/etc/passwd" }), &join);
        assert!(wrong.unwrap_err().contains("`/etc/passwd`"));
    }
}
