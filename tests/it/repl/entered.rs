//! Sessions as a program uses them: the remembered names and their types.

use svc_assist::session::Session;
use svc_contract::value::{Type, Value};

/// Enters text as a prompt does, and returns the results of its pipelines.
async fn enter(session: &mut Session, text: &str) -> Vec<Value> {
    let (statements, _) = session.read(text).unwrap_or_else(|it| panic!("{it}"));
    let mut values = Vec::new();
    for statement in statements {
        let given = if statement.runs() {
            let plan = session.plan(&statement).unwrap_or_else(|it| panic!("{it}"));
            let ty = plan.program().main.as_ref().map_or(Type::Unknown, |it| it.ty.clone());
            let engine = session.engine().clone();
            let value = session.run(&engine, plan).await.unwrap().value;
            values.push(value.clone());
            Some((ty, value))
        } else {
            None
        };
        session.keep(&statement, given);
    }
    values
}

/// The next statement can use the result of any statement, with its type.
#[tokio::test]
async fn every_type_goes_on_to_the_next_statement() {
    for (text, ty) in [
        ("1", "int"),
        ("0.5", "float"),
        ("null", "json?"),
        ("[]", "[json; max 0]"),
        ("[1, null]", "[int?; max 2]"),
        ("{ a: [], b: { c: null } }", "{ a: [json; max 0], b: { c: json? } }"),
        ("5m", "duration"),
        ("$0.10", "money"),
        ("10MB", "size"),
        ("[{ a: 1 }, { a: 2 }]", "[{ a: int }; max 2]"),
        ("range(1, 4)", "[int]"),
        ("[[1], [2, 3]] >> each { it >> sort { it } }", "[[int; max 2]; max 2]"),
    ] {
        let mut session = Session::new(svc::engine(), ".");
        let first = enter(&mut session, &format!("let x = {text}")).await;
        let again = enter(&mut session, "x").await;
        assert_eq!(first, again, "{text}");
        let source = session.analyse("x").0;
        let message = source.text().lines().last().unwrap().to_owned();
        assert_eq!(message, format!("param x: {ty}"), "{text}");
    }
}

#[tokio::test]
async fn types_of_the_session_and_of_used_files_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let used = "type Note = { text: string }\nflow note(s: string) -> Note { { text: s } }\n";
    std::fs::write(folder.path().join("notes.svc"), used).unwrap();
    let mut session = Session::new(svc::engine(), folder.path());
    enter(&mut session, "use \"notes.svc\" as notes\nlet n = \"a\" >> notes.note").await;
    assert_eq!(enter(&mut session, "n.text").await, [Value::from("a")]);
    enter(&mut session, "let kind: \"a\" | \"b\" = \"a\"").await;
    assert_eq!(
        enter(&mut session, "match kind { \"a\" => 1, \"b\" => 2 }").await,
        [Value::from(1)]
    );
    enter(&mut session, "type Own = { n: int }\nlet own: Own = { n: 3 }").await;
    assert_eq!(enter(&mut session, "own.n + 1").await, [Value::from(4)]);
}

#[tokio::test]
async fn what_was_computed_before_a_name_was_bound_again_is_saved_with_its_old_meaning() {
    let mut session = Session::new(svc::engine(), ".");
    enter(&mut session, "let a = 1").await;
    enter(&mut session, "let b = a + 1").await;
    enter(&mut session, "let a = 5").await;
    enter(&mut session, "b + a").await;
    let saved = session.saved();
    assert_eq!(saved.text, "let a_1 = 1\nlet b = a_1 + 1\nlet a = 5\n\nb + a\n");
    enter(&mut session, "let a = a + a").await;
    assert_eq!(enter(&mut session, "a").await, [Value::from(10)]);
    assert_eq!(session.saved().text, "let a_1 = 5\nlet a = a_1 + a_1\n\na\n");
    assert!(!saved.report.has_errors());
}

