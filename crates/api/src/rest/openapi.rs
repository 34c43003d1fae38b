//! The OpenAPI 3.1 document, made of the table of routes and the served scripts.

use std::{borrow::Cow, sync::Arc};

use svc_contract::{
    registry::{Param, Registry, Scheme},
    value::{Value, json},
};
use svc_service::{Served, tools};

use super::{
    object, openai,
    route::{Access, Answers, Body, Method, Route, routes_of},
};

const OPENAI_ERROR: &str = "#/components/schemas/OpenAIError";

/// The part of a path that is the name of a script.
const SCRIPT: &str = "/scripts/{name}";

/// The document as JSON text. Each of the scripts has endpoints of its own.
pub fn document(
    version: &str,
    registry: &Registry,
    scripts: &[Arc<Served>],
    is_desktop: bool,
) -> String {
    json::write_pretty(&value(version, registry, scripts, is_desktop))
}

/// A route as the document shows it.
struct Shown<'a> {
    route: &'a Route,
    path: Cow<'static, str>,
    /// The script whose name is in the path.
    script: Option<&'a Served>,
}

/// The routes with the names of the scripts, where there are any, in place of the param.
fn shown(scripts: &[Arc<Served>], is_desktop: bool) -> Vec<Shown<'_>> {
    let mut all = Vec::new();
    for route in routes_of(is_desktop) {
        match route.path.strip_prefix(SCRIPT) {
            Some(rest) if !scripts.is_empty() => all.extend(scripts.iter().map(|script| {
                let path = format!("/scripts/{}{rest}", script.name).into();
                Shown { route, path, script: Some(script) }
            })),
            _ => all.push(Shown { route, path: route.path.into(), script: None }),
        }
    }
    all
}

pub(super) fn value(
    version: &str,
    registry: &Registry,
    scripts: &[Arc<Served>],
    is_desktop: bool,
) -> Value {
    let shown = shown(scripts, is_desktop);
    let mut paths: Vec<&str> = Vec::new();
    for it in &shown {
        if !paths.contains(&it.path.as_ref()) {
            paths.push(&it.path);
        }
    }
    let paths = paths.into_iter().map(|path| {
        let own = shown.iter().filter(|it| it.path == path);
        let all = own.map(|it| (it.route.method.name().to_lowercase(), operation(it, registry)));
        (path.into(), Value::Record(all.map(|(name, it)| (name.as_str().into(), it)).collect()))
    });
    record(vec![
        ("openapi", "3.1.0".into()),
        (
            "info",
            record(vec![
                ("title", "svc".into()),
                ("version", version.into()),
                (
                    "description",
                    "Components, pipelines and scripts, checked before they run.".into(),
                ),
                (
                    "license",
                    object([
                        ("name", "MIT OR Apache-2.0".into()),
                        ("identifier", "MIT OR Apache-2.0".into()),
                    ]),
                ),
            ]),
        ),
        ("servers", vec![object([("url", "/".into())])].into()),
        ("paths", Value::Record(paths.collect())),
        ("components", object([("schemas", schemas())])),
    ])
}

fn operation(shown: &Shown<'_>, registry: &Registry) -> Value {
    let Shown { route, script, .. } = shown;
    let mut fields = vec![
        ("summary", Value::from(route.summary)),
        ("operationId", operation_id(shown).into()),
        ("tags", vec![Value::from(route.tag)].into()),
    ];
    let description = script.map(|it| it.description.as_str()).unwrap_or_default();
    if !description.is_empty() {
        fields.push(("description", description.into()));
    }
    let params = params(shown);
    if !params.is_empty() {
        fields.push(("parameters", params.into()));
    }
    if let Some(body) = route.body {
        fields.push(("requestBody", request_body(body, shown, registry)));
    }
    fields.push(("responses", responses(shown, registry)));
    record(fields)
}

/// `post_scripts_name_plan`.
fn operation_id(shown: &Shown<'_>) -> String {
    let words = shown.path.split('/').filter(|it| !it.is_empty());
    let words = words.map(|it| it.trim_matches(['{', '}']));
    let all: Vec<&str> = std::iter::once(shown.route.method.name()).chain(words).collect();
    all.join("_").to_lowercase()
}

fn params(shown: &Shown<'_>) -> Vec<Value> {
    let Shown { route, script, .. } = shown;
    let in_path = route.params().filter(|_| script.is_none()).map(|name| {
        object([
            ("name", name.into()),
            ("in", "path".into()),
            ("required", true.into()),
            ("schema", object([("type", "string".into())])),
        ])
    });
    let in_query = route.query.iter().map(|it| {
        object([
            ("name", it.name.into()),
            ("in", "query".into()),
            ("required", it.default.is_none().into()),
            ("description", it.summary().into()),
            ("schema", schema_of(it)),
        ])
    });
    in_path.chain(in_query).chain(once(route)).collect()
}

