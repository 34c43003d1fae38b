//! The operations of a document in a file: one line for each, which is parsed when it is needed.
//!
//! The first line is an object with what holds for all. Then each line has fields between tabs:
//! `type NAME TYPE`, `op NAME METHOD PATH FINGERPRINT DOC REST` and `skip OPERATION REASON`, where
//! `TYPE`, `DOC` and `REST` are JSON. The same document always makes the same text.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fmt,
};

use serde::{Deserialize, Serialize};

use crate::{
    access::Access,
    fingerprint,
    operations::{Api, Operation, Skipped},
    shape::{FieldShape, Shape},
};

/// The version of the format.
const FORMAT: u32 = 1;

/// What a lock says of the whole document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    #[serde(rename = "svc_lock")]
    format: u32,
    kind: String,
    /// The file or address of the document.
    pub source: String,
    /// The fingerprint of the document.
    pub document: String,
    pub title: String,
    pub version: String,
    pub server: String,
    pub access: Vec<Access>,
}

/// A lock whose lines are not parsed yet.
#[derive(Clone, Debug)]
pub struct Lock<'t> {
    pub head: Locked,
    /// The named types, as JSON.
    pub types: HashMap<&'t str, &'t str>,
    pub entries: Vec<Entry<'t>>,
    pub skipped: Vec<Skipped>,
}

/// The line of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'t> {
    pub name: &'t str,
    pub method: &'t str,
    pub path: &'t str,
    /// What a call sends and returns, without the documentation.
    pub fingerprint: &'t str,
    doc: &'t str,
    rest: &'t str,
}

/// Why a lock cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError(pub String);

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LockError {}

fn wrong(line: usize, why: impl fmt::Display) -> LockError {
    LockError(format!("invalid line {}: {why}", line + 1))
}

impl<'t> Lock<'t> {
    /// Reads a lock: its first line, and the start of each other one.
    pub fn read(text: &'t str) -> Result<Self, LockError> {
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |it| it.1);
        let head: Locked = serde_json::from_str(first).map_err(|err| wrong(0, err))?;
        if head.format != FORMAT || head.kind != "openapi" {
            let message = format!("unknown format {} of `{}`", head.format, head.kind);
            return Err(LockError(message));
        }
        let (mut types, mut entries, mut skipped) = (HashMap::new(), Vec::new(), Vec::new());
        for (number, line) in lines {
            let mut fields = line.splitn(7, '\t');
            let mut next = || fields.next().ok_or_else(|| wrong(number, "a field is missing"));
            match next()? {
                "type" => drop(types.insert(next()?, next()?)),
                "op" => entries.push(Entry {
                    name: next()?,
                    method: next()?,
                    path: next()?,
                    fingerprint: next()?,
                    doc: next()?,
                    rest: next()?,
                }),
                "skip" => skipped
                    .push(Skipped { operation: next()?.to_owned(), reason: next()?.to_owned() }),
                _ => return Err(wrong(number, "unknown kind")),
            }
        }
        Ok(Self { head, types, entries, skipped })
    }

    /// A named type.
    pub fn shape(&self, name: &str) -> Result<Shape, LockError> {
        let text =
            self.types.get(name).ok_or_else(|| LockError(format!("unknown type `{name}`")))?;
        serde_json::from_str(text).map_err(|err| LockError(format!("invalid type `{name}`: {err}")))
    }

    /// The operation with a name.
    pub fn entry(&self, name: &str) -> Option<&Entry<'t>> {
        self.entries.iter().find(|it| it.name == name)
    }
}

impl<'t> Entry<'t> {
    /// The documentation.
    pub fn doc(&self) -> Cow<'t, str> {
        match self.doc.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
            Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
            _ => Cow::Owned(serde_json::from_str(self.doc).unwrap_or_default()),
        }
    }

    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        crate::operations::reads(self.method)
    }

    /// Everything about it.
    pub fn operation(&self) -> Result<Operation, LockError> {
        let rest: Result<Operation, _> = serde_json::from_str(self.rest);
        let rest = rest.map_err(|err| LockError(format!("invalid op `{}`: {err}", self.name)))?;
        Ok(Operation {
            name: self.name.to_owned(),
            method: self.method.to_owned(),
            path: self.path.to_owned(),
            doc: self.doc().into_owned(),
            ..rest
        })
    }
}

impl Api {
    /// The text of a lock: of a document at `source` with these bytes.
    pub fn lock(&self, source: &str, document: &[u8]) -> String {
        let head = Locked {
            format: FORMAT,
            kind: "openapi".to_owned(),
            source: source.to_owned(),
            document: fingerprint(document),
            title: self.title.clone(),
            version: self.version.clone(),
            server: self.server.clone(),
            access: self.access.clone(),
        };
        let mut text = json(&head) + "\n";
        for (name, shape) in &self.types {
            text += &format!("type\t{name}\t{}\n", json(shape));
        }
        let plain: BTreeMap<&String, String> =
            self.types.iter().map(|(name, it)| (name, json(&undocumented(it)))).collect();
        for it in &self.operations {
            let (fingerprint, doc, rest) = (self.stamp(it, &plain), json(&it.doc), json(it));
            let Operation { name, method, path, .. } = it;
            text += &format!("op\t{name}\t{method}\t{path}\t{fingerprint}\t{doc}\t{rest}\n");
        }
        for Skipped { operation, reason } in &self.skipped {
            text += &format!("skip\t{operation}\t{reason}\n");
        }
        text
    }

    /// The fingerprint of an operation with the types that it mentions.
    fn stamp(&self, operation: &Operation, plain: &BTreeMap<&String, String>) -> String {
        let mut bare = operation.clone();
        bare.result = undocumented(&bare.result);
        for param in &mut bare.params {
            param.doc.clear();
            param.shape = undocumented(&param.shape);
        }
        let mut text = format!("{} {} {}", bare.method, bare.path, json(&bare));
        for name in crate::operations::used([operation], &self.types) {
            text += &format!("\n{name} {}", plain.get(&name).map_or("", String::as_str));
        }
        fingerprint(text.as_bytes())[..16].to_owned()
    }
}

/// The type without the documentation of its fields.
fn undocumented(shape: &Shape) -> Shape {
    let inner = |it: &Shape| Box::new(undocumented(it));
    match shape {
        Shape::List(it) => Shape::List(inner(it)),
        Shape::Map(it) => Shape::Map(inner(it)),
        Shape::Opt(it) => Shape::Opt(inner(it)),
        Shape::Nullable(it) => Shape::Nullable(inner(it)),
        Shape::Record(fields) => {
            let bare =
                |it: &FieldShape| FieldShape(it.0.clone(), undocumented(&it.1), String::new());
            Shape::Record(fields.iter().map(bare).collect())
        }
        other => other.clone(),
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
