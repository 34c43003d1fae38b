//! A language model that writes scripts: the checker and the gate decide, and each branch of the
//! conversation.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use svc_contract::value::Value;

use super::{
    engine,
    provider::finishes,
    server::{Reply, Server},
};

const GOAL: &str = "the three longest lines of notes.txt, biggest first";
const RIGHT: &str = r#"read_text(path: "notes.txt") >> lines >> sort { -len(it) } >> take(n: 3)"#;
const PARTS: &[(&str, &str)] = &[
    ("the three longest", "take(n: 3)"),
    ("lines", "lines"),
    ("notes.txt", "read_text"),
    ("biggest first", "sort { -len(it) }"),
];

const SCRIPT: &str = "use \"std:guide\" as guide\nparam goal: string
    goal >> guide_plan_workflow(writer: guide.by_model)";

fn answer(script: &str, parts: &[(&str, &str)]) -> Json {
    let parts: Vec<Json> =
        parts.iter().map(|(phrase, stage)| json!({ "phrase": phrase, "stage": stage })).collect();
    json!({ "verdict": "script", "parts": parts, "script": script, "missing": "", "ops": [] })
}

fn verdict(verdict: &str, missing: &str) -> Json {
    json!({ "verdict": verdict, "parts": [], "script": "", "missing": missing, "ops": [] })
}

fn replies(answers: &[Json]) -> Vec<Reply> {
    answers.iter().map(|it| finishes("openai", &it.to_string())).collect()
}

/// The result of the guide, and the prompts of the requests.
struct Asked {
    workflow: Value,
    prompts: Vec<String>,
    bodies: Vec<Json>,
}

impl Asked {
    fn text(&self, name: &str) -> String {
        self.field(name).as_str().unwrap_or_default().to_owned()
    }

    fn field(&self, name: &str) -> Value {
        self.workflow.as_record().and_then(|it| it.get(name)).cloned().unwrap()
    }

    fn is_ok(&self) -> bool {
        self.field("ok") == Value::Bool(true)
    }

    fn notes(&self) -> String {
        self.field("notes").to_string()
    }
}

async fn asked_with(script: &str, goal: &str, replies: Vec<Reply>) -> Asked {
    let server = Server::start(replies);
    let run = engine(&server, "openai").run(script).param("goal", goal).await;
    let workflow = run.unwrap_or_else(|err| panic!("{err}")).value;
    let requests = server.requests();
    let prompt = |it: &Json| it["messages"][0]["content"].as_str().unwrap().to_owned();
    let bodies: Vec<Json> = requests.into_iter().map(|it| it.body).collect();
    Asked { workflow, prompts: bodies.iter().map(prompt).collect(), bodies }
}

async fn asked(goal: &str, answers: &[Json]) -> Asked {
    asked_with(SCRIPT, goal, replies(answers)).await
}

#[tokio::test]
async fn a_script_that_checks_and_covers_the_goal_is_used() {
    let done = asked(GOAL, &[answer(RIGHT, PARTS)]).await;
    assert!(done.is_ok());
    assert!(done.text("script").contains(RIGHT), "{}", done.text("script"));
    assert!(done.text("script").starts_with("# Goal: the three"), "{}", done.text("script"));
    assert_eq!(done.field("parts").to_string().matches("phrase").count(), PARTS.len());
    let [body] = &done.bodies[..] else { panic!("one request") };
    assert_eq!(body["max_tokens"], 12_000);
    let schema = &body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["verdict"]["enum"][0], "script", "{schema}");
    let prompt = &done.prompts[0];
    for wanted in ["svc on one page", "read_text(path: path", GOAL, "by name:", "std:"] {
        assert!(prompt.contains(wanted), "{wanted}");
    }
}

#[tokio::test]
async fn sure_mistakes_are_fixed_without_a_request() {
    let done = asked(GOAL, &[answer(&RIGHT.replace("lines", "linse"), PARTS)]).await;
    assert!(done.is_ok() && done.text("script").contains(RIGHT), "{}", done.text("script"));
    assert_eq!(done.prompts.len(), 1);
}

#[tokio::test]
async fn errors_are_repaired_in_a_conversation() {
    let wrong = RIGHT.replace("take(n: 3)", "take(n: \"x\")");
    let done = asked(GOAL, &[answer(&wrong, PARTS), answer(RIGHT, PARTS)]).await;
    assert!(done.is_ok(), "{}", done.notes());
    let [first, second] = &done.prompts[..] else { panic!("two requests") };
    assert!(!first.contains("E204"));
    for wanted in ["Your answer:", "- E204: ", "E204 means:", "take(items: [T], n: int"] {
        assert!(second.contains(wanted), "{wanted}: {second}");
    }
}

