//! The components of `examples/helpdesk`, which the example scripts need.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use svc::Engine;
use svc_contract::{host::http::Response, registry::ErrorKind};
use svc_host_os::test::TestHost;

#[path = "../../examples/helpdesk/desk.rs"]
mod desk;
#[path = "../../examples/helpdesk/github.rs"]
mod github;

/// The engine of the program `helpdesk`.
pub(crate) fn engine() -> Engine {
    svc::engine().with(&[&desk::COMPONENT, &github::COMPONENT])
}

#[tokio::test]
async fn a_ticket_has_one_case_and_knows_its_duplicates() {
    let host = Arc::new(TestHost::new().env("HELPDESK", "cases"));
    let engine = engine().with_host(host.clone());
    let ticket = r#"{ id: "1", body: "the export crashes at noon" }"#;
    for team in ["support", "engineering"] {
        let case = engine.run(format!("{ticket} >> assign(team: {team:?})")).await.unwrap();
        assert_eq!(case.value, "C-1".into());
    }
    let again = r#"
        let ticket = { id: "2", body: "The export crashes" }
        let found = ticket >> find_duplicates
        { dup: found, sev: "high" } >> file_bug(ticket: ticket)
    "#;
    assert_eq!(engine.run(again).await.unwrap().value, "C-2".into());
    let filed = String::from_utf8(host.content("cases/C-2.json").unwrap()).unwrap();
    assert!(filed.contains(r#""dup": ["#) && filed.contains("C-1"), "{filed}");
}

/// An engine for which GitHub returns these statuses, repeating the last one.
fn github_says(statuses: &'static [u16]) -> (Engine, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let host = TestHost::new().env("SVC_SECRET_TOKEN", "s3cret").answering(move |request| {
        assert!(request.headers.contains(&("authorization".into(), "Bearer s3cret".to_owned())));
        let nth = count.fetch_add(1, Ordering::Relaxed);
        let status = statuses[nth.min(statuses.len() - 1)];
        let mut answer = Response::whole(status, "[]");
        answer.headers.push(("retry-after".to_owned(), "1".to_owned()));
        Box::pin(async move { Ok(answer) })
    });
    (engine().with_host(Arc::new(host)), asked)
}

#[tokio::test(start_paused = true)]
async fn reading_is_tried_again_and_posting_is_not() {
    let (engine, asked) = github_says(&[429, 502, 200]);
    let list = r#"secret token  github.list_issues(repo: "a/b", token: token) >> len"#;
    assert_eq!(engine.run(list).await.unwrap().value, 0.into());
    assert_eq!(asked.load(Ordering::Relaxed), 3);

    let (engine, asked) = github_says(&[502]);
    let post = r#"secret token  "hi" >> github.comment(issue: "a/b#1", token: token)"#;
    let failed = engine.run(post).await.unwrap_err();
    assert_eq!(failed.kind(), Some(ErrorKind::Unavailable));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn what_github_refuses_is_reported_without_the_token() {
    let refusals: [(&[u16], _); 2] = [(&[401], ErrorKind::Denied), (&[404], ErrorKind::NotFound)];
    for (statuses, kind) in refusals {
        let (engine, _) = github_says(statuses);
        let list = r#"secret token  github.list_issues(repo: "a/b", token: token)"#;
        let failed = engine.run(list).await.unwrap_err();
        assert_eq!(failed.kind(), Some(kind));
        assert!(!failed.to_string().contains("s3cret"), "{failed}");
    }
}
