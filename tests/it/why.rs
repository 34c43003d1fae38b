//! `svc why`: each of the twelve reasons that can make a call run again, and its message.

use std::{sync::Arc, time::Duration};

use svc::Engine;
use svc_contract::{
    registry::{
        Component, Cx, Effect, Example, Io, Op, OpError, Price, Scheme, TokenPrice, Usage, io,
    },
    store::Store as _,
    value::{Money, Text, Value},
};
use svc_host_os::test::TestHost;
use svc_lang::diag::Source;
use svc_store::SqliteStore;

use crate::components;

/// A store, and the worlds of its runs.
struct Runs(Arc<SqliteStore>);

impl Runs {
    fn new() -> Self {
        Self(Arc::new(SqliteStore::in_memory().unwrap()))
    }

    fn engine(&self, host: TestHost) -> Engine {
        let engine = svc::engine().with(components::ALL).with_host(Arc::new(host));
        engine.with_store(self.0.clone())
    }

    async fn run(&self, script: &str) {
        self.engine(TestHost::new()).run(named(script)).await.unwrap();
    }

    fn why_last(&self, path: &str) -> String {
        why(&self.engine(TestHost::new()), path)
    }
}

/// The reasons for one call of the latest run, as JSON.
fn why(engine: &Engine, path: &str) -> String {
    let why = engine.why("last", Some(path), None).unwrap();
    assert_eq!(why.calls.len(), 1);
    let report = serde_json::to_string(&why.calls[0].reasons).unwrap();
    assert!(why.calls[0].taken_from.is_none(), "{report}");
    report
}

/// Runs are compared with the previous run of the same script.
fn named(script: &str) -> Source {
    Source::new("a.svc", script).in_folder(".")
}

