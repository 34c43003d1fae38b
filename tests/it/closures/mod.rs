//! Ops that an embedding program makes of closures at run time.

mod flows;
mod lent;
mod opaque;
mod refused;
mod reused;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use svc::{
    Error,
    registry::{Cx, Effect, ErrorKind, Limits, OpError, Price},
    value::{Money, Value},
};

svc::record! {
    /// A customer.
    pub struct Customer {
        /// The name.
        name: String,
        /// The number of orders.
        orders: i64,
    }
}

svc::params! {
    /// How to search.
    struct Search {
        /// The number of customers.
        #[range(1..=10)]
        limit: i64 = 2,
        /// The beginning of the names.
        prefix: String = String::new(),
    }
}

/// A model that a program trained.
struct Model {
    weight: f64,
}

impl Model {
    #[expect(clippy::cast_precision_loss, reason = "few orders")]
    fn score(&self, customer: &Customer) -> f64 {
        customer.orders as f64 * self.weight
    }
}

const CUSTOMERS: [(&str, i64); 4] = [("ada", 4), ("bob", 2), ("adam", 1), ("amy", 0)];

fn found(input: &str, search: &Search) -> Vec<Customer> {
    let all = CUSTOMERS.into_iter().filter(|(name, orders)| {
        name.starts_with(&search.prefix) && format!("{name} {orders}").contains(input)
    });
    let all = all.map(|(name, orders)| Customer { name: name.to_owned(), orders });
    all.take(usize::try_from(search.limit).unwrap()).collect()
}

#[tokio::test]
async fn a_closure_captures_a_model() {
    let model = Arc::new(Model { weight: 0.5 });
    let captured = model.clone();
    let score = svc::op("crm.score", move |customer: Customer| captured.score(&customer));
    let engine = svc::engine().with_ops([score]).unwrap();
    let script =
        r#"[{ name: "ada", orders: 4 }, { name: "bob", orders: 1 }] >> each { crm.score }"#;
    let scores: Vec<f64> = engine.run(script).await.unwrap().get().unwrap();
    assert_eq!(scores, [2.0, 0.5]);
    drop(engine);
    assert_eq!(Arc::strong_count(&model), 1, "the closure is dropped with its engine");
}

