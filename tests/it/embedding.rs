//! The engine as a library: typed inputs and results, blocks, user-defined components.

use std::{collections::BTreeMap, sync::Arc};

use svc::{
    Error, block,
    host::TestHost,
    registry::{Bias, Component, Cx, Effect, ErrorKind, Example, Io, Op, OpError, Scheme, io},
    value::{Text, Value},
};

#[tokio::test]
async fn params_and_results_are_typed() {
    let engine = svc::engine();
    let script = "param n: int\nparam words: [string]\nwords >> take(n: n)";
    let request = engine
        .run(script)
        .param("n", 2)
        .param("words", vec![Value::from("a"), Value::from("b"), Value::from("c")]);
    let words: Vec<String> = request.await.unwrap().get().unwrap();
    assert_eq!(words, ["a", "b"]);
    let wrong: Result<i64, _> = engine.run("\"a\" >> upper").await.unwrap().get();
    assert_eq!(wrong.unwrap_err().to_string(), "expected int, found string");
}

#[tokio::test]
async fn wrong_params_are_named() {
    let engine = svc::engine();
    let run = |name: &'static str, value: Value| {
        let engine = engine.clone();
        async move {
            let script = "param topic: string\nparam k: int 1..5 = 3\n{ topic: topic, k: k }";
            let request = engine.run(script).param("topic", "x").param(name, value);
            request.await.map(|it| it.value).unwrap_err()
        }
    };
    let err = run("topik", Value::from("x")).await;
    assert!(err.to_string().contains("no param `topik`"), "{err}");
    let err = run("k", Value::Int(9)).await;
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
    assert!(err.to_string().contains("expected int 1..5 for `k`, found 9"), "{err}");
}

#[tokio::test]
async fn a_block_is_the_script_that_it_prints() {
    let blocks = block("split").arg("sep", ",") >> block("each_upper") >> block("reverse");
    assert_eq!(blocks.to_string(), r#"split(sep: ",") >> each_upper >> reverse"#);
    let blocks = block("split").arg("sep", ", \"$\n") >> block("first") >> block("upper");
    let engine = svc::engine();
    let composed = engine.run(blocks.clone()).input("a, \"$\nb").await.unwrap().value;
    let written = engine.run(blocks.to_string()).input("a, \"$\nb").await.unwrap().value;
    assert_eq!(composed, Value::from("A"));
    assert_eq!(composed, written);
}

#[tokio::test]
async fn blocks_search_and_summarise() {
    let host = TestHost::new().file("docs/a.md", "# Caps\n\nA cap is enforced by a reservation.\n");
    let engine = svc::engine().with_host(Arc::new(host));
    let pipeline =
        block("search").arg("source", "docs") >> block("rag_retrieval") >> block("summary");
    let response = engine.run(pipeline).input("how is a cap enforced?").await.unwrap();
    let text = response.value.as_record().and_then(|it| it.get("text")).cloned().unwrap();
    assert!(text.to_string().contains("enforced by a reservation"), "{text}");
}

#[tokio::test]
async fn a_script_that_does_not_check_never_runs() {
    let engine = svc::engine();
    match engine.run("\"a\" >> nothing >> upper(x: 1)").await.map(|it| it.value) {
        Err(Error::Check(report)) => assert_eq!(report.errors().count(), 2, "{report}"),
        other => panic!("{other:?}"),
    }
    let plan = engine.plan("\"a\" >> upper").unwrap();
    assert_eq!(plan.nodes().len(), 1);
}

/// The parts of an engine can be shared between threads, and so can a run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_can_be_spawned() {
    let engine = svc::engine();
    let mut runs = BTreeMap::new();
    for n in 0..20_i64 {
        let engine = engine.clone();
        let run = async move { engine.run("param n: int\nn * 2").param("n", n).await };
        runs.insert(n, tokio::spawn(run));
    }
    for (n, run) in runs {
        assert_eq!(run.await.unwrap().unwrap().value, Value::Int(n * 2));
    }
}

/// A service of the program.
struct Phonebook(BTreeMap<&'static str, i64>);

const PHONE: Component = Component {
    name: "phone",
    cluster: "test",
    summary: "Looks up phone numbers.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[io::<Number>()],
};

svc::params! {
    /// The phone number of a person.
    struct Number {
        /// The name.
        name: Text,
    }
}

impl Op for Number {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Int;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(svc::registry::Scope::Named("phonebook"))];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] =
        &["look up a phone number", "call a person", "which number does someone have"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Number {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let book = cx.lent::<Phonebook>()?;
        let number = book.0.get(&*self.name).copied();
        number.map(Value::Int).ok_or_else(|| OpError::not_found(format!("no `{}`", self.name)))
    }
}

#[tokio::test]
async fn a_program_lends_its_services_to_its_components() {
    let script = "[\"ada\", \"bob\"] >> each { phone }";
    let book = |number| Arc::new(Phonebook([("ada", number), ("bob", 2)].into()));
    let engine = svc::engine().with(&[&PHONE]).lend(book(7)).lend(book(1));
    let numbers: Vec<i64> = engine.run(script).await.unwrap().get().unwrap();
    assert_eq!(numbers, [1, 2], "the last service of a type counts");

    let err = svc::engine().with(&[&PHONE]).run(script).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unsupported));
    assert!(err.to_string().contains("Phonebook` is available to this component"), "{err}");
}
