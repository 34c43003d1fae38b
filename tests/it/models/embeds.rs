//! Vectors of texts and scores of hits from servers that behave as the providers document, and that
//! do not.

use std::{sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use svc::Engine;
use svc_contract::{
    registry::ErrorKind,
    value::{Money, Value, json},
};
use svc_host_os::test::TestHost;

use super::{
    KEY, Notes, host,
    server::{Reply, Request, Server},
};

const TWO: &str = r#"["a cat", "a dog"] >> llm_router.embed"#;

const HITS: &str = r#"
let hit = { title: "", path: "x", query: "heat", score: 1.0, snippet: "", start: 0, end: 0 }
let hits = [{ ...hit, id: "a", text: "The sky" }, { ...hit, id: "b", title: "Pipes", text: "Heat" }]
"#;

fn with_models(host: TestHost, provider: &str) -> TestHost {
    let name = format!("{provider}/priced");
    host.env("SVC_MODEL_EMBED", name.as_str()).env("SVC_MODEL_RERANK", name)
}

fn engine(server: &Server, provider: &str) -> Engine {
    svc::engine().with_host(Arc::new(with_models(host(server, "openai/priced"), provider)))
}

/// An answer of OpenAI with these vectors, last one first, and its count of tokens.
fn openai(vectors: &[Json], tokens: &Json) -> Reply {
    let all = vectors.iter().enumerate().rev();
    let data: Vec<Json> = all.map(|(idx, it)| json!({ "index": idx, "embedding": it })).collect();
    let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
    Reply::new(200, &json!({ "object": "list", "data": data, "usage": usage }).to_string())
}

fn scores(results: &[(usize, f64)], tokens: &Json) -> Reply {
    let of = |(index, score): &(usize, f64)| json!({ "index": index, "relevance_score": score });
    let results: Vec<Json> = results.iter().map(of).collect();
    Reply::new(200, &json!({ "results": results, "usage": { "total_tokens": tokens } }).to_string())
}

/// The vector of each text is its length.
fn lengths(request: &Request) -> Reply {
    let texts = request.body["input"].as_array().unwrap().clone();
    let vectors: Vec<Json> = texts.iter().map(|it| json!([it.as_str().unwrap().len()])).collect();
    openai(&vectors, &json!(texts.len() * 10))
}

async fn failure(provider: &str, reply: Reply, script: &str) -> svc::Error {
    let server = Server::start(vec![reply]);
    let (before, last) = script.rsplit_once('\n').unwrap_or(("", script));
    let script = format!("{before}\n({last}) within {{ max_retries: 0 }}");
    let err = engine(&server, provider).run(script.as_str()).await.map(|it| it.value).unwrap_err();
    assert!(!format!("{err} {err:?}").contains(KEY), "the key is shown: {err:?}");
    err
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts() {
    let server = Server::start(vec![openai(&[json!([0.6, 0.8]), json!([1, 0])], &json!(6))]);
    let done = engine(&server, "openai").run(TWO).await.unwrap();
    assert_eq!(json::write(&done.value), "[[0.6,0.8],[1.0,0.0]]");
    assert_eq!((done.usage.tokens, done.usage.cost), (6, Money::from_nanos(6 * 3_000)));
    let request = &server.requests()[0];
    assert!(request.head.starts_with("post /v1/embeddings http/1.1\r\n"), "{}", request.head);
    assert!(request.head.contains(&format!("authorization: bearer {KEY}\r\n")));
    let body =
        json!({ "model": "priced", "input": ["a cat", "a dog"], "encoding_format": "float" });
    assert_eq!(request.body, body);

    let answer = json!({ "embeddings": [[0.5], [1e-3]], "prompt_eval_count": 6 }).to_string();
    let server = Server::start(vec![Reply::new(200, &answer).in_pieces_of(7)]);
    let done = engine(&server, "ollama").run(TWO).await.unwrap();
    assert_eq!(json::write(&done.value), "[[0.5],[0.001]]");
    assert_eq!((done.usage.tokens, done.usage.cost), (6, Money::ZERO));
    let request = &server.requests()[0];
    assert!(request.head.starts_with("post /api/embed http/1.1\r\n"), "{}", request.head);
    assert!(!request.head.contains(KEY));
    let body = json!({ "model": "priced", "input": ["a cat", "a dog"], "truncate": false });
    assert_eq!(request.body, body);
}

#[tokio::test]
async fn many_texts_are_several_requests_and_one_bill() {
    let server = Server::answering(lengths);
    let script = "range(from: 1, to: 301) >> each { \"text ${it}\" } >> llm_router.embed";
    let done = engine(&server, "openai").run(script).await.unwrap();
    let Value::List(vectors) = &done.value else { panic!("{:?}", done.value) };
    assert_eq!(vectors.len(), 300);
    assert_eq!(json::write(vectors.get(299).unwrap()), "[8.0]");
    assert_eq!(done.usage.tokens, 3_000);
    let sizes: Vec<usize> =
        server.requests().iter().map(|it| it.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [128, 128, 44]);
}

#[tokio::test]
async fn no_texts_are_no_request() {
    let server = Server::start(vec![Reply::new(500, "")]);
    let done = engine(&server, "openai").run("[] >> llm_router.embed").await.unwrap();
    assert_eq!((json::write(&done.value), done.usage.tokens), ("[]".into(), 0));
    let done = engine(&server, "openai").run("[] >> llm_router.rerank").await.unwrap();
    assert_eq!((json::write(&done.value), done.usage.tokens), ("[]".into(), 0));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn answers_that_are_not_the_vectors_are_refused() {
    let one = json!([0.5, 0.5]);
    let cases = [
        (openai(std::slice::from_ref(&one), &json!(6)), "1 vectors for 2 texts"),
        (openai(&[one.clone(), json!([0.5])], &json!(6)), "vectors of 2 and of 1 numbers"),
        (openai(&[json!([]), json!([])], &json!(6)), "vectors without numbers"),
        (openai(&[one.clone(), json!([0.5, null])], &json!(6)), "an answer without vectors"),
        (openai(&[one.clone(), json!(["0.5", 1])], &json!(6)), "an answer without vectors"),
        (
            Reply::new(200, r#"{"data":[{"index":0,"embedding":[NaN]}]}"#),
            "an answer without vectors",
        ),
        (Reply::new(200, r#"{"data":[{"index":0,"embedding":[1e999]}]}"#), "number out of range"),
        (
            Reply::new(
                200,
                r#"{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}"#,
            ),
            "expected the index 0, found 1",
        ),
        (Reply::new(200, "<html>"), "<html>"),
        (Reply::new(200, ""), "an answer without vectors"),
    ];
    for (reply, wanted) in cases {
        let err = failure("openai", reply, TWO).await;
        assert_eq!(err.kind(), Some(ErrorKind::InvalidOutput), "{err}");
        assert!(err.to_string().contains(wanted), "{wanted}: {err}");
    }
}

#[tokio::test]
async fn vectors_of_all_requests_have_one_length() {
    let server = Server::answering(|request| {
        let count = request.body["input"].as_array().unwrap().len();
        openai(&vec![json!(vec![0.5; 1 + count % 2]); count], &json!(999))
    });
    let script = "(range(from: 1, to: 130) >> each { \"${it}\" } >> llm_router.embed) within { max_retries: 0 }";
    let err = engine(&server, "openai").run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::InvalidOutput), "{err}");
    assert!(err.to_string().contains("vectors of 1 and of 2 numbers"), "{err}");
}

#[tokio::test]
async fn a_cut_answer_and_a_busy_server_are_tried_again() {
    let whole = openai(&[json!([1]), json!([2])], &json!(6));
    let busy = Reply::new(429, r#"{"error":{"message":"slow down"}}"#).header("retry-after-ms: 1");
    let cut = whole.clone().in_pieces_of(20).first_half().cut();
    let server = Server::start(vec![busy.clone(), cut.clone(), whole]);
    let done = engine(&server, "openai").run(TWO).await.unwrap();
    assert_eq!(json::write(&done.value), "[[1.0],[2.0]]");
    // Nothing for the refused request, and all that was reserved for the cut one.
    assert_eq!(done.usage.tokens, 10 + 2 * 16 + 6);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(failure("openai", cut, TWO).await.kind(), Some(ErrorKind::Unavailable));
    assert_eq!(failure("openai", busy, TWO).await.kind(), Some(ErrorKind::RateLimit));
    let long = Reply::new(400, r#"{"error":"the input length exceeds the context length"}"#);
    let err = failure("ollama", long, TWO).await;
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
    assert!(err.to_string().contains("exceeds the context length"), "{err}");
}

#[tokio::test]
async fn what_was_answered_is_paid_when_a_later_request_is_refused() {
    let server =
        Server::answering(|request| match request.body["input"].as_array().unwrap().len() {
            128 => lengths(request),
            _ => Reply::new(400, "{}"),
        });
    let script = r#"
        let vectors = (range(from: 1, to: 130) >> each { "text ${it}" } >> llm_router.embed) fallback []
        vectors"#;
    let done = engine(&server, "openai").run(script).await.unwrap();
    assert_eq!((json::write(&done.value), done.usage.tokens), ("[]".into(), 1_280));
}

#[tokio::test]
async fn an_impossible_count_is_charged_in_full() {
    for count in [json!(null), json!(0)] {
        let notes = Arc::new(Notes::default());
        let server = Server::start(vec![openai(&[json!([1]), json!([2])], &count)]);
        let engine = engine(&server, "openai").with_observer(notes.clone());
        assert_eq!(engine.run(TWO).await.unwrap().usage.tokens, 10 + 2 * 16);
        let said = notes.0.lock().unwrap().join("\n");
        assert!(said.contains("the whole reservation is charged"), "{said}");
    }
}

#[tokio::test]
async fn a_cap_holds_before_anything_is_embedded() {
    let server = Server::answering(lengths);
    let engine = engine(&server, "openai");
    // Ten bytes and two times 16 tokens, at $3 per million.
    let script = |cap: &str| format!("({TWO}) within {{ max_cost: {cap} }}");
    let err = engine.run(script("$0.000125").as_str()).await.map(|it| it.value).unwrap_err();
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("must reserve at least $0.000126"), "{shown}");
    assert!(server.requests().is_empty(), "no request was sent");
    assert!(engine.run(script("$0.000126").as_str()).await.is_ok());
    let unknown = "param texts: [string]\n(texts >> llm_router.embed) within { max_tokens: 100 }";
    let texts = |count: usize| Value::from(vec![Value::from("some words"); count]);
    let err = engine.run(unknown).param("texts", texts(9)).await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("`max_tokens: 100` cannot be met"), "{err}");
    assert!(engine.run(unknown).param("texts", texts(3)).await.is_ok());
}

#[tokio::test]
async fn models_that_cannot_embed_are_named() {
    let cases = [
        (r#"["x"] >> llm_router.embed(model: "anthropic/priced")"#, "has no embedding models"),
        (r#"["x"] >> llm_router.embed(model: "gpt")"#, ""),
        (r#"["x", " "] >> llm_router.embed"#, "text 2 is empty"),
    ];
    for (script, wanted) in cases {
        let server = Server::start(vec![openai(&[json!([1])], &json!(1))]);
        match engine(&server, "openai").run(script).await.map(|it| it.value) {
            Ok(_) => assert!(wanted.is_empty(), "{script}"),
            Err(err) => assert!(!wanted.is_empty() && err.to_string().contains(wanted), "{err}"),
        }
        assert_eq!(server.requests().is_empty(), !wanted.is_empty());
    }
    let none = svc::engine().with_host(Arc::new(TestHost::new().env("SVC_MODEL", "ollama/chat")));
    let err = none.run(TWO).await.map(|it| it.value).unwrap_err();
    let shown = err.render(svc_lang::diag::Style::Plain);
    assert!(shown.contains("no embedding model is configured"), "{shown}");
    assert!(shown.contains("SVC_MODEL_EMBED"), "{shown}");
}

#[tokio::test]
async fn hits_are_in_the_order_of_the_model() {
    let server = Server::start(vec![scores(&[(1, 0.9), (0, -2.5)], &json!(20))]);
    let script =
        format!("{HITS}hits >> llm_router.rerank >> each {{ [.id, \"${{.score}}\", .query] }}");
    let done = engine(&server, "openai").run(script.as_str()).await.unwrap();
    assert_eq!(json::write(&done.value), r#"[["b","0.9","heat"],["a","-2.5","heat"]]"#);
    assert_eq!((done.usage.tokens, done.usage.cost), (20, Money::from_nanos(20 * 3_000)));
    let request = &server.requests()[0];
    assert!(request.head.starts_with("post /v1/rerank http/1.1\r\n"), "{}", request.head);
    let body = json!({
        "model": "priced", "query": "heat", "documents": ["The sky", "Pipes\nHeat"], "top_n": 2,
    });
    assert_eq!(request.body, body);
}

#[tokio::test]
async fn each_query_has_its_own_request_and_many_hits_several() {
    let server = Server::answering(|request| {
        let count = usize::try_from(request.body["top_n"].as_u64().unwrap()).unwrap();
        let all: Vec<(usize, f64)> = (0..count).map(|it| (it, 0.5)).collect();
        scores(&all[1..], &json!(999))
    });
    let script = format!(
        "{HITS}hits + [{{ ...hit, id: \"c\", query: \"sky\", text: \"x\" }}] >> llm_router.rerank"
    );
    let err = engine(&server, "openai").run(script.as_str()).await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("1 scores for 2 of 2 documents"), "{err}");
    let server = Server::answering(|request| {
        let count = request.body["documents"].as_array().unwrap().len();
        let top = usize::try_from(request.body["top_n"].as_u64().unwrap()).unwrap();
        let all: Vec<(usize, f64)> = (0..top).map(|it| (count - 1 - it, 0.5)).collect();
        scores(&all, &json!(count * 10))
    });
    let script = r#"
        let hit = { title: "", path: "x", score: 1.0, snippet: "", start: 0, end: 0, text: "x" }
        let one = range(from: 1, to: 301) >> each { { ...hit, id: "${it}", query: "heat" } }
        one + [{ ...hit, id: "last", query: "sky" }]
          >> llm_router.rerank(keep: 400)
          >> each { .id }"#;
    let done = engine(&server, "openai").run(script).await.unwrap();
    assert_eq!(done.value.as_list().unwrap().len(), 301);
    let sent =
        |it: &Request| (it.body["query"].clone(), it.body["documents"].as_array().unwrap().len());
    let sent: Vec<_> = server.requests().iter().map(sent).collect();
    assert_eq!(sent, [(json!("heat"), 256), (json!("heat"), 44), (json!("sky"), 1)]);
    assert_eq!(done.usage.tokens, 3_010);
}

#[tokio::test]
async fn answers_that_do_not_rank_the_hits_are_refused() {
    let script = format!("{HITS}hits >> llm_router.rerank");
    let cases = [
        (scores(&[(0, 0.5)], &json!(9)), "1 scores for 2 of 2 documents"),
        (scores(&[(0, 0.5), (0, 0.4)], &json!(9)), "the index 0 twice"),
        (scores(&[(0, 0.5), (2, 0.4)], &json!(9)), "the index 2 for 2 documents"),
        (
            Reply::new(200, r#"{"results":[{"index":0,"relevance_score":NaN}]}"#),
            "an answer without scores",
        ),
        (Reply::new(200, r#"{"results":[{"index":-1,"relevance_score":1}]}"#), "without scores"),
        (Reply::new(200, "[]"), "an answer without scores"),
    ];
    for (reply, wanted) in cases {
        let err = failure("openai", reply, &script).await;
        assert_eq!(err.kind(), Some(ErrorKind::InvalidOutput), "{err}");
        assert!(err.to_string().contains(wanted), "{wanted}: {err}");
    }
    let busy = Reply::new(503, "busy");
    assert_eq!(failure("openai", busy, &script).await.kind(), Some(ErrorKind::Unavailable));
    let nowhere = failure("ollama", Reply::new(200, "{}"), &script).await;
    assert!(nowhere.to_string().contains("has no reranking models"), "{nowhere}");
    let asked = format!("{HITS}hits >> llm_router.rerank(query: \" \")");
    let empty = failure("openai", Reply::new(200, "{}"), &asked).await;
    assert!(empty.to_string().contains("a hit has no query"), "{empty}");
}

#[tokio::test]
async fn a_slow_server_is_left_when_time_is_up() {
    let slow = openai(&[json!([1]), json!([2])], &json!(6)).in_pieces_of(3);
    let server = Server::start(vec![slow.slowly(Duration::from_millis(40))]);
    let script = format!("({TWO}) within {{ timeout: 300ms }}");
    let ended = engine(&server, "openai").run(script.as_str()).await.map(|it| it.value);
    assert_eq!(ended.unwrap_err().kind(), Some(ErrorKind::Timeout));
    assert!(tokio::task::spawn_blocking(move || server.is_left()).await.unwrap());
}