/// The header by which a call is made once.
fn once(route: &Route) -> Option<Value> {
    (route.method == Method::Post).then(|| {
        let schema = record(vec![
            ("type", "string".into()),
            ("minLength", 1.into()),
            ("maxLength", 255.into()),
            ("pattern", "^[ -~]+$".into()),
        ]);
        object([
            ("name", "Idempotency-Key".into()),
            ("in", "header".into()),
            ("required", false.into()),
            ("description", "Repeats of a call with the same key get its first answer.".into()),
            ("schema", schema),
        ])
    })
}

/// The schema of one param of a query.
fn schema_of(param: &Param) -> Value {
    // A query has no null: what is not given is left out.
    let param = &Param { scheme: param.scheme.required(), ..*param };
    let whole = tools::input_schema(std::slice::from_ref(param)).unwrap_or_default();
    let properties = whole.as_record().and_then(|it| it.get("properties")).cloned();
    let own = properties.as_ref().and_then(Value::as_record).and_then(|it| it.get(param.name));
    let own = own.cloned().unwrap_or_default();
    match param.scheme {
        // In a query the sign may be left out.
        Scheme::Money => object([
            ("type", "string".into()),
            ("pattern", r"^\$?[0-9]{1,6}(\.[0-9]{1,6})?$".into()),
            ("description", "an amount of US dollars, such as $0.05".into()),
        ]),
        _ => own,
    }
}

fn request_body(body: Body, shown: &Shown<'_>, registry: &Registry) -> Value {
    let (schema, required) = match body {
        Body::Open if let Some(script) = shown.script => {
            let schema = script.input_schema.clone();
            // A plan needs no params.
            let schema =
                if shown.route.runs_script() { schema } else { without(schema, "required") };
            let required = requires_fields(&schema);
            (schema, required)
        }
        Body::Fields(params) => {
            let schema = tools::input_schema(params).unwrap_or_default();
            (schema, params.iter().any(|it| it.default.is_none()))
        }
        Body::Upload(params) => return upload(params),
        Body::AtLeast(params) => (open(tools::input_schema(params).unwrap_or_default()), true),
        Body::Tool(name) => {
            let schema = tools::find(registry, name).map(|it| it.input_schema).unwrap_or_default();
            let required = requires_fields(&schema);
            (schema, required)
        }
        Body::Open => (object([("type", "object".into())]), false),
    };
    object([("required", required.into()), ("content", content("application/json", schema))])
}

/// The body of a request with a file: a form, or JSON if the file is in it as base64.
fn upload(params: &'static [Param]) -> Value {
    let is_json = params.iter().any(|it| it.name == "content_base64");
    let file = record(vec![("type", "string".into()), ("format", "binary".into())]);
    let form = if is_json {
        record(vec![
            ("type", "object".into()),
            ("properties", object([("file", file)])),
            ("required", vec![Value::from("file")].into()),
        ])
    } else {
        let schema = tools::input_schema(params).unwrap_or_default();
        changed(schema, "properties", |it| changed(it, "file", |_| file))
    };
    let mut all = vec![content_of("multipart/form-data", form)];
    if is_json {
        let schema = tools::input_schema(params).unwrap_or_default();
        all.push(content_of("application/json", schema));
    }
    object([("required", true.into()), ("content", record(all))])
}

/// Whether an object without fields does not fit the schema.
fn requires_fields(schema: &Value) -> bool {
    schema.as_record().is_some_and(|it| it.get("required").is_some())
}

fn responses(shown: &Shown<'_>, registry: &Registry) -> Value {
    let route = shown.route;
    let json = || {
        let schema = with_ok(reply(route, registry));
        let script = shown.script.filter(|_| route.runs_script());
        content_of("application/json", with_result(schema, script))
    };
    let text = || object([("type", "string".into())]);
    let events = || content_of("text/event-stream", event());
    let fine = match route.answers {
        Answers::Object => vec![json()],
        Answers::Bare => vec![content_of("application/json", reply(route, registry))],
        Answers::ObjectOrEvents => vec![json(), events()],
        Answers::BareOrEvents => {
            vec![content_of("application/json", reply(route, registry)), events()]
        }
        Answers::Events => vec![events()],
        Answers::Page => vec![content_of("text/html", text())],
        Answers::File => vec![("*/*", object([]))],
        Answers::Lines => vec![content_of("text/plain", text())],
    };
    let mut all = vec![(
        "200".to_owned(),
        object([("description", "success".into()), ("content", record(fine))]),
    )];
    for status in statuses(route) {
        let schema = match status {
            202 => object([("type", "object".into())]),
            _ if openai::owns(route.path) => object([("$ref", OPENAI_ERROR.into())]),
            _ => object([("$ref", "#/components/schemas/Error".into())]),
        };
        let described = object([
            ("description", meaning(status).into()),
            ("content", content("application/json", schema)),
        ]);
        all.push((status.to_string(), described));
    }
    let all = all.into_iter().map(|(name, it)| (name.as_str().into(), it));
    Value::Record(all.collect())
}

