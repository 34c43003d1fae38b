//! The endpoints of the specification, in its shapes.

use std::process::Command;

use serde_json::json;

use super::Server;

#[test]
fn endpoints_have_the_shapes_of_the_specification() {
    let server = Server::start();
    let health = server.get("/health").ok();
    assert_eq!(
        health,
        json!({ "status": "ok", "system": "svc", "version": env!("CARGO_PKG_VERSION") })
    );
    assert_eq!(server.get("/health/live").ok()["status"], "ok");
    assert_eq!(server.get("/health/ready").ok()["status"], "ok");

    let components = server.get("/components").ok();
    let names = components["components"].as_array().unwrap();
    assert!(names.contains(&"ctx_search".into()) && names.contains(&"core".into()));
    assert_eq!(server.get("/blocks").ok(), components);

    let clusters = server.get("/clusters").ok();
    assert_eq!(clusters["ok"], true);
    let slugs: Vec<&str> = clusters["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["slug"].as_str().unwrap())
        .collect();
    assert_eq!(slugs.len(), 9);
    let one = server.get("/clusters/context-retrieval").ok();
    assert_eq!((&one["ok"], &one["slug"]), (&true.into(), &"context-retrieval".into()));
    assert!(one["components"].as_array().unwrap().contains(&"ctx_rag".into()));
    server.get("/clusters/core-infrastructure").fails(404, "not_found");
    let meant = server.get("/clusters/context-retrival").fails(404, "not_found");
    assert!(meant.contains("did you mean `context-retrieval`?"), "{meant}");

    let called = server.post(
        "/clusters/context-retrieval/ctx_docs",
        r#"{"op": "to_text", "params": {"docs": []}}"#,
    );
    assert_eq!(called.ok()["cluster"], "context-retrieval");
    server.post("/clusters/context-retrieval/text", r#"{"op": "upper"}"#).fails(404, "not_found");

    let found = server.get("/nav/discover?query=condense%20documents&limit=1").ok();
    assert_eq!(
        found,
        json!([{ "name": "ctx_summary", "score": 1.0, "cluster": "context-retrieval" }])
    );
    let found = server.get("/nav/recommend?query=condense+documents&limit=1").ok();
    assert_eq!(found["recommendations"][0]["name"], "ctx_summary");
    assert_eq!(server.get("/nav/inspect/text").ok()["name"], "text");
    server.get("/nav/inspect/no_such").fails(404, "not_found");
    let stats = server.get("/nav/stats").ok();
    assert!(
        stats["tools_total"].as_i64().unwrap() >= 15 && stats["uptime_sec"].is_i64(),
        "{stats}"
    );
    assert!(stats["calls_24h"].as_i64().unwrap() >= 5 && stats["errors_24h"] == 0, "{stats}");
    assert!(stats["p95_ms"].as_f64().unwrap() > 0.0, "{stats}");

    let answer = server
        .post("/guide/ask", r#"{"query": "how do I mock a component in a test?", "top_k": 2}"#);
    assert!(answer.ok()["answer"].as_str().unwrap().contains("mock"));
    let plan =
        server.post("/guide/plan", r#"{"goal": "the first 3 lines of notes.txt", "max_steps": 5}"#);
    assert!(plan.ok()["verdict"].is_string());
    assert!(server.get("/guide/overview").ok().is_object());
}

#[test]
fn an_op_is_invoked_by_its_names() {
    let server = Server::start();
    let answer = server.post("/invoke/text", r#"{"op": "upper", "params": {"text": "hällo"}}"#);
    assert_eq!(answer.ok(), json!({ "ok": true, "result": "HÄLLO" }));
    let answer = server.post("/invoke/text", r#"{"operation": "upper", "params": {"text": "a"}}"#);
    assert_eq!(answer.ok()["result"], "A");
    let answer = server.post("/invoke/upper", r#"{"op": "infer", "params": {"text": "a"}}"#);
    assert_eq!(answer.ok()["result"], "A");
    let result = server.post("/invoke/list", r#"{"op": "sum", "params": {"items": [1, 2.5]}}"#);
    assert_eq!(result.ok()["result"], 3.5);
}

#[test]
fn a_pipeline_gives_the_results_of_all_steps() {
    let server = Server::start();
    let body = r#"{"steps": [
        {"component": "text", "op": "split", "params": {"sep": ","}},
        {"component": "list", "operation": "reverse"},
        {"component": "list", "op": "len", "params": {"value": [1]}}
    ], "initial": {"text": "a,b"}}"#;
    let answer = server.post("/pipeline", body).ok();
    assert_eq!(answer["result"], json!([["a", "b"], ["b", "a"], 1]));
    let steps = answer["steps"].as_array().unwrap();
    assert!(steps.iter().all(|it| it["ok"] == true) && steps.len() == 3, "{answer}");
    assert_eq!(answer["usage"], json!({ "tokens": 0, "cost_usd": 0.0 }));

    let body = r#"{"steps": [{"component": "text", "op": "upper"}], "initial": {"x": 1}}"#;
    let wrong = server.post("/pipeline", body).fails(422, "invalid_input");
    assert!(wrong.contains("expected string"), "{wrong}");
    server.post("/pipeline", r#"{"steps": []}"#).fails(422, "invalid_input");
    let many = vec![r#"{"component": "random", "op": "uuid"}"#; 65].join(",");
    let many = server.post("/pipeline", &format!(r#"{{"steps": [{many}]}}"#));
    assert!(many.fails(422, "invalid_input").contains("limit 64"));
    let body = r#"{"steps": [{"component": "text", "op": "upper", "params": {"text": "a"}},
        {"component": "text", "op": "parse_int", "params": {"text": "x"}}]}"#;
    let failed = server.post("/pipeline", body);
    assert!(failed.fails(422, "invalid_input").contains("step 2"), "{failed:?}");
}

#[test]
fn the_research_chain_names_its_steps() {
    let server =
        Server::with(&[("notes/a.md", "# Cats\n\nCats sleep sixteen hours a day.\n")], &[]);
    let answer = server
        .post("/pipeline/research", r#"{"query": "how long do cats sleep?", "source": "notes"}"#);
    let answer = answer.ok();
    let names: Vec<&str> =
        answer["steps"].as_array().unwrap().iter().map(|it| it["step"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "rag_retrieval", "summary"]);
    assert_eq!(answer["steps"][0]["results_found"], 1);
    assert!(answer["summary"].as_str().unwrap().contains("sixteen hours"), "{answer}");
    let missing = server.post("/pipeline/research", r#"{"query": "x", "source": "none"}"#);
    missing.fails(404, "not_found");
    let none = server.post("/pipeline/research", r#"{"query": "zebra", "source": "notes"}"#).ok();
    assert_eq!(none["steps"][0]["status"], "empty");
}

#[test]
fn the_document_describes_every_route() {
    let server = Server::with(&[], &[]);
    let document = server.get("/openapi.json").ok();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    for path in ["/invoke/{component}", "/scripts/{name}", "/runs/{id}/events", "/tools/{name}"] {
        assert!(paths.contains_key(path), "{path}");
    }
    let body = &document["paths"]["/invoke/{component}"]["post"]["requestBody"];
    let schema = &body["content"]["application/json"]["schema"];
    assert_eq!(schema["required"], json!(["op"]));
    // What is refused is said before.
    let schema_of = |path: &str| {
        let body = &document["paths"][path]["post"]["requestBody"]["content"];
        body["application/json"]["schema"]["properties"].clone()
    };
    assert_eq!(schema_of("/invoke/{component}")["params"]["type"], "object");
    assert_eq!(schema_of("/pipeline")["steps"]["minItems"], 1);
    assert_eq!(schema_of("/guide/plan")["goal"]["minLength"], 1);
    assert_eq!(schema_of("/workflow/compose")["steps"]["anyOf"][0]["minItems"], 1);
    let params = document["paths"]["/scripts/{name}"]["post"]["parameters"].as_array().unwrap();
    for name in ["wait", "max_cost"] {
        let param = params.iter().find(|it| it["name"] == name).unwrap();
        assert!(param["schema"]["pattern"].is_string(), "{param}");
    }
    for route in svc_api::rest::routes() {
        let method = route.method.name().to_lowercase();
        let operation = &document["paths"][route.path][method.as_str()];
        assert!(operation["responses"]["200"].is_object(), "{} {}", method, route.path);
    }
}

#[test]
fn each_script_has_endpoints_with_its_own_params() {
    let server = Server::start();
    let document = server.get("/openapi.json").ok();
    let paths = document["paths"].as_object().unwrap();
    assert!(!paths.contains_key("/scripts/{name}") && paths.contains_key("/scripts"));
    let call = &paths["/scripts/word_count"]["post"];
    assert_eq!(call["operationId"], "post_scripts_word_count");
    assert_eq!(call["description"], "Counts the words of a text.");
    let body = &call["requestBody"];
    assert_eq!(body["required"], true);
    let schema = &body["content"]["application/json"]["schema"];
    assert_eq!(schema["properties"]["text"]["type"], "string");
    assert_eq!(schema["additionalProperties"], false);
    let reply = &call["responses"]["200"]["content"]["application/json"]["schema"]["properties"];
    assert_eq!(reply["result"]["properties"]["words"]["type"], "integer", "{reply}");
    assert_eq!(reply["ok"]["const"], true);
    assert_eq!(paths["/scripts/reports_by_day"]["post"]["requestBody"]["required"], false);
    let plan = &paths["/scripts/word_count/plan"]["post"]["requestBody"];
    assert_eq!(plan["required"], false, "a plan needs no params: {plan}");
    assert_eq!(server.post("/scripts/word_count/plan", "").status, 200);
    assert!(server.get("/docs").body.contains("/scripts/word_count/plan"));
    let printed = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(["openapi", "."])
        .current_dir(server.place.path())
        .output()
        .unwrap();
    let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(printed, document);
}

/// An op that must not be tried again is called once, unless the caller asks for more.
#[test]
fn a_write_that_cannot_be_repeated_is_made_once() {
    let server = Server::with(&[], &[]);
    let body = r#"{"op": "append_file", "params": {"text": "x", "to": "log.txt"}}"#;
    for _ in 0..2 {
        server.post("/invoke/files", body).ok();
    }
    let text = std::fs::read_to_string(server.place.path().join("log.txt")).unwrap();
    assert_eq!(text, "x\nx\n");
    let steps = r#"{"steps": [{"component": "files", "op": "append_file", "params": {"text": "y", "to": "log.txt"}}]}"#;
    server.post("/pipeline", steps).ok();
    let retried = r#"{"component": "files", "op": "append_file", "params": {"text": "x", "to": "log.txt"}, "bounds": {"max_retries": 2}}"#;
    let said = server.post("/tools/invoke_component", retried).fails(422, "invalid_input");
    assert!(said.contains("must not be retried"), "{said}");
    let text = std::fs::read_to_string(server.place.path().join("log.txt")).unwrap();
    assert_eq!(text, "x\nx\ny\n");
}
