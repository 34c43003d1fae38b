//! Steps that wait for each other, and the graph of the registry.

use std::time::Instant;

use serde_json::{Value, json};

use super::Server;

fn compose(server: &Server, body: &Value) -> super::Answer {
    server.post("/workflow/compose", &body.to_string())
}

fn ids(results: &Value, field: &str) -> Vec<String> {
    let all = results.as_array().unwrap().iter();
    all.map(|it| it[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn steps_run_in_the_order_of_what_they_wait_for() {
    let server = Server::start();
    let body = json!({ "steps": [
        { "id": "joined", "component": "text", "op": "join",
          "params": { "items": { "$result": "turned" }, "sep": "-" } },
        { "id": "turned", "component": "list", "operation": "reverse", "depends_on": ["parts"] },
        { "id": "parts", "component": "text", "op": "split", "params": { "text": "x,y", "sep": "," } },
        { "id": "length", "component": "list", "op": "len", "params": { "value": { "$result": "parts" } } },
    ] });
    let answer = compose(&server, &body).ok();
    let results = &answer["results"];
    assert_eq!(ids(results, "id"), ["joined", "turned", "parts", "length"]);
    assert_eq!(ids(results, "status"), ["ok"; 4]);
    let values: Vec<&Value> = results.as_array().unwrap().iter().map(|it| &it["result"]).collect();
    assert_eq!(values, [&json!("y-x"), &json!(["y", "x"]), &json!(["x", "y"]), &json!(2)]);
    assert!(results[0].get("error").is_none(), "{results}");
    assert_eq!(answer["usage"], json!({ "tokens": 0, "cost_usd": 0.0 }));
    let run = server.get(&format!("/runs/{}", answer["run_id"].as_str().unwrap())).ok();
    assert_eq!(run["state"], "ok", "{run}");
    // The script that was run does the same.
    let script = json!({ "script": answer["script"] }).to_string();
    let again = server.post("/tools/run_pipeline", &script).ok();
    assert_eq!(again["result"]["step4"], "y-x", "{again}");
}

#[test]
fn independent_steps_run_at_the_same_time() {
    let server = Server::with(&[], &[]);
    let wait = |id: &str, after: &[&str]| {
        json!({ "id": id, "component": "control", "op": "wait",
            "params": { "value": id, "duration": "500ms" }, "depends_on": after })
    };
    // The slow branch `a, b` and the branch `c, d` take as long together as one of them.
    let body = json!({ "steps":
        [wait("a", &[]), wait("b", &["a"]), wait("c", &[]), wait("d", &["c"]), wait("e", &["d", "b"])] });
    let begun = Instant::now();
    let answer = compose(&server, &body).ok();
    let took = begun.elapsed().as_millis();
    assert!((1500..2300).contains(&took), "{took}");
    let results = answer["results"].as_array().unwrap();
    assert!(results.iter().all(|it| it["ms"].as_f64().unwrap() >= 490.0), "{answer}");
}

#[test]
fn a_failed_step_stops_the_workflow_or_only_those_that_wait_for_it() {
    let server = Server::with(&[], &[]);
    let steps = json!([
        { "id": "number", "component": "text", "op": "parse_int", "params": { "text": "x" } },
        { "id": "positive", "component": "math", "op": "abs", "depends_on": ["number"] },
        { "id": "loud", "component": "text", "op": "upper", "params": { "text": "a" } },
        { "id": "file", "component": "read_text", "params": { "path": "none.txt" } },
        { "id": "later", "component": "text", "op": "lower", "params": { "text": "B" },
          "depends_on": ["positive", "loud"] },
    ]);
    let stopped = compose(&server, &json!({ "steps": steps }));
    assert!((400..500).contains(&stopped.status), "{stopped:?}");
    let message = stopped.json()["error"].as_str().unwrap().to_owned();
    assert!(message.contains("step `number`") || message.contains("step `file`"), "{message}");

    let answer = compose(&server, &json!({ "steps": steps, "on_error": "continue" })).ok();
    let results = &answer["results"];
    assert_eq!(ids(results, "status"), ["failed", "skipped", "ok", "failed", "skipped"]);
    assert_eq!(results[2]["result"], "A");
    assert!(results[0]["error"].as_str().unwrap().contains("not a whole number"), "{results}");
    assert!(results[3]["error"].as_str().unwrap().contains("none.txt"), "{results}");
    assert!(results[0].get("result").is_none() && results[0]["ok"] == false, "{results}");
}

#[test]
fn a_workflow_that_cannot_run_says_where() {
    let server = Server::with(&[], &[]);
    let step = |id: &str, after: &[&str]| {
        json!({ "id": id, "component": "text", "op": "upper", "params": { "text": "a" },
            "depends_on": after })
    };
    let wrong =
        |steps: Value| compose(&server, &json!({ "steps": steps })).fails(422, "invalid_input");
    let cycle =
        wrong(json!([step("x", &[]), step("a", &["c"]), step("b", &["a"]), step("c", &["b"])]));
    assert!(cycle.contains("a -> c -> b -> a") && cycle.contains("steps[1].depends_on"), "{cycle}");
    assert!(wrong(json!([step("a", &["a"])])).contains("a -> a"));
    let unknown = wrong(json!([step("alpha", &[]), step("b", &["alpha", "alpa"])]));
    assert!(unknown.contains("steps[1].depends_on[1]"), "{unknown}");
    assert!(unknown.contains("did you mean `alpha`?"), "{unknown}");
    let twice = wrong(json!([step("a", &[]), step("a", &[])]));
    assert!(twice.contains("steps[1].id") && twice.contains("duplicate id"), "{twice}");
    assert!(wrong(json!([step("A b", &[])])).contains("steps[0].id"));
    wrong(json!([]));
    let many: Vec<Value> = (0..65).map(|it| step(&format!("s{it}"), &[])).collect();
    assert!(wrong(many.into()).contains("limit 64"));
    let reference = |to: Value| {
        wrong(json!([step("a", &[]), { "id": "b", "component": "text", "op": "upper",
            "params": { "text": to } }]))
    };
    assert!(reference(json!({ "$result": "c" })).contains("steps[1].params.text"));
    assert!(reference(json!({ "$result": 3 })).contains("steps[1].params.text"));
    assert!(reference(json!({ "$result": "a.b" })).contains("step `b`"));
    let missing = wrong(json!([step("a", &[]), step("b", &[]),
        { "id": "c", "component": "text", "op": "upper", "depends_on": ["a", "b"] }]));
    assert!(missing.contains("step `c`: missing argument `text`"), "{missing}");
    let misfit = wrong(json!([step("a", &[]),
        { "id": "c", "component": "math", "op": "abs", "depends_on": ["a"] }]));
    assert!(misfit.contains("step `c`"), "{misfit}");
    compose(&server, &json!({})).fails(422, "invalid_input");
    compose(&server, &json!({ "goal": "x", "steps": [step("a", &[])] }))
        .fails(422, "invalid_input");
    let op = json!({ "steps": [{ "id": "a", "component": "text", "op": "uper" }] });
    assert!(compose(&server, &op).fails(404, "not_found").contains("did you mean `upper`?"));
}

#[test]
fn a_goal_runs_if_the_guide_has_a_whole_script_for_it() {
    let server = Server::with(&[("notes.txt", "one two three")], &[]);
    let answer = compose(&server, &json!({ "goal": "count the words of notes.txt" })).ok();
    assert_eq!(answer["results"][0]["result"], 3, "{answer}");
    assert!(answer["script"].as_str().unwrap().contains("words"), "{answer}");
    let none = compose(&server, &json!({ "goal": "transcribe interview.mp3" }));
    let none = none.fails(422, "invalid_input");
    assert!(none.contains("transcribe interview.mp3"), "{none}");
    let sketch =
        json!({ "goal": "read notes.txt, transcribe it to morse code and count the words" });
    let sketch = compose(&server, &sketch).fails(422, "invalid_input");
    assert!(sketch.contains("sketch") || sketch.contains("no component does"), "{sketch}");
}

#[test]
fn a_dry_run_has_no_effects() {
    let server = Server::with(&[], &[]);
    let body = json!({ "dry_run": true, "steps": [{ "id": "a", "component": "files",
        "op": "write_file", "params": { "text": "x", "to": "out.txt" } }] });
    let answer = compose(&server, &body).ok();
    assert_eq!(answer["results"], json!([]));
    assert!(answer["plan"]["effects"].to_string().contains("out.txt"), "{answer}");
    assert!(answer.get("run_id").is_none(), "{answer}");
    assert!(!server.place.path().join("out.txt").exists());
    assert_eq!(server.get("/runs").ok()["runs"], json!([]));
    let real = compose(&server, &json!({ "steps": body["steps"] })).ok();
    assert_eq!(real["results"][0]["ok"], true, "{real}");
    assert!(server.place.path().join("out.txt").exists());
}

#[test]
fn programs_are_started_by_no_workflow() {
    let server = Server::with(&[], &[]);
    let exec = json!([{ "id": "a", "component": "exec", "params": { "program": "ls" } }]);
    for body in [
        json!({ "steps": exec }),
        json!({ "steps": exec, "dry_run": true, "on_error": "continue" }),
    ] {
        compose(&server, &body).fails(403, "denied");
        server.post("/tools/compose_and_run", &body.to_string()).fails(403, "denied");
    }
}

#[test]
fn the_graph_shows_what_uses_what() {
    let server = Server::with(&[], &[]);
    let graph = server.get("/graph/dependencies").ok();
    let nodes = ids(&graph["nodes"], "id");
    assert!(nodes.contains(&"text".to_owned()) && nodes.contains(&"std:summary".to_owned()));
    let edges = graph["edges"].as_array().unwrap();
    let has = |from: &str, to: &str, kind: &str| {
        edges.iter().any(|it| it["from"] == from && it["to"] == to && it["kind"] == kind)
    };
    assert!(has("ctx_search", "ctx_rag", "feeds"), "{graph}");
    assert!(has("ctx_rag", "ctx_summary", "feeds"), "{graph}");
    // What the module calls stands in its text.
    assert!(has("std:cite", "text", "calls"), "{graph}");
    assert!(!edges.iter().any(|it| it["from"] == it["to"]), "{graph}");
    for edge in edges {
        assert!(nodes.contains(&edge["to"].as_str().unwrap().to_owned()), "{edge}");
        assert!(!edge["ops"].as_array().unwrap().is_empty(), "{edge}");
    }

    let near = server.get("/graph/dependencies?root=std:cite&depth=1&kind=calls").ok();
    assert!(near["edges"].as_array().unwrap().iter().all(|it| it["from"] == "std:cite"), "{near}");
    assert_eq!(near["cycles"], json!([]));
    let alone = server.get("/graph/dependencies?root=text&depth=0").ok();
    assert_eq!((&alone["nodes"][0]["id"], &alone["edges"]), (&json!("text"), &json!([])));
    let dot = server.get("/graph/dependencies?format=dot").ok();
    assert!(dot["text"].as_str().unwrap().contains("\"ctx_search\" -> \"ctx_rag\""), "{dot}");
    let mermaid = server.get("/graph/dependencies?format=mermaid&root=ctx_search&depth=1").ok();
    assert!(mermaid["text"].as_str().unwrap().starts_with("flowchart LR\n  n0["), "{mermaid}");
    let wrong = server.get("/graph/dependencies?root=ctx_serch").fails(404, "not_found");
    assert!(wrong.contains("did you mean `ctx_search`?"), "{wrong}");
    server.get("/graph/dependencies?format=png").fails(422, "invalid_input");
    server.get("/graph/dependencies?depth=101").fails(422, "invalid_input");
}
