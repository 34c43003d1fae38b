//! The scripts of a folder as endpoints.

use serde_json::json;

use super::{SCRIPTS, Server, until};

#[test]
fn scripts_are_listed_with_their_params_and_envelope() {
    let server = Server::start();
    assert!(server.notes.contains("scripts: reports_by_day, slow, word_count"), "{}", server.notes);
    assert!(server.notes.contains("not served: broken.svc"), "{}", server.notes);
    let list = server.get("/scripts").ok();
    let names: Vec<&str> =
        list["scripts"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["reports_by_day", "slow", "word_count"]);
    let whys = list["unserved"].to_string();
    for why in ["E201", "only defines flows", "is the name of a tool"] {
        assert!(whys.contains(why), "{whys}");
    }
    let one = server.get("/scripts/word_count").ok();
    assert_eq!(one["description"], "Counts the words of a text.");
    assert_eq!(one["input_schema"]["required"], json!(["text"]));
    assert_eq!(one["result"], "{ words: int }");
    assert!(one["envelope"]["cost"].is_object() && one["effects"] == json!([]), "{one}");
    let meant = server.get("/scripts/word_cont").fails(404, "not_found");
    assert!(meant.contains("did you mean `word_count`?"), "{meant}");
    server.get("/scripts/broken").fails(404, "not_found");
}

#[test]
fn a_script_runs_with_its_params() {
    let server = Server::start();
    let answer = server.post("/scripts/word_count", r#"{"text": "one two three"}"#).ok();
    assert_eq!(answer["result"], json!({ "words": 3 }));
    assert_eq!(answer["usage"], json!({ "tokens": 0, "cost_usd": 0.0 }));
    let id = answer["run_id"].as_str().unwrap().to_owned();
    let run = server.get(&format!("/runs/{id}")).ok();
    assert_eq!((&run["state"], &run["result"]), (&"ok".into(), &json!({ "words": 3 })), "{run}");

    assert_eq!(server.post("/scripts/reports_by_day", "").ok()["result"], json!([2, 4, 6]));
    let wrong = server.post("/scripts/reports_by_day", r#"{"n": 11}"#).fails(422, "invalid_input");
    assert!(wrong.contains(r#""field":"n""#), "{wrong}");
    let wrong = server.post("/scripts/word_count", "{}").fails(422, "invalid_input");
    assert!(wrong.contains("`text: string`"), "{wrong}");
    let wrong = server.post("/scripts/word_count", r#"{"txt": "a"}"#).fails(422, "invalid_input");
    assert!(wrong.contains("did you mean `text`?"), "{wrong}");
    let wrong = server.post("/scripts/slow?timeout=never", "{}").fails(422, "invalid_input");
    assert!(wrong.contains("timeout"), "{wrong}");
    let wrong = server.post("/scripts/slow?max_cost=cheap", "{}").fails(422, "invalid_input");
    assert!(wrong.contains("max_cost"), "{wrong}");
    let wrong = server.post("/scripts/slow?max_cost=-1", "{}").fails(422, "invalid_input");
    assert!(wrong.contains("max_cost: expected at least $0"), "{wrong}");
    for cost in ["$0.10", "0.10"] {
        let answer = server.post(&format!("/scripts/slow?max_cost={cost}"), r#"{"time": "1ms"}"#);
        assert_eq!(answer.ok()["result"], "slept");
    }
    let late = server.post("/scripts/slow?timeout=200ms", "{}");
    assert!(matches!(late.status, 422 | 504), "{late:?}");
}

#[test]
fn a_plan_comes_before_the_call() {
    let server = Server::start();
    let plan = server.post("/scripts/reports_by_day/plan", r#"{"n": 2}"#).ok();
    assert!(plan["nodes"].is_array() && plan["effects"] == json!([]), "{plan}");
    server.post("/scripts/reports_by_day/plan", r#"{"n": 0}"#).fails(422, "invalid_input");
    assert_eq!(server.get("/runs").ok()["runs"], json!([]));
}

#[test]
fn a_changed_script_is_served_and_a_broken_one_stays_as_it_was() {
    let server = Server::start();
    let count = |text: &str| {
        server.post("/scripts/word_count", &format!(r#"{{"text": "{text}"}}"#)).ok()["result"]
            .clone()
    };
    assert_eq!(count("a b"), json!({ "words": 2 }));
    server.write("word-count.svc", "param text: string\ntext >> uper");
    until(|| server.get("/scripts/word_count").ok()["problem"].is_string());
    assert_eq!(count("a b"), json!({ "words": 2 }));
    server.write("word-count.svc", "param text: string\n\ntext >> upper");
    until(|| server.get("/scripts/word_count").ok()["problem"].is_null());
    assert_eq!(count("a b"), "A B");
    server.write("new.svc", "1 + 1");
    until(|| server.get("/scripts/new").status == 200);
    std::fs::remove_file(server.place.path().join("new.svc")).unwrap();
    until(|| server.get("/scripts/new").status == 404);
}

#[test]
fn a_change_of_a_used_file_is_served() {
    let server = Server::with(
        &[
            ("a.svc", "use \"lib.svc\" as lib\nparam n: int = 2\nn >> lib.double"),
            ("lib.svc", SCRIPTS[3].1),
        ],
        &[],
    );
    assert_eq!(server.post("/scripts/a", "{}").ok()["result"], 4);
    server.write("lib.svc", "flow double(n: int) -> int { n * 200 }");
    until(|| server.post("/scripts/a", "{}").ok()["result"] == 400);
}

/// Every request that the chapters show is answered.
#[test]
fn the_requests_of_the_book_are_answered() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = ["docs/serving.md", "docs/openai.md"]
        .map(|it| std::fs::read_to_string(root.join(it)).unwrap())
        .concat();
    assert!(page.contains("\nsvc serve examples\n"));
    let server = Server::of(root, "examples", &[]);
    let mut count = 0;
    for line in page.lines().filter_map(|it| it.strip_prefix("curl -s localhost:8010")) {
        // Without keys, the header is ignored; `keys` tests it.
        let line = line.trim_end_matches(r#" -H "Authorization: Bearer $KEY""#);
        let answer = match line.split_once(" --json '") {
            Some((path, body)) => {
                let path = path.split(" -H ").next().unwrap();
                server.post(path, body.trim_end_matches('\''))
            }
            None => server.get(line),
        };
        assert_eq!(answer.status, 200, "{line}: {answer:?}");
        count += 1;
    }
    assert!(count >= 6, "{count}");
}
