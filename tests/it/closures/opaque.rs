//! Values of the embedding program, which scripts pass on and cannot look into.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

use svc::{
    Engine,
    registry::{Callback, ErrorKind, OpError, Opaque, OpaqueDef},
    store::SqliteStore,
    value::Value,
};

struct Session {
    user: String,
    calls: AtomicI64,
}

impl OpaqueDef for Session {
    const NAME: &'static str = "Session";
}

/// Another type, with the same name.
struct Other;

impl OpaqueDef for Other {
    const NAME: &'static str = "Session";
}

struct File;

impl OpaqueDef for File {
    const NAME: &'static str = "File";
}

fn session(user: &str) -> Opaque<Session> {
    Opaque::new(Session { user: user.to_owned(), calls: AtomicI64::new(0) })
}

fn engine() -> Engine {
    let ops = [
        svc::op("session.open", |user: String| session(&user)),
        svc::inline_op("session.of", |user: String| session(&user)),
        svc::inline_op("session.user", |it: Opaque<Session>| it.user.clone()),
        svc::op("session.call", |it: Opaque<Session>| {
            format!("{} {}", it.user, it.calls.fetch_add(1, Ordering::Relaxed) + 1)
        }),
        svc::op("session.find", |user: String| (user != "none").then(|| session(&user))),
        svc::op("session.all", |users: Vec<String>| {
            users.iter().map(|it| session(it)).collect::<Vec<_>>()
        }),
        svc::op("other.open", |_: String| Opaque::new(Other)),
        svc::op("file.open", |_: String| Opaque::new(File)),
    ];
    svc::engine().with_opaque::<Session>().with_opaque::<File>().with_ops(ops).unwrap()
}

async fn text(engine: &Engine, script: &str) -> String {
    engine.run(script).await.unwrap_or_else(|err| panic!("{script}: {err}")).value.to_string()
}

