//! The OpenAPI 3.1 document, made of the table of routes.

use svc_contract::{
    registry::{Param, Registry, Scheme},
    value::{Value, json},
};
use svc_service::tools;

use super::{
    object,
    route::{Access, Answers, Body, Method, Route, routes},
};

/// The document as JSON text.
pub fn document(version: &str, registry: &Registry) -> String {
    json::write_pretty(&value(version, registry))
}

pub(super) fn value(version: &str, registry: &Registry) -> Value {
    let mut paths: Vec<(&str, Vec<(&str, Value)>)> = Vec::new();
    for route in routes() {
        let method = match route.method {
            Method::Get => "get",
            Method::Post => "post",
        };
        let operation = operation(route, registry);
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, all)) => all.push((method, operation)),
            None => paths.push((route.path, vec![(method, operation)])),
        }
    }
    let paths = paths.into_iter().map(|(path, all)| (path, record(all))).collect();
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
        ("paths", record(paths)),
        ("components", object([("schemas", object([("Error", error())]))])),
    ])
}

fn operation(route: &Route, registry: &Registry) -> Value {
    let mut fields = vec![
        ("summary", Value::from(route.summary)),
        ("operationId", operation_id(route).into()),
        ("tags", vec![Value::from(route.tag)].into()),
    ];
    let params = params(route);
    if !params.is_empty() {
        fields.push(("parameters", params.into()));
    }
    if let Some(body) = route.body {
        fields.push(("requestBody", request_body(body, registry)));
    }
    fields.push(("responses", responses(route, registry)));
    record(fields)
}

/// `post_scripts_name_plan`.
fn operation_id(route: &Route) -> String {
    let words = route.path.split('/').filter(|it| !it.is_empty());
    let words = words.map(|it| it.trim_matches(['{', '}']));
    let all: Vec<&str> = std::iter::once(route.method.name()).chain(words).collect();
    all.join("_").to_lowercase()
}

fn params(route: &Route) -> Vec<Value> {
    let in_path = route.params().map(|name| {
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
    let whole = tools::input_schema(std::slice::from_ref(param)).unwrap_or_default();
    let properties = whole.as_record().and_then(|it| it.get("properties")).cloned();
    let own = properties.as_ref().and_then(Value::as_record).and_then(|it| it.get(param.name));
    let own = own.cloned().unwrap_or_default();
    match param.scheme.required() {
        // In a query the sign may be left out.
        Scheme::Money => object([
            ("type", "string".into()),
            ("pattern", r"^\$?[0-9]{1,6}(\.[0-9]{1,6})?$".into()),
            ("description", "an amount of US dollars, such as $0.05".into()),
        ]),
        _ => own,
    }
}

fn request_body(body: Body, registry: &Registry) -> Value {
    let (schema, required) = match body {
        Body::Fields(params) => {
            let schema = tools::input_schema(params).unwrap_or_default();
            (schema, params.iter().any(|it| it.default.is_none()))
        }
        Body::Tool(name) => {
            let schema = tools::find(registry, name).map(|it| it.input_schema);
            (schema.unwrap_or_default(), true)
        }
        Body::Open => (object([("type", "object".into())]), false),
    };
    object([("required", required.into()), ("content", content("application/json", schema))])
}

fn responses(route: &Route, registry: &Registry) -> Value {
    let json = || content_of("application/json", with_ok(reply(route, registry)));
    let text = || object([("type", "string".into())]);
    let events = || content_of("text/event-stream", text());
    let fine = match route.answers {
        Answers::Object => vec![json()],
        Answers::Bare => vec![content_of("application/json", reply(route, registry))],
        Answers::ObjectOrEvents => vec![json(), events()],
        Answers::Events => vec![events()],
        Answers::Page => vec![content_of("text/html", text())],
        Answers::Lines => vec![content_of("text/plain", text())],
    };
    let mut all = vec![(
        "200".to_owned(),
        object([("description", "success".into()), ("content", record(fine))]),
    )];
    for status in statuses(route) {
        let schema = match status {
            202 => object([("type", "object".into())]),
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

/// The schema of an object that may have further fields.
fn open(schema: Value) -> Value {
    let Value::Record(of) = &schema else { return schema };
    let kept = of.iter().filter(|(name, _)| name.as_ref() != "additionalProperties");
    Value::Record(kept.map(|(name, it)| (name.clone(), it.clone())).collect())
}

/// All statuses besides 200, in order.
fn statuses(route: &Route) -> Vec<u16> {
    let mut all: Vec<u16> = route.statuses.to_vec();
    match route.access {
        Access::Open => {}
        Access::Key | Access::Admin => all.extend([401, 403, 429, 503]),
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
    let Value::Record(of) = &schema else { return schema };
    let Some(properties) = of.get("properties").and_then(Value::as_record) else { return schema };
    let ok = [("ok".into(), object([("const", true.into())]))].into_iter();
    let own = properties.iter().map(|(name, it)| (name.clone(), it.clone()));
    let properties = Value::Record(ok.chain(own).collect());
    let fields = of.iter().map(|(name, it)| {
        let it = if name.as_ref() == "properties" { properties.clone() } else { it.clone() };
        (name.clone(), it)
    });
    Value::Record(fields.collect())
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
