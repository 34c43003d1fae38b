//! Declarations that an engine refuses, with an error instead of a panic.

use svc::registry::{ClosureOp, Effect, Flow, OpError, Price, Var};

fn double(name: &str) -> ClosureOp {
    svc::op(name, |it: i64| it * 2)
}

fn rated() -> ClosureOp {
    svc::io_op("crm.a", async |it: String, by: Flow<String, f64>| by.call(it).await)
}

fn refused(ops: Vec<ClosureOp>) -> OpError {
    svc::engine().with_ops(ops).map(|_| ()).unwrap_err()
}

svc::params! {
    /// A parameter with the name of the input.
    struct Twice {
        /// The same name.
        input: i64 = 1,
    }
}

#[test]
fn contradictions_are_errors() {
    let cases = [
        vec![double("crm.score"), double("crm.score")],
        vec![double("crm.a").alias("points"), double("sales.b").alias("points")],
        vec![double("crm.a").alias("sales"), double("sales.b")],
        vec![double("crm.a").alias("search")],
        vec![double("search")],
        vec![double("search.all")],
        vec![double("ctx_search.all")],
        vec![double("Crm")],
        vec![double("crm.a.b")],
        vec![double("")],
        vec![double("each")],
        vec![double("crm.match")],
        vec![double("crm.a").effect("sends mail")],
        vec![double("crm.a").effect("reads fs:<path>")],
        vec![svc::inline_op("crm.a", |it: i64| it).effect(Effect::Asks)],
        vec![svc::inline_op("crm.a", |it: i64| it).price(Price::Unknown)],
        vec![svc::op("crm.a", |it: i64, twice: Twice| it * twice.input)],
        vec![double("crm.a").params(["n", "m"])],
        vec![double("crm.a").params(["Number"])],
        vec![svc::op("crm.a", |it: i64, by: Twice| it * by.input).params(["of", "by"])],
        vec![double("crm.a").calls("by", 2)],
        vec![double("crm.a").calls("input", 2)],
        vec![rated().calls("flow", "rounds")],
        vec![svc::op("crm.a", |_: String, by: Flow<String, i64>| by.name().to_owned())],
        vec![svc::inline_op("crm.a", |_: String, by: Flow<String, i64>| by.name().to_owned())],
        vec![svc::io_op("crm.a", async |_: Vec<String>, by: Flow<Var<'A'>, f64>| {
            by.call(Var(1.into())).await
        })],
        vec![svc::inline_op("crm.a", |it: i64| Var::<'T'>(it.into()))],
    ];
    let shown: Vec<String> = cases
        .map(|it| {
            let err = refused(it);
            format!("{err}\n  help: {}\n", err.help.as_deref().unwrap_or("missing"))
        })
        .to_vec();
    insta::assert_snapshot!(shown.concat());
}

/// Also if the ops are added at different times.
#[test]
fn an_op_is_not_replaced() {
    let engine = svc::engine().with_ops([double("crm.score").alias("points")]).unwrap();
    let again = |op| engine.clone().with_ops([op]).map(|_| ()).unwrap_err().to_string();
    assert_eq!(again(double("crm.score")), "duplicate op `crm.score`");
    assert!(again(double("crm.other").alias("points")).contains("`points`"));
    assert!(again(double("points")).contains("`points`"));
    assert!(again(double("sales.a").alias("crm")).contains("`crm`"));
}
