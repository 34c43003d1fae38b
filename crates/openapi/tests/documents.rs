//! What documents become, and that no document harms.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use svc_openapi::{Api, Difference, Lock, Operation, Place, Shape, Style, parse};

fn api(paths: &Value, components: &Value) -> Api {
    let info = json!({"title": "T", "version": "1"});
    let document =
        json!({"openapi": "3.1.0", "info": info, "paths": paths, "components": components});
    Api::read(&document, &["infer"]).unwrap()
}

/// The type of a JSON body that is sent, and of one that is received, with this schema.
fn shapes(schema: &Value, schemas: &Value) -> (String, String) {
    let content = json!({"application/json": {"schema": schema}});
    let post = json!({"operationId": "x", "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array", "items": schema}}}}, "responses": {"200": {"content": content}}});
    let api = api(&json!({"/x": {"post": post}}), &json!({"schemas": schemas}));
    let operation = &api.operations[0];
    let sent = operation.params[0].shape.to_string();
    (sent, operation.result.to_string())
}

#[test]
fn schemas_become_types() {
    let schemas = json!({
        "Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["n", "purrs"], "properties": {"purrs": {"type": "boolean"}}}]},
        "Tree": {"properties": {"left": {"$ref": "#/components/schemas/Tree"}, "v": {"type": "integer"}}},
    });
    for (schema, sent, received) in [
        (json!({"type": "string"}), "[string]", "string"),
        (json!({"type": ["integer", "null"]}), "[int?]", "int?"),
        (json!({"type": "integer", "minimum": 1, "maximum": 9}), "[int 1..9]", "int"),
        (json!({"type": "number", "nullable": true}), "[float?]", "float?"),
        (json!({"enum": ["a", "b"]}), "[\"a\" | \"b\"]", "string"),
        (json!({"enum": ["a", null]}), "[\"a\"?]", "string?"),
        (json!({"const": "a"}), "[\"a\"]", "string"),
        (json!({"type": "array", "items": {"type": "boolean"}}), "[[bool]]", "[bool]"),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            "[map<int>]",
            "map<int>",
        ),
        (json!({"type": "object"}), "[json]", "json"),
        (json!({"$ref": "#/components/schemas/Pet"}), "[Pet]", "Pet"),
        (json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}), "[float]", "float"),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "[string?]", "string?"),
        (json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}), "[json]", "json"),
        (json!({"oneOf": [{"enum": ["a"]}, {"enum": ["b"]}]}), "[\"a\" | \"b\"]", "string"),
        (
            json!({"oneOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"id": {"type": "integer"}}}]}),
            "[{ id: int?, n: int?, name: string? }]",
            "{ id: int?, n: int?, name: string? }",
        ),
        (json!({"$ref": "#/components/schemas/None"}), "[json]", "json"),
        (json!({"$ref": "other.json#/Pet"}), "[json]", "json"),
        (json!(true), "[json]", "json"),
    ] {
        let found = shapes(&schema, &schemas);
        assert_eq!(found, (sent.to_owned(), received.to_owned()), "{schema}");
    }
    let content = |name: &str| json!({"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}}}}}});
    let api = api(
        &json!({"/cat": content("Cat"), "/tree": content("Tree")}),
        &json!({"schemas": schemas}),
    );
    assert_eq!(api.types["Cat"].to_string(), "{ n: int, name: string, purrs: bool }");
    assert_eq!(api.types["Tree"].to_string(), "{ left: json?, v: int? }");
}

#[test]
fn operations_have_names_and_their_parameters_places() {
    let ok = json!({"200": {"description": ""}});
    let api = api(
        &json!({
            "/a/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
                "get": {"operationId": "getA", "responses": ok, "parameters": [
                    {"name": "id", "in": "query", "schema": {"type": "string"}},
                    {"name": "x-ids", "in": "header", "schema": {"type": "array"}},
                    {"name": "Accept", "in": "header"},
                    {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}}]},
                "delete": {"operationId": "getA", "responses": ok}},
            "/b/{c}": {"get": {"responses": ok}},
            "/c": {"post": {"operationId": "infer", "responses": ok, "requestBody": {"content": {"multipart/form-data": {}}}}},
            "/d": {"post": {"operationId": "infer", "responses": ok}},
            "/f": {"get": {"operationId": "f", "servers": [{"url": "https://{region}.f.example"}], "responses": ok}},
            "/e#x": {"get": {"operationId": "e", "servers": [{"url": "https://e.example/{v}", "variables": {"v": {"default": "v2"}}}], "responses": ok}},
        }),
        &json!({}),
    );
    let names: Vec<&str> = api.operations.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["e", "get_a", "get_a_delete", "get_b_c", "infer_op"]);
    let params = |name: &str| -> Vec<(String, Place, Style)> {
        let found: &Operation = api.operations.iter().find(|it| it.name == name).unwrap();
        found.params.iter().map(|it| (it.name.clone(), it.place, it.style)).collect()
    };
    assert_eq!(
        params("get_a"),
        [
            ("id".to_owned(), Place::Path, Style::Comma),
            ("id_query".to_owned(), Place::Query, Style::Form),
            ("x_ids".to_owned(), Place::Header, Style::Comma),
            ("deep".to_owned(), Place::Query, Style::Deep),
        ]
    );
    assert_eq!(params("get_b_c"), [("c".to_owned(), Place::Path, Style::Comma)]);
    assert_eq!(api.operations[0].path, "https://e.example/v2/e");
    assert_eq!(api.skipped.len(), 2);
    assert_eq!(api.skipped[1].reason, "its address has `{region}`, which is not known");
    assert!(api.skipped[0].reason.contains("parts"), "{:?}", api.skipped);
}

