//! An absent field is null in every respect.

use std::{sync::Arc, time::Duration};

use svc::Engine;
use svc_contract::value::{Record, Value, json};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

fn engine() -> Engine {
    let host = TestHost::new().file("a.json", r#"{"a": 1}"#);
    svc::engine().with_host(Arc::new(host)).with_store(Arc::new(SqliteStore::in_memory().unwrap()))
}

const HEAD: &str = "type R = { a: int, b: int? }\nlet r: R = { a: 1 }\n\
    let called = r >> wait(duration: 1ms)\n";

#[tokio::test(start_paused = true)]
async fn an_absent_field_is_null_everywhere() {
    for (expr, wanted) in [
        ("r == { a: 1 } and { a: 1 } == r and r == { a: 1, b: null }", "true"),
        ("called == { a: 1 } and called == r", "true"),
        ("r == { a: 1, b: 2 } or { b: 2, a: 1 } == called", "false"),
        ("len(unique([r, called, { a: 1, b: null }]))", "1"),
        ("len(([r, called] >> group { it }))", "1"),
        ("contains([called], r) and contains([r], { a: 1 })", "true"),
        ("to_json(r)", r#""{\"a\":1,\"b\":null}""#),
        ("to_json(called)", r#""{\"a\":1,\"b\":null}""#),
        ("\"${r}\"", r#""{\"a\":1,\"b\":null}""#),
        ("keys(r) == keys(called)", "true"),
        ("[called, r]", r#"[{"a":1,"b":null},{"a":1,"b":null}]"#),
        ("{ ...r }", r#"{"a":1,"b":null}"#),
        ("r >> rhai(x: R) -> R { #{ a: x.a } }", r#"{"a":1,"b":null}"#),
        ("r >> rhai(x: R) -> bool { x.b == () && x.keys().len() == 2 }", "true"),
        ("read_json<R>(path: \"a.json\")", r#"{"a":1,"b":null}"#),
        ("parse_json<R>(\"{\\\"a\\\": 1}\") == r", "true"),
        (r#"parse_json("{\"a\":1}") == parse_json("{\"b\":null,\"a\":1}")"#, "true"),
        (r#"len(unique(parse_json<[json]>("[{\"a\":1},{\"b\":null,\"a\":1}]")))"#, "1"),
    ] {
        let script = format!("{HEAD}{expr}");
        let engine = engine();
        let ran = engine.run(script.as_str()).await;
        let ran = ran.unwrap_or_else(|err| panic!("{}", err.render(svc_lang::diag::Style::Plain)));
        assert_eq!(json::write(&ran.value), wanted, "{expr}");
        let again = engine.run(script.as_str()).reuse(Duration::from_hours(1)).await.unwrap();
        assert_eq!(json::write(&again.value), wanted, "{expr}, of another run");
        let run = engine.kept_run("last").unwrap();
        assert!(engine.replay(run, None).unwrap().is_same(Some(wanted)), "{expr}, replayed");
        let resumed = engine.resume("last").unwrap().await.unwrap();
        assert_eq!(json::write(&resumed.value), wanted, "{expr}, resumed");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_holds_of_params_flows_branches_and_mocks() {
    let script = "type R = { a: int, b: int? }\nparam p: R\n\
        flow f(x: R) -> R { x }\nflow g(x: int) -> R { { a: x } }\n\
        let list: [R] = [{ a: 1 }]\nlet one = if p.a == 1 { p } else { { a: 1, b: 2 } }\n\
        [to_json(p), to_json(({ a: 1 } >> f)), to_json((1 >> g)), to_json((list >> first)), to_json(one)] >> unique";
    let record: Record = [("a".into(), Value::Int(1))].into_iter().collect();
    let ran = engine().run(script).param("p", Value::Record(record)).await.unwrap();
    assert_eq!(json::write(&ran.value), r#"["{\"a\":1,\"b\":null}"]"#);

    let script = "type R = { a: int, b: int? }\n\"what\" >> ask<R>\n\
        mock ask<R> = { a: 1 }\n\
        test \"a mock\" { let r = main() expect r == { a: 1 } expect to_json(r) == \"{\\\"a\\\":1,\\\"b\\\":null}\" }";
    let engine = engine();
    let tested = engine.test(&engine.check(script).unwrap(), "");
    assert!(tested.iter().all(svc_engine::TestResult::passed) && tested.len() == 1, "{tested:?}");
}

/// The two zeros of floats are equal.
#[tokio::test(start_paused = true)]
async fn there_is_one_zero() {
    for zero in
        ["-0.0", "0.0 * -1.0", "(-0.0 >> wait(duration: 1ms))", "to_float(\"-0.0\")", "sqrt(-0.0)"]
    {
        let script = format!(
            "let z = {zero}\nlet c = z >> wait(duration: 1ms)\n\
             let r = z >> rhai(x: float) -> string {{ x.to_string() }}\n\
             [\"${{z}}\", \"${{c}}\", to_json(z), to_json([c]), show(z), \"${{z:.1}}\", r,\n\
             \"${{len(unique([z, c, 0.0]))}} ${{z == 0.0}} ${{len(([z, 0.0] >> group {{ it }}))}}\"]"
        );
        let wanted = r#"["0.0","0.0","0.0","[0.0]","0.0","0.0","0.0","1 true 1"]"#;
        let engine = engine();
        let ran = engine.run(script.as_str()).await;
        let ran = ran.unwrap_or_else(|err| panic!("{}", err.render(svc_lang::diag::Style::Plain)));
        assert_eq!(json::write(&ran.value), wanted, "{zero}");
        let again = engine.run(script.as_str()).reuse(Duration::from_hours(1)).await.unwrap();
        assert_eq!(json::write(&again.value), wanted, "{zero}");
    }
}
