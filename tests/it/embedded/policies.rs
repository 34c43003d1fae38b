//! Policies of requests, and what a check and completion know of them.

use svc::{
    Engine, Error, Policy,
    diag::{Code, Source},
    editor::{Asked, Draft, Unsaved, complete},
};

use super::engine;

fn policy(allow: &[&str], deny: &[&str]) -> Policy {
    let policy = allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap();
    deny.iter().try_fold(policy, |it, rule| it.deny(rule)).unwrap()
}

const FETCH: &str = r#"fetch(url: "https://a.example") >> .text"#;
const READ: &str = r#"read_text(path: "docs/a.md") >> len"#;

#[tokio::test]
async fn each_request_has_its_policy() {
    let engine = engine();
    let ended = |engine: &Engine, policy: Policy| {
        let engine = engine.clone();
        async move { engine.run(READ).with_policy(policy).await }
    };
    assert!(ended(&engine, policy(&["reads fs:docs"], &[])).await.is_ok());
    let refused = ended(&engine, policy(&["reads fs:other"], &[])).await;
    assert!(matches!(refused, Err(Error::Check(_))), "{refused:?}");
    assert!(engine.run(READ).await.is_ok(), "the engine is as it was");
    // It replaces that of the engine, also if that one refuses the script.
    let strict = engine.with_policy(policy(&[], &["reads"]));
    assert!(strict.run(READ).await.is_err());
    assert!(ended(&strict, policy(&["reads fs:docs"], &[])).await.is_ok());
    let running = strict.run(READ).with_policy(Policy::default()).start();
    assert!(running.await.is_ok());
}

/// A path that only the run knows is held by the policy of the request.
#[tokio::test]
async fn the_policy_of_a_request_holds_in_the_run() {
    let engine = engine();
    let script =
        "param f: path\nparam b: path = \"b\"\nread_text(path: (if 1 < 2 { f } else { b })) >> len";
    let request = |allowed| {
        engine.run(script).with_policy(policy(&[allowed], &[])).param_text("f", "docs/a.md")
    };
    assert!(request("reads fs:docs").await.is_ok());
    let error = request("reads fs:other").await.unwrap_err();
    assert_eq!(error.report().kind, Some("denied"));
}

#[test]
fn a_check_reports_what_a_run_would_refuse() {
    let engine = engine();
    assert!(engine.check(FETCH).is_ok());
    for (allow, deny, help) in [
        (&[][..], &["reads web"][..], "remove the rule `reads web` that denies it"),
        (&["reads fs:docs"], &[], "allow `reads web:a.example` in the policy"),
    ] {
        let engine = engine.clone().with_policy(policy(allow, deny));
        let report = engine.check(FETCH).unwrap_err();
        assert_eq!(report.problems[0].code, Code::E315);
        assert!(report.problems[0].help.as_ref().unwrap().contains(help), "{report:?}");
        let verdict = engine.verdict(FETCH);
        assert!(!verdict.ok && verdict.problems[0].code == "E315", "{verdict:?}");
    }
}

/// No plan contains the flows of a file without a main pipeline, so the check looks into them.
#[test]
fn a_check_looks_into_the_flows_of_a_library() {
    let engine = engine().with_policy(policy(&[], &["reads web"]));
    let flow = format!("flow page(x: string) -> string {{ {FETCH} }}");
    let report = engine.check(flow.as_str()).unwrap_err();
    assert_eq!(report.errors().count(), 1, "{report}");
    assert_eq!(report.problems[0].code, Code::E315, "{report}");
    assert_eq!(report.problems[0].labels[0].text, "in the flow `page`");
    // A run of a script does not call a flow that only stands there.
    let script = format!("{flow}\n\"a\" >> upper");
    assert!(engine.check(script.as_str()).is_ok() && engine.plan(script.as_str()).is_ok());
}

/// The names that are offered at the end of a text.
fn offered(engine: &Engine, text: &str) -> Vec<String> {
    let (source, unsaved) = (Source::from(text), Unsaved::default());
    let analysis = engine.analyse_with(source.clone(), &unsaved);
    let draft = Draft { engine, source: &source, unsaved: &unsaved, analysis: &analysis };
    let choices = complete(&draft, text.len(), Asked::Plainly).unwrap();
    choices.all.iter().map(|it| it.label.clone()).collect()
}

/// The cursor of a text box may be behind its text, or inside a character.
#[test]
fn a_cursor_can_be_anywhere() {
    let (engine, text) = (engine(), "\"ä\" >> up");
    let (source, unsaved) = (Source::new("box", text), Unsaved::default());
    let analysis = engine.analyse(source.clone());
    let draft = Draft { engine: &engine, source: &source, unsaved: &unsaved, analysis: &analysis };
    for at in (0..text.len() + 3).chain([usize::MAX]) {
        let choices = complete(&draft, at, Asked::Plainly);
        assert!(at < text.len() || choices.is_some_and(|it| !it.all.is_empty()), "{at}");
    }
}

#[test]
fn completion_offers_nothing_that_the_policy_refuses() {
    let has = |engine: &Engine, text: &str, name: &str| {
        offered(engine, text).iter().any(|it| it == name || it.starts_with(&format!("{name} >>")))
    };
    let free = engine();
    let no_web = engine().with_policy(policy(&[], &["reads web"]));
    let one_site = engine().with_policy(policy(&["reads web:a.example"], &[]));
    let other_sites = engine().with_policy(policy(&[], &["reads web:a.example"]));
    for text in ["\"https://a.example\" >> ", ""] {
        assert!(has(&free, text, "fetch"), "{text}");
        assert!(has(&one_site, text, "fetch"), "some pages are allowed");
        assert!(has(&other_sites, text, "fetch"), "only some pages are denied");
        assert!(!has(&no_web, text, "fetch"), "{text}");
        assert!(has(&no_web, text, "upper") || text.is_empty(), "{text}");
        assert!(!has(&one_site, text, "ask"), "spending is not allowed");
    }
    assert!(has(&free, "fetch.", "infer") && !has(&no_web, "fetch.", "infer"));
}