#[test]
fn a_lock_has_all_of_the_api_and_shows_what_changed() {
    let document = |kind: &str| {
        let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": kind, "description": "An \"id\"\tof\nit."}}});
        let get = json!({"operationId": "get", "summary": "Says \"hi\".", "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}});
        let api = api(&json!({"/a": {"get": get}}), &json!({"schemas": {"A": schema}}));
        (api.lock("a.json", b"x"), api)
    };
    let ((old, api), (new, _)) = (document("integer"), document("string"));
    let lock = Lock::read(&old).unwrap();
    assert_eq!(lock.entries[0].operation().unwrap(), api.operations[0]);
    assert_eq!(lock.shape("A").unwrap(), api.types["A"]);
    assert_eq!(document("integer").0, old, "it is deterministic");
    let new = Lock::read(&new).unwrap();
    let difference = Difference::between(&lock, &new).unwrap();
    assert_eq!(difference.changed[0].details, ["a type that it uses changed"]);
    assert!(Difference::between(&lock, &lock).unwrap().is_empty());
    for wrong in
        ["", "{}", "x", "{\"svc_lock\":9}", &format!("{old}op\tx\n"), &format!("{old}what\n")]
    {
        assert!(Lock::read(wrong).is_err(), "{wrong}");
    }
}

/// Documents that are small as text and large, deep or endless as types.
#[test]
fn hostile_documents_take_little() {
    let mut chain = serde_json::Map::new();
    let mut wide = serde_json::Map::new();
    for it in 0..3_000 {
        let next = json!({"$ref": format!("#/components/schemas/S{}", it + 1)});
        chain.insert(format!("S{it}"), json!({"properties": {"a": next, "b": next, "c": next}}));
        let all: Vec<Value> = (0..40).map(|other| json!({"$ref": format!("#/components/schemas/S{}", (it * 7 + other) % 3_000)})).collect();
        wide.insert(
            format!("S{it}"),
            json!({"allOf": all, "properties": {format!("p{it}"): {"anyOf": all}}}),
        );
    }
    let paths: Value = (0..3_000)
        .map(|it| {
            let schema = json!({"$ref": format!("#/components/schemas/S{it}")});
            let get = json!({"operationId": "same", "responses": {"200": {"content": {"application/json": {"schema": schema}}}}});
            (format!("/p{it}"), json!({"get": get}))
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    for schemas in [chain, wide] {
        let began = Instant::now();
        let api = api(&paths, &json!({"schemas": schemas}));
        assert_eq!(api.operations.len(), 3_000);
        let lock = api.lock("x", b"x");
        assert!(lock.len() < 400 << 20, "{}", lock.len());
        assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    }
    let loops = json!({"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}, "C": {"allOf": [{"$ref": "#/components/schemas/C"}]}});
    for name in ["A", "C"] {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        assert_eq!(shapes(&schema, &loops).1, "json");
    }
}

/// Anything that a word of a document may have as its value.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-zA-Z/{}#?.é-]{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "object",
            "array",
            "string",
            "integer",
            "null",
            "query",
            "path",
            "header",
            "apiKey",
            "#/components/schemas/A",
            "#/components/schemas/B",
            "#",
            "#/paths",
            "application/json",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        let word = prop_oneof![
            4 => prop::sample::select(vec![
                "$ref", "type", "properties", "items", "oneOf", "anyOf", "allOf", "enum", "const",
                "required", "nullable", "additionalProperties", "parameters", "name", "in",
                "schema", "content", "application/json", "requestBody", "responses", "200", "204",
                "get", "post", "operationId", "servers", "url", "security", "default", "style",
                "explode", "description", "A", "B",
            ]).prop_map(str::to_owned),
            1 => "[a-zA-Z/{}_-]{0,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word, inner), 0..8)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_document_panics(operation in anything(), a in anything(), b in anything(), schemes in anything(), servers in anything()) {
        let document = json!({
            "openapi": "3.0.0", "servers": servers, "security": a,
            "paths": {"/a/{b}": {"get": operation, "post": {"requestBody": operation, "responses": b, "parameters": [a, b]}}, "/c": a},
            "components": {"schemas": {"A": a, "B": b}, "securitySchemes": schemes},
        });
        let api = Api::read(&document, &[]).unwrap();
        let text = api.lock("x.json", b"x");
        let lock = Lock::read(&text).unwrap();
        prop_assert_eq!(lock.entries.len(), api.operations.len());
        for (entry, operation) in lock.entries.iter().zip(&api.operations) {
            prop_assert_eq!(&entry.operation().unwrap(), operation);
            for param in &operation.params {
                prop_assert!(param.shape != Shape::Null, "{}", param.name);
            }
        }
        prop_assert!(Difference::between(&lock, &lock).unwrap().is_empty());
    }

    #[test]
    fn no_text_panics(text in "(openapi: 3.0.0\n)?[a-z0-9 :\\-\\[\\]{}&*!|>'\"#%@\n,?]{0,120}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = parse(text.as_bytes()).map(|it| Api::read(&it, &[]));
        let _ = parse(&bytes);
        let _ = Lock::read(&text).map(|it| it.entries.len());
    }
}
