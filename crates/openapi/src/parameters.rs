//! The parameters of an operation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    shape::Shape,
    shapes::{Shapes, Use, shortened},
};

/// The longest documentation of a parameter, in bytes.
const LONGEST_DOC: usize = 600;

/// A parameter: of the address, of a header, or a part of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name in scripts.
    pub name: String,
    /// The name in requests, if it differs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wire: String,
    #[serde(rename = "in")]
    pub place: Place,
    #[serde(rename = "type")]
    pub shape: Shape,
    #[serde(default, skip_serializing_if = "is_form")]
    pub style: Style,
    /// The value that the server takes if it is left out, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The media type of a part of the body, if the document names one.
    #[serde(rename = "as", default, skip_serializing_if = "String::is_empty")]
    pub media_type: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

/// Where a parameter stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Path,
    Query,
    Header,
    Cookie,
    /// A field of the body.
    Field,
    /// The name of the file that a field of the body is.
    Filename,
    /// The whole body.
    Body,
}

/// How lists and records are written in an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// `a=1&a=2`
    #[default]
    Form,
    /// `a=1,2`
    Comma,
    /// `a=1%202`
    Space,
    /// `a=1|2`
    Pipe,
    /// `a[b]=1`
    Deep,
    /// As JSON.
    Json,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_form(style: &Style) -> bool {
    *style == Style::Form
}

impl Parameter {
    /// The name in requests.
    pub fn wire(&self) -> &str {
        if self.wire.is_empty() { &self.name } else { &self.wire }
    }

    /// Whether a call must give it.
    pub fn is_required(&self) -> bool {
        !matches!(self.shape, Shape::Opt(_)) && self.default.is_none()
    }

    /// A part of a path that the document does not describe.
    pub(crate) fn of_path(wire: &str) -> Self {
        Self {
            name: String::new(),
            wire: wire.to_owned(),
            place: Place::Path,
            shape: Shape::String,
            style: Style::Comma,
            default: None,
            media_type: String::new(),
            doc: String::new(),
        }
    }

    /// The name of the file that a part of a body is.
    pub(crate) fn filename_of(part: &Self) -> Self {
        Self {
            name: String::new(),
            wire: part.wire.clone(),
            place: Place::Filename,
            shape: Shape::String,
            style: Style::Form,
            default: Some(Value::String("file".to_owned())),
            media_type: String::new(),
            doc: format!("The name of the file in `{}`, as the server sees it.", part.wire),
        }
    }

    /// A parameter of a document; why it is none, if it cannot be sent.
    pub(crate) fn read<'d>(shapes: &mut Shapes<'d>, of: &'d Value) -> Result<Self, String> {
        let text = |name: &str| of.get(name).and_then(Value::as_str);
        let wire = text("name").ok_or("a parameter has no name")?;
        let place = match text("in") {
            Some("path") => Place::Path,
            Some("query") => Place::Query,
            Some("header") => Place::Header,
            Some("cookie") => Place::Cookie,
            other => {
                let other = other.unwrap_or_default();
                return Err(format!("the parameter `{wire}` is in `{other}`"));
            }
        };
        let content =
            of.get("content").and_then(Value::as_object).and_then(|it| it.values().next());
        let schema = content.and_then(|it| it.get("schema")).or_else(|| of.get("schema"));
        let shape = schema.map_or(Shape::String, |it| shapes.shape(it, Use::In));
        let style = if content.is_some() { Style::Json } else { style(of, place) };
        let is_required =
            place == Place::Path || of.get("required").and_then(Value::as_bool).unwrap_or(false);
        let shape = match shape {
            Shape::Null => Shape::Json,
            Shape::Bytes => Shape::String,
            it => it,
        };
        Ok(Self {
            name: String::new(),
            wire: wire.to_owned(),
            place,
            default: schema.and_then(|it| default(it, &shape)).filter(|_| is_required),
            shape: if is_required { shape } else { shape.optional() },
            style,
            media_type: String::new(),
            doc: doc(of, schema, is_required),
        })
    }
}

/// The default of a schema, if it has the type.
pub(crate) fn default(schema: &Value, shape: &Shape) -> Option<Value> {
    let value = schema.get("default")?;
    let fits = match shape.required() {
        Shape::Bool => value.is_boolean(),
        Shape::Int => value.is_i64(),
        Shape::Ints(low, high) => value.as_i64().is_some_and(|it| (*low..=*high).contains(&it)),
        Shape::Float => value.is_number(),
        Shape::String => value.is_string(),
        Shape::Enum(all) => value.as_str().is_some_and(|it| all.iter().any(|one| one == it)),
        _ => false,
    };
    fits.then(|| value.clone())
}

/// The documentation of a parameter, with its default if the server knows it.
pub(crate) fn doc(of: &Value, schema: Option<&Value>, is_required: bool) -> String {
    let own = |it: &Value| it.get("description").and_then(Value::as_str).map(str::to_owned);
    let text = own(of).or_else(|| schema.and_then(own)).unwrap_or_default();
    let text = shortened(&text, LONGEST_DOC);
    let default = schema.and_then(|it| it.get("default"));
    match default.filter(|it| !is_required && !it.is_null() && !it.is_object()) {
        Some(default) if !text.to_lowercase().contains("default") => {
            let default = shortened(&default.to_string(), 60);
            format!("{text} The default of the server is `{default}`.").trim().to_owned()
        }
        _ => text,
    }
}

fn style(of: &Value, place: Place) -> Style {
    let style = of.get("style").and_then(Value::as_str);
    let by_default = matches!(style, None | Some("form"));
    let explodes = of.get("explode").and_then(Value::as_bool).unwrap_or(by_default);
    match style {
        Some("deepObject") => Style::Deep,
        Some("spaceDelimited") if !explodes => Style::Space,
        Some("pipeDelimited") if !explodes => Style::Pipe,
        _ if place == Place::Query && explodes => Style::Form,
        _ => Style::Comma,
    }
}
