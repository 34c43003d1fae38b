//! A language model that proposes scripts: the checker decides.

use svc_contract::value::Value;

use super::{
    engine,
    provider::finishes,
    server::{Reply, Server},
};

const SCRIPT: &str =
    r#""count the words of a.txt" >> guide_plan_workflow(writer: ask) within { max_retries: 0 }"#;

const WRONG: &str = "```svc\n\"a.txt\" >> read_text >> wrods >> len\n```";
const RIGHT: &str = "Here:\n```svc\n\"a.txt\" >> read_text >> words >> len  # counts\n```\n";

fn field<'v>(workflow: &'v Value, name: &str) -> &'v Value {
    workflow.as_record().and_then(|it| it.get(name)).unwrap()
}

async fn proposed(replies: Vec<Reply>) -> (Value, Vec<String>) {
    let server = Server::start(replies);
    let planned = engine(&server, "openai").run(SCRIPT).await.unwrap().value;
    let prompts = server.requests().into_iter().map(|it| it.body.to_string()).collect();
    (planned, prompts)
}

#[tokio::test]
async fn a_script_that_does_not_check_is_written_again_with_the_reason() {
    let replies = vec![finishes("openai", WRONG), finishes("openai", RIGHT)];
    let (workflow, prompts) = proposed(replies).await;
    let script = field(&workflow, "script").as_str().unwrap();
    assert!(script.contains("len  # counts") && script.contains("# Takes:"), "{script}");
    assert_eq!(prompts.len(), 2);
    assert!(!prompts[0].contains("does not check"), "{}", prompts[0]);
    assert!(prompts[1].contains("E201") && prompts[1].contains("wrods"), "{}", prompts[1]);
}

#[tokio::test]
async fn after_three_repairs_the_guide_writes_itself() {
    let replies = (0..4).map(|_| finishes("openai", WRONG)).collect();
    let (workflow, prompts) = proposed(replies).await;
    assert_eq!(prompts.len(), 4);
    let script = field(&workflow, "script").as_str().unwrap();
    assert!(script.contains("read_text(path: \"a.txt\")"), "{script}");
    let notes = field(&workflow, "notes").to_string();
    assert!(notes.contains("does not pass the check") && notes.contains("wrods"), "{notes}");
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