/// Several ops of one component, of all kinds, with named parameters.
#[tokio::test]
async fn ops_of_one_component_work_together() {
    let engine = svc::engine()
        .with_ops([
            svc::io_op("crm.find", async |input: String, search: Search| found(&input, &search)),
            svc::op("crm.score", |customer: Customer| customer.orders * 10),
            svc::inline_op("crm.label", |score: i64| format!("{score} points")).alias("label"),
            svc::op("crm.count", || CUSTOMERS.len()),
        ])
        .unwrap();
    let script = r#""a" >> crm.find(limit: 3, prefix: "a") >> each { crm.score >> label }"#;
    let labels: Vec<String> = engine.run(script).await.unwrap().get().unwrap();
    assert_eq!(labels, ["40 points", "10 points", "0 points"]);
    let found: Value = engine.run(r#""a" >> crm.find >> each { .name }"#).await.unwrap().value;
    assert_eq!(found.to_string(), r#"["ada","adam"]"#, "the default of the limit is 2");
    let count: i64 = engine.run("crm.count()").await.unwrap().get().unwrap();
    assert_eq!(count, 4);
    let sum: i64 = engine.run("(crm.count()) + 1").await.unwrap().get().unwrap();
    assert_eq!(sum, 5);

    let more = engine.with_ops([svc::op("crm.twice", |it: i64| it * 2)]).unwrap();
    let points: String = more.run("4 >> crm.twice >> label").await.unwrap().get().unwrap();
    assert_eq!(points, "8 points", "ops can be added to a component later");
}

/// The bare name of a component calls its only op.
#[tokio::test]
async fn an_op_can_have_a_bare_name() {
    let engine =
        svc::engine().with_ops([svc::op("shout", |it: String| it.to_uppercase())]).unwrap();
    let loud: String = engine.run(r#""hi" >> shout"#).await.unwrap().get().unwrap();
    assert_eq!(loud, "HI");
}

/// An engine that reloads the same ops needs no memory for their declarations.
#[test]
fn equal_declarations_are_stored_once() {
    let load = |weight: i64| {
        let ops = [svc::op("crm.weigh", move |it: i64| it * weight).doc("Weighs.").version(2)];
        svc::engine().with_ops(ops).unwrap()
    };
    let [a, b] = [1, 2].map(|it| load(it).registry().resolve("crm.weigh").unwrap().op);
    assert!(std::ptr::eq(a, b));
}

/// An error of the program, as its closures return it.
struct Missing(i64);

impl From<Missing> for OpError {
    fn from(missing: Missing) -> Self {
        Self::not_found(format!("no customer {}", missing.0)).help("list them with `crm.find`")
    }
}

#[tokio::test]
async fn a_closure_fails_with_an_error_of_the_program() {
    let known = |id: i64| if id == 7 { Ok("ada".to_owned()) } else { Err(Missing(id)) };
    let engine = svc::engine()
        .with_ops([
            svc::op("crm.name", known),
            svc::io_op("crm.load", move |id: i64| std::future::ready(known(id))),
            svc::inline_op("crm.of", known),
            svc::inline_op("crm.broken", |_: i64| -> i64 { panic!("not today") }),
        ])
        .unwrap();
    for op in ["crm.name", "crm.load", "crm.of"] {
        let name: String = engine.run(format!("7 >> {op}")).await.unwrap().get().unwrap();
        assert_eq!(name, "ada");
        let err = engine.run(format!("8 >> {op}")).await.map(|it| it.value).unwrap_err();
        assert_eq!(err.kind(), Some(ErrorKind::NotFound), "{op}");
        assert!(err.to_string().contains("no customer 8"), "{err}");
    }
    let other: String =
        engine.run(r#"8 >> crm.name fallback "none""#).await.unwrap().get().unwrap();
    assert_eq!(other, "none");
    let err = engine.run("1 >> crm.broken").await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("`crm.broken` panicked"), "{err}");
}

/// The check knows the types and parameters of a closure, and names the op.
#[test]
fn check_errors_name_the_op() {
    let find = svc::io_op("crm.find", async |input: String, search: Search| found(&input, &search));
    let engine = svc::engine().with_ops([find.doc("Finds customers.")]).unwrap();
    let message = |script: &str| engine.check(script).unwrap_err().to_string();
    for (script, expected) in [
        ("1 >> crm.find", "crm.find"),
        (r#""a" >> crm.find(limit: 11)"#, "expected int 1..10"),
        (r#""a" >> crm.find(limits: 1)"#, "limits"),
        (r#""a" >> crm.fnd"#, "crm"),
        (r#""a" >> crm.find >> each { .nam }"#, "nam"),
    ] {
        assert!(message(script).contains(expected), "{script}: {}", message(script));
    }
    insta::assert_snapshot!(
        engine.check("1 >> crm.find").unwrap_err().render(svc::diag::Style::Plain)
    );
}

#[test]
fn completion_offers_it() {
    use svc::{
        diag::Source,
        editor::{Asked, Draft, Unsaved, complete},
    };
    let find = svc::io_op("crm.find", async |input: String, search: Search| found(&input, &search));
    let ops = [find.doc("Finds customers.").alias("find_customers")];
    let engine = svc::engine().with_ops(ops).unwrap();
    let offered = |text: &str| {
        let source = Source::new("draft.svc", text);
        let analysis = engine.analyse(source.clone());
        let unsaved = Unsaved::default();
        let draft =
            Draft { engine: &engine, source: &source, analysis: &analysis, unsaved: &unsaved };
        let choices = complete(&draft, text.len(), Asked::Plainly).unwrap();
        choices.all.into_iter().map(|it| it.label).collect::<Vec<_>>()
    };
    assert!(offered(r#""a" >> find_"#).contains(&"find_customers".to_owned()));
    assert!(offered(r#""a" >> crm."#).contains(&"find".to_owned()));
    assert!(offered(r#""a" >> crm.find(pre"#).contains(&"prefix".to_owned()));
}

/// A price is part of the estimate and of the caps.
#[tokio::test]
async fn a_price_is_estimated_and_capped() {
    let calls = Arc::new(AtomicU64::new(0));
    let counted = calls.clone();
    let lookup = svc::io_op("credit.check", move |_: String| {
        counted.fetch_add(1, Ordering::Relaxed);
        std::future::ready(700_i64)
    });
    let cost = Money::from_nanos(10_000_000);
    let lookup =
        lookup.price(Price::Fixed(cost)).limits(Limits { max_retries: 0, ..Limits::DEFAULT });
    let engine = svc::engine().with_ops([lookup]).unwrap();
    let script = r#"["ada", "bob"] >> each { credit.check }"#;
    let plan = engine.plan(script).unwrap();
    assert_eq!(plan.effects().iter().map(ToString::to_string).collect::<Vec<_>>(), ["spends"]);
    let response = engine.run(script).await.unwrap();
    assert_eq!(response.usage.cost, Money::from_nanos(20_000_000));
    let err = engine.run(script).max_cost(cost).await.map(|it| it.value).unwrap_err();
    assert!(matches!(err, Error::Check(_)) || err.kind() == Some(ErrorKind::Budget), "{err}");
    assert!(calls.load(Ordering::Relaxed) <= 3);
}

/// A policy refuses effects before the run.
#[tokio::test]
async fn a_policy_refuses_effects_before_the_run() {
    let calls = Arc::new(AtomicU64::new(0));
    let counted = calls.clone();
    let send = move |_: Cx, text: String| {
        counted.fetch_add(1, Ordering::Relaxed);
        text.len()
    };
    let ops = [svc::op("mail.send", send).effect("writes mail on every attempt")];
    let engine = svc::engine().with_ops(ops).unwrap();
    let policy = svc::Policy::default().deny("writes mail").unwrap();
    let err = engine.clone().with_policy(policy).run(r#""hi" >> mail.send"#).await;
    let Err(Error::Check(report)) = err.map(|it| it.value) else { panic!("it was not refused") };
    assert!(report.to_string().contains("mail.send"), "{report}");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let length: i64 = engine.run(r#""hi" >> mail.send"#).await.unwrap().get().unwrap();
    assert_eq!((length, calls.load(Ordering::Relaxed)), (2, 1));
}

/// A path that an argument names is the only one that the host of the call can access.
#[tokio::test]
async fn a_closure_reads_only_the_files_that_it_declares() {
    let host = svc::host::TestHost::new().file("a.txt", "A").file("b.txt", "B");
    let read = |other: &'static str| {
        move |cx: Cx, path: std::path::PathBuf| {
            let path = if other.is_empty() { path } else { other.into() };
            let bytes =
                svc::host::read(cx.host(), &path, 99).map_err(|err| OpError::io(err, &path))?;
            Ok::<_, OpError>(String::from_utf8_lossy(&bytes).into_owned())
        }
    };
    let effect = || Effect::Reads(svc::registry::Scope::Path("input"));
    let engine = svc::engine()
        .with_host(Arc::new(host))
        .with_ops([
            svc::op("crm.own", read("")).effect(effect()),
            svc::op("crm.other", read("b.txt")).effect("reads fs:<input>"),
        ])
        .unwrap();
    let own: String = engine.run(r#"path("a.txt") >> crm.own"#).await.unwrap().get().unwrap();
    assert_eq!(own, "A");
    let err = engine.run(r#"path("a.txt") >> crm.other"#).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Denied), "{err}");
}
