//! Tools: their table, their schemas, and their calls.

use serde_json::{Value, json};
use svc_service::tools;

use super::Server;

fn rows() -> Vec<tools::Row> {
    let engine = svc::engine().with(svc_service::components::ALL);
    tools::table(engine.registry())
}

#[test]
fn a_tool_is_called_with_its_arguments() {
    let server = Server::with(&[], &[]);
    let list = server.get("/tools").ok();
    let listed: Vec<&str> =
        list["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(listed, rows().iter().map(|it| it.name).collect::<Vec<_>>());

    let found =
        server.post("/tools/nav_discover", r#"{"query": "condense documents", "limit": 1}"#);
    assert_eq!(found.ok()["result"][0]["name"], "ctx_summary");
    let status = server.post("/tools/system_status", r#"{"explain": "guide_ask"}"#).ok();
    assert_eq!(
        (&status["tier"], &status["explain"]["callable"]),
        (&"builder".into(), &true.into())
    );
    server.post("/tools/guide_aks", "{}").fails(404, "not_found");
    server.post("/tools/guide_ask", "{}").fails(422, "invalid_input");

    let body = json!({ "component": "text", "op": "upper", "params": { "text": "a" } });
    let invoked = server.post("/tools/invoke_component", &body.to_string()).ok();
    assert_eq!(invoked["result"], "A");
    assert!(invoked["ms"].is_number(), "{invoked}");
    let typed = |expect: &str| {
        let body = json!({ "component": "text", "op": "split", "expect": expect,
            "params": { "text": "a,b", "sep": "," } });
        server.post("/tools/invoke_component_typed", &body.to_string())
    };
    assert_eq!(typed("[string]").ok()["result"], json!(["a", "b"]));
    assert!(typed("[int]").fails(502, "invalid_output").contains("result"));
    for wrong in ["[strng]", "string\nfail(\"x\")", "int = 1", "", "[string] }"] {
        typed(wrong).fails(422, "invalid_input");
    }
    let script = r#"{"script": "param n: int  n + 1", "initial": {"n": 2}}"#;
    assert_eq!(server.post("/tools/run_pipeline", script).ok()["result"], 3);
    let wrong = server.post("/tools/run_pipeline", r#"{"script": "1 >> uper"}"#);
    assert!(wrong.fails(422, "check").contains("script:1:"), "{wrong:?}");
    server.post("/tools/run_pipeline", "{}").fails(422, "invalid_input");
    let tight = json!({ "steps": [{ "component": "control", "op": "wait",
        "params": { "value": 1, "duration": "5s" } }], "bounds": { "timeout_sec": 1 } });
    let late = server.post("/tools/run_pipeline", &tight.to_string());
    late.fails(504, "timeout");
}

/// The server of the tests has a store, which keeps the model of one call for the next one.
#[test]
fn a_tool_learns_a_model_and_another_one_predicts_with_it() {
    let server = Server::with(&[], &[]);
    let row = |it: i32| json!({ "size": it, "kind": if it > 20 { "large" } else { "small" } });
    let rows: Vec<Value> = (1..41).map(row).collect();
    let body = json!({ "data": rows, "target": "kind", "max_models": 4, "budget": "50s" });
    let found = server.post("/tools/run_automl", &body.to_string()).ok();
    assert_eq!((&found["folds"], &found["metric"]), (&json!(5), &json!("accuracy")));
    assert!(found["best"]["score"].as_f64() > Some(0.9), "{found}");
    let body = json!({ "data": [{ "size": 3 }, { "size": 39 }], "model": found["model_id"] });
    let predicted = server.post("/tools/predict_table", &body.to_string()).ok();
    let kinds = [&predicted["result"][0]["prediction"], &predicted["result"][1]["prediction"]];
    assert_eq!(kinds, ["small", "large"]);
    let body = json!({ "data": [], "model": "0".repeat(64) });
    server.post("/tools/predict_table", &body.to_string()).fails(404, "not_found");
}

#[test]
fn tools_say_what_data_show_and_recommend() {
    let server = Server::with(&[], &[]);
    let body = json!({ "model": "beta_binomial", "data": { "successes": 7, "trials": 8 } });
    let found = server.post("/tools/run_bayesian", &body.to_string()).ok();
    assert_eq!(found["posterior"]["rate"]["mean"], 0.8);
    assert!(found["evidence"].is_number(), "{found}");
    let body = json!({ "task": "classification", "rows": 5000, "features": 12 });
    let found = server.post("/tools/recommend_algo", &body.to_string()).ok();
    assert_eq!(found["recommendations"][0]["name"], "gradient_boosting");
    let wrong = server.post("/tools/recommend_algo", r#"{"task": "clasification", "rows": 9}"#);
    assert!(wrong.fails(422, "invalid_input").contains("unknown task `clasification`"));
}

/// Every schema is one, closed, and a result of every tool that needs nothing fits its own.
#[test]
fn the_schemas_of_tools_describe_their_results() {
    let server = Server::with(&[], &[]);
    for row in rows() {
        let parse = |it| -> Value { serde_json::from_str(&svc::value::json::write(it)).unwrap() };
        let (input, output) = (parse(&row.input_schema), parse(&row.output_schema));
        assert_eq!(input["additionalProperties"], false, "{}", row.name);
        assert_eq!(output["type"], "object", "{}", row.name);
        assert!(row.description.chars().count() <= 240 && !row.description.is_empty());
        // One that needs steps or a script says so only in words.
        let properties = &input["properties"];
        let takes_either = properties.get("steps").is_some() || properties.get("goal").is_some();
        if input.get("required").is_some() || takes_either {
            continue;
        }
        let mut result = server.post(&format!("/tools/{}", row.name), "{}").ok();
        if output["properties"].get("ok").is_none() {
            result.as_object_mut().unwrap().remove("ok");
        }
        let mut schemas = boon::Schemas::new();
        let mut compiler = boon::Compiler::new();
        compiler.add_resource("file:///output.json", output).unwrap();
        let root = compiler.compile("file:///output.json", &mut schemas).unwrap();
        let misfit = schemas.validate(&result, root).err().map(|it| format!("{it:#}"));
        assert_eq!(misfit, None, "{}: {result}", row.name);
    }
}
