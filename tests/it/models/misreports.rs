//! Providers that count wrongly, fail after charging, break off, or answer too late: possible
//! charges count as spent, and no cap is exceeded unless a provider reports more than was reserved.

use std::{sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use svc::Error;
use svc_contract::{
    registry::{ErrorKind, Usage},
    value::Money,
};

use super::{
    host,
    provider::{PROVIDERS, chunk, finishes},
    server::{Reply, Server},
};
use crate::meter::Meter;

/// The charge of the server for each answer, by its own count: 100 input and 20 output tokens.
const CHARGED: Usage = Usage { tokens: 120, cost: Money::from_nanos(100 * 3_000 + 20 * 15_000) };

/// A text of more than one token, with any tokenizer.
const LONG: &str = "sixty-five bytes and more are never a single token, by anyone's count, by far";

/// An answer with these counts, whatever its text.
fn counting(provider: &str, input: &Json, output: &Json) -> Reply {
    let event = |it: &Json| format!("data: {it}\n\n");
    let body = match provider {
        "openai" => {
            let usage = json!({ "prompt_tokens": input, "completion_tokens": output });
            let usage = event(&json!({ "choices": [], "usage": usage }));
            [chunk(&json!({ "content": LONG }), Some("stop")), usage, event(&json!("end"))].concat()
        }
        "anthropic" => [
            json!({ "type": "message_start", "message": { "usage": { "input_tokens": input, "output_tokens": 1 } } }),
            json!({ "type": "content_block_delta", "delta": { "type": "text_delta", "text": LONG } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": output } }),
            json!({ "type": "message_stop" }),
        ]
        .iter()
        .map(event)
        .collect(),
        _ => {
            let end = json!({
                "message": { "content": LONG },
                "done": true,
                "prompt_eval_count": input,
                "eval_count": output,
            });
            format!("{end}\n")
        }
    };
    Reply::new(200, &body.replace("data: \"end\"", "data: [DONE]"))
}

/// The result of a run, as reported by the run.
struct Told {
    kind: Option<ErrorKind>,
    total: Usage,
    /// The reservation of one attempt.
    most: Usage,
    attempts: usize,
    message: String,
}

/// Runs a script with a server, and checks the guarantees that hold for every run.
async fn shown_text(server: &Server, provider: &str, script: &str) -> Told {
    let meter = Arc::new(Meter::default());
    let engine = svc::engine().with_host(Arc::new(host(server, &format!("{provider}/priced"))));
    let ended = engine.with_observer(meter.clone()).run(script).await;
    let (kind, total, message) = match ended {
        Ok(response) => (None, response.usage, String::new()),
        Err(Error::Run { error, .. }) => (Some(error.kind()), error.usage, error.to_string()),
        Err(err) => panic!("{err}"),
    };
    tokio::time::sleep(Duration::from_millis(20)).await;
    let counted = meter.counted();
    assert!(server.requests().len() <= counted.attempts, "every request is funded");
    assert_eq!(counted.spent, total, "the ledger has what was settled, and no more");
    assert_eq!((counted.open.tokens, counted.open.cost), (0, Money::ZERO));
    Told { kind, total, most: counted.most, attempts: counted.attempts, message }
}

const CAPPED: &str = r#"("x" >> ask(max_tokens: 50))
    within { max_cost: $0.10, max_tokens: 5_000, max_retries: 0 }"#;

fn is_priced(provider: &str) -> bool {
    provider != "ollama"
}

#[tokio::test]
async fn counts_that_cannot_be_are_no_report() {
    let wrong = [
        (json!(0), json!(20)),
        (json!(100), json!(0)),
        (json!(100), json!(1)),
        (json!(-100), json!(20)),
        (json!(100), json!(-20)),
        (json!("100"), json!(20)),
        (json!(100), json!([20])),
        (json!(1.5), json!(20.25)),
        (json!(null), json!(20)),
        (json!(100), json!(null)),
        (json!(1e40), json!(20)),
    ];
    for provider in PROVIDERS {
        for (input, output) in &wrong {
            let server = Server::start(vec![counting(provider, input, output)]);
            let shown_text = shown_text(&server, provider, CAPPED).await;
            assert_eq!(shown_text.kind, None, "{provider}: {}", shown_text.message);
            assert_eq!(shown_text.total, shown_text.most, "{provider}: {input} in, {output} out");
        }
        let server = Server::start(vec![counting(provider, &json!(100), &json!(20))]);
        let shown_text = shown_text(&server, provider, CAPPED).await;
        assert_eq!(shown_text.total.tokens, CHARGED.tokens, "{provider}");
        assert_eq!(shown_text.total.cost == CHARGED.cost, is_priced(provider), "{provider}");
    }
}

#[tokio::test]
async fn a_long_prompt_has_more_than_one_token() {
    let server = Server::start(vec![counting("openai", &json!(2), &json!(20))]);
    let script = format!("\"{LONG} {LONG} {LONG}\" >> ask(max_tokens: 50)");
    let shown_text = shown_text(&server, "openai", &script).await;
    assert_eq!(shown_text.total, shown_text.most);
}

/// The report may be true, and then the money is owed: it counts, and no other call starts under
/// the cap.
#[tokio::test]
async fn more_than_was_reserved_counts_as_reported() {
    for provider in PROVIDERS {
        for (input, output) in [(9_999_u64, 20_u64), (100, 90_000), (u64::MAX, u64::MAX)] {
            let server = Server::start(vec![counting(provider, &json!(input), &json!(output))]);
            let script = r#"["x", "y", "z"] >> each { ask(max_tokens: 50) fallback "none" }
                within { max_tokens: 5_000, max_parallel: 1, max_retries: 0 }"#;
            let shown_text = shown_text(&server, provider, script).await;
            assert_eq!(
                shown_text.kind,
                Some(ErrorKind::Budget),
                "{provider}: {}",
                shown_text.message
            );
            assert_eq!(shown_text.total.tokens, input.saturating_add(output), "{provider}");
            assert_eq!((shown_text.attempts, server.requests().len()), (1, 1), "{provider}");
            let (used, most) = (shown_text.total.to_string(), shown_text.most.to_string());
            assert!(
                shown_text.message.contains(&format!("{used} instead of {most}")),
                "{}",
                shown_text.message
            );
        }
    }
}

#[tokio::test]
async fn what_may_have_been_charged_counts() {
    use ErrorKind as Kind;
    let slowly = Duration::from_millis(100);
    for provider in PROVIDERS {
        let whole = || finishes(provider, "an answer of some length");
        let half = || whole().in_pieces_of(30).first_half();
        let error = match provider {
            "ollama" => Reply::new(200, "{\"error\": \"out of memory\"}\n"),
            _ => Reply::new(200, "data: {\"error\": {\"type\": \"api_error\"}}\n\n"),
        };
        let late = "timeout: 150ms, max_cost: $0.10, max_tokens: 5_000, max_retries: 0";
        let usual = "max_cost: $0.10, max_tokens: 5_000, max_retries: 0";
        let cases = [
            ("cut in the middle", half().cut(), usual, Kind::Unavailable),
            ("ended in the middle", half(), usual, Kind::Unavailable),
            ("hung up", Reply::nothing(), usual, Kind::Unavailable),
            ("an error in the stream", error, usual, Kind::Unavailable),
            ("a gateway that lost it", Reply::new(502, "bad gateway"), usual, Kind::Unavailable),
            ("a gateway that gave up", Reply::new(504, "too late"), usual, Kind::Unavailable),
            ("accepted", Reply::new(202, "come back"), usual, Kind::Failed),
            ("no answer at all", Reply::new(200, "<html>"), usual, Kind::InvalidOutput),
            ("too late", whole().in_pieces_of(30).slowly(slowly), late, Kind::Timeout),
        ];
        for (name, reply, bounds, kind) in cases {
            let server = Server::start(vec![reply]);
            let script = format!("(\"x\" >> ask(max_tokens: 50)) within {{ {bounds} }}");
            let shown_text = shown_text(&server, provider, &script).await;
            assert_eq!(shown_text.kind, Some(kind), "{provider}, {name}: {}", shown_text.message);
            assert_eq!(shown_text.total, shown_text.most, "{provider}, {name}");
            assert!(shown_text.total.tokens >= CHARGED.tokens, "{provider}, {name}");
        }
    }
}

#[tokio::test]
async fn what_was_refused_is_free() {
    for provider in PROVIDERS {
        for status in [400, 401, 404, 429, 500, 503, 529] {
            let server = Server::start(vec![Reply::new(status, "no")]);
            let shown_text = shown_text(&server, provider, CAPPED).await;
            assert!(shown_text.kind.is_some());
            assert_eq!(
                (shown_text.total, shown_text.attempts),
                (Usage::default(), 1),
                "{provider}: {status}"
            );
        }
    }
}

/// Each attempt may have been charged.
#[tokio::test]
async fn tries_that_fail_late_are_counted_each() {
    let late = finishes("openai", "late").in_pieces_of(30).slowly(Duration::from_millis(100));
    let server = Server::start(vec![late]);
    let script = r#"("x" >> ask(max_tokens: 50))
        within { max_cost: $0.0050, attempt_timeout: 60ms, max_retries: 9 }"#;
    let shown_text = shown_text(&server, "openai", script).await;
    assert_eq!(shown_text.kind, Some(ErrorKind::Budget), "the third try cannot be funded");
    assert_eq!(shown_text.attempts, 2);
    assert_eq!(shown_text.total.cost.nanos(), 2 * shown_text.most.cost.nanos());
}

/// All problems at once, 64 branches, and a cap that is enough for a few of them.
#[tokio::test]
async fn sixty_four_branches_race_for_the_last_cent_of_a_bad_provider() {
    let slowly = Duration::from_millis(5);
    let replies = vec![
        finishes("openai", "fine").in_pieces_of(60).slowly(slowly),
        counting("openai", &json!(0), &json!(0)),
        finishes("openai", "cut in the middle").in_pieces_of(40).first_half().cut(),
        Reply::new(503, "busy"),
        Reply::nothing(),
        finishes("openai", "fine").in_pieces_of(20).slowly(slowly),
    ];
    let names: Vec<String> = (0..64).map(|it| format!("b{it}?: ask(max_tokens: 50)")).collect();
    for cents in [1, 2, 5] {
        let server = Server::start(replies.clone());
        let cap = Money::cents(cents);
        let bounds = format!("max_cost: {cap}, max_retries: 2, attempt_timeout: 2s");
        let script = format!("\"x\" >> parallel {{ {} }} within {{ {bounds} }}", names.join(", "));
        let meter = Arc::new(Meter::default());
        let engine = svc::engine().with_host(Arc::new(host(&server, "openai/priced")));
        let ended = engine.with_observer(meter.clone()).run(script.as_str()).await;
        let Err(Error::Run { error, .. }) = ended else { panic!("the cap is too low") };
        assert_eq!(error.kind(), ErrorKind::Budget, "{error}");
        let counted = meter.counted();
        assert!(counted.highest.cost <= cap, "{} of {cap}", counted.highest.cost);
        assert_eq!(counted.spent, error.usage);
        let asked = server.requests().len();
        assert_eq!(asked, counted.attempts, "every request is funded");
        // All but the busy replies are charged; the first replies are sent one by one.
        let charged = asked - usize::from(asked > 3);
        let charged = CHARGED.cost.nanos() * i64::try_from(charged).unwrap();
        assert!(error.usage.cost.nanos() >= charged, "{} for {charged}", error.usage.cost);
    }
}
