//! The operations of a document.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    access::{Access, alternatives},
    media::{self, Body, Media},
    names::{Names, snake},
    parameters::{Parameter, Place},
    references::Document,
    shape::Shape,
    shapes::{Shapes, shortened},
    text::{ReadError, error},
};

/// The longest documentation of an operation, in bytes.
const LONGEST_DOC: usize = 1_200;
/// The most parameters of an operation.
const MOST_PARAMS: usize = 400;

/// The methods of operations, which read unless they are among the last five.
const METHODS: [&str; 8] = ["get", "head", "options", "trace", "put", "delete", "post", "patch"];

/// What a document offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Api {
    pub title: String,
    pub version: String,
    /// The address that paths are relative to; empty if the document has none.
    pub server: String,
    pub access: Vec<Access>,
    /// The named types, in alphabetical order.
    pub types: BTreeMap<String, Shape>,
    /// In alphabetical order.
    pub operations: Vec<Operation>,
    pub skipped: Vec<Skipped>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    pub method: String,
    /// Relative to the address of the API, or with an address of its own.
    #[serde(skip)]
    pub path: String,
    #[serde(skip)]
    pub doc: String,
    /// Those that a call must give are first.
    pub params: Vec<Parameter>,
    #[serde(default, skip_serializing_if = "Body::is_none")]
    pub body: Body,
    pub result: Shape,
    #[serde(rename = "gives")]
    pub answer: Media,
    /// The alternatives of security schemes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access: Vec<Vec<String>>,
}

/// An operation that cannot be called, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// `POST /upload`
    pub operation: String,
    pub reason: String,
}

impl Operation {
    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        reads(&self.method)
    }
}

/// Whether a method only reads.
pub(crate) fn reads(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

impl Api {
    /// The operations of a document. `reserved` are names that no operation may have.
    pub fn read(document: &Value, reserved: &[&str]) -> Result<Self, ReadError> {
        let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
        if !version.starts_with("3.") {
            let found = match document.get("swagger").map(Value::to_string) {
                Some(it) => format!("Swagger {}", it.trim_matches('"')),
                None if version.is_empty() => "no field `openapi`".to_owned(),
                None => format!("version {}", shortened(version, 20)),
            };
            return Err(error(format!("expected an OpenAPI document of version 3, found {found}")));
        }
        let mut reader = Reader::new(document, reserved);
        let paths = document.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            reader.path(path, item);
        }
        Ok(reader.end(document))
    }
}

/// The operations read so far.
struct Reader<'d> {
    shapes: Shapes<'d>,
    reserved: &'d [&'d str],
    access: Vec<Access>,
    security: Vec<Vec<String>>,
    operations: Vec<Operation>,
    skipped: Vec<Skipped>,
    names: Names,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Value, reserved: &'d [&'d str]) -> Self {
        let shapes = Shapes::new(Document(document));
        let schemes = document.pointer("/components/securitySchemes").and_then(Value::as_object);
        let access = schemes
            .into_iter()
            .flatten()
            .filter_map(|(name, scheme)| Access::read(name, Document(document).resolve(scheme)?));
        Self {
            shapes,
            reserved,
            access: access.collect(),
            security: document.get("security").map(alternatives).unwrap_or_default(),
            operations: Vec::new(),
            skipped: Vec::new(),
            names: Names::default(),
        }
    }

    fn path(&mut self, path: &'d str, item: &'d Value) {
        let Some(item) = self.shapes.document.resolve(item).and_then(Value::as_object) else {
            return;
        };
        for method in METHODS {
            let Some(operation) = item.get(method).and_then(Value::as_object) else { continue };
            let shown = format!("{} {}", method.to_uppercase(), shortened(path, 200));
            match self.operation(path, method, item, operation) {
                Ok(operation) => self.operations.push(operation),
                Err(reason) => self.skipped.push(Skipped { operation: shown, reason }),
            }
        }
    }

    fn operation(
        &mut self,
        path: &'d str,
        method: &str,
        item: &'d Map<String, Value>,
        of: &'d Map<String, Value>,
    ) -> Result<Operation, String> {
        // Some documents distinguish operations of one path by what follows `#`.
        let path = path.split('#').next().unwrap_or_default();
        if path.chars().any(char::is_control) {
            return Err("its path contains a control character".to_owned());
        }
        let own_server = server(of.get("servers").or_else(|| item.get("servers")));
        if let Some(unknown) = parts(&own_server).next() {
            return Err(format!(
                "its address has `{{{}}}`, which is not known",
                shortened(unknown, 60)
            ));
        }
        let mut params = self.params(item, of)?;
        let body = of.get("requestBody").and_then(|it| self.shapes.document.resolve(it));
        let (body, fields) = match body {
            Some(body) => media::request(&mut self.shapes, body)?,
            None => (Body::default(), Vec::new()),
        };
        params.extend(fields);
        if params.len() > MOST_PARAMS {
            return Err(format!("it has more than {MOST_PARAMS} parameters"));
        }
        for part in parts(path) {
            if !params.iter().any(|it| it.place == Place::Path && it.wire == part) {
                params.push(Parameter::of_path(part));
            }
        }
        // Those of the path are first, in its order.
        let rank = |it: &Parameter| {
            let at = parts(path).position(|part| it.place == Place::Path && it.wire == part);
            (!it.is_required(), at.unwrap_or(usize::MAX))
        };
        params.sort_by_key(rank);
        named(&mut params, self.reserved);
        let (result, answer) = if method == "head" {
            (Shape::Null, Media::None)
        } else {
            media::answer(&mut self.shapes, of.get("responses"))
        };
        Ok(Operation {
            name: self.name(path, method, of),
            method: method.to_uppercase(),
            path: own_server + path,
            doc: documentation(of),
            params,
            body,
            result,
            answer,
            access: self.needed(of)?,
        })
    }

    /// Its parameters, with those of its path.
    fn params(
        &mut self,
        item: &'d Map<String, Value>,
        of: &'d Map<String, Value>,
    ) -> Result<Vec<Parameter>, String> {
        let mut all: Vec<Parameter> = Vec::new();
        let lists = [item, of].map(|it| it.get("parameters").and_then(Value::as_array));
        for given in lists.into_iter().flatten().flatten() {
            let Some(given) = self.shapes.document.resolve(given) else {
                return Err("a parameter is in another document".to_owned());
            };
            let param = Parameter::read(&mut self.shapes, given)?;
            let is_set = ["accept", "content-type", "authorization"]
                .contains(&param.wire.to_ascii_lowercase().as_str());
            if param.place == Place::Header && is_set {
                continue;
            }
            all.retain(|it| (it.place, &it.wire) != (param.place, &param.wire));
            all.push(param);
        }
        Ok(all)
    }

    /// The alternatives of secrets that it needs.
    fn needed(&self, of: &Map<String, Value>) -> Result<Vec<Vec<String>>, String> {
        let all = of.get("security").map_or_else(|| self.security.clone(), alternatives);
        let is_known = |it: &String| self.access.iter().any(|known| known.name == *it);
        let known: Vec<Vec<String>> =
            all.iter().filter(|it| it.iter().all(is_known)).cloned().collect();
        if known.is_empty() && !all.is_empty() {
            let name = all.iter().flatten().next().map(String::as_str).unwrap_or_default();
            return Err(format!("the security scheme `{}` is not supported", shortened(name, 60)));
        }
        Ok(known)
    }

    fn name(&mut self, path: &str, method: &str, of: &Map<String, Value>) -> String {
        let id = of.get("operationId").and_then(Value::as_str).map(snake).unwrap_or_default();
        let name = if id.is_empty() { snake(&format!("{method} {path}")) } else { id };
        let name = if self.reserved.contains(&name.as_str()) { format!("{name}_op") } else { name };
        self.names.distinct(name, &format!("_{method}"))
    }

    fn end(mut self, document: &Value) -> Api {
        self.operations.sort_by(|one, two| one.name.cmp(&two.name));
        let text = |pointer: &str| {
            let text = document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            shortened(text, 200)
        };
        let mut types: BTreeMap<String, Shape> =
            self.shapes.types.into_iter().map(|(name, (shape, _))| (name, shape)).collect();
        let used = used(&self.operations, &types);
        types.retain(|name, _| used.contains(name));
        Api {
            title: text("/info/title"),
            version: text("/info/version"),
            server: server(document.get("servers")),
            access: self.access,
            types,
            operations: self.operations,
            skipped: self.skipped,
        }
    }
}

