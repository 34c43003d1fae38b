//! The OpenAPI document as a page for people: every endpoint with its params, schemas and a request.
//!
//! The page is made here, without a script, and loads nothing: its content security policy allows
//! only its own style.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use svc_contract::{
    registry::Registry,
    value::{Record, Value, json},
};
use svc_service::Served;
use svc_text::markup::escaped;

use super::openapi;
use crate::page::hash;

const STYLE: &str = include_str!("docs.css");

/// The deepest part of a schema for which an example has a value.
const DEEPEST: usize = 4;

/// The page, for a server that is called by this name.
pub fn page(
    version: &str,
    registry: &Registry,
    scripts: &[Arc<Served>],
    is_desktop: bool,
    host: &str,
) -> String {
    let document = openapi::value(version, registry, scripts, is_desktop);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = Page { document: &document, host }.write(version, &mut out);
    out
}

struct Page<'a> {
    document: &'a Value,
    host: &'a str,
}

/// An operation of the document.
struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    of: &'a Value,
}

impl<'a> Operation<'a> {
    fn text(&self, name: &str) -> &'a str {
        at(self.of, &[name]).and_then(Value::as_str).unwrap_or_default()
    }

    fn tag(&self) -> &'a str {
        items(at(self.of, &["tags"])).first().and_then(|it| it.as_str()).unwrap_or_default()
    }

    fn params(&self) -> &'a [Value] {
        items(at(self.of, &["parameters"]))
    }

    fn body(&self) -> Option<&'a Value> {
        at(self.of, &["requestBody", "content", "application/json", "schema"])
    }
}

impl Page<'_> {
    fn write(&self, version: &str, out: &mut String) -> fmt::Result {
        let policy = format!("default-src 'none'; style-src '{}'", hash(STYLE));
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>svc: endpoints</title>\n<style>{STYLE}</style></head><body>\n\
             <h1>svc {}</h1>\n<p>{} The same as a document for programs: \
             <a href=\"/openapi.json\">openapi.json</a>.</p>\n",
            escaped(version),
            escaped(self.text(&["info", "description"])),
        )?;
        let all = self.operations();
        let mut tags: Vec<&str> = Vec::new();
        for it in &all {
            if !tags.contains(&it.tag()) {
                tags.push(it.tag());
            }
        }
        out.push_str("<nav><ul>\n");
        for it in &all {
            let (id, method, path) = (it.text("operationId"), it.method, it.path);
            let (method, path) = (method.to_uppercase(), escaped(path));
            writeln!(
                out,
                "<li><code><span class=\"method\">{method}</span> <a href=\"#{id}\">{path}</a></code></li>"
            )?;
        }
        out.push_str("</ul></nav>\n");
        for tag in tags {
            writeln!(out, "<h2>{}</h2>", escaped(tag))?;
            for it in all.iter().filter(|it| it.tag() == tag) {
                self.operation(it, out)?;
            }
        }
        out.push_str("</body></html>\n");
        Ok(())
    }

    fn text(&self, path: &[&str]) -> &str {
        at(self.document, path).and_then(Value::as_str).unwrap_or_default()
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let Some(paths) = at(self.document, &["paths"]).and_then(Value::as_record) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (path, all) in paths.iter() {
            for (method, of) in all.as_record().into_iter().flat_map(Record::iter) {
                found.push(Operation { method: method.as_ref(), path: AsRef::as_ref(path), of });
            }
        }
        found
    }

    fn operation(&self, it: &Operation<'_>, out: &mut String) -> fmt::Result {
        let (id, path) = (it.text("operationId"), escaped(it.path));
        let (method, summary) = (it.method.to_uppercase(), escaped(it.text("summary")));
        writeln!(
            out,
            "<article id=\"{id}\"><details><summary><code><span class=\"method\">{method}</span> \
             {path}</code> <span>{summary}</span></summary>"
        )?;
        writeln!(out, "<pre>{}</pre>", escaped(&self.request(it)))?;
        if !it.params().is_empty() {
            out.push_str("<h3>Params</h3>\n<table>");
            for param in it.params() {
                let text = |name: &str| at(param, &[name]).and_then(Value::as_str).unwrap_or("");
                let is_required = at(param, &["required"]) == Some(&Value::Bool(true));
                let place = format!("in the {}", text("in"));
                let schema = at(param, &["schema"]);
                row(out, text("name"), schema, is_required, &[&place, text("description")])?;
            }
            out.push_str("</table>\n");
        }
        if let Some(schema) = it.body() {
            out.push_str("<h3>Body</h3>\n");
            fields(out, schema)?;
            details(out, "Its schema", schema)?;
        }
        out.push_str("<h3>Answers</h3>\n<table>");
        let answers = at(it.of, &["responses"]).and_then(Value::as_record);
        for (status, answer) in answers.into_iter().flat_map(Record::iter) {
            let meaning = at(answer, &["description"]).and_then(Value::as_str).unwrap_or_default();
            let formats = at(answer, &["content"]).and_then(Value::as_record);
            let formats: Vec<&str> =
                formats.into_iter().flat_map(|it| it.names().iter()).map(AsRef::as_ref).collect();
            writeln!(
                out,
                "<tr><td><code>{status}</code></td><td>{}</td><td>{}</td></tr>",
                escaped(meaning),
                escaped(&formats.join(", ")),
            )?;
        }
        out.push_str("</table>\n");
        let fine = at(it.of, &["responses", "200", "content", "application/json", "schema"]);
        if let Some(schema) = fine {
            details(out, "The schema of a success", schema)?;
        }
        out.push_str("</details></article>\n");
        Ok(())
    }

    /// A request for a shell.
    fn request(&self, it: &Operation<'_>) -> String {
        let required = it.params().iter().filter(|it| {
            let place = at(it, &["in"]).and_then(Value::as_str);
            place == Some("query") && at(it, &["required"]) == Some(&Value::Bool(true))
        });
        let query: Vec<String> = required
            .filter_map(|it| at(it, &["name"])?.as_str().map(|name| format!("{name}=text")))
            .collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let path = it.path.replace(['{', '}'], "");
        let address = format!("http://{}{path}{query}", self.host);
        match it.body().map(|it| json::write(&example(it, 0))) {
            Some(body) => format!("curl -s {address} --json '{body}'"),
            None if it.method == "post" => format!("curl -s -X POST {address}"),
            None => format!("curl -s {address}"),
        }
    }
}