/// The schema of each event of a stream.
fn event() -> Value {
    let text = || object([("type", "string".into())]);
    let data = object([("type", "string".into()), ("description", "JSON".into())]);
    record(vec![
        ("type", "object".into()),
        ("description", "each of the events".into()),
        ("properties", object([("id", text()), ("event", text()), ("data", data)])),
    ])
}

/// The schema of the answer: that of its tool, or its own.
fn reply(route: &Route, registry: &Registry) -> Value {
    let row = route.tool.and_then(|it| tools::find(registry, it));
    let Some(row) = row else { return (route.reply)() };
    let whole = row.output_schema;
    let properties = whole.as_record().and_then(|it| it.get("properties"));
    let result = properties.and_then(Value::as_record).and_then(|it| it.get("result")).cloned();
    // A bare list has no field around it.
    result.filter(|_| route.answers == Answers::Bare).unwrap_or_else(|| open(whole))
}

/// The schema of the answer of a script, whose result is known.
fn with_result(schema: Value, script: Option<&Served>) -> Value {
    let Some(script) = script else { return schema };
    changed(schema, "properties", |properties| {
        changed(properties, "result", |_| script.output_schema.clone())
    })
}

/// The record with another value of a field, if it has the field.
fn changed(value: Value, name: &str, change: impl FnOnce(Value) -> Value) -> Value {
    let Value::Record(of) = &value else { return value };
    let mut change = Some(change);
    let fields = of.iter().map(|(own, it)| match change.take_if(|_| own.as_ref() == name) {
        Some(change) => (own.clone(), change(it.clone())),
        None => (own.clone(), it.clone()),
    });
    Value::Record(fields.collect())
}

/// The schema of an object that may have further fields.
fn open(schema: Value) -> Value {
    without(schema, "additionalProperties")
}

fn without(schema: Value, name: &str) -> Value {
    let Value::Record(of) = &schema else { return schema };
    let kept = of.iter().filter(|(own, _)| own.as_ref() != name);
    Value::Record(kept.map(|(own, it)| (own.clone(), it.clone())).collect())
}

/// All statuses besides 200, in order.
fn statuses(route: &Route) -> Vec<u16> {
    let mut all: Vec<u16> = route.statuses.to_vec();
    match route.access {
        Access::Open => {}
        Access::Key | Access::Admin | Access::Signed => all.extend([401, 403, 429, 503]),
    }
    if route.body.is_some() || !route.query.is_empty() {
        all.push(422);
    }
    if route.method == Method::Post {
        all.push(409);
    }
    if route.body.is_some() {
        all.extend([400, 408, 413, 415]);
    }
    all.push(500);
    all.sort_unstable();
    all.dedup();
    all
}

fn meaning(status: u16) -> &'static str {
    match status {
        202 => "accepted: the run goes on",
        400 => "the request cannot be read",
        401 => "no valid key",
        402 => "not enough is left of a cap",
        403 => "not allowed",
        404 => "unknown",
        408 => "the request took too long",
        409 => "contradicts the state",
        413 => "too large",
        415 => "unsupported format",
        422 => "a field is wrong, or the work failed",
        429 => "rate limit exceeded",
        499 => "cancelled",
        500 => "a bug of the server",
        502 => "an external service failed",
        503 => "busy or stopping",
        504 => "took longer than its bound",
        _ => "failed",
    }
}

fn schemas() -> Value {
    object([("Error", error()), ("OpenAIError", openai::fault_schema())])
}

fn error() -> Value {
    let text = || object([("type", "string".into())]);
    let detail = record(vec![
        ("type", "object".into()),
        ("properties", object([("field", text()), ("message", text())])),
        ("required", vec![Value::from("field"), "message".into()].into()),
    ]);
    record(vec![
        ("type", "object".into()),
        (
            "properties",
            record(vec![
                ("ok", object([("const", false.into())])),
                ("error", text()),
                ("kind", text()),
                ("request_id", text()),
                ("help", text()),
                ("details", object([("type", "array".into()), ("items", detail)])),
            ]),
        ),
        ("required", ["ok", "error", "kind", "request_id"].map(Value::from).to_vec().into()),
    ])
}

/// The schema of an object with `ok` as a further field.
fn with_ok(schema: Value) -> Value {
    changed(schema, "properties", |properties| {
        let Value::Record(own) = &properties else { return properties };
        let ok = [("ok".into(), object([("const", true.into())]))].into_iter();
        Value::Record(ok.chain(own.iter().map(|(name, it)| (name.clone(), it.clone()))).collect())
    })
}

fn content(kind: &str, schema: Value) -> Value {
    record(vec![content_of(kind, schema)])
}

fn content_of(kind: &str, schema: Value) -> (&str, Value) {
    (kind, object([("schema", schema)]))
}

fn record(fields: Vec<(&str, Value)>) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect())
}
