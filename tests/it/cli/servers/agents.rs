//! A model calls the tools of a server: they stand in the plan, a policy decides, and nothing is
//! started before.

use serde_json::json;

use super::{Project, fails};
use crate::{
    cli::Done,
    models::{
        PRICES,
        provider::{calls, finishes},
        server::Server,
    },
};

const SCRIPT: &str = "\"Add 1 and 2\" >> agent<int>(tools: [calc.add, calc.echo], approve: false)";

fn project(test: &str) -> Option<Project> {
    Project::with_calc(test, &[("a.svc", SCRIPT), ("prices.toml", PRICES)])
}

fn svc(project: &Project, model: &Server, args: &[&str]) -> Done {
    let mut command = project.command(args);
    command
        .env("SVC_MODEL", "openai/priced")
        .env("OPENAI_BASE_URL", format!("{}/v1", model.url))
        .env("OPENAI_API_KEY", "x")
        .env("SVC_PRICES", "prices.toml");
    Done::of(command.output().unwrap())
}

#[test]
fn tools_of_a_server_are_tools_of_a_model() {
    let Some(project) = project("agents") else { return };
    let model = Server::start(vec![
        // The second call lacks an argument, and the third one is not in the list.
        calls(
            "openai",
            &[
                ("calc_add", json!({ "a": 1, "b": 2 })),
                ("calc_add", json!({ "a": 1 })),
                ("calc_env", json!({ "name": "HOME" })),
            ],
        ),
        calls("openai", &[("answer", json!({ "value": 3 }))]),
    ]);
    project.forget();
    svc(&project, &model, &["check", "a.svc"]).gives("a.svc: ok, result int\n");
    let plan = svc(&project, &model, &["plan", "a.svc"]);
    for effect in ["runs mcp:calc", "writes mcp:calc", "spends"] {
        assert!(plan.out.contains(effect), "{}", plan.out);
    }
    fails(&svc(&project, &model, &["run", "a.svc", "--deny", "writes mcp:calc"]), 7, "mcp:calc");
    assert_eq!((project.log(), model.requests().len()), (String::new(), 0), "nothing has run");

    svc(&project, &model, &["run", "a.svc"]).gives("3\n");
    let sent = model.requests()[1].body["messages"].clone();
    assert_eq!(sent[2]["content"], r#"{"sum":3}"#);
    let text = |idx: usize| sent[idx]["content"].as_str().unwrap().to_owned();
    assert!(text(3).starts_with("error: expected int for `b`, found nothing"), "{}", text(3));
    assert!(text(4).starts_with("error: unknown tool `calc_env`"), "{}", text(4));
    assert_eq!(project.count("call add"), 1, "{}", project.log());
    assert!(project.survivors().is_empty());
}

/// A tool that writes asks first, and a run without a person does not call it.
#[test]
fn tools_of_a_server_ask_before_they_write() {
    let Some(project) = project("agents ask") else { return };
    project.script("a.svc", "\"Add 1 and 2\" >> agent(tools: [calc.add])");
    let model = Server::start(vec![
        calls("openai", &[("calc_add", json!({ "a": 1, "b": 2 }))]),
        finishes("openai", "Not allowed."),
    ]);
    project.forget();
    let done = svc(&project, &model, &["run", "a.svc"]);
    assert!(done.out.contains("Not allowed."), "{}{}", done.out, done.err);
    assert_eq!(project.count("call add"), 0, "{}", project.log());
    let sent = model.requests()[1].body["messages"][2]["content"].clone();
    assert!(sent.as_str().unwrap().contains("cannot ask for approval"), "{sent}");
}