/// The names between `{` and `}` in a path.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|it| it.split_once('}')).map(|it| it.0)
}

/// Gives the parameters their names in scripts.
pub(crate) fn named(params: &mut [Parameter], reserved: &[&str]) {
    let mut names = Names::default();
    for param in params {
        let mut name = snake(&param.wire);
        if param.place == Place::Filename {
            name.push_str("_filename");
        }
        if name.is_empty() {
            "param".clone_into(&mut name);
        }
        if reserved.contains(&name.as_str()) {
            name.push_str("_param");
        }
        let hint = match param.place {
            Place::Path => "_path",
            Place::Query => "_query",
            Place::Header => "_header",
            Place::Cookie => "_cookie",
            Place::Field | Place::Filename | Place::Body => "_body",
        };
        param.name = names.distinct(name, hint);
        if param.wire == param.name {
            param.wire.clear();
        }
    }
}

/// The summary, and then the description.
fn documentation(of: &Map<String, Value>) -> String {
    let text = |name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let (summary, description) = (shortened(text("summary"), 240), text("description"));
    let mut paragraphs: Vec<String> = vec![summary];
    let mut length = 0;
    for paragraph in description.split("\n\n") {
        let paragraph = shortened(paragraph, LONGEST_DOC);
        length += paragraph.len();
        if length > LONGEST_DOC {
            break;
        }
        paragraphs.push(paragraph);
    }
    if of.get("deprecated").and_then(Value::as_bool).unwrap_or(false) {
        paragraphs.push("Deprecated.".to_owned());
    }
    paragraphs.retain(|it| !it.is_empty());
    paragraphs.dedup();
    paragraphs.join("\n\n")
}

/// The first address, with its variables replaced by their defaults.
fn server(servers: Option<&Value>) -> String {
    let Some(first) = servers.and_then(|it| it.get(0)) else { return String::new() };
    let mut url = first.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    let variables = first.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        if let Some(value) = variable.get("default").and_then(Value::as_str) {
            url = url.replace(&format!("{{{name}}}"), value);
        }
    }
    shortened(url.trim_end_matches('/'), 500)
}

/// The types that operations mention, directly or not.
pub(crate) fn used<'o>(
    operations: impl IntoIterator<Item = &'o Operation>,
    types: &BTreeMap<String, Shape>,
) -> BTreeSet<String> {
    let mut open = Vec::new();
    for operation in operations {
        operation.result.mentions(&mut open);
        operation.params.iter().for_each(|it| it.shape.mentions(&mut open));
    }
    let mut used = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(shape) = types.get(&name).filter(|_| !used.contains(&name)) {
            shape.mentions(&mut open);
            used.insert(name);
        }
    }
    used
}
