//! The bodies of requests and answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    parameters::{Parameter, Place, Style, default, doc},
    shape::{FieldShape, Shape},
    shapes::{Shapes, Use},
};

/// The kind of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Media {
    /// No body.
    #[default]
    None,
    Json,
    /// Fields as in a query.
    Form,
    /// Parts with names: `multipart/form-data` (RFC 7578).
    Multipart,
    Text,
    Bytes,
}

/// The body of a request: what it is, and its media type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    pub media: Media,
    #[serde(rename = "as", default, skip_serializing_if = "String::is_empty")]
    pub media_type: String,
}

impl Body {
    pub(crate) fn is_none(&self) -> bool {
        self.media == Media::None
    }
}

/// The kind of a media type.
pub(crate) fn kind(media_type: &str) -> Media {
    let plain = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match plain.as_str() {
        "application/x-www-form-urlencoded" => Media::Form,
        "multipart/form-data" => Media::Multipart,
        "*/*" | "application/*" | "" => Media::Json,
        it if it.ends_with("/json") || it.ends_with("+json") || it.ends_with("json-patch") => {
            Media::Json
        }
        it if it.ends_with("ndjson") || it.ends_with("jsonl") => Media::Text,
        it if it.starts_with("text/") || it.ends_with("/xml") || it.ends_with("+xml") => {
            Media::Text
        }
        it if it.ends_with("yaml") || it.ends_with("/graphql") || it.ends_with("/javascript") => {
            Media::Text
        }
        _ => Media::Bytes,
    }
}

/// The most useful content of a body: JSON, or else a form, parts, text or bytes.
pub(crate) fn preferred(content: &Value, forms: bool) -> Option<(&str, &Value, Media)> {
    let rank = |it: Media| match it {
        Media::Json => 0,
        Media::Form => 1,
        Media::Multipart => 2,
        Media::Text => 3,
        _ => 4,
    };
    let all = content.as_object()?.iter();
    let known = all
        .map(|(name, it)| (name.as_str(), it, kind(name)))
        .filter(|it| it.2 == Media::Multipart || !it.0.starts_with("multipart/"))
        .filter(|it| forms || !matches!(it.2, Media::Form | Media::Multipart));
    known.min_by_key(|it| rank(it.2))
}

/// The body of an operation, and the parameters that it is made of; why there are none, if it
/// cannot be sent.
pub(crate) fn request<'d>(
    shapes: &mut Shapes<'d>,
    body: &'d Value,
) -> Result<(Body, Vec<Parameter>), String> {
    let Some(content) =
        body.get("content").filter(|it| it.as_object().is_some_and(|it| !it.is_empty()))
    else {
        return Ok((Body::default(), Vec::new()));
    };
    let Some((media_type, content, media)) = preferred(content, true) else {
        let named = content.as_object().and_then(|it| it.keys().next());
        return Err(format!("its body is `{}`", named.map_or("", String::as_str)));
    };
    let is_required = body.get("required").and_then(Value::as_bool).unwrap_or(false);
    let schema = content.get("schema");
    let shape = match (media, schema) {
        (Media::Text, _) => Shape::String,
        (Media::Bytes, _) => Shape::Bytes,
        (_, Some(schema)) => shapes.shape(schema, Use::In),
        (_, None) => Shape::Json,
    };
    let media_type = if media_type.contains('*') { "application/json" } else { media_type };
    let described = Body { media, media_type: media_type.to_owned() };
    if matches!(media, Media::Json | Media::Form | Media::Multipart)
        && let Some(fields) = shapes.fields(shape.required())
    {
        let fields = fields.into_iter().map(|it| it.0);
        let params = Fields { shapes, content, media, is_required }.params(fields);
        return Ok((described, params));
    }
    if media == Media::Multipart {
        return Err("its body has parts that are not described".to_owned());
    }
    let doc = body.get("description").and_then(Value::as_str).unwrap_or("The body.");
    let whole = Parameter {
        name: String::new(),
        wire: "body".to_owned(),
        place: Place::Body,
        shape: match shape {
            Shape::Null => Shape::Json,
            it if is_required => it,
            it => it.optional(),
        },
        style: Style::Json,
        default: None,
        media_type: String::new(),
        doc: crate::shapes::shortened(doc, 240),
    };
    Ok((described, vec![whole]))
}

