//! Answers of a model are reused only for the same model at the same server.

use std::{sync::Arc, time::Duration};

use svc::Engine;
use svc_contract::{host::http::Response, store::Store as _, value::json};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

const SCRIPT: &str = "\"who are you?\" >> ask(max_tokens: 9)";

/// An engine whose models answer with their own address, one second later than everything in the
/// store.
fn engine(store: &Arc<SqliteStore>, provider: &str, base: &str) -> Engine {
    let runs = store.runs(&svc_contract::store::Filter::default()).unwrap().len();
    let host = TestHost::new()
        .at(1_000 * i64::try_from(runs).unwrap())
        .env("SVC_MODEL", format!("{provider}/same"))
        .env("OPENAI_API_KEY", "k")
        .env("ANTHROPIC_API_KEY", "k");
    let host = match base {
        "" => host,
        base if provider == "openai" => host.env("OPENAI_BASE_URL", base),
        base if provider == "ollama" => host.env("OLLAMA_HOST", base),
        base => host.env("ANTHROPIC_BASE_URL", base),
    };
    let host = host.answering(|request| {
        let text = serde_json::json!(request.url);
        let body = match request.url.rsplit('/').next().unwrap() {
            "completions" => format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}\n\n\
                 data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n"
            ),
            "chat" => format!(
                "{{\"message\":{{\"role\":\"assistant\",\"content\":{text}}},\"done\":true,\"done_reason\":\"stop\"}}\n"
            ),
            _ => format!(
                "data: {{\"type\":\"message_start\",\"message\":{{\"usage\":{{\"input_tokens\":1,\"output_tokens\":1}}}}}}\n\n\
                 data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n\
                 data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}},\"usage\":{{\"output_tokens\":2}}}}\n\n\
                 data: {{\"type\":\"message_stop\"}}\n\n"
            ),
        };
        Box::pin(std::future::ready(Ok(Response::whole(200, body))))
    });
    svc::engine().with_host(Arc::new(host)).with_store(store.clone())
}

async fn reused(engine: &Engine) -> String {
    let ran = engine.run(SCRIPT).reuse(Duration::from_hours(1)).await;
    json::write(
        &ran.unwrap_or_else(|err| panic!("{}", err.render(svc_lang::diag::Style::Plain))).value,
    )
}

#[tokio::test(start_paused = true)]
async fn another_server_is_asked_although_its_model_has_the_same_name() {
    let bases = [
        (
            "openai",
            &["", "http://one/v1", "http://two/v1", "http://two:81/v1", "http://two/v2"][..],
        ),
        ("anthropic", &["", "http://one", "http://one/key"]),
        ("ollama", &["", "one", "two:9"]),
    ];
    for (provider, bases) in bases {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let mut answers = Vec::new();
        for base in bases {
            let engine = engine(&store, provider, base);
            answers.push(reused(&engine).await);
            assert_eq!(reused(&engine).await, answers[answers.len() - 1]);
            let taken = store.nodes(&store.run("last").unwrap().id).unwrap();
            assert!(
                taken.iter().all(|it| it.origin.is_some()),
                "{provider} at {base}: it is the same"
            );
        }
        let count = answers.len();
        answers.sort();
        answers.dedup();
        assert_eq!(answers.len(), count, "{answers:?}");
    }
}

/// A resume with another script uses the current world.
#[tokio::test(start_paused = true)]
async fn a_script_that_was_edited_asks_the_server_of_today() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let before = reused(&engine(&store, "openai", "http://one/v1")).await;
    let engine = engine(&store, "openai", "http://two/v1");
    let resumed = engine.resume("last").unwrap().await.unwrap().value;
    assert_eq!(json::write(&resumed), before, "a resumed run keeps what it has read");
    let edited = format!("{SCRIPT} >> upper");
    let resumed = engine.resume_with("last", edited.as_str()).unwrap().await.unwrap().value;
    assert_eq!(json::write(&resumed), "\"HTTP://TWO/V1/CHAT/COMPLETIONS\"");
}

#[tokio::test(start_paused = true)]
async fn what_may_be_secret_in_an_address_is_not_kept() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    for base in ["http://one/hunter2/v1", "http://one/v1"] {
        reused(&engine(&store, "openai", base)).await;
        let run = store.run("last").unwrap();
        for node in store.nodes(&run.id).unwrap() {
            assert!(node.about.contains("http://one"), "{}", node.about);
            assert!(!node.about.contains("hunter2"), "{}", node.about);
            let cause = node.cause.unwrap_or_default();
            assert!(!cause.contains("hunter2"), "{cause}");
        }
    }
}

/// The version of the program, and the settings in its environment, are checked again.
#[tokio::test(start_paused = true)]
async fn what_is_known_of_the_program_is_of_today() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    for (provider, wanted) in [("", "false"), ("openai", "true")] {
        let host = match provider {
            "" => TestHost::new(),
            provider => TestHost::new().env("SVC_MODEL", format!("{provider}/any")),
        };
        let engine = svc::engine().with_host(Arc::new(host)).with_store(store.clone());
        let ran = engine.run("nav_health >> .has_model").reuse(Duration::from_hours(1)).await;
        assert_eq!(json::write(&ran.unwrap().value), wanted);
    }
}
