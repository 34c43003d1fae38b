//! The log of the command line: only on request.

use super::{err, lines, out, svc};

const WAITS: &str = r#""a" >> wait(duration: 1ms) >> upper"#;

#[test]
fn nothing_is_logged_unless_it_is_asked_for() {
    let done = svc(WAITS, &["run", "a.svc"], &[]);
    assert_eq!((out(&done).as_str(), err(&done).as_str()), ("A\n", ""));
}

#[test]
fn a_log_is_text_on_standard_error() {
    let done = svc(WAITS, &["run", "a.svc", "--log", "debug"], &[]);
    assert_eq!(out(&done), "A\n");
    let log = err(&done);
    assert!(log.contains(" DEBUG run{run=\""), "{log}");
    assert!(log.contains("script=\"a.svc\"}:node{node=wait op=control.wait"), "{log}");
    assert!(log.contains("the call ended"), "{log}");
    let by_variable = err(&svc(WAITS, &["run", "a.svc"], &[("SVC_LOG", "info")]));
    assert_eq!(by_variable.lines().count(), 1, "{by_variable}");
    assert!(by_variable.contains(" INFO run{"), "{by_variable}");
}

#[test]
fn a_log_may_be_json_in_a_file() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("log.jsonl");
    let file = file.to_str().unwrap();
    let args = ["run", "a.svc", "--log-file", file, "--log-format", "json"];
    for _ in 0..2 {
        let done = svc(r#"fail("gone")"#, &args, &[("SVC_LOG", "debug")]);
        assert_eq!(done.status.code(), Some(1));
        assert!(!err(&done).contains("the call failed"), "{}", err(&done));
    }
    let log = lines(&std::fs::read_to_string(file).unwrap());
    let failed = log.iter().filter(|it| it["message"] == "the run failed");
    let failed: Vec<_> = failed.collect();
    assert_eq!(failed.len(), 2, "the second run is appended: {log:?}");
    assert_eq!((&failed[0]["error"], &failed[0]["kind"]), (&"gone".into(), &"failed".into()));
    assert_eq!(failed[0]["level"], "ERROR");
    assert_eq!(failed[0]["spans"][0]["script"], "a.svc");
    assert_ne!(failed[0]["spans"][0]["run"], failed[1]["spans"][0]["run"]);
}

#[test]
fn what_cannot_be_a_level_is_wrong_usage() {
    for (args, variables) in [
        (vec!["run", "a.svc", "--log", "loud"], vec![]),
        (vec!["run", "a.svc"], vec![("SVC_LOG", "svc=")]),
        (vec!["run", "a.svc"], vec![("SVC_LOG_FORMAT", "xml")]),
    ] {
        let done = svc(WAITS, &args, &variables);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {}", err(&done));
    }
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_program_that_cannot_send_traces_says_so() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    let done = svc(WAITS, &["run", "a.svc", "--log", "warn"], &[endpoint]);
    assert!(err(&done).contains("without the feature `otlp`"), "{}", err(&done));
    assert_eq!(out(&done), "A\n");
    assert_eq!(err(&svc(WAITS, &["run", "a.svc"], &[endpoint])), "");
}
