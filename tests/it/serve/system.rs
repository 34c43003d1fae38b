//! The tools on the system itself: first help, goals and plans, invariants, diagnostics.

use serde_json::{Value, json};

use super::Server;

fn call(server: &Server, tool: &str, body: &Value) -> Value {
    server.post(&format!("/tools/{tool}"), &body.to_string()).ok()
}

/// Every call that the first help suggests works as it is, and the help is short.
#[test]
fn suggested_calls_run() {
    let server = Server::with(&[], &[]);
    let encoding = tiktoken_rs::o200k_base().unwrap();
    let long = "condense the documents of a folder, ".repeat(100);
    for task in
        ["", "count the words of a text", "make a title fit for a url", "xyzzy", long.trim()]
    {
        let body = if task.is_empty() { json!({}) } else { json!({ "task": task }) };
        let help = call(&server, "svc_first_call_help_tool", &body);
        let tokens = encoding.encode_with_special_tokens(&help.to_string()).len();
        assert!(tokens <= 400, "{tokens} tokens for {task:?}: {help}");
        assert_eq!(help["tier"], "builder");
        let next = help["next"].as_array().unwrap();
        assert!((3..=5).contains(&next.len()), "{help}");
        for it in next {
            let tool = it["tool"].as_str().unwrap();
            assert!(!it["why"].as_str().unwrap().is_empty());
            call(&server, tool, &it["arguments"]);
        }
    }
    let help = call(&server, "svc_first_call_help_tool", &json!({ "task": "title for a url" }));
    let script = help["next"].as_array().unwrap().iter().find(|it| it["tool"] == "run_pipeline");
    assert!(script.unwrap()["arguments"]["script"].as_str().unwrap().contains("slug"), "{help}");
}