/// A saved script gives the last answer, whatever was declared again or forgotten between.
#[tokio::test]
async fn a_saved_script_computes_the_last_answer() {
    let twice = "flow f(n: int) -> int { n * 2 }";
    let thrice = "flow f(n: int) -> int { n * 3 }";
    let through = "flow g(n: int) -> int { f(n) + 1 }";
    for (entered, forgotten) in [
        (&[twice, "let b = f(1)", thrice, "b + f(1)"][..], None),
        (&[twice, through, "let b = g(1)", thrice, "b + g(1)"], None),
        (&["let a = 1", "let b = a + 1", "b * 2"], Some("a")),
        (&["type T = { a: int }", "let a: T = { a: 1 }", "type T = { a: string }", "a.a"], None),
        (&["let a: int = 1", "let c = [a]", "let a: string = \"x\"", "{ c: c, a: a }"], None),
        (&["let a = 1", "let b = a", "let a_1 = 7", "let a = 2", "[a, b, a_1]"], None),
        (&["let a = 1", "a + 1", "let a = 9"], None),
        (&["let a = 1", "let a = a + 1", "let b = a", "let a = a * 5", "[a, b]"], None),
        (&["let n = 1", "n + 1", "let n = 10", "ans + n"], None),
        (&["let n = 1", "n + 1", "let n = 10", "let k = ans", "k + n"], None),
        (&[twice, "f(5)", thrice, "ans >> f"], None),
        (&["let n = 1", "[n, 2]", "let n = 5", "ans >> each { it + n } >> sum"], None),
        (&["let x: float = 3", "let x = x / 2", "x"], None),
        (&["let n = 1", "n + 1", "let n = ans", "n"], None),
        (&["let n = 1", "n + 1", "ans + 1"], Some("n")),
        (
            &[
                "flow f(x: int) -> int { x * 2 }",
                "let x = 3",
                "let a = f(x)",
                "let x = 4",
                "[a, x]",
            ],
            None,
        ),
        (&["let n = 3.14159", "let a = \"v: ${n:.2}\"", "let n = 4.5", "\"${a} ${n}\""], None),
        (&["1 + 1", "[ans, ans]", "ans >> sum"], None),
        (&["let ans = 5", "ans + 1"], None),
        (&["2 + 3", "let ans = 10", "ans * 2", "ans"], None),
        (&["2 + 3", "let ans = ans + 1", "7", "ans"], None),
    ] {
        let mut session = Session::new(svc::engine(), ".");
        let mut last = Vec::new();
        for (idx, text) in entered.iter().enumerate() {
            if let Some(name) = forgotten.filter(|_| idx + 1 == entered.len()) {
                assert!(session.forget(name));
            }
            let given = enter(&mut session, text).await;
            if !text.starts_with("let") && !given.is_empty() {
                last = given;
            }
        }
        let saved = session.saved();
        assert!(!saved.report.has_errors(), "{}\n{}", saved.text, saved.report);
        let value = svc::engine().run(saved.text.as_str()).await.unwrap().value;
        assert_eq!(vec![value], last, "{}", saved.text);
    }
}

#[tokio::test]
async fn an_answer_is_saved_as_what_gave_it() {
    let mut session = Session::new(svc::engine(), ".");
    enter(&mut session, "[1, 2, 3]").await;
    enter(&mut session, ">> each { it * 2 }").await;
    enter(&mut session, "let doubled = ans").await;
    enter(&mut session, "{ all: doubled, first: first(doubled) }").await;
    let saved = session.saved();
    assert!(!saved.report.has_errors(), "{}", saved.report);
    let wanted = "let doubled = ([1, 2, 3] >> each { it * 2 })";
    assert!(saved.text.contains(wanted), "{}", saved.text);
}

#[test]
fn all_problems_are_reported_before_anything_runs() {
    let session = Session::new(svc::engine(), ".");
    let report = session.read("let a = nope\n1 + 1\n\n2 >> nada").unwrap_err();
    let message: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert_eq!(message.len(), 2, "{message:?}");
}

#[tokio::test]
async fn bounds_of_a_file_hold_for_its_statements_and_are_saved() {
    let mut session = Session::new(svc::engine(), ".");
    let script = "svc 1 within { timeout: 10ms }\n\nlet a = 1\n\na >> wait(duration: 10s)\n";
    let report = session.read(script).unwrap_err();
    assert!(report.to_string().contains("`timeout: 10ms` cannot be met"), "{report}");
    enter(&mut session, "svc 1 within { timeout: 10s }\n2").await;
    assert_eq!(session.saved().text, "svc 1 within { timeout: 10s }\n\n2\n");
}
