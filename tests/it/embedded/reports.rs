//! Errors as one object, and who words their help.

use svc::{
    Error, Hints, Policy,
    diag::{HintId, Source},
    output::ERROR_SCHEMA,
};

use super::engine;
use crate::verdict::Schema;

fn json(error: &Error) -> String {
    serde_json::to_string_pretty(&error.report()).unwrap()
}

#[tokio::test]
async fn a_check_and_a_run_have_one_report() {
    let engine = engine();
    let source = |text: &str| Source::new("report.svc", text);
    let wrong = engine.check(source("\"a\" >> uper\n[1] >> upper")).unwrap_err();
    insta::assert_snapshot!("report_of_a_check", json(&wrong.into()));
    let failed = engine.run(source("[\"a\", \"\"] >>\n  each { slow.echo }")).await.unwrap_err();
    insta::assert_snapshot!("report_of_a_run", json(&failed));
    let input = engine.run(source("param n: int 1..5\nn")).param("n", 9).await.unwrap_err();
    insta::assert_snapshot!("report_of_an_input", json(&input));
    let refused = engine.with_policy(denied()).check(source(FETCH)).unwrap_err();
    insta::assert_snapshot!("report_of_a_refusal", json(&refused.into()));
}

fn matches_the_schema(error: &Error) {
    let report = serde_json::to_value(error.report()).unwrap();
    assert_eq!(Schema::of(ERROR_SCHEMA).misfits(&report), [""; 0], "{report}");
}

/// The param of an input error, and the refused effect, are fields.
#[tokio::test]
async fn errors_name_their_param_and_effect() {
    let engine = engine();
    let script = "param name: string\nparam n: int 1..5 = 1\nflow f(word: string) -> string { word }\nf(name)";
    let param = async |request: svc::Request<'_>| {
        let error = request.await.unwrap_err();
        matches_the_schema(&error);
        error.report().param
    };
    let run = || engine.run(script);
    assert_eq!(param(run()).await.as_deref(), Some("name"), "it is missing");
    assert_eq!(param(run().param("name", "a").param("n", 9)).await.as_deref(), Some("n"));
    assert_eq!(param(run().param("name", 1.5)).await.as_deref(), Some("name"));
    assert_eq!(param(run().param("nam", "a")).await.as_deref(), Some("nam"), "it is unknown");
    assert_eq!(param(run().param_serde("name", &u64::MAX)).await.as_deref(), Some("name"));
    let plan = engine.plan(script).unwrap();
    assert_eq!(param(engine.call_flow(&plan, "f", ())).await.as_deref(), Some("word"));
    let failed = engine.run("[1] >> each { slow.echo }").await.unwrap_err();
    assert_eq!(failed.report().param, None);
    matches_the_schema(&failed);

    let effect = |policy: Policy| {
        let error = Error::from(engine.clone().with_policy(policy).check(FETCH).unwrap_err());
        matches_the_schema(&error);
        let effect = error.report().problems[0].effect.clone().unwrap();
        (effect.verb, effect.scope, effect.rule)
    };
    let scope = || Some("web:a.example".to_owned());
    assert_eq!(effect(denied()), ("reads", scope(), None));
    let deny = Policy::default().deny("reads web").unwrap();
    assert_eq!(effect(deny), ("reads", scope(), Some("reads web".to_owned())));
}

const FETCH: &str = "fetch(url: \"https://a.example\") >> .text";

fn denied() -> Policy {
    Policy::default().allow("asks").unwrap()
}

/// The help of the first problem of a check.
fn help(hints: Hints, policy: Policy, script: &str) -> String {
    let engine = engine().with_policy(policy).with_hints(hints);
    let report = engine.check(script).unwrap_err();
    report.problems[0].help.clone().unwrap()
}

#[test]
fn help_is_worded_for_its_readers() {
    let text = |hints| help(hints, denied(), FETCH);
    assert_eq!(text(Hints::default()), "allow `reads web:a.example` in the policy");
    let command = "use `--allow \"reads web:a.example\"` to allow it";
    assert_eq!(text(Hints::CommandLine), command);
    let own = Hints::own(|hint| match hint.id() {
        HintId::AllowEffect => Some(format!("ask an admin for {}", hint.value("rule")?)),
        _ => None,
    });
    assert_eq!(text(own.clone()), "ask an admin for reads web:a.example");
    // Hints that the host does not word have the plain text.
    let many = help(own, Policy::default(), "upper(\"a\", \"b\", \"c\")");
    assert!(!many.contains("svc"), "{many}");
    // Help about the script is the same for everyone.
    let script = "\"a\" >> uper";
    assert_eq!(
        help(Hints::CommandLine, Policy::default(), script),
        help(Hints::None, Policy::default(), script)
    );
}

#[tokio::test]
async fn help_of_a_failed_run_is_worded_too() {
    let script = "range(0, 100000) >> each { range(0, 1000) } >> len";
    let engine = engine().max_memory(30 << 20);
    let help = |error: Error| error.report().problems[0].help.clone().unwrap();
    let plain = help(engine.run(script).await.unwrap_err());
    assert!(plain.ends_with("or raise the memory limit of the run"), "{plain}");
    let own = engine.with_hints(Hints::own(|it| Some(it.id().name().to_owned())));
    assert_eq!(help(own.run(script).await.unwrap_err()), "raise_memory");
}

/// No text for a host has words of the command line, and every hint has a name of its own.
#[test]
fn hints_have_names_and_plain_texts() {
    let mut names: Vec<&str> = HintId::ALL.iter().map(|it| it.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), HintId::ALL.len());
    let listed = std::fs::read_to_string("docs/embedding.md").unwrap();
    for id in HintId::ALL {
        assert!(listed.contains(&format!("| `{}` |", id.name())), "{} is not listed", id.name());
    }
}
