//! The in-process model of the specification: blocks, steps, bounds and the registry.

mod bounded;
mod composed;
mod stateful;
mod values;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use svc::{
    Policy,
    blocks::{ComponentRegistry, PipelineStep, blocking, get_registry},
    host::TestHost,
    registry::{ErrorKind, OpError},
    value::{Value, from_value},
};

/// The built-in components on a host of its own.
fn registry_on(host: TestHost) -> (ComponentRegistry, Arc<TestHost>) {
    let host = Arc::new(host);
    (ComponentRegistry::new(svc::engine().with_host(host.clone())), host)
}

async fn refused(name: &str, op: &str, params: &[(&str, Value)]) -> OpError {
    get_registry().invoke(name, op, params.to_vec()).await.unwrap_err()
}

/// A component, an op, params, and the kind, the message and the help of the error.
type Refusal<'a> = (&'a str, &'a str, &'a [(&'a str, Value)], ErrorKind, &'a str, &'a str);

#[tokio::test]
async fn wrong_names_have_a_kind_and_a_suggestion() {
    let text = ("text", Value::from("a"));
    let cases: [Refusal; 10] = [
        ("texd", "upper", &[], ErrorKind::NotFound, "unknown component `texd`", "`text`"),
        ("qqqqqq", "upper", &[], ErrorKind::NotFound, "unknown component `qqqqqq`", "list_all"),
        ("", "", &[], ErrorKind::NotFound, "unknown component ``", "list_all"),
        ("text", "uper", &[], ErrorKind::NotFound, "`text` has no op `uper`", "`upper`"),
        ("text", "infer", &[], ErrorKind::NotFound, "`text` has no op `infer`", "upper, lower"),
        ("text", "lern", &[], ErrorKind::NotFound, "`text` has no op `lern`", "`learn`"),
        (
            "text",
            "upper",
            &[("txet", "a".into())],
            ErrorKind::InvalidInput,
            "unknown param `txet` of `text.upper`",
            "`text`",
        ),
        (
            "text",
            "split",
            &[text],
            ErrorKind::InvalidInput,
            "missing argument `sep` of `text.split`",
            "sep: string",
        ),
        (
            "text",
            "upper",
            &[("text", 1.into())],
            ErrorKind::InvalidInput,
            "expected string for `text`, found 1",
            "text: string",
        ),
        (
            "ctx_search",
            "infer",
            &[("query", "a".into()), ("source", ".".into()), ("top_k", 0.into())],
            ErrorKind::InvalidInput,
            "for `top_k`, found 0",
            "top_k: int 1..",
        ),
    ];
    for (name, op, params, kind, message, help) in cases {
        let err = refused(name, op, params).await;
        assert_eq!(err.kind, kind, "{name}.{op}: {err}");
        assert!(err.message.contains(message), "{name}.{op}: {err}");
        assert!(err.help.as_ref().is_some_and(|it| it.contains(help)), "{:?}", err.help);
    }
}

#[tokio::test]
async fn an_alias_is_a_name_of_its_op() {
    let registry = get_registry();
    for (name, op) in [("upper", "infer"), ("upper", "upper"), ("text", "upper")] {
        let response = registry.invoke(name, op, [("text", "a".into())]).await.unwrap();
        assert_eq!(response.value, "A".into());
        assert!(response.warnings.problems.is_empty(), "{}", response.warnings);
    }
}

#[tokio::test]
async fn the_policy_of_the_engine_holds() {
    let policy = Policy::default().allow("reads fs:docs").unwrap();
    let host = Arc::new(TestHost::new().file("docs/a.md", "a").file("b.md", "b"));
    let engine = svc::engine().with_host(host.clone()).with_policy(policy);
    let registry = ComponentRegistry::new(engine);
    let read =
        async |path: &str| registry.invoke("files", "read_text", [("path", path.into())]).await;
    assert_eq!(read("docs/a.md").await.unwrap().value, "a".into());
    assert_eq!(read("b.md").await.unwrap_err().kind, ErrorKind::Denied);
    let write = [("text", "x".into()), ("to", "docs/a.md".into())];
    let err = registry.invoke("files", "write_file", write).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Denied, "{err}");
    assert_eq!(host.content("docs/a.md").unwrap(), b"a");
}

#[tokio::test]
async fn a_failure_in_the_middle_ends_the_pipeline_there() {
    let (registry, host) = registry_on(TestHost::new());
    let write =
        |to: &str| PipelineStep::new("files", "write_file").param("text", "x").param("to", to);
    let missing = PipelineStep::new("files", "read_text").param("path", "missing");
    let err = registry.run_pipeline([write("one"), missing, write("three")]).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::NotFound, "{err}");
    assert!(err.message.starts_with("step 2: `files.read_text` failed"), "{err}");
    assert!(host.content("one").is_some() && host.content("three").is_none());
    let run = std::error::Error::source(&err).and_then(|it| it.downcast_ref::<svc::Error>());
    assert!(matches!(run, Some(svc::Error::Run { .. })), "the whole error is its source");
}

