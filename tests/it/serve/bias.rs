//! Components that tune themselves, as other programs see them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Server;

const TOKEN: (&str, &str) = ("BIAS_EVOLUTION_CONFIRM_TOKEN", "staple-of-9-horses");

/// The tools of the specification: what they take, of which what is marked by `!` is required, and what
/// they return. `hash` is the hash of a bundle.
const TOOLS: [(&str, &str, &str); 25] = [
    ("bias_snapshot", "", "snapshot component_count"),
    ("bias_observe", "workflow_trace", "situation is_novel confidence memory_insight"),
    ("bias_understand", "target_component!", "contracts verification domain_spec memory_patterns"),
    ("bias_evaluate", "workflow_trace! weights", "speed cost quality pareto"),
    (
        "bias_evolve",
        "target_component! workflow_trace evolution_config weights confirm_token!",
        "proposal frontier version best_score",
    ),
    (
        "bias_apply",
        "target_component! bias_candidate! confirm_token!",
        "applied version safety_layers_passed healing_report",
    ),
    ("bias_rollback", "target_component! rollback_version confirm_token!", "version snapshot"),
    ("bias_ground_check", "target_component! bias_candidate!", "overall_passed results warnings"),
    ("bias_self_heal", "target_component", "audits heals health auto_rollback"),
    ("bias_list_history", "target_component! limit", "history"),
    ("bias_get_frontier", "target_component!", "frontier"),
    ("bias_compare", "target_component! version_a! version_b!", "diff a b"),
    ("bias_list_principles", "", "principles"),
    (
        "bias_check_principle",
        "principle! target_component! bias_candidate!",
        "name passed confidence explanation",
    ),
    ("bias_safety_status", "", "layers required"),
    (
        "bias_validate_candidate",
        "target_component! bias_candidate!",
        "valid safety_layers_passed grounding_report warnings",
    ),
    ("bias_memory_query", "question!", "answer sources"),
    ("bias_memory_ingest", "text! source", "ingested"),
    (
        "bias_metrics",
        "target_component",
        "total_mutations successful rejected rollbacks avg_safety_score",
    ),
    ("bias_audit_log", "target_component limit since", "entries"),
    ("bias_evolve_batch", "components! evolution_config weights confirm_token", "results"),
    ("bias_get_config", "", "max_iterations max_evaluations max_seconds seed strategy"),
    ("bias_update_config", "config! confirm_token", "updated config"),
    ("bias_export", "target_component! include_history", "component current_bias history hash"),
    ("bias_import", "bundle! validate confirm_token", "imported version warnings"),
];

fn server() -> Server {
    Server::among(tempfile::tempdir().unwrap(), &[], &[TOKEN])
}

#[test]
fn the_tools_are_those_of_the_specification() {
    let listed = server().get("/tools").ok();
    let listed = listed["tools"].as_array().unwrap();
    let names = |schema: &Value| -> BTreeSet<String> {
        schema["properties"].as_object().into_iter().flat_map(|it| it.keys().cloned()).collect()
    };
    let tools = listed.iter().filter(|it| it["tier"] == "bias");
    assert_eq!(tools.count(), TOOLS.len());
    for (name, params, results) in TOOLS {
        let tool = listed.iter().find(|it| it["name"] == name).expect(name);
        let required: BTreeSet<&str> =
            params.split(' ').filter_map(|it| it.strip_suffix('!')).collect();
        let of_schema = tool["input_schema"]["required"].as_array();
        let found: BTreeSet<&str> =
            of_schema.into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(found, required, "{name}");
        let all = params.split(' ').map(|it| it.trim_end_matches('!').to_owned());
        let all: BTreeSet<String> = all.filter(|it| !it.is_empty()).collect();
        assert_eq!(names(&tool["input_schema"]), all, "{name}");
        let all: BTreeSet<String> = results.split(' ').map(str::to_owned).collect();
        assert_eq!(names(&tool["output_schema"]), all, "{name}");
    }
}