#[tokio::test]
async fn a_script_passes_a_value_on() {
    let engine = engine();
    for (script, expected) in [
        (r#""ada" >> session.open >> session.call"#, "ada 1"),
        (r#"let s = "ada" >> session.open  [(s >> session.call), (s >> session.user)]"#, ""),
        (r#"["a", "b"] >> each { session.open } >> each { session.user }"#, r#"["a","b"]"#),
        (
            r#"["a", "b"] >> session.all >> reverse >> take(n: 1) >> each { session.user }"#,
            r#"["b"]"#,
        ),
        (r#"["a", "b"] >> session.all >> len"#, "2"),
        (r#"let s = "a" >> session.open  [s] >> contains(item: s)"#, "true"),
        (r#"let r = { s: ("a" >> session.open), n: 1 }  r.s >> session.user"#, "a"),
        (
            r#""a" >> parallel { x: session.open, y: session.open } >> { x: (.x >> session.user) }"#,
            r#"{"x":"a"}"#,
        ),
        (r#"let s = "none" >> session.find  if s == null { "no" } else { "yes" }"#, "no"),
        (r#"let s = ("none" >> session.find) ?? ("b" >> session.open)  s >> session.user"#, "b"),
        (
            "flow user(s: Session) -> string { s >> session.user }\n\"a\" >> session.open >> user",
            "a",
        ),
        (
            "flow open(u: string) -> Session { u >> session.open }\n[\"a\"] >> each { open } >> each { session.user }",
            r#"["a"]"#,
        ),
        (
            "type Seat = { s: Session, n: int }\nflow of(seat: Seat) -> string { seat.s >> session.user }\n{ s: (\"a\" >> session.open), n: 1 } >> of",
            "a",
        ),
    ] {
        let shown = text(&engine, script).await;
        if !expected.is_empty() {
            assert_eq!(shown, expected, "{script}");
        }
    }
}

/// The program passes a value in, and gets the same one back.
#[tokio::test]
async fn a_value_enters_and_leaves_a_script() {
    let (engine, ada) = (engine(), session("ada"));
    let script = "param s: Session\n{ s: s, again: [s] }";
    let value = engine.run(script).param("s", ada.clone()).await.unwrap().value;
    let record = value.as_record().unwrap();
    let (s, again) = (record.get("s").unwrap(), record.get("again").unwrap());
    assert_eq!(again.as_list().unwrap().get(0), Some(s));
    assert_eq!(*s, Value::from(ada.clone()), "it is the same value");
    assert_ne!(*s, Value::from(session("ada")), "an equal value is another one");
    assert_eq!(s.to_string(), "<Session>");
    let back: Opaque<Session> =
        engine.run("param s: Session\ns").param("s", ada.clone()).await.unwrap().get().unwrap();
    assert!(Arc::ptr_eq(&back.into_inner(), &ada.into_inner()));
    let err =
        engine.run("param s: Session\ns").param("s", "ada").await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("expected Session for `s`, found \"ada\""), "{err}");
    let err = engine.run("param s: Session\ns").param("s", Opaque::new(Other)).await;
    assert!(err.map(|it| it.value).is_err(), "a type of the same name is another type");
    // Events can be written.
    let mut running = engine.run(r#""ada" >> session.open >> session.call"#).start();
    let mut written = String::new();
    while let Some(event) = running.events().next().await {
        written += &serde_json::to_string(&event).unwrap();
    }
    assert!(written.contains("<Session>") && written.contains("ada 1"), "{written}");
}

#[test]
fn a_script_cannot_look_into_a_value() {
    let engine = engine();
    let s = r#"let s = "ada" >> session.open"#;
    for (script, code, message) in [
        ("\"${s}\"", "E216", "a value of the program cannot be shown in a string"),
        ("s == s", "E208", "a value of the program cannot be compared"),
        ("{ a: s } == { a: s }", "E208", "cannot be compared"),
        ("[s] >> sort { it }", "E208", "used for grouping or sorting"),
        ("[s] >> group { it }", "E208", "used for grouping or sorting"),
        ("s >> to_json", "E204", "which may look into it"),
        ("s >> show", "E204", "which may look into it"),
        ("s >> upper", "E203", "`upper` expects string, found Session"),
        ("s + s", "E208", ""),
        ("s >> file.open", "E203", "found Session"),
        ("(\"f\" >> file.open) >> session.user", "E203", "found File"),
        ("(\"f\" >> other.open) >> session.user", "E203", "found Session"),
        ("\"1\" >> parse_json<Session>()", "E219", "cannot read Session from JSON"),
        ("s as json", "", ""),
        ("{ a: s } as json", "", ""),
        ("[s] as [json]", "", ""),
        ("{ a: s } >> to_json", "E204", "which may look into it"),
        ("{ a: s } >> show", "E204", "which may look into it"),
        ("\"${{ a: s }}\"", "E216", "cannot be shown in a string"),
        ("[s] >> join(sep: \",\")", "", ""),
        ("match s { else => 1 }", "", ""),
        ("fail(s)", "", ""),
        ("[s] >> sum", "", ""),
        ("s >> ask(model: \"fast\")", "", ""),
        ("if true { s } else { \"{}\" >> parse_json() }", "", ""),
        ("s.user", "", ""),
    ] {
        let script = format!("{s}\n{script}");
        let report = engine.check(script.as_str()).map(|_| ()).expect_err(&script);
        let shown = report.to_string();
        assert!(shown.contains(message), "{script}\n{shown}");
        let codes: Vec<String> = report.errors().map(|it| it.code.to_string()).collect();
        assert!(
            code.is_empty() || codes.iter().any(|it| it == code),
            "{script}: {codes:?}\n{shown}"
        );
    }
}

/// A stored run passes values between inline ops only.
#[tokio::test]
async fn a_stored_run_does_not_record_a_value() {
    let broken = Arc::new(AtomicI64::new(1));
    let is_broken = broken.clone();
    let send = svc::op("mail.send", move |text: String| match is_broken.load(Ordering::Relaxed) {
        0 => Ok(text),
        _ => Err(OpError::not_found("no such address")),
    });
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let engine = engine().with_ops([send]).unwrap().with_store(store);
    let refused = async |script: &str| {
        let err = engine.run(script).await.map(|it| it.value).unwrap_err();
        assert_eq!(err.kind(), Some(ErrorKind::Unsupported), "{err}");
        err.to_string()
    };
    let message = refused(r#""ada" >> session.open >> session.user"#).await;
    assert!(message.contains("cannot record a call of `session.open`"), "{message}");
    let message = refused(r#""ada" >> session.of >> session.call"#).await;
    assert!(message.contains("cannot record a call of `session.call`"), "{message}");
    let message = refused(r#""ada" >> session.of"#).await;
    assert!(message.contains("cannot record the result of the run"), "{message}");
    let request = engine.run("param s: Session\ns >> session.user").param("s", session("ada"));
    let err = request.await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains("cannot record the param `s`"), "{err}");

    let script = r#"let s = "ada" >> session.of  s >> session.user >> mail.send"#;
    engine.run(script).await.map(|it| it.value).unwrap_err();
    broken.store(0, Ordering::Relaxed);
    let resumed = engine.resume("last").unwrap().await.unwrap().value;
    assert_eq!(resumed, "ada".into(), "inline ops are computed again");
}

svc::params! {
    /// Which flow to keep.
    struct On {
        /// The flow for each session.
        call: Callback<Opaque<Session>, String>,
    }
}

/// Flows that the program calls, now or later, take values of the program.
#[tokio::test]
async fn a_flow_is_called_with_a_value() {
    let (kept, ada) = (Arc::new(Mutex::new(None)), session("ada"));
    let keep = kept.clone();
    let on = svc::op("session.on", move |event: String, on: On| {
        *keep.lock().unwrap() = Some(on.call);
        event
    });
    let engine = engine().with_ops([on]).unwrap();
    let script = "flow greet(s: Session) -> string { s >> session.call }\n\"open\" >> session.on(call: greet)";
    let plan = Arc::new(engine.plan(script).unwrap());
    let called = engine.call_flow(&plan, "greet", (ada.clone(),)).await.unwrap().value;
    assert_eq!(called, "ada 1".into());
    engine.run_plan(plan).await.unwrap();
    let callback = kept.lock().unwrap().take().unwrap();
    let called = engine.call(&callback, ada.clone()).await.unwrap().value;
    assert_eq!((called, ada.calls.load(Ordering::Relaxed)), ("ada 2".into(), 2));
}
