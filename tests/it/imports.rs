//! Imports between files: where files are searched, and where their problems are reported.

use std::sync::Arc;

use svc::{Engine, Error};
use svc_host_os::test::TestHost;
use svc_lang::diag::{Code, Source, Style};

/// A script in `work/main.svc`, with these files.
fn world(files: &[(&str, &str)], main: &str) -> (Engine, Source) {
    let host = files.iter().fold(TestHost::new(), |it, (path, text)| it.file(path, *text));
    let source = Source::new("work/main.svc", main).in_folder("work");
    (svc::engine().with_host(Arc::new(host)), source)
}

#[tokio::test]
async fn a_file_is_named_from_the_folder_of_the_one_that_uses_it() {
    let files = [
        ("work/lib/a.svc", r#"use "../b.svc" as b  flow a(x: string) -> string { x >> b.b }"#),
        ("work/b.svc", r#"use "./lib/deep/c.svc" as c  flow b(x: string) -> string { x >> c.c }"#),
        ("work/lib/deep/c.svc", r#"flow c(x: string) -> string { "${x}!" }"#),
    ];
    let (engine, source) = world(&files, r#"use "lib/a.svc" as a  "hi" >> a.a"#);
    assert_eq!(engine.run(source).await.unwrap().value, "hi!".into());
}

#[tokio::test]
async fn paths_in_a_used_file_start_from_its_folder() {
    let files = [
        ("work/lib/a.svc", r#"flow note() -> string { ("note.txt" >> read_text) }"#),
        ("work/lib/note.txt", "next to the library"),
        ("work/note.txt", "next to the script"),
    ];
    let (engine, source) = world(&files, r#"use "lib/a.svc" as a  a.note()"#);
    assert_eq!(engine.run(source).await.unwrap().value, "next to the library".into());
}

#[test]
fn a_file_that_two_files_use_is_checked_and_reported_once() {
    let files = [
        ("work/a.svc", r#"use "b.svc" as b  flow a(x: int) -> int { x >> b.b }"#),
        ("work/b.svc", "flow b(x: int) -> int { x >> upper }"),
    ];
    let main = r#"use "a.svc" as a  use "./b.svc" as b  1 >> a.a >> b.b"#;
    let (engine, source) = world(&files, main);
    let report = engine.check(source).unwrap_err();
    assert!(report.problems.is_empty(), "{report}");
    let shown_text: Vec<_> = report.all().map(|(source, it)| (source.name(), it.code)).collect();
    assert_eq!(shown_text, [("work/b.svc", Code::E217), ("work/b.svc", Code::E203)]);
    assert!(report.render(Style::Plain).contains("[work/b.svc:1:"), "{report}");
}

#[test]
fn a_script_cannot_use_itself() {
    let (engine, source) = world(&[], r#"use "./main.svc" as me  1"#);
    let host = TestHost::new().file("work/main.svc", "1");
    let report = engine.with_host(Arc::new(host)).check(source).unwrap_err();
    let problem = report.problems.first().unwrap();
    assert_eq!(problem.code, Code::E213);
    assert!(problem.message.ends_with("work/main.svc → work/main.svc"), "{problem}");
}

#[tokio::test]
async fn a_failure_is_shown_in_the_file_where_it_happens() {
    let files = [("work/a.svc", "\n\nflow a(x: string) -> string { x >> fail }")];
    let (engine, source) = world(&files, r#"use "a.svc" as a  "no" >> a.a"#);
    let err = engine.run(source).await.unwrap_err();
    let Error::Run { error, .. } = &err else { panic!("{err}") };
    assert_eq!(error.path, "a.a/fail");
    assert_eq!(err.to_string(), "work/a.svc:3:36: failed: `fail` failed: no");
    assert!(err.render(Style::Plain).contains("[work/a.svc:3:36]"));
}

/// A pipe without a writer must not block an editor.
#[cfg(unix)]
#[test]
fn only_regular_files_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.svc");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let source = Source::new("main.svc", r#"use "pipe.svc" as p  1"#).in_folder(folder.path());
    let report = svc::engine().check(source).unwrap_err();
    assert!(report.to_string().contains("it is not a regular file"), "{report}");
}

/// A template file that ends too early, at any place, has an error that reports this.
#[test]
fn a_truncated_file_of_templates_is_reported() {
    let text = "/// type R = { a: [int], \u{65e5}: int }\u{a0}\r\n//// \u{65e5}\n/// \u{e9}\n\
        /// template f(x: string, n: { a: int } = { a: 1 }) -> string\u{a0}\n\u{a0}\n\
        /// template g(x: string) -> enum(\"\u{65e5}\")\n\u{a0}fn f(n) { stage(\"upper\") }";
    let mut shown_text = 0;
    for (end, _) in text.char_indices() {
        let (engine, source) = world(
            &[("work/t.rhai", &text[..end])],
            "use \"t.rhai\" as t\n\"x\" >> t.f(n: { a: 2 })",
        );
        let report = engine.check(source).unwrap_err();
        assert!(!report.render(Style::Plain).is_empty());
        shown_text += 1;
    }
    assert!(shown_text > 100, "{shown_text}");
}

/// A template that produces ever more text is stopped, as is any other endless work.
#[test]
fn a_template_that_grows_is_stopped() {
    let text = "/// template f(x: string) -> string\n\
        fn f() { let all = []; loop { all.push(\"x\".to_upper()); all += all; } }";
    let (engine, source) = world(&[("work/t.rhai", text)], "use \"t.rhai\" as t\n\"x\" >> t.f");
    let report = engine.check(source).unwrap_err();
    let codes: Vec<_> = report.all().map(|(source, it)| (source.name(), it.code)).collect();
    assert_eq!(codes, [("work/main.svc", Code::E504), ("work/t.rhai", Code::E504)]);
    assert!(report.to_string().contains("array too large"), "{report}");
}

#[tokio::test]
async fn paths_in_what_a_template_builds_start_from_its_folder() {
    let text = "/// template f(x: string) -> string\n\
        fn f() { `let found = \"n.txt\" >> read_text  \"\\${x}: \\${found}\"` }";
    let files =
        [("work/lib/t.rhai", text), ("work/lib/n.txt", "near"), ("work/n.txt", "elsewhere")];
    let (engine, source) = world(&files, "use \"lib/t.rhai\" as t\n\"it is\" >> t.f");
    assert_eq!(engine.run(source).await.unwrap().value, "it is: near".into());
}

#[tokio::test]
async fn a_failure_in_a_built_pipeline_is_shown_in_its_text() {
    let files = [("work/t.rhai", "/// template f(x: string) -> string\nfn f() { \"fail\" }")];
    let (engine, source) = world(&files, "use \"t.rhai\" as t\n\"no\" >> t.f");
    let err = engine.run(source).await.unwrap_err();
    assert_eq!(err.to_string(), "work/t.rhai: f():2:8: failed: `fail` failed: no");
}
