//! Strategies that users write, and those that would do harm.

use svc_bias::{Biases, Step, Work};
use svc_contract::registry::{OpError, Registry};
use svc_engine::Engine;
use svc_host_os::test::TestHost;
use svc_store::book::Book;

use std::sync::Arc;

use super::{
    NAME,
    component::{TRAP, cases},
    config, field,
};

fn with_strategy(code: &str) -> Work {
    let host = TestHost::new().file("cases/trap.jsonl", cases(100, 0)).file("mine.rhai", code);
    let engine = Engine::new(Registry::default(), Arc::new(host)).with(&[&TRAP]);
    let book = Book::in_memory(engine.host()).unwrap();
    Work::new(Arc::new(Biases::new(Arc::new(book), None)), engine)
}

async fn tried(code: &str) -> Result<svc_contract::value::Value, OpError> {
    let work = with_strategy(code);
    let config = config(r#"{"strategy": "mine.rhai", "max_evaluations": 20, "max_iterations": 4}"#);
    work.evolve(NAME, None, &config, None, &mut |_: &Step| {}).await.map(|it| it.0)
}

#[tokio::test]
async fn a_strategy_of_a_user_proposes_params_itself() {
    let code = r"
        fn propose(history) {
            if history.round > 0 { return []; }
            [#{ params: #{ honest: 0.6 } }, #{ params: #{ honest: 0.4 } }]
        }
        fn judge(results) { [] }
    ";
    let found = tried(code).await.unwrap();
    let honest = field(&found, "proposal.evolvable_params.honest.value");
    assert_eq!(honest, &svc_contract::value::Value::Float(0.6));
}

#[tokio::test]
async fn hostile_strategies_are_stopped_with_a_message() {
    let judge = "fn judge(results) { [] }";
    let propose = "fn propose(history) { [#{ by: \"random\" }] }";
    let hostile = [
        (format!("fn propose(h) {{ loop {{}} }} {judge}"), "too many operations"),
        (format!("fn propose(h) {{ propose(h) }} {judge}"), "nested too deeply"),
        (format!("fn propose(h) {{ let s = \"x\"; loop {{ s += s; }} }} {judge}"), "too large"),
        (format!("fn propose(h) {{ let a = []; loop {{ a.push(a); }} }} {judge}"), ""),
        (
            format!(
                "fn propose(h) {{ let m = #{{}}; let i = 0; loop {{ m[`${{i}}`] = i; i += 1; }} }} {judge}"
            ),
            "",
        ),
        (format!("fn propose(h) {{ throw \"no\" }} {judge}"), "no"),
        (format!("fn propose(h) {{ 1 / 0 }} {judge}"), ""),
        (format!("fn propose(h) {{ 42 }} {judge}"), "a list of asks"),
        (format!("fn propose(h) {{ [1] }} {judge}"), "found 1"),
        (
            format!("fn propose(h) {{ [#{{ by: \"tpe\", count: 1000000 }}] }} {judge}"),
            "`propose` returns",
        ),
        (format!("fn propose(h) {{ [#{{ by: \"god\" }}] }} {judge}"), "unknown proposer `god`"),
        (format!("fn propose(h) {{ [#{{ by: \"tpe\", share: 7.0 }}] }} {judge}"), "a share is"),
        (
            format!("fn propose(h) {{ [#{{ params: #{{ honest: 99.0 }} }}] }} {judge}"),
            "a float from 0 to 1",
        ),
        (
            format!("fn propose(h) {{ [#{{ params: #{{ evil: 1 }} }}] }} {judge}"),
            "`evil` is not a tunable",
        ),
        (
            format!(
                "fn propose(h) {{ let a = []; for i in 0..1000 {{ a.push(#{{ by: \"tpe\" }}); }} a }} {judge}"
            ),
            "asks for too much",
        ),
        (format!("{propose} fn judge(r) {{ [9999] }}"), "indexes below"),
        (format!("{propose} fn judge(r) {{ \"all\" }}"), "`judge` returns"),
        (format!("{propose} fn judge(r) {{ loop {{}} }}"), "too many operations"),
        (format!("fn propose(h) {{ import \"/etc/passwd\" as p; [] }} {judge}"), ""),
        (format!("fn propose(h) {{ eval(\"1\") }} {judge}"), ""),
        (propose.to_owned(), "has no function `judge`"),
        ("fn propose(".to_owned(), ""),
    ];
    for (code, part) in hostile {
        let failed = tried(&code).await.expect_err(&code);
        assert!(failed.message.contains(part), "{code}\n{failed:?}");
        assert!(failed.message.contains("strategy"), "{code}\n{failed:?}");
    }
}

#[tokio::test]
async fn an_unknown_strategy_is_named_with_those_there_are() {
    let work = with_strategy("");
    let report = &mut |_: &Step| {};
    let given = config(r#"{"strategy": "debat"}"#);
    let failed = work.evolve(NAME, None, &given, None, report).await.unwrap_err();
    assert!(failed.help.unwrap().contains("debate, successive_halving"));
    let given = config(r#"{"strategy": "other.rhai"}"#);
    let failed = work.evolve(NAME, None, &given, None, report).await.unwrap_err();
    assert!(failed.message.contains("cannot read the strategy `other.rhai`"), "{failed:?}");
}
