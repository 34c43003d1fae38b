//! What happens together, or to what is gone.

use super::*;

#[test]
fn files_that_come_together_get_names_of_their_own() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let project = process.project("A");
    let kept = std::thread::scope(|scope| {
        let send = |no: usize| {
            let (desk, project) = (process.desk.clone(), project.clone());
            scope.spawn(move || {
                let content = format!("content {no}");
                let kept = desk.add_resource(&project, "same.txt", content.as_bytes()).unwrap();
                // Listings do not take a file for that of a run.
                desk.resources(&project, 50, None).unwrap();
                (kept.id, content)
            })
        };
        let all: Vec<_> = (0..8).map(send).collect();
        all.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    for (id, content) in &kept {
        assert_eq!(process.desk.content(&project, id).unwrap().1, content.as_bytes());
    }
    assert_eq!(process.desk.resources(&project, 50, None).unwrap().resources.len(), 8);
    // What a run has written is not overwritten.
    let files = folder.path().join("projects").join(project.as_ref()).join("files");
    std::fs::write(files.join("out.txt"), "run").unwrap();
    assert_eq!(process.file(&project, "out.txt", "upload").name.as_ref(), "out (2).txt");
    process.kill();
}

#[test]
fn a_decision_is_kept_with_its_answer_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("scripts")).unwrap();
    std::fs::write(folder.path().join("scripts/slow.svc"), "\"a\" >> shop.look").unwrap();
    let process = Process::start(&folder);
    let project = process.project("A");
    process.file(&project, "harvest.md", REPORT);
    let session = process.session(&project, "");
    let asked = process.ask(&session, "summarise harvest.md and save it to short.json");
    assert!(asked.proposal.is_some(), "{asked:?}");
    while process.try_send(&session, "/slow").is_ok() {}
    let decide = || {
        let decision = Decision { message_id: asked.id.clone(), approved: true };
        process.run(process.desk.decide(&session, decision))
    };
    assert_eq!(decide().unwrap_err().why, Why::Busy);
    process.run(process.desk.cancel_all(&session)).unwrap();
    let sent = decide().unwrap();
    assert_eq!(process.answer(&session, &sent).state, MessageState::Complete);
    process.kill();
}

#[test]
fn every_job_of_an_answer_is_counted() {
    let (_folder, process, session) = empty();
    let answer = process.ask(&session, "What is a flow in svc?");
    assert_eq!(answer.calls.len(), 2, "{answer:?}");
    let of = DeskFilter { parent: Some(session.to_string()), ..DeskFilter::default() };
    assert_eq!(process.desk.rows(DeskKind::Usage, &of).unwrap().len(), 2);
    process.kill();
}

#[test]
fn scripts_of_a_project_see_no_jobs_of_others_and_answer_no_questions() {
    let (_folder, process, session) = empty();
    for script in ["workbench.list()", r#"approval.accept(id: "apr_1")"#] {
        let new =
            serde_json::json!({ "session_id": &*session, "kind": "script", "script": script });
        let outcome = process.worker(&new.to_string()).map(|it| process.until_over(&it.id));
        match outcome {
            Ok(done) => assert_eq!((done.stats.ok, done.stats.failed), (0, 1), "{script}"),
            Err(fault) => assert!(fault.why.status() < 500, "{fault}"),
        }
    }
    process.kill();
}

#[test]
fn a_worker_ends_with_its_session_and_asks_before_it_writes() {
    let (_folder, process, _, session) = harvest();
    let goal = "summarise harvest.md and save it to short.json";
    let new = serde_json::json!({ "session_id": &*session, "kind": "goal", "goal": goal });
    let done = process.until_over(&process.worker(&new.to_string()).unwrap().id);
    assert_eq!((done.stats.ok, done.stats.failed), (0, 1));
    assert!(done.script.is_some() && done.last_error.unwrap().contains("more than read"));
    let new = serde_json::json!({ "session_id": &*session, "kind": "script", "script": "1",
        "schedule": "0 0 1 1 *" });
    let worker = process.worker(&new.to_string()).unwrap().id;
    process.run(process.desk.close_session(&session)).unwrap();
    assert_eq!(process.until_over(&worker).state, WorkerState::Stopped);
    process.kill();
}

#[test]
fn messages_of_a_queue_that_is_gone_are_answered() {
    let folder = TempDir::new().unwrap();
    let mut process = Process::start(&folder);
    let session = process.session(&process.project("A"), "");
    let queue = format!(r#"{{"session_id": "{session}", "kind": "queue"}}"#);
    process.worker(&queue).unwrap();
    let mut sent = Vec::new();
    for _ in 0..5 {
        sent.push(process.send(&session, "Who is there?"));
        process.kill();
        process = Process::start(&folder);
    }
    for sent in &sent {
        assert_eq!(process.answer(&session, sent).state, MessageState::Complete);
    }
    process.kill();
}

#[test]
fn limits_hold_for_what_comes_together() {
    let (_folder, process, session) = empty();
    let (process, session) = (&process, &session);
    let start = |kind: &str, count: usize| {
        let new = format!(r#"{{"session_id": "{session}", {kind}}}"#);
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..count).map(|_| scope.spawn(|| process.worker(&new))).collect();
            all.into_iter().filter_map(|it| it.join().unwrap().ok()).count()
        })
    };
    assert_eq!(start(r#""kind": "queue""#, 6), 1);
    assert_eq!(start(r#""kind": "script", "script": "1", "schedule": "0 0 1 1 *""#, 12), 7);
    let sent = std::thread::scope(|scope| {
        let send = || process.try_send(session, "Who is there?");
        let all: Vec<_> = (0..60).map(|_| scope.spawn(send)).collect();
        all.into_iter().filter_map(|it| it.join().unwrap().ok()).count()
    });
    assert!(sent >= 32, "{sent}");
    let fault = process.worker(&format!(
        r#"{{"session_id": "{session}", "kind": "script", "script": "1",
            "bounds": {{"timeout_sec": 0}}}}"#
    ));
    assert_eq!(fault.unwrap_err().fields[0].field, "bounds.timeout_sec");
}

#[test]
fn messages_that_come_together_have_different_positions() {
    let (_folder, process, session) = empty();
    // Nothing is answered meanwhile.
    process.desk.busy().insert(session.to_string());
    let (own, to) = (&process, &session);
    let mut positions = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| own.send(to, "hello").position)).collect();
        all.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    positions.sort_unstable();
    assert_eq!(positions, (0..8).collect::<Vec<_>>());
    process.kill();
}