#[tokio::test(start_paused = true)]
async fn an_argument() {
    let runs = Runs::new();
    runs.run(r#""a" >> wait(duration: 1ms)"#).await;
    assert_eq!(runs.why_last("wait"), r#"[{"reason":"first"}]"#);
    runs.run(r#""a" >> wait(duration: 1ms)"#).await;
    assert_eq!(runs.why_last("wait"), r#"[{"reason":"not_asked"}]"#);
    runs.run(r#""a" >> wait(duration: 2ms)"#).await;
    assert_eq!(
        runs.why_last("wait"),
        r#"[{"reason":"argument","name":"duration","before":"\"1ms\"","now":"\"2ms\""}]"#
    );
}

/// A consequence of a call is not a reason for it.
#[tokio::test(start_paused = true)]
async fn an_argument_within_items() {
    let runs = Runs::new();
    for text in ["${it}", "${it}!"] {
        let each =
            format!("each {{ \"{text}\" >> wait(duration: 1ms) >> upper >> wait(duration: 2ms) }}");
        runs.run(&format!("[\"a\", \"b\"] >> {each}")).await;
    }
    assert_eq!(
        runs.why_last("each[0]/wait"),
        r#"[{"reason":"argument","name":"value","before":"\"a\"","now":"\"a!\""}]"#
    );
    assert_eq!(runs.why_last("each[0]/wait#2"), r#"[{"reason":"input","from":"each[0]/wait"}]"#);
}

#[tokio::test(start_paused = true)]
async fn an_input() {
    let runs = Runs::new();
    let script = r#"read_text(path: "x.txt") >> upper >> wait(duration: 1ms)"#;
    for text in ["one", "three"] {
        let engine = runs.engine(TestHost::new().file("x.txt", text));
        engine.run(named(script)).reuse(Duration::from_hours(1)).await.unwrap();
    }
    let engine = runs.engine(TestHost::new().file("x.txt", "three"));
    assert_eq!(why(&engine, "wait"), r#"[{"reason":"input","from":"read_text"}]"#);
    assert_eq!(why(&engine, "read_text"), r#"[{"reason":"input_file","path":"x.txt"}]"#);
}

/// The input of a turn is the result of the previous turn.
#[tokio::test(start_paused = true)]
async fn the_input_of_a_turn() {
    let runs = Runs::new();
    let script = "read_text(path: \"x.txt\") >> repeat 2 { it >> wait(duration: 1ms) } \
        until false else { it } >> wait(duration: 1ms)";
    for text in ["one", "three"] {
        let engine = runs.engine(TestHost::new().file("x.txt", text));
        engine.run(named(script)).await.unwrap();
    }
    let input = |from: &str| format!(r#"[{{"reason":"input","from":"{from}"}}]"#);
    assert_eq!(runs.why_last("repeat[1]/wait"), input("read_text"));
    assert_eq!(runs.why_last("repeat[2]/wait"), input("repeat[1]/wait"));
    // Without a turn, the input is the result.
    let both =
        r#"[{"reason":"input","from":"read_text"},{"reason":"input","from":"repeat[]/wait"}]"#;
    assert_eq!(runs.why_last("wait"), both);
}

#[tokio::test(start_paused = true)]
async fn a_version() {
    const NEWER: Component = Component { version: 2, ..*components::ALL[0] };
    let runs = Runs::new();
    let script = r#""a" >> quick"#;
    runs.run(script).await;
    let engine = runs.engine(TestHost::new()).with(&[&NEWER]);
    engine.run(named(script)).await.unwrap();
    assert_eq!(why(&engine, "quick"), r#"[{"reason":"component_version","before":1,"now":2}]"#);
}

#[tokio::test(start_paused = true)]
async fn a_tunable() {
    let runs = Runs::new();
    let script = r#""One. Two. Three." >> summary >> .text"#;
    runs.run(script).await;
    let engine = runs.engine(TestHost::new()).tuned("summary.max_sentences", 2).unwrap();
    engine.run(named(script)).await.unwrap();
    assert_eq!(
        why(&engine, "summary"),
        r#"[{"reason":"tunable","name":"ctx_summary.max_sentences","before":"5","now":"2"}]"#
    );
    // Tunings are kept with the run.
    let again = runs.engine(TestHost::new());
    again.resume("last").unwrap().await.unwrap();
    let node = runs.0.node(&runs.0.run("last").unwrap().id, "summary").unwrap().unwrap();
    assert!(node.cause.is_none(), "{node:?}");
}

#[tokio::test(start_paused = true)]
async fn an_imported_file() {
    let runs = Runs::new();
    let script = "use \"lib.svc\" as lib\n\"a\" >> lib.later";
    let later =
        |time: &str| format!("flow later(x: string) -> string {{ x >> wait(duration: {time}) }}");
    for time in ["1ms", "2ms"] {
        let engine = runs.engine(TestHost::new().file("lib.svc", later(time)));
        engine.run(named(script)).await.unwrap();
    }
    let report = runs.why_last("lib.later/wait");
    assert_eq!(report, r#"[{"reason":"import","file":"/home/lib.svc"}]"#);
}

#[tokio::test(start_paused = true)]
async fn a_template() {
    let runs = Runs::new();
    let script = "use \"x.rhai\" as x\n\"a\" >> x.later";
    let later = |time: &str| {
        let code = format!("`wait(duration: {time})`");
        format!("/// template later(text: string) -> string\nfn later() {{ {code} }}")
    };
    for time in ["1ms", "2ms"] {
        let engine = runs.engine(TestHost::new().file("x.rhai", later(time)));
        engine.run(named(script)).await.unwrap();
    }
    let report = runs.why_last("x.later/wait");
    assert_eq!(report, r#"[{"reason":"template","file":"/home/x.rhai"}]"#);
    // The text of the template is kept with the run.
    runs.engine(TestHost::new()).resume("last").unwrap().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_param() {
    let runs = Runs::new();
    let script = "param time: duration\n\"a\" >> wait(duration: time)";
    for time in ["1ms", "2ms"] {
        let engine = runs.engine(TestHost::new());
        engine.run(named(script)).param_text("time", time).await.unwrap();
    }
    assert_eq!(
        runs.why_last("wait"),
        r#"[{"reason":"param","name":"time","before":"\"1ms\"","now":"\"2ms\""}]"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_price() {
    const CHEAP: Component =
        Component { ops: &[io::<Cheaper>()], aliases: &[("paid", "paid")], ..*components::ALL[0] };
    let runs = Runs::new();
    let script = r#"["a", "b"] >> each { paid(max_tokens: 1000) } within { max_parallel: 1 }"#;
    let engine = runs.engine(TestHost::new());
    let run = engine.run(named(script)).max_cost(Money::from_nanos(30_050_000));
    assert!(run.await.is_err(), "the second one reserves more than is left");
    let engine = engine.with(&[&CHEAP]);
    engine.resume("last").unwrap().await.unwrap();
    let report = why(&engine, "each[1]/paid");
    assert!(report.starts_with(r#"[{"reason":"price","before":"at most $0.0"#), "{report}");
}

svc::params! {
    /// The op `paid` with cheaper prompts.
    struct Cheaper {
        /// The prompt.
        prompt: Text,
        /// The maximum number of tokens of the answer.
        max_tokens: i64,
    }
}

impl Op for Cheaper {
    const NAME: &'static str = "paid";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Tokens(TokenPrice {
        input: Money::cents(1),
        output: Money::cents(1500),
        prompt: &["prompt"],
        cap: "max_tokens",
    });
    const SAYS: &'static [&'static str] =
        &["pay less for a prompt", "cost fewer tokens", "answer cheaply"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Cheaper {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let tokens = u64::try_from(self.max_tokens).unwrap_or(0);
        let cost = Money::cents(1500).per_million(tokens).unwrap_or_default();
        cx.used(Usage { tokens, cost });
        Ok(Value::from(format!("a cheap answer to {}", self.prompt)))
    }
}

#[tokio::test(start_paused = true)]
async fn the_age_of_a_result() {
    let runs = Runs::new();
    let script = r#""a" >> wait(duration: 1ms)"#;
    let reuse = |hours: i64| {
        let engine = runs.engine(TestHost::new().at(hours * 3_600_000));
        async move { engine.run(named(script)).reuse(Duration::from_hours(2)).await.unwrap() }
    };
    reuse(0).await;
    reuse(1).await;
    let engine = runs.engine(TestHost::new());
    let why = engine.why("last", Some("wait"), None).unwrap();
    assert!(why.calls[0].taken_from.is_some(), "one hour is not too old");
    reuse(3).await;
    assert_eq!(
        runs.why_last("wait"),
        r#"[{"reason":"reuse_age","age":10800000,"max_age":7200000}]"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_before() {
    let runs = Runs::new();
    let engine = runs.engine(TestHost::new());
    assert!(engine.run(named(r#""a" >> slow"#)).await.is_err());
    assert!(engine.resume("last").unwrap().await.is_err());
    let report = runs.why_last("slow");
    assert!(report.starts_with(r#"[{"reason":"failure","kind":"timeout","message":"#), "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_wish() {
    let runs = Runs::new();
    runs.run(r#""a" >> wait(duration: 1ms)"#).await;
    let engine = runs.engine(TestHost::new());
    engine.resume("last").unwrap().again("wait").await.unwrap();
    assert_eq!(runs.why_last("wait"), r#"[{"reason":"explicit","option":"--again"}]"#);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_missing() {
    let runs = Runs::new();
    runs.run(r#""a" >> wait(duration: 1ms)"#).await;
    runs.run(r#""a" >> wait(duration: 1ms) >> wait(duration: 2ms)"#).await;
    assert_eq!(runs.why_last("wait#2"), r#"[{"reason":"missing"}]"#);
    assert_eq!(runs.why_last("wait"), r#"[{"reason":"not_asked"}]"#);
}