#[test]
fn a_goal_becomes_a_plan_that_can_be_judged() {
    let server = Server::with(&[], &[]);
    let goal = "Split poem.txt into lines, reverse them and join them again";
    let plan = call(&server, "decompose_goal", &json!({ "goal": goal }));
    let ops: Vec<&str> =
        plan["steps"].as_array().unwrap().iter().map(|it| it["op"].as_str().unwrap()).collect();
    assert_eq!(ops, ["read_text", "lines", "reverse", "join"], "{plan}");
    assert_eq!(plan["steps"][3]["depends_on"], json!([2]));
    let impossible = call(&server, "decompose_goal", &json!({ "goal": "bake a cake" }));
    assert_eq!((&impossible["steps"], &impossible["confidence"]), (&json!([]), &json!(0.0)));
    server
        .post("/tools/decompose_goal", r#"{"goal": "a", "max_steps": 51}"#)
        .fails(422, "invalid_input");

    // What is missing in the steps is a problem with its place.
    let found = call(&server, "plan_validate", &json!({ "steps": plan["steps"] }));
    assert_eq!(found["valid"], false, "{found}");
    assert_eq!(found["problems"][0]["place"], "steps[0]");
    let script = "read_text(path: \"poem.txt\") >> lines >> reverse >> write_file(to: \"b.txt\")";
    let body = json!({ "script": script });
    let found = call(&server, "plan_validate", &body);
    assert_eq!(found["valid"], false, "a list is not text: {found}");
    let script = "read_text(path: \"poem.txt\") >> lines >> reverse >> join(sep: \"\\n\") >> write_file(to: \"b.txt\")";
    let body = json!({ "script": script });
    assert_eq!(call(&server, "plan_validate", &body)["valid"], true);
    let estimated = call(&server, "plan_estimate", &body);
    let effects = estimated["plan"]["effects"].as_array().unwrap();
    assert!(effects.contains(&json!({ "verb": "writes", "scope": "fs:b.txt" })), "{estimated}");
    let judged = call(&server, "plan_critique", &body);
    assert_eq!(judged["findings"][0]["rule"], "writes", "{judged}");
    let again = json!({ "script": script, "failed": "reverse", "reason": "a bug" });
    let again = call(&server, "plan_replan", &again);
    assert!(!again["script"].as_str().unwrap().contains("reverse"), "{again}");
    let repaired = json!({ "script": again["script"] });
    assert_eq!(call(&server, "plan_validate", &repaired)["valid"], true);
    let hopeless = json!({ "script": "[1] >> len", "failed": "len", "reason": "a bug" });
    let error = server.post("/tools/plan_replan", &hopeless.to_string()).fails(404, "not_found");
    assert!(error.contains("nothing replaces `len`"), "{error}");
    server.post("/tools/plan_critique", "{}").fails(422, "invalid_input");
}

#[test]
fn the_invariants_of_the_server_hold() {
    let server = Server::with(&[], &[]);
    let checked = call(&server, "invariants_check", &json!({ "category": "registry" }));
    for it in checked["results"].as_array().unwrap() {
        assert_eq!(it["holds"], true, "{it}");
        assert!(it["evidence"].as_str().unwrap().contains("none breaks it"), "{it}");
    }
    let ids = json!({ "ids": ["caps_hold", "replay_is_equal", "messages_hide"] });
    let checked = call(&server, "invariants_check", &ids);
    assert_eq!(checked["results"].as_array().unwrap().len(), 3);
    let one = json!({ "component": "text", "category": "values" });
    let checked = call(&server, "invariants_check", &one);
    assert!(
        checked["results"].as_array().unwrap().iter().all(|it| it["holds"] == true),
        "{checked}"
    );
    let verified =
        call(&server, "invariants_verify", &json!({ "id": "roles_decide", "deep": true }));
    assert!(verified["proof"].as_str().unwrap().starts_with("proven: "), "{verified}");
    let gap = call(&server, "invariants_tier_gap", &json!({ "component": "text", "target": 3 }));
    assert_eq!(gap["reached"], 0, "words are only declared: {gap}");
    assert!(gap["missing"].as_array().unwrap().contains(&"documented".into()), "{gap}");
    let tier = call(&server, "invariants_at_tier", &json!({ "tier": 2 }));
    assert!(tier["invariants"].as_array().unwrap().len() >= 8, "{tier}");
    server.post("/tools/invariants_at_tier", r#"{"tier": 4}"#).fails(422, "invalid_input");
    server.post("/tools/invariants_verify", r#"{"id": "cap_hold"}"#).fails(404, "not_found");
    server.post("/tools/invariants_check", r#"{"component": "txt"}"#).fails(404, "not_found");
}

#[test]
fn reports_are_collected_and_exported() {
    let server = Server::with(&[], &[]);
    let report = call(&server, "diagnostics_collect", &json!({ "scope": "storage" }));
    let names: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["data_folder", "cache_folder", "free_space", "store"], "{report}");
    let id = &report["report_id"];
    let text = call(&server, "diagnostics_export", &json!({ "report_id": id, "format": "md" }));
    assert!(text["content"].as_str().unwrap().contains("| store | ok |"), "{text}");
    let text = call(&server, "diagnostics_export", &json!({ "report_id": id }));
    let parsed: Value = serde_json::from_str(text["content"].as_str().unwrap()).unwrap();
    assert_eq!(&parsed["report_id"], id);
    let full = call(&server, "diagnostics_auto_report", &json!({}));
    let listed = call(&server, "diagnostics_list", &json!({ "limit": 1 }));
    assert_eq!(listed["reports"][0]["report_id"], full["report"]["report_id"], "{listed}");
    assert_eq!(call(&server, "diagnostics_status", &json!({}))["failed"], json!([]));
    server.post("/tools/diagnostics_export", r#"{"report_id": "x"}"#).fails(404, "not_found");
    server.post("/tools/diagnostics_collect", r#"{"scope": "x"}"#).fails(422, "invalid_input");
}

/// The same tools on the command line.
#[test]
fn tools_are_called_on_the_command_line() {
    let place = tempfile::tempdir().unwrap();
    let called = |args: &[&str]| {
        let done = crate::guide::svc(place.path(), &[&["call"], args].concat());
        assert!(done.status.success(), "{args:?}: {}", crate::guide::err(&done));
        serde_json::from_str::<Value>(&crate::guide::out(&done)).unwrap()
    };
    let plan = called(&["decompose_goal", "-p", "goal=count the words of a.txt", "--json"]);
    assert_eq!(plan["steps"].as_array().unwrap().len(), 3, "{plan}");
    let info = called(&["invariants_info", "--json"]);
    assert_eq!(info["tiers"].as_array().unwrap().len(), 4, "{info}");
    let report = called(&["diagnostics_collect", "-p", "scope=mcp", "--json"]);
    assert_eq!(report["status"], "ok", "{report}");
    let found = called(&["plan_validate", "-p", "script=1 >> uper", "--json"]);
    assert_eq!(found["problems"][0]["code"], "E201", "{found}");
}