#[test]
fn every_answer_says_that_it_is_experimental() {
    let server = server();
    let wrong = r#"{"target_component": "ctx_search", "confirm_token": "x"}"#;
    let answers = [
        (server.get("/api/v1/bias/snapshot"), 200),
        (server.get("/api/v1/bias/nothing"), 404),
        (server.client.send("DELETE", "/api/v1/bias/snapshot", &[], None), 405),
        (server.post("/api/v1/bias/evolve", "{}"), 422),
        (server.post("/api/v1/bias/evolve", "no json"), 400),
        (server.post("/api/v1/bias/apply", r#"{"extra": 1}"#), 422),
        (server.post("/api/v1/bias/rollback", wrong), 403),
    ];
    for (answer, status) in answers {
        assert_eq!(answer.status, status, "{}", answer.body);
        let header = "x-svc-warning: experimental-self-modification";
        assert!(answer.head.contains(header), "{}", answer.head);
    }
    assert!(!server.get("/health").head.contains("x-svc-warning"));
    let snapshot = server.get("/api/v1/bias/snapshot").ok();
    let fields: Vec<&String> = snapshot.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["component_count", "snapshot", "warnings"]);
}

#[test]
fn nothing_is_changed_without_the_token_of_the_server() {
    let given = r#"{"target_component": "ctx_search", "confirm_token": "staple-of-9-horses"}"#;
    let without = Server::with(&[], &[]);
    let said = without.post("/api/v1/bias/rollback", given).fails(403, "denied");
    assert!(said.contains("this server changes no biases"), "{said}");
    let server = server();
    let said = server.post("/tools/bias_update_config", r#"{"config": {}}"#).fails(403, "denied");
    assert!(said.contains("`confirm_token` is missing"), "{said}");
    let said = server.post("/api/v1/bias/rollback", given).fails(404, "not_found");
    assert!(said.contains("has no version before version 1"), "{said}");
}

#[test]
fn calls_use_what_is_applied_until_it_is_rolled_back() {
    let server = server();
    let words = |server: &Server| -> Vec<String> {
        let call = r#"{"op": "infer", "params": {"from": "Budget caps are kept. Budget caps hold. Budget caps bound a run."}}"#;
        let found = server.post("/invoke/ctx_keywords", call).ok();
        let list = found["result"].as_array().unwrap().iter();
        list.map(|it| it["phrase"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let before = words(&server);
    assert!(before.iter().any(|it| it.contains(' ')), "{before:?}");

    let bundle = server.post("/tools/bias_export", r#"{"target_component": "ctx_keywords"}"#).ok();
    let mut bias = bundle["current_bias"].clone();
    bias["evolvable_params"]["ngram"]["value"] = json!(1);
    let bundle = json!({ "component": "ctx_keywords", "current_bias": bias, "history": null });
    let import = json!({ "bundle": bundle, "validate": false, "confirm_token": TOKEN.1 });
    let imported = server.post("/tools/bias_import", &import.to_string()).ok();
    assert_eq!((&imported["imported"], &imported["version"]), (&json!(true), &json!(2)));
    let after = words(&server);
    assert!(!after.iter().any(|it| it.contains(' ')), "{after:?}");

    // What is kept survives the server.
    let server = Server::among(server.kill(), &[], &[TOKEN]);
    assert_eq!(words(&server), after);
    let back = json!({ "target_component": "ctx_keywords", "confirm_token": TOKEN.1 });
    server.post("/api/v1/bias/rollback", &back.to_string()).ok();
    assert_eq!(words(&server), before);
}

#[test]
fn ratings_of_jobs_take_back_a_tuning_that_people_like_less() {
    let script = "param text: string\ntext >> keywords >> each { .phrase }";
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("phrases.svc"), script).unwrap();
    let server = Server::among(place, &[], &[TOKEN]);
    let tool =
        |name: &str, args: Value| server.post(&format!("/tools/{name}"), &args.to_string()).ok();
    let rate = |rating: u32| {
        let input = json!({ "text": "Budget caps are kept. Budget caps hold." });
        let job = tool("job_submit", json!({ "job": "phrases", "input": input }))["job_id"].clone();
        let ended = tool("job_get_result", json!({ "job_id": job, "wait": "20s" }));
        assert_eq!(ended["state"], "ok", "{ended}");
        tool("job_feedback", json!({ "job_id": job, "rating": rating }));
    };
    let version = || {
        let all = tool("bias_snapshot", json!({}));
        all["snapshot"]["ctx_keywords"]["version"].clone()
    };
    for no in 0..8 {
        rate(4 + no % 2);
    }
    let bundle = tool("bias_export", json!({ "target_component": "ctx_keywords" }));
    let mut bias = bundle["current_bias"].clone();
    bias["evolvable_params"]["ngram"]["value"] = json!(1);
    let bundle = json!({ "component": "ctx_keywords", "current_bias": bias, "history": null });
    tool("bias_import", json!({ "bundle": bundle, "validate": false, "confirm_token": TOKEN.1 }));
    for no in 0..7 {
        rate(1 + no % 2);
        assert_eq!(version(), 2);
    }
    rate(2);
    assert_eq!(version(), 1);
    let log = tool("bias_audit_log", json!({ "target_component": "ctx_keywords" }));
    let last = &log["entries"][0];
    assert_eq!((&last["op"], &last["version"]), (&"self_heal".into(), &1.into()), "{last}");
}

#[test]
fn the_page_of_an_evolution_has_a_picture_of_its_front() {
    let server = server();
    let tool =
        |name: &str, args: Value| server.post(&format!("/tools/{name}"), &args.to_string()).ok();
    let evolved = |seed: u32| {
        let config = json!({ "max_evaluations": 12, "seed": seed });
        let input = json!({
            "target_component": "ctx_keywords",
            "evolution_config": config,
            "confirm_token": TOKEN.1,
        });
        let job = tool("job_submit", json!({ "job": "bias_evolve", "input": input }));
        let ended = tool("job_get_result", json!({ "job_id": job["job_id"], "wait": "30s" }));
        assert_eq!(ended["state"], "ok", "{ended}");
        assert_eq!(ended["inputs"]["confirm_token"], "***");
        ended["run_id"].as_str().unwrap().to_owned()
    };
    let page = |run: &str| server.get(&format!("/runs/{run}/page")).body;
    let first = evolved(1);
    let picture = "alt=\"The front of `ctx_keywords`: quality over speed\"";
    assert!(page(&first).contains(picture));
    assert!(!page(&first).contains(TOKEN.1));
    // Another front is not drawn in its place.
    let second = evolved(2);
    assert!(page(&second).contains(picture) && !page(&first).contains(picture));
}

#[test]
fn an_evolution_goes_on_with_its_token_after_a_kill() {
    let server = server();
    let call = |server: &Server, name: &str, args: Value| {
        server.post(&format!("/tools/{name}"), &args.to_string()).ok()
    };
    let config = json!({ "max_evaluations": 150 });
    let input = json!({
        "target_component": "ctx_keywords",
        "evolution_config": config,
        "confirm_token": TOKEN.1,
    });
    let submitted = json!({ "job": "bias_evolve", "input": input });
    let job = call(&server, "job_submit", submitted)["job_id"].clone();
    let state = |server: &Server, wait: &str| {
        call(server, "job_get_result", json!({ "job_id": job, "wait": wait }))
    };
    while state(&server, "0s")["state"] == "queued" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(state(&server, "0s")["state"], "running");
    let server = Server::among(server.kill(), &[], &[TOKEN]);
    let ended = (0..4).map(|_| state(&server, "30s")).find(|it| it["ended_at"] != Value::Null);
    let ended = ended.expect("it ends");
    assert_eq!(ended["state"], "ok", "{ended}");
}

#[test]
fn a_token_of_another_type_is_refused_as_such() {
    let args = json!({ "target_component": "ctx_search", "confirm_token": 5 });
    let said = server().post("/tools/bias_rollback", &args.to_string()).fails(422, "invalid_input");
    assert!(said.contains("confirm_token"), "{said}");
    let args = json!({ "config": {}, "confirm_token": null });
    let said = server().post("/tools/bias_update_config", &args.to_string()).fails(403, "denied");
    assert!(said.contains("`confirm_token` is missing"), "{said}");
}