fn details(out: &mut String, title: &str, schema: &Value) -> fmt::Result {
    let text = escaped(&json::write_pretty(schema));
    writeln!(out, "<details><summary>{title}</summary><pre>{text}</pre></details>")
}

/// The properties of an object as a table.
fn fields(out: &mut String, schema: &Value) -> fmt::Result {
    let Some(properties) = at(schema, &["properties"]).and_then(Value::as_record) else {
        return writeln!(out, "<p>An object.</p>");
    };
    let required = items(at(schema, &["required"]));
    out.push_str("<table>");
    for (name, of) in properties.iter() {
        let is_required = required.iter().any(|it| it.as_str() == Some(name.as_ref()));
        let description = at(of, &["description"]).and_then(Value::as_str).unwrap_or_default();
        row(out, name, Some(of), is_required, &[description])?;
    }
    writeln!(out, "</table>")
}

fn row(
    out: &mut String,
    name: &str,
    schema: Option<&Value>,
    is_required: bool,
    about: &[&str],
) -> fmt::Result {
    let default = schema.and_then(|it| at(it, &["default"]));
    let presence = match (is_required, default) {
        (true, _) => "required".to_owned(),
        (false, Some(default)) => format!("default {}", json::write(default)),
        (false, None) => "optional".to_owned(),
    };
    let about: Vec<&str> = about.iter().copied().filter(|it| !it.is_empty()).collect();
    writeln!(
        out,
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
        escaped(name),
        escaped(&kind(schema)),
        escaped(&presence),
        escaped(&about.join(": ")),
    )
}

/// A schema in a few words.
fn kind(schema: Option<&Value>) -> String {
    let Some(schema) = schema else { return "anything".to_owned() };
    let text = |name: &str| at(schema, &[name]).and_then(Value::as_str);
    if let Some(all) = at(schema, &["anyOf"]) {
        let all: Vec<String> = items(Some(all)).iter().map(|it| kind(Some(it))).collect();
        return all.join(" or ");
    }
    let variants: Vec<String> = items(at(schema, &["enum"])).iter().map(json::write).collect();
    if !variants.is_empty() {
        return variants.join(", ");
    }
    let number = |name: &str| at(schema, &[name]).map(json::write);
    match (text("type"), number("minimum"), number("maximum")) {
        (Some("array"), ..) => format!("list of {}", kind(at(schema, &["items"]))),
        (Some(kind), Some(low), Some(high)) => format!("{kind} {low} to {high}"),
        (Some(kind), ..) => kind.to_owned(),
        (None, ..) => "anything".to_owned(),
    }
}

/// A value of a schema, for a request that a reader completes: the required fields.
fn example(schema: &Value, depth: usize) -> Value {
    let first = |name: &str| items(at(schema, &[name])).first();
    if let Some(variant) = first("enum") {
        return variant.clone();
    }
    if let Some(one) = first("anyOf") {
        return example(one, depth);
    }
    match at(schema, &["type"]).and_then(Value::as_str) {
        Some("object") if depth < DEEPEST => {
            let properties = at(schema, &["properties"]).and_then(Value::as_record);
            let required = items(at(schema, &["required"])).iter().filter_map(Value::as_str);
            let field = |name: &str| {
                let of = properties.and_then(|it| it.get(name))?;
                Some((name.into(), example(of, depth + 1)))
            };
            Value::Record(required.filter_map(field).collect())
        }
        Some("object") => Value::Record([].into_iter().collect()),
        Some("array") => {
            let item = at(schema, &["items"]).filter(|_| depth < DEEPEST);
            item.map(|it| example(it, depth + 1)).into_iter().collect::<Vec<_>>().into()
        }
        Some("integer" | "number") => at(schema, &["minimum"]).cloned().unwrap_or_else(|| 1.into()),
        Some("boolean") => Value::Bool(true),
        _ => "text".into(),
    }
}

/// The value at a path of fields.
fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |it, name| it.as_record()?.get(name))
}

fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::List(all)) => all.iter().as_slice(),
        _ => &[],
    }
}