#[tokio::test]
async fn no_step_runs_before_all_are_checked() {
    let (registry, host) = registry_on(TestHost::new());
    let write = PipelineStep::new("files", "write_file").param("text", "x").param("to", "one");
    let count = PipelineStep::new("list", "sum");
    let steps = [
        write,
        PipelineStep::new("files", "read_txt"),
        PipelineStep::new("text", "upper").param("text", true),
    ];
    for err in [
        registry.run_pipeline(steps.clone()).await.unwrap_err(),
        registry.run_parallel(steps.clone()).await.unwrap_err(),
    ] {
        let both =
            "step 2: `files` has no op `read_txt`; step 3: expected string for `text`, found true";
        assert_eq!((err.kind, err.message.as_str()), (ErrorKind::NotFound, both));
    }
    // The path that the first step returns is not a list of numbers.
    let err = registry.run_pipeline([steps[0].clone(), count.clone()]).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::InvalidInput);
    assert!(err.message.starts_with("step 2: "), "{err}");
    let err = registry.run_parallel([steps[0].clone(), count]).await.unwrap_err();
    assert!(err.message.starts_with("step 2: missing argument"), "{err}");
    assert!(host.content("one").is_none());
}

/// Two calls that end only together.
#[tokio::test]
async fn parallel_steps_overlap_and_those_in_order_do_not() {
    let meeting = Arc::new(tokio::sync::Barrier::new(2));
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (now, top) = (running.clone(), most.clone());
    let meet = svc::io_op("room.meet", move |name: String| {
        let meeting = meeting.clone();
        async move {
            meeting.wait().await;
            name
        }
    });
    let visit = svc::io_op("room.visit", move |name: String| {
        let (now, top) = (now.clone(), top.clone());
        async move {
            top.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            name
        }
    });
    let engine = svc::engine().with_ops([meet, visit]).unwrap();
    let registry = ComponentRegistry::new(engine);
    let steps = |op: &str, count: usize| {
        let step = |it: usize| PipelineStep::new("room", op).param("input", it.to_string());
        (0..count).map(step).collect::<Vec<_>>()
    };
    let names = |count: usize| (0..count).map(|it| it.to_string().into()).collect::<Vec<Value>>();
    assert_eq!(registry.run_parallel(steps("meet", 2)).await.unwrap(), names(2));
    assert_eq!(registry.run_pipeline(steps("visit", 40)).await.unwrap(), names(40));
    assert_eq!(most.load(Ordering::SeqCst), 1, "no two steps ran at the same time");
    assert_eq!(registry.run_pipeline([]).await.unwrap(), []);
    assert_eq!(registry.run_parallel([]).await.unwrap(), []);
}

#[test]
fn blocking_is_for_threads_without_a_runtime() {
    let invoke = || get_registry().invoke("text", "upper", [("text", "a".into())]);
    assert_eq!(blocking(invoke()).unwrap().value, "A".into());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let inside = runtime.block_on(async { blocking(invoke()) });
    assert_eq!(inside.unwrap_err().kind, ErrorKind::Unsupported);
    // A future of this module without a runtime is an error, not a panic.
    let mut future = std::pin::pin!(invoke());
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match Future::poll(future.as_mut(), &mut cx) {
        std::task::Poll::Ready(Err(err)) => assert_eq!(err.kind, ErrorKind::Unsupported),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_step_is_read_from_json() {
    let read = |text: &str| serde_json::from_str::<PipelineStep>(text);
    let step = PipelineStep::new("text", "upper");
    assert_eq!(read(r#"{"component": "text", "op": "upper"}"#).unwrap(), step);
    assert_eq!(read(r#"{"component": "text", "operation": "upper"}"#).unwrap(), step);
    let with = r#"{"component": "text", "op": "upper", "params": {"text": "a"}}"#;
    assert_eq!(read(with).unwrap(), step.clone().param("text", "a"));
    let err = read(r#"{"component": "text", "op": "upper", "parms": {}}"#).unwrap_err();
    assert!(err.to_string().contains("unknown field `parms`"), "{err}");
    assert!(
        read(r#"{"component": "text"}"#).unwrap_err().to_string().contains("missing field `op`")
    );
    let value = svc::value::to_value(&step).unwrap();
    assert_eq!(from_value::<PipelineStep>(&value).unwrap(), step);
}

#[test]
fn the_list_has_every_component() {
    let all = get_registry().list_all();
    let names: Vec<&str> = all.iter().map(|it| it.name).collect();
    let known = svc::engine();
    let known: Vec<&str> = known.registry().components().iter().map(|it| it.name).collect();
    assert_eq!(names, known);
    let search = all.iter().find(|it| it.name == "ctx_search").unwrap();
    assert!(search.mcp && !search.learns && search.types.contains(&"Hit"), "{search:?}");
    assert!(search.ops.iter().any(|it| it.tool.is_some() && it.tier.is_some()));
    assert!(all.iter().any(|it| it.learns));
    let json = serde_json::to_value(search).unwrap();
    assert_eq!(json["category"], "context-retrieval");
    assert!(json["ops"][0]["params"][0].as_str().unwrap().starts_with("query: string"), "{json}");
}
