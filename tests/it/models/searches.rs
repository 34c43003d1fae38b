//! Searches of the web by servers that behave as the providers document, and that do not.

use std::{sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use svc::{Engine, Error};
use svc_contract::{
    host::{Host as _, http::Response},
    registry::ErrorKind,
    value::{Money, Value, json as values},
};
use svc_host_os::{OsHost, test::TestHost};

use super::{
    KEY, Notes,
    server::{Reply, Server},
};

const PROVIDERS: [&str; 4] = ["brave", "tavily", "serper", "searxng"];

const PRICES: &str =
    "version = \"test\"\n[models]\n[searches]\nbrave = 0.25\ntavily = 0.5\nserper = 0.125\n";

/// A host whose providers are all at one server.
fn host(server: &Server) -> TestHost {
    let network = OsHost::default();
    TestHost::new()
        .file("prices.toml", PRICES)
        .env("SVC_PRICES", "prices.toml")
        .env("BRAVE_BASE_URL", format!("{}/res/v1", server.url))
        .env("BRAVE_API_KEY", KEY)
        .env("TAVILY_BASE_URL", server.url.as_str())
        .env("TAVILY_API_KEY", KEY)
        .env("SERPER_BASE_URL", server.url.as_str())
        .env("SERPER_API_KEY", KEY)
        .env("SEARXNG_URL", format!("{}/", server.url))
        .answering(move |request| network.http(request))
}

fn engine(server: &Server, provider: &str) -> Engine {
    svc::engine().with_host(Arc::new(host(server).env("SVC_SEARCH", provider)))
}

/// An answer of a provider with these results: address, title, text and date.
fn answer(provider: &str, results: &[(&str, &str, &str, Option<&str>)]) -> Reply {
    let of = |(url, title, text, date): &(&str, &str, &str, Option<&str>)| match provider {
        "brave" => json!({ "url": url, "title": title, "description": text, "page_age": date }),
        "tavily" => {
            json!({ "url": url, "title": title, "content": text, "score": 0.9, "published_date": date })
        }
        "serper" => {
            json!({ "link": url, "title": title, "snippet": text, "position": 1, "date": date })
        }
        _ => {
            json!({ "url": url, "title": title, "content": text, "engines": ["a"], "publishedDate": date })
        }
    };
    let results: Vec<Json> = results.iter().map(of).collect();
    let body = match provider {
        "brave" => json!({ "type": "search", "web": { "type": "search", "results": results } }),
        "tavily" => json!({ "query": "x", "results": results, "response_time": 1.1 }),
        "serper" => json!({ "searchParameters": { "q": "x" }, "organic": results, "credits": 1 }),
        _ => json!({ "query": "x", "results": results, "unresponsive_engines": [] }),
    };
    Reply::new(200, &body.to_string())
}

/// The notices of a run.
fn seen(notes: &Notes) -> Vec<String> {
    notes.0.lock().unwrap().clone()
}

async fn failure(provider: &str, reply: Reply) -> Error {
    let server = Server::start(vec![reply]);
    let script = r#"("caps" >> web_search) within { max_retries: 0 }"#;
    let err = engine(&server, provider).run(script).await.map(|it| it.value).unwrap_err();
    let shown = format!("{err} {err:?} {}", err.render(svc_lang::diag::Style::Plain));
    assert!(!shown.contains(KEY), "the key is shown: {shown}");
    err
}

#[tokio::test]
async fn every_provider_finds_pages() {
    let found = [
        (
            "https://a.example/x?y=1",
            "One &amp; two",
            "A <b>cap</b> is\nkept &gt; 1.",
            Some("2026-05-01T10:00:00"),
        ),
        ("https://b.example", "", "Plain text, 1 < 2.", None),
        ("javascript:alert(1)", "Not a page", "x", None),
        ("https://a.example/x?y=1", "Again", "x", None),
    ];
    for provider in PROVIDERS {
        let server = Server::start(vec![answer(provider, &found).in_pieces_of(9)]);
        let notes = Arc::new(Notes::default());
        let engine = engine(&server, provider).with_observer(notes.clone());
        let done = engine.run(r#""caps" >> web_search"#).await.unwrap();
        let wanted = json!([
            {
                "id": "https://a.example/x?y=1", "title": "One & two", "path": "https://a.example/x?y=1",
                "text": "A cap is kept > 1.", "query": "caps", "score": 1.0, "snippet": "A **cap** is kept > 1.",
                "start": 0, "end": 18, "page": null,
                "meta": { "provider": provider, "site": "a.example", "published": "2026-05-01T10:00:00Z" },
            },
            {
                "id": "https://b.example/", "title": "b.example", "path": "https://b.example/",
                "text": "Plain text, 1 < 2.", "query": "caps", "score": 0.5, "snippet": "Plain text, 1 < 2.",
                "start": 0, "end": 18, "page": null,
                "meta": { "provider": provider, "site": "b.example" },
            },
        ]);
        let got: Json = serde_json::from_str(&values::write(&done.value)).unwrap();
        assert_eq!(got, wanted, "{provider}");
        let nanos = [250_000_000, 500_000_000, 125_000_000, 0];
        let place = PROVIDERS.iter().position(|it| *it == provider).unwrap();
        assert_eq!(done.usage.cost, Money::from_nanos(nanos[place]), "{provider}");
        let left =
            seen(&notes).iter().any(|it| it.contains("1 result of") && it.contains("left out"));
        assert!(left, "{provider}: {:?}", seen(&notes));
    }
}

#[tokio::test]
async fn requests_are_what_the_providers_document() {
    let script =
        r#""a & b" >> web_search(top_k: 3, site: "Example.com", recent: "week", language: "en")"#;
    let asked = |provider: &'static str| async move {
        let server = Server::start(vec![answer(provider, &[("https://a.example/", "", "", None)])]);
        engine(&server, provider).run(script).await.unwrap();
        server.requests()[0].clone()
    };
    let brave = asked("brave").await;
    let line = "get /res/v1/web/search?q=a%20%26%20b%20site%3aexample.com&count=3&search_lang=en&freshness=pw&result_filter=web http/1.1\r\n";
    assert!(brave.head.starts_with(line), "{}", brave.head);
    assert!(brave.head.contains(&format!("x-subscription-token: {KEY}\r\n")), "{}", brave.head);

    let tavily = asked("tavily").await;
    assert!(tavily.head.starts_with("post /search http/1.1\r\n"), "{}", tavily.head);
    assert!(tavily.head.contains(&format!("authorization: bearer {KEY}\r\n")), "{}", tavily.head);
    let body = json!({
        "query": "a & b", "max_results": 3, "search_depth": "basic", "time_range": "week",
        "include_domains": ["example.com"],
    });
    assert_eq!(tavily.body, body);

    let serper = asked("serper").await;
    assert!(serper.head.starts_with("post /search http/1.1\r\n"), "{}", serper.head);
    assert!(serper.head.contains(&format!("x-api-key: {KEY}\r\n")), "{}", serper.head);
    let body = json!({
        "q": "a & b site:example.com", "num": 3, "hl": "en", "lr": "lang_en", "tbs": "qdr:w",
    });
    assert_eq!(serper.body, body);

    let searxng = asked("searxng").await;
    let line = "get /search?q=a%20%26%20b%20site%3aexample.com&format=json&language=en&time_range=week http/1.1\r\n";
    assert!(searxng.head.starts_with(line), "{}", searxng.head);
    assert!(!searxng.head.contains(KEY));
}

#[tokio::test]
async fn a_meta_search_server_is_asked_for_further_pages() {
    let page = |number: usize| -> Vec<String> {
        (0..4).map(|it| format!("https://a.example/{}", number * 3 + it)).collect()
    };
    let server = Server::answering(move |request| {
        let number = if request.head.contains("pageno=2") {
            1
        } else {
            usize::from(request.head.contains("pageno=3")) * 2
        };
        let urls = page(number);
        let results: Vec<_> = urls.iter().map(|it| (it.as_str(), "t", "x", None)).collect();
        answer("searxng", &results)
    });
    let script = r#""caps" >> web_search(top_k: 9) >> each { .path }"#;
    let done = engine(&server, "searxng").run(script).await.unwrap();
    let wanted: Vec<String> = (0..9).map(|it| format!("\"https://a.example/{it}\"")).collect();
    assert_eq!(values::write(&done.value), format!("[{}]", wanted.join(",")));
    assert_eq!((server.requests().len(), done.usage.cost), (3, Money::ZERO));
    let server = Server::start(vec![answer("searxng", &[])]);
    let done = engine(&server, "searxng").run(script).await.unwrap();
    assert_eq!((values::write(&done.value), server.requests().len()), ("[]".into(), 1));
}

#[tokio::test]
async fn nothing_found_is_an_empty_list() {
    let replies = [
        ("brave", r#"{"type":"search","query":{"original":"x"}}"#),
        ("brave", r#"{"type":"search","web":{"results":[]}}"#),
        ("tavily", r#"{"results":[]}"#),
        ("serper", r#"{"searchParameters":{"q":"x"},"credits":1}"#),
        ("searxng", r#"{"results":[],"unresponsive_engines":[]}"#),
    ];
    for (provider, body) in replies {
        let server = Server::start(vec![Reply::new(200, body)]);
        let done = engine(&server, provider).run(r#""caps" >> web_search"#).await.unwrap();
        assert_eq!(values::write(&done.value), "[]", "{provider}");
    }
}

#[tokio::test]
async fn statuses_are_kinds() {
    use ErrorKind as Kind;
    let say = |words: &str| {
        format!("{{\"error\":{{\"detail\":\"{words} {KEY}\",\"code\":\"RATE_LIMITED\"}}}}")
    };
    let said = say("because of");
    let cases = [
        ("brave", 401, said.clone(), Kind::Denied, "does not accept the key for `brave`"),
        (
            "brave",
            422,
            r#"{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"x"}}"#.into(),
            Kind::Denied,
            "does not accept the key",
        ),
        ("brave", 422, said.clone(), Kind::InvalidInput, "status 422: because of ***"),
        ("brave", 429, said.clone(), Kind::RateLimit, "because of ***"),
        (
            "brave",
            429,
            r#"{"error":{"code":"QUOTA_LIMITED","detail":"used up"}}"#.into(),
            Kind::Denied,
            "used up",
        ),
        (
            "tavily",
            401,
            r#"{"detail":{"error":"Unauthorized"}}"#.into(),
            Kind::Denied,
            "does not accept the key",
        ),
        ("tavily", 432, r#"{"detail":{"error":"plan limit"}}"#.into(), Kind::Denied, "plan limit"),
        (
            "serper",
            403,
            r#"{"message":"Unauthorized.","statusCode":403}"#.into(),
            Kind::Denied,
            "does not accept the key",
        ),
        (
            "serper",
            400,
            r#"{"message":"Not enough credits"}"#.into(),
            Kind::Denied,
            "Not enough credits",
        ),
        ("serper", 402, String::new(), Kind::Denied, "status 402"),
        (
            "searxng",
            403,
            "<html>Forbidden</html>".into(),
            Kind::Unsupported,
            "does not answer in JSON",
        ),
        ("searxng", 429, "Too Many Requests".into(), Kind::RateLimit, "Too Many Requests"),
        ("searxng", 404, "nowhere".into(), Kind::NotFound, "nowhere"),
        ("searxng", 301, String::new(), Kind::Failed, "status 301"),
        ("tavily", 500, "oops".into(), Kind::Unavailable, "oops"),
        ("tavily", 504, "oops".into(), Kind::Unavailable, "oops"),
    ];
    for (provider, status, body, kind, wanted) in cases {
        let err = failure(provider, Reply::new(status, &body)).await;
        assert_eq!(err.kind(), Some(kind), "{provider} {status}: {err}");
        assert!(err.to_string().contains(wanted), "{provider} {status}: {err}");
    }
}

#[tokio::test]
async fn answers_that_are_none_are_reported() {
    for provider in PROVIDERS {
        for body in ["<html>Welcome</html>", "", "{\"results\": [", "null", "[]", "{}", "\u{0}"] {
            let err = failure(provider, Reply::new(200, body)).await;
            assert_eq!(err.kind(), Some(ErrorKind::InvalidOutput), "{provider} {body:?}: {err}");
            assert!(err.to_string().contains(&format!("`{provider}` sent")), "{err}");
        }
        let cut = answer(provider, &[("https://a.example", "t", "x", None)])
            .in_pieces_of(5)
            .first_half()
            .cut();
        assert_eq!(failure(provider, cut).await.kind(), Some(ErrorKind::Unavailable), "{provider}");
        assert_eq!(failure(provider, Reply::nothing()).await.kind(), Some(ErrorKind::Unavailable));
        let huge = Reply::new(200, &" ".repeat(5 << 20));
        let err = failure(provider, huge).await;
        assert!(err.to_string().contains("more than 4MiB"), "{err}");
    }
    let tired = r#"{"results":[],"unresponsive_engines":[["google","timeout"],["bing","too many requests"]]}"#;
    let err = failure("searxng", Reply::new(200, tired)).await;
    assert_eq!(err.kind(), Some(ErrorKind::Unavailable));
    assert!(err.to_string().contains("no engine of `searxng` answered: google, bing"), "{err}");
}

#[tokio::test]
async fn waits_that_are_asked_for_are_kept() {
    let busy = || Reply::new(429, r#"{"error":{"code":"RATE_LIMITED","detail":"slow down"}}"#);
    let waits = [
        ("searxng", busy().header("retry-after: 1")),
        ("brave", busy().header("x-ratelimit-reset: 1, 1419704")),
    ];
    for (provider, busy) in waits {
        let server = Server::start(vec![busy, answer(provider, &[])]);
        let started = std::time::Instant::now();
        let done = engine(&server, provider).run(r#""caps" >> web_search"#).await.unwrap();
        assert_eq!(values::write(&done.value), "[]");
        assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn what_a_provider_refuses_costs_nothing() {
    let found = answer("tavily", &[("https://a.example/", "t", "x", None)]);
    let server = Server::start(vec![Reply::new(500, ""), found]);
    let done = engine(&server, "tavily").run(r#""caps" >> web_search"#).await.unwrap();
    assert_eq!(done.usage.cost, Money::from_nanos(500_000_000));
    let server = Server::start(vec![Reply::new(200, "?"), answer("tavily", &[])]);
    let done = engine(&server, "tavily").run(r#""caps" >> web_search"#).await.unwrap();
    assert_eq!(
        done.usage.cost,
        Money::from_nanos(1_000_000_000),
        "an answer may have been charged"
    );
}

#[tokio::test]
async fn a_cap_holds_before_anything_is_sent() {
    let server = Server::start(vec![answer("serper", &[])]);
    let engine = engine(&server, "serper");
    let script = r#"("caps" >> web_search(top_k: 11)) within { max_cost: $0.20 }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("`max_cost: $0.20` cannot be met"), "{err}");
    assert!(server.requests().is_empty());
    let script = "param queries: [string; max 9]
        queries >> each { web_search(query: it) } within { max_parallel: 1 }";
    let queries = values::read(r#"["a", "b", "c"]"#).unwrap();
    let run = engine.run(script).param("queries", queries);
    let ended = run.max_cost(Money::from_nanos(300_000_000)).await;
    let err = ended.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Budget), "{err}");
    assert!(server.requests().is_empty(), "three searches cost more than the cap");
}

#[tokio::test]
async fn an_unknown_price_cannot_run_under_a_cap_of_money() {
    let server = Server::start(vec![answer("brave", &[])]);
    // Without a table, the standard prices hold at the provider's own address alone.
    let host = host(&server).env("SVC_PRICES", "other.toml").env("SVC_SEARCH", "brave");
    let host = host.file("other.toml", "version = \"x\"\n[models]\n");
    let notes = Arc::new(Notes::default());
    let engine = svc::engine().with_host(Arc::new(host)).with_observer(notes.clone());
    let script = r#"("caps" >> web_search) within { max_cost: $1.00 }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("the price of a search by `brave` is unknown"), "{err}");
    assert!(server.requests().is_empty(), "no request was sent");
    engine.run(r#""caps" >> web_search"#).await.unwrap();
    assert!(seen(&notes).iter().any(|it| it.contains("the cost does not include it")));
}

#[tokio::test]
async fn a_provider_must_be_configured() {
    let error = |host: TestHost, args: &'static str| async move {
        let script = format!(r#""caps" >> web_search({args})"#);
        let engine = svc::engine().with_host(Arc::new(host));
        let err = engine.run(script.as_str()).await.map(|it| it.value).unwrap_err();
        err.render(svc_lang::diag::Style::Plain)
    };
    let shown = error(TestHost::new(), "").await;
    assert!(shown.contains("no search engine is configured"), "{shown}");
    assert!(shown.contains("SEARXNG_URL") && shown.contains("BRAVE_API_KEY"), "{shown}");
    let two = TestHost::new().env("BRAVE_API_KEY", KEY).env("TAVILY_API_KEY", KEY);
    let shown = error(two, "").await;
    assert!(shown.contains("ambiguous provider") && shown.contains("SVC_SEARCH"), "{shown}");
    let shown = error(TestHost::new(), r#"provider: "serper""#).await;
    assert!(shown.contains("missing key for `serper`"), "{shown}");
    let shown = error(TestHost::new().env("SVC_SEARCH", "bing"), "").await;
    assert!(shown.contains("unknown provider `bing`"), "{shown}");
    let brave = || TestHost::new().env("BRAVE_API_KEY", KEY);
    let shown = error(brave(), r#"site: "https://a.example/x""#).await;
    assert!(shown.contains("expected the name of a site"), "{shown}");
    let shown = error(brave(), r#"language: "english""#).await;
    assert!(shown.contains("expected a language, found `english`"), "{shown}");
    let long = TestHost::new().env("BRAVE_API_KEY", KEY);
    let engine = svc::engine().with_host(Arc::new(long));
    let query = "word ".repeat(51);
    let script = "param query: string\nquery >> web_search";
    let err = engine.run(script).param("query", query).await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("51 words, and `brave` takes 50"), "{err}");
    let err = engine.run(script).param("query", " ").await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("the query is empty"), "{err}");
}

#[tokio::test(start_paused = true)]
async fn silence_ends_by_itself() {
    let host = TestHost::new().env("SEARXNG_URL", "http://127.0.0.1:8888").answering(|_| {
        let body = Box::pin(futures_util::stream::pending());
        Box::pin(async { Ok(Response { status: 200, headers: Vec::new(), body }) })
    });
    let engine = svc::engine().with_host(Arc::new(host));
    let script = r#"("caps" >> web_search) within { timeout: 1h, max_retries: 0 }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unavailable));
    assert!(err.to_string().contains("no data for one minute"), "{err}");
    let script = r#"("caps" >> web_search) within { timeout: 5s, max_retries: 0 }"#;
    let err = engine.run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Timeout));
}

#[tokio::test]
async fn what_pages_say_is_read_and_condensed() {
    let found = r#"{"results":[
        {"url":"https://a.example/caps","title":"Caps","content":"About caps"},
        {"url":"http://127.0.0.1/admin","title":"Inside","content":"x"},
        {"url":"https://b.example/sky","title":"Sky","content":"About the sky"}]}"#;
    let host =
        TestHost::new().env("SEARXNG_URL", "http://127.0.0.1:8888").answering(move |request| {
            let body = match request.url.as_str() {
                "https://a.example/caps" => {
                    "A budget is enforced by a ledger. Every attempt is reserved before it starts."
                }
                "https://b.example/sky" => "The sky is blue on most days.",
                url if url.starts_with("http://127.0.0.1:8888/") => found,
                url => panic!("{url}"),
            };
            Box::pin(async move { Ok(Response::whole(200, body)) })
        });
    let script = r#""how is a budget enforced?"
  >> web_search
  >> each? { { ...it, text: (fetch(url: .path)).text } }
  >> compact
  >> rag_retrieval
  >> summary(max_sentences: 1)"#;
    let done = svc::engine().with_host(Arc::new(host)).run(script).await.unwrap();
    let Value::Record(summary) = &done.value else { panic!("{:?}", done.value) };
    assert_eq!(summary.get("text"), Some(&Value::from("A budget is enforced by a ledger. [1]")));
    assert!(summary.get("sources").unwrap().to_string().contains("https://a.example/caps"));
}
