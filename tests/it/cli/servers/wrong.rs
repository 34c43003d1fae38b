//! A server that misbehaves: each call ends with a value or a clear error, alone and inside an `each`
//! of 100, and nothing is left running.

use super::{Project, said};

/// What a tool does wrong, and what a call says. `None`: the call succeeds.
const CASES: [(&str, Option<&str>); 19] = [
    ("hang", Some("timeout")),
    ("die", Some("ended with the exit code 3: the disk is on fire")),
    ("wrong_json", Some("sent a message that is not valid")),
    ("not_rpc", Some("sent a message that is not valid")),
    ("wrong_schema", Some("the result of `calc.wrong_schema` is not as its schema says: ")),
    ("huge", Some("sent a message that is larger than 1MB")),
    ("flood", None),
    ("endless", Some("timeout")),
    ("wrong_id", Some("timeout")),
    ("twice", None),
    ("rpc_error", Some("returned the error -32000: no such luck")),
    ("tool_error", Some("`tool_error` of the MCP server `calc` failed: nothing here")),
    ("junk", None),
    ("asks", None),
    ("bad_utf8", Some("sent a message that is not valid")),
    ("half", Some("ended with the exit code 0")),
    ("null_result", Some("sent something else than the result of a tool")),
    ("unstructured", Some("it has no structured content")),
    ("pid", None),
];

/// A project in which the calls that get no answer may take a second, and messages have a megabyte.
fn project(test: &str) -> Option<Project> {
    let project = Project::with_calc(test, &[])?;
    project.settings("timeout = \"40s\"\nmax_size = \"1MB\"\n");
    for silent in ["hang", "endless", "wrong_id"] {
        project.settings(&format!("[mcp.calc.ops.{silent}]\ntimeout = \"1500ms\"\n"));
    }
    Some(project)
}

#[test]
fn each_fault_is_a_clear_error() {
    let Some(project) = project("faults") else { return };
    for (tool, error) in CASES.iter().filter(|it| it.0 != "pid") {
        project.script("a.svc", &format!("calc.{tool}(n: 0) >> .sum"));
        let done = project.svc(&["run", "a.svc"]);
        match error {
            None => done.gives("0\n"),
            Some(why) => {
                assert!(!matches!(done.code, Some(0) | None), "{tool}: {}", done.out);
                assert!(said(&done).contains(why), "{tool}: {}", done.err);
            }
        }
        assert_eq!(project.survivors(), Vec::<String>::new(), "{tool}");
    }
}

#[test]
fn each_fault_in_an_each_of_100_is_100_errors() {
    let Some(project) = project("faults in each") else { return };
    for (tool, error) in CASES.iter().filter(|it| it.0 != "pid") {
        let script = format!(
            "let all = range(0, 100) >> each? {{ calc.{tool}(n: it) >> .sum }}\n\
             {{ failed: all >> where {{ it == null }} >> len, sum: all >> each {{ it ?? 0 }} >> sum }}"
        );
        project.script("a.svc", &script);
        project.forget();
        let began = std::time::Instant::now();
        let done = project.svc(&["run", "a.svc", "--json"]);
        assert_eq!(done.code, Some(0), "{tool}: {}", done.err);
        let wanted = if error.is_some() { (100, 0) } else { (0, 4950) };
        let json = done.json();
        assert_eq!(
            (json["failed"].as_i64(), json["sum"].as_i64()),
            (Some(wanted.0), Some(wanted.1)),
            "{tool}: {}",
            done.err
        );
        assert!(
            project.count("start") <= 7,
            "{tool}: it is not started endlessly: {}",
            project.log()
        );
        assert_eq!(project.survivors(), Vec::<String>::new(), "{tool}");
        assert!(began.elapsed().as_secs() < 120, "{tool}: {:?}", began.elapsed());
    }
}

#[test]
fn after_a_fault_the_server_is_started_again() {
    let Some(project) = project("restart") else { return };
    let script = "let one = (calc.die(n: 1) >> .sum) fallback 0\nlet two = calc.add(a: one, b: 3) >> .sum\ntwo";
    project.script("a.svc", script);
    project.svc(&["run", "a.svc"]).gives("3\n");
    assert_eq!(project.count("start"), 3, "once to add it: {}", project.log());
}

#[test]
fn all_calls_of_a_run_share_one_server() {
    let Some(project) = project("pool") else { return };
    project.script(
        "a.svc",
        "let all = range(0, 100) >> each { calc.add(a: it, b: 1) >> .sum }\n\
         parallel { sum: all >> sum, one: calc.pid(), two: calc.pid() }",
    );
    let done = project.svc(&["run", "a.svc", "--json"]);
    let json = done.json();
    assert_eq!(json["sum"], 5050, "{}", done.err);
    assert_eq!(json["one"], json["two"]);
    assert_eq!(project.count("start"), 2, "{}", project.log());
    assert_eq!(project.count("end"), 2, "it ended by itself: {}", project.log());
}

#[test]
fn a_server_that_ignores_its_end_is_killed() {
    let Some(project) = Project::new("stubborn", &[("a.svc", "calc.add(1, 2) >> .sum")]) else {
        return;
    };
    project
        .add("calc", &["python3", "server.py", "stubborn"])
        .gives("calc: scripted 1.0, 24 ops\n");
    project.svc(&["run", "a.svc"]).gives("3\n");
    assert_eq!(project.count("start"), 2);
    assert_eq!(project.survivors(), Vec::<String>::new());
}
