//! Files in memory.

use svc::{Error, Policy, host::MemoryFiles};

fn files() -> MemoryFiles {
    MemoryFiles::from([
        ("docs/caps.md", "# Caps\n\nA cap is enforced by a reservation.\n"),
        ("docs/flows.md", "# Flows\n\nA flow is a named pipeline.\n"),
        ("docs/.hidden.md", "# Hidden\n\nA cap that no one sees.\n"),
        ("secret/keys.md", "caps and keys"),
        ("lib.svc", "flow loud(text: string) -> string { text >> upper }\n"),
    ])
}

#[tokio::test]
async fn scripts_read_list_and_write_them() {
    let files = files();
    let engine = svc::engine().with_files(&files);
    let read = r#"read_text(path: "docs/caps.md")"#;
    let text: String = engine.run(read).await.unwrap().get().unwrap();
    assert!(text.contains("enforced by a reservation"), "{text}");
    let list = r#"read_files(folder: "docs") >> each { .title }"#;
    let listed: Vec<String> = engine.run(list).await.unwrap().get().unwrap();
    assert_eq!(listed.len(), 2, "{listed:?}");
    let write = r#""done" >> write_file(to: "out/a.txt")"#;
    engine.run(write).await.unwrap();
    assert_eq!(files.text("out/a.txt").as_deref(), Some("done"));
    let used = "use \"lib.svc\" as lib\n\"a\" >> lib.loud";
    let loud: String = engine.run(used).await.unwrap().get().unwrap();
    assert_eq!(loud, "A");
    let found = r#""cap" >> search(source: "docs") >> each { .text } >> first"#;
    let found: Option<String> = engine.run(found).await.unwrap().get().unwrap();
    assert!(found.is_some_and(|it| it.contains("reservation")));
}

/// The program changes them between two runs, and the search notices.
#[tokio::test]
async fn a_program_changes_them() {
    let files = files();
    let engine = svc::engine().with_files(files.clone());
    let search = r#""zebra" >> search(source: "docs") >> len"#;
    let count = async || -> i64 { engine.run(search).await.unwrap().get().unwrap() };
    assert_eq!(count().await, 0);
    files.put("docs/caps.md", "A zebra.");
    assert_eq!(count().await, 1);
    assert!(files.remove("docs/caps.md") && !files.remove("docs/caps.md"));
    assert_eq!(count().await, 0);
}

#[tokio::test]
async fn a_policy_applies_to_them() {
    let files = files();
    let policy = Policy::closed().allow("reads fs:docs").unwrap();
    let engine = svc::engine().with_files(&files).with_policy(policy);
    let read = "param at: path  at >> read_text";
    let run = async |at: &str| engine.run(read).param_text("at", at).await.map(|it| it.value);
    assert!(run("docs/caps.md").await.is_ok());
    for outside in
        ["secret/keys.md", "docs/../secret/keys.md", "../../secret/keys.md", "/secret/keys.md"]
    {
        let err = run(outside).await.unwrap_err();
        let kind = err.report().kind.unwrap_or(err.report().code);
        assert!(matches!(kind, "denied" | "E315"), "{outside}: {err}");
    }
    let write = engine.run(r#""x" >> write_file(to: "docs/new.md")"#).await.unwrap_err();
    assert!(matches!(&write, Error::Check(_)), "{write}");
    assert_eq!(files.text("docs/new.md"), None);
}

#[tokio::test]
async fn what_is_not_there_is_an_error() {
    let engine = svc::engine().with_files([("a.md", "a"), ("b/c.md", "c")]);
    let kind = async |script: &str| engine.run(script).await.unwrap_err().report().kind;
    assert_eq!(kind(r#"read_text(path: "none.md")"#).await, Some("not_found"));
    assert!(kind(r#"read_text(path: "b")"#).await.is_some());
    assert!(kind(r#""x" >> write_file(to: "a.md/b.md")"#).await.is_some());
    assert!(kind(r#""x" >> write_file(to: "b")"#).await.is_some());
}