/// The fields of a body.
struct Fields<'a, 'd> {
    shapes: &'a Shapes<'d>,
    content: &'d Value,
    media: Media,
    is_required: bool,
}

impl Fields<'_, '_> {
    /// A parameter for each field, and one for the name of each file among them.
    fn params(&self, fields: impl Iterator<Item = FieldShape>) -> Vec<Parameter> {
        let mut all = Vec::new();
        for FieldShape(name, shape, summary) in fields {
            let param = self.param(name, shape, summary);
            let file = self.media == Media::Multipart && *param.shape.required() == Shape::Bytes;
            let file = file.then(|| Parameter::filename_of(&param));
            all.push(param);
            all.extend(file);
        }
        all
    }

    fn param(&self, name: String, shape: Shape, summary: String) -> Parameter {
        let schema = self.content.get("schema").and_then(|it| self.shapes.document.resolve(it));
        let schema = schema.and_then(|it| it.get("properties")).and_then(|it| it.get(&name));
        let resolved = schema.and_then(|it| self.shapes.document.resolve(it));
        let needed = self.is_required && !matches!(shape, Shape::Opt(_));
        let said = schema.map(|it| doc(it, resolved, needed)).unwrap_or_default();
        let encoding = self.content.get("encoding").and_then(|it| it.get(&name));
        let media_type = encoding.and_then(|it| it.get("contentType")).and_then(Value::as_str);
        // A list of types is a choice, and a `*` is for the sender to fill in.
        let is_one = |it: &&str| !it.contains([',', '*']) && !it.chars().any(char::is_control);
        Parameter {
            name: String::new(),
            wire: name,
            place: Place::Field,
            default: resolved.and_then(|it| default(it, &shape)).filter(|_| needed),
            shape: if needed { shape } else { shape.optional() },
            style: if self.media == Media::Form { Style::Deep } else { Style::Json },
            media_type: media_type.filter(is_one).unwrap_or_default().to_owned(),
            doc: if said.is_empty() { summary } else { said },
        }
    }
}

/// The type of the answer of a call that succeeds, and the kind of its body.
pub(crate) fn answer<'d>(shapes: &mut Shapes<'d>, responses: Option<&'d Value>) -> (Shape, Media) {
    let all = responses.and_then(Value::as_object);
    let is_success = |it: &str| it.starts_with('2');
    let mut successes: Vec<(&String, &Value)> =
        all.into_iter().flatten().filter(|(status, _)| is_success(status)).collect();
    if successes.is_empty() {
        successes.extend(all.and_then(|it| it.get_key_value("default")));
    }
    let mut found: Vec<(Shape, Media)> = Vec::new();
    for (_, answer) in successes {
        let content = shapes.document.resolve(answer).and_then(|it| it.get("content"));
        let answer = match content.and_then(|it| preferred(it, false)) {
            None => (Shape::Null, Media::None),
            Some((_, content, Media::Json)) => {
                let schema = content.get("schema");
                (schema.map_or(Shape::Json, |it| shapes.shape(it, Use::Out)), Media::Json)
            }
            Some((_, _, Media::Text)) => (Shape::String, Media::Text),
            Some((_, _, media)) => (Shape::Bytes, media),
        };
        if !found.contains(&answer) {
            found.push(answer);
        }
    }
    let has_none = found.iter().any(|it| it.1 == Media::None);
    let mut others: Vec<(Shape, Media)> =
        found.into_iter().filter(|it| it.1 != Media::None).collect();
    match (others.len(), others.pop()) {
        (0, _) if has_none => (Shape::Null, Media::None),
        (1, Some((shape, media))) if has_none => (shape.optional(), media),
        (1, Some(one)) => one,
        _ => (Shape::Json, Media::Json),
    }
}