#[tokio::test]
async fn the_same_script_again_ends_the_conversation() {
    let wrong = RIGHT.replace("sort", "frobnicate");
    let done = asked(GOAL, &[answer(&wrong, PARTS)]).await;
    assert_eq!(done.prompts.len(), 2);
    assert!(done.is_ok(), "the guide has a script of its own");
    assert!(done.notes().contains("does not pass the check"), "{}", done.notes());
}

#[tokio::test]
async fn rounds_are_limited() {
    let wrong = |it: usize| answer(&RIGHT.replace("sort", &format!("frobnicate{it}")), PARTS);
    let all: Vec<Json> = (0..9).map(wrong).collect();
    assert_eq!(asked(GOAL, &all).await.prompts.len(), 5);
}

#[tokio::test]
async fn what_is_not_repaired_is_a_hole() {
    let wrong = r#"read_text(path: "notes.txt") >> frobnicate(x: 1) >> lines"#;
    let done = asked("frobnicate notes.txt and e-mail it to bob", &[answer(wrong, &[])]).await;
    assert!(!done.is_ok());
    let sketch = done.text("script");
    assert_eq!(sketch, "read_text(path: \"notes.txt\") >> ? >> lines\n");
    let report = svc::engine().check(sketch.as_str()).unwrap_err();
    let codes: Vec<&str> = report.errors().map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["E224"]);
}

#[tokio::test]
async fn a_question_is_for_the_user() {
    let done = asked(GOAL, &[verdict("question", "Which notes?")]).await;
    assert_eq!((done.is_ok(), done.text("question").as_str()), (false, "Which notes?"));
    assert_eq!(done.prompts.len(), 1);
}

#[tokio::test]
async fn what_is_impossible_is_asked_once() {
    let goal = "summarise notes.txt and e-mail it to bob";
    let done = asked(goal, &[verdict("impossible", "e-mail it to bob")]).await;
    assert!(!done.is_ok() && done.prompts.len() == 1);
    assert!(done.field("missing").to_string().contains("e-mail it to bob"));
}

#[tokio::test]
async fn prose_and_unclosed_fences_do_not_lose_the_script() {
    let json = answer(RIGHT, PARTS).to_string();
    for text in [
        format!("With `each {{ .x }}` in mind: {json}\nGood luck!"),
        format!("```json\n{json}\n```"),
        format!("```json\n{json}"),
    ] {
        let done = asked_with(SCRIPT, GOAL, vec![finishes("openai", &text)]).await;
        assert!(done.is_ok() && done.text("script").contains(RIGHT), "{text}");
        assert_eq!(done.prompts.len(), 1, "{text}");
    }
}

/// A bare script has no parts, so the model is asked for them.
#[tokio::test]
async fn an_unclosed_block_of_code_is_read() {
    let block = finishes("openai", &format!("Here it is:\n```svc\n{RIGHT}"));
    let whole = finishes("openai", &answer(RIGHT, PARTS).to_string());
    // The first answer does not fit the schema, so it is asked for without one.
    let done = asked_with(SCRIPT, GOAL, vec![block.clone(), block, whole]).await;
    assert!(done.is_ok() && done.text("script").contains(RIGHT), "{}", done.notes());
    assert_eq!(done.bodies[1]["response_format"], Json::Null);
    assert!(done.prompts[2].contains("no part covers `three`, `longest`"), "{}", done.prompts[2]);
}

#[tokio::test]
async fn a_model_may_see_more_ops_once() {
    let more = json!({ "verdict": "ops", "parts": [], "script": "", "missing": "",
        "ops": ["quantile", "nonsense"] });
    let done = asked(GOAL, &[more.clone(), more, answer(RIGHT, PARTS)]).await;
    assert!(done.is_ok());
    let [_, second, third] = &done.prompts[..] else { panic!("three requests") };
    assert!(second.contains("quantile(items: [float], q: float 0..1)"), "{second}");
    assert!(second.contains("Unknown components: nonsense"), "{second}");
    assert!(third.contains("Write the script with these components"), "{third}");
}

#[tokio::test]
async fn effects_beyond_the_goal_are_refused() {
    let saved = format!(r#"{RIGHT} >> join(sep: "\n") >> write_file(to: "out.txt")"#);
    let deleted = r#"delete_file(path: "notes.txt")"#;
    let started = format!(
        r#"let x = exec("git", args: ["log"])
{RIGHT}"#
    );
    let approved = format!(r#"{RIGHT} >> join(sep: "\n") >> approve(question: "ok?") >> show"#);
    let overwritten = saved.replace("out.txt", "notes.txt");
    let cases = [
        (saved.as_str(), "the script writes fs:out.txt"),
        (deleted, "the script writes fs:notes.txt"),
        (&overwritten, "the script overwrites `notes.txt`"),
        (&started, "the script runs cmd:git"),
        (&approved, "the script asks"),
    ];
    for (script, wanted) in cases {
        let done = asked(GOAL, &[answer(script, PARTS)]).await;
        assert!(done.notes().contains(wanted), "{script}: {}", done.notes());
        assert!(!done.text("script").contains(script), "{script}");
        assert_eq!(done.prompts.len(), 2, "{script}");
        assert!(done.prompts[1].contains("it is refused"), "{script}");
    }
    let done = asked(GOAL, &[answer(&saved, PARTS), answer(RIGHT, PARTS)]).await;
    assert!(done.is_ok() && done.text("script").contains(RIGHT));
}

#[tokio::test]
async fn effects_that_the_goal_names_are_allowed() {
    let goal = "save the three longest lines of notes.txt, biggest first, to out.txt";
    let script = format!(r#"{RIGHT} >> join(sep: "\n") >> write_file(to: "out.txt")"#);
    let parts = [PARTS, &[("save", "write_file"), ("to out.txt", "write_file")]].concat();
    let done = asked(goal, &[answer(&script, &parts)]).await;
    assert!(done.is_ok(), "{}", done.notes());
    let goal = "translate notes.txt to Spanish";
    let script = r#"read_text(path: "notes.txt") >> ask(prompt: "Translate: ${it}")"#;
    let parts = [("translate to Spanish", "ask"), ("notes.txt", "read_text")];
    let done = asked(goal, &[answer(script, &parts)]).await;
    assert!(done.is_ok(), "{}", done.notes());
    assert!(done.text("script").contains("svc 1 within { max_cost: $0.50 }"));
}

#[tokio::test]
async fn what_the_goal_forbids_is_refused() {
    let script = r#"read_text(path: "notes.txt") >> ask(prompt: "Summarise: ${it}")"#;
    let parts = [("summarise", "ask"), ("notes.txt", "read_text")];
    let done = asked("summarise notes.txt without a model", &[answer(script, &parts)]).await;
    assert!(done.notes().contains("the goal forbids it with `model`"), "{}", done.notes());
    assert!(!done.text("script").contains("ask("), "{}", done.text("script"));
    let goal = "sort the lines of notes.txt but do not write to out.txt";
    let script = r#"read_text(path: "notes.txt") >> lines >> sort >> join(sep: "\n")
      >> write_file(to: "out.txt")"#;
    let parts = [("sort", "sort"), ("lines", "lines"), ("notes.txt", "read_text")];
    let done = asked(goal, &[answer(script, &parts)]).await;
    assert!(done.notes().contains("the goal forbids it with `write`"), "{}", done.notes());
}

#[tokio::test]
async fn every_part_of_the_goal_is_in_the_script() {
    let missing = RIGHT.replace(" >> take(n: 3)", "");
    let done = asked(GOAL, &[answer(&missing, PARTS)]).await;
    assert!(done.notes().contains("the script has no stage `take(n: 3)`"), "{}", done.notes());
    let other = RIGHT.replace("notes.txt", "other.txt");
    let done = asked(GOAL, &[answer(&other, PARTS)]).await;
    assert!(done.notes().contains("does not use `notes.txt`"), "{}", done.notes());
    let goal = "the lines of notes.txt that do not contain debug";
    let all = r#"read_text(path: "notes.txt") >> lines"#;
    let parts = [("lines", "lines"), ("notes.txt", "read_text")];
    let done = asked(goal, &[answer(all, &parts)]).await;
    assert!(done.notes().contains("no part covers `contain`, `debug`"), "{}", done.notes());
    let done = asked(GOAL, &[answer(RIGHT, &[(GOAL, "take"), ("three", "")])]).await;
    assert!(done.notes().contains("the script has no stage ``"), "{}", done.notes());
}

/// A cap of money cannot hold for a model without a price.
#[tokio::test]
async fn bounds_are_valid_on_this_host() {
    let script = "svc 1 within { max_cost: $0.20 }\n\
        read_text(path: \"notes.txt\") >> ask(prompt: \"Translate: ${it}\")";
    let parts = [("translate to Spanish", "ask"), ("notes.txt", "read_text")];
    let server = Server::start(replies(&[answer(script, &parts)]));
    let unpriced = super::host(&server, "openai/brand-new");
    let engine = svc::engine().with_host(std::sync::Arc::new(unpriced));
    let run = engine.run(SCRIPT).param("goal", "translate notes.txt to Spanish").await;
    let workflow = run.unwrap().value;
    let field = |name: &str| workflow.as_record().and_then(|it| it.get(name)).unwrap().to_string();
    assert!(field("script").contains("svc 1 within { max_tokens: 200_000 }"), "{workflow}");
    assert!(!field("script").contains("max_cost"), "{workflow}");
    assert!(field("notes").contains("a cap of tokens replaces the cap of money"), "{workflow}");
    engine.check(field("script").as_str()).unwrap();
    // The guide's own script, too.
    let own = "\"let the model translate a.txt to Spanish\" >> guide_plan_workflow >> .script";
    let own = engine.run(own).await.unwrap().value.to_string();
    assert!(own.contains("svc 1 within { max_tokens: 200_000 }"), "{own}");
}

#[tokio::test]
async fn a_dead_provider_is_asked_once() {
    for reply in
        [Reply::new(500, "oops"), Reply::new(503, ""), Reply::nothing(), Reply::new(401, "")]
    {
        let done = asked_with(SCRIPT, GOAL, vec![reply]).await;
        assert!(done.is_ok(), "{}", done.notes());
        assert!(done.notes().contains("the language model did not answer"), "{}", done.notes());
        assert_eq!(done.prompts.len(), 1);
    }
}

#[tokio::test]
async fn a_slow_provider_is_not_waited_for() {
    let slow = SCRIPT
        .replace(
            "goal >>",
            "flow quick(prompt: string) -> string {
          prompt >> guide.by_model within { timeout: 300ms }
        }
        goal >>",
        )
        .replace("writer: guide.by_model", "writer: quick");
    let reply = finishes("openai", "x").in_pieces_of(1).slowly(Duration::from_millis(100));
    let begun = Instant::now();
    let done = asked_with(&slow, GOAL, vec![reply]).await;
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(done.is_ok() && done.notes().contains("did not answer"), "{}", done.notes());
    assert_eq!(done.prompts.len(), 1);
}

#[tokio::test]
async fn a_provider_without_schemas_is_asked_without_one() {
    let refused = Reply::new(400, r#"{"error": {"message": "response_format is unknown"}}"#);
    let whole = finishes("openai", &answer(RIGHT, PARTS).to_string());
    let done = asked_with(SCRIPT, GOAL, vec![refused, whole]).await;
    assert!(done.is_ok() && done.text("script").contains(RIGHT));
    assert_eq!(done.bodies.len(), 2);
    assert_eq!(done.bodies[1]["response_format"], Json::Null);
}

#[tokio::test]
async fn a_change_keeps_to_the_goal_and_the_old_script() {
    let change = |goal: &'static str, old: String, answers: Vec<Json>| async move {
        let script = "use \"std:guide\" as guide\nparam goal: string\nparam old: string
            goal >> guide_plan_workflow(script: old, writer: guide.by_model)";
        let server = Server::start(replies(&answers));
        let engine = engine(&server, "openai");
        let run = engine.run(script).param("goal", goal).param("old", old.as_str()).await;
        let workflow = run.unwrap_or_else(|err| panic!("{err}")).value;
        let field =
            |name: &str| workflow.as_record().and_then(|it| it.get(name)).unwrap().to_string();
        (field("script"), field("notes"), server.requests())
    };
    let old = format!(r#"{RIGHT} >> join(sep: "\n") >> write_file(to: "out.txt")"#);
    let new = old.replace("n: 3", "n: 10");
    let parts = [("keep", "take"), ("ten", "take(n: 10)")];
    let (script, notes, requests) =
        change("keep ten", old.clone(), vec![answer(&new, &parts)]).await;
    assert!(script.contains("take(n: 10)") && script.contains("write_file"), "{notes}");
    assert!(requests[0].body.to_string().contains("Change this script"));
    // The old script writes nothing, so the new one must not.
    let (script, notes, _) = change("keep ten", RIGHT.into(), vec![answer(&new, &parts)]).await;
    assert_eq!(script, "null");
    assert!(notes.contains("the script writes fs:out.txt"), "{notes}");
}

#[tokio::test]
async fn an_answer_without_a_source_is_asked_for_again() {
    let replies = vec![finishes("openai", "By a ledger."), finishes("openai", "By a ledger [1].")];
    let server = Server::start(replies);
    let script = r#""how are budgets enforced?" >> guide_ask(writer: ask) >> .answer"#;
    let answer = engine(&server, "openai").run(script).await.unwrap().value;
    assert_eq!(answer, Value::from("By a ledger [1]."));
    assert_eq!(server.requests().len(), 2);
}
