//! A desktop in a process that ends in the middle of everything: a process is a runtime here.
#![expect(clippy::disallowed_methods, reason = "looks at what runs and crashes leave on the disk")]

mod together;

use std::{sync::Arc, time::Duration};

use svc_contract::value::{Text, Value, json};
use svc_engine::Engine;
use svc_host_os::OsHost;
use svc_store::SqliteStore;
use tempfile::TempDir;

use super::*;
use crate::{Options, jobs::Jobs};

struct Process {
    process: crate::process::Process,
    desk: Desk,
}

fn engine() -> Engine {
    let slow = svc_contract::registry::io_op("shop.look", |what: String| async move {
        tokio::time::sleep(Duration::from_millis(400)).await;
        what
    });
    let slow = slow.effect("reads shop").version(1);
    Engine::new(svc_components::registry(), Arc::new(OsHost::default())).with_ops([slow]).unwrap()
}

fn planner(engine: Engine, goal: String) -> Planning {
    Box::pin(async move {
        let script = "param goal: string  goal >> guide_plan_workflow";
        let found = engine.run(script).param("goal", goal).await;
        found.map(|it| it.value).map_err(|it| Fault::of_run(&it))
    })
}

impl Process {
    fn start(folder: &TempDir) -> Self {
        let engine = engine();
        let runs = SqliteStore::open(&folder.path().join("runs.db"), engine.host().now()).unwrap();
        let runs = Arc::new(runs);
        let book = Arc::new(Book::open(&folder.path().join("service"), engine.host()).unwrap());
        let jobs = Jobs::open(book, runs.clone(), engine.clone()).unwrap();
        let mut options = Options::new("1");
        options.folder = Some(folder.path().join("scripts"));
        options.projects = Some(folder.path().join("projects"));
        options.jobs = Some(jobs);
        let service = Service::new(engine, Some(runs), options).unwrap();
        let process = crate::process::Process::of(&service);
        let desk = Desk::new(service, planner).unwrap();
        process.run(desk.go_on()).unwrap();
        Self { process, desk }
    }

    fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.process.run(work)
    }

    /// Ends the process without a warning.
    fn kill(self) {
        self.process.kill();
    }

    fn project(&self, name: &str) -> Text {
        let new = args(&format!(r#"{{"name": "{name}"}}"#));
        self.run(self.desk.create_project(crate::decode::decode(new).unwrap())).unwrap().id
    }

    fn session(&self, project: &str, more: &str) -> Text {
        let new = args(&format!(r#"{{"project_id": "{project}"{more}}}"#));
        self.run(self.desk.start_session(crate::decode::decode(new).unwrap())).unwrap().id
    }

    fn file(&self, project: &str, name: &str, content: &str) -> Resource {
        self.desk.add_resource(project, name, content.as_bytes()).unwrap()
    }

    fn send(&self, session: &str, said: &str) -> SentMessage {
        self.try_send(session, said).unwrap()
    }

    fn try_send(&self, session: &str, said: &str) -> Result<SentMessage, Fault> {
        let message = Exchange {
            session_id: session.into(),
            text: said.into(),
            attachments: None,
            tools: ToolUse::Auto,
        };
        self.run(self.desk.send(message))
    }

    /// The answer, when it is complete.
    fn answer(&self, session: &str, sent: &SentMessage) -> MessageView {
        for _ in 0..600 {
            let all = self.history(session);
            let found = all.into_iter().find(|it| it.id == sent.reply_id).unwrap();
            if found.state.is_over() {
                return found;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no answer");
    }

    fn ask(&self, session: &str, said: &str) -> MessageView {
        let sent = self.send(session, said);
        self.answer(session, &sent)
    }

    fn history(&self, session: &str) -> Vec<MessageView> {
        let all = Between { before: None, after: None, role: None, limit: 200, cursor: None };
        self.desk.history(session, &all).unwrap().messages
    }

    fn worker(&self, new: &str) -> Result<WorkerView, Fault> {
        self.run(self.desk.start_worker(crate::decode::decode(args(new))?))
    }

    fn until_over(&self, worker: &str) -> WorkerView {
        for _ in 0..600 {
            let found = self.desk.workers(worker).unwrap().workers.remove(0);
            if found.state.is_over() {
                return found;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the worker does not end");
    }
}

/// A project with a report, and a session in it.
fn harvest() -> (TempDir, Process, Text, Text) {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let project = process.project("A");
    process.file(&project, "harvest.md", REPORT);
    let session = process.session(&project, "");
    (folder, process, project, session)
}

/// A session in a project without files.
fn empty() -> (TempDir, Process, Text) {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let session = process.session(&process.project("A"), "");
    (folder, process, session)
}

fn args(text: &str) -> crate::Args {
    crate::decode::object(json::read(text).unwrap(), "").unwrap()
}

const REPORT: &str = "# Harvest\n\nThe estate of Colmar harvested 412 tonnes of grapes in 2019.\n\n\
    The director of the estate is Maria Keller.\n";

#[test]
fn a_question_is_answered_from_the_files_of_its_project_alone() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let (own, other) = (process.project("Own"), process.project("Other"));
    process.file(&own, "harvest.md", REPORT);
    process.file(&other, "trains.md", "# Trains\n\nThe train to Basel leaves at noon.\n");
    let session = process.session(&own, "");
    let answer = process.ask(&session, "Who is the director of the estate?");
    assert!(answer.text.contains("Maria Keller"), "{answer:?}");
    assert_eq!(answer.found, Some(true));
    assert_eq!(answer.sources.unwrap()[0].path.as_ref(), "harvest.md");
    assert!(answer.quality.is_some() && answer.calls[0].state.as_ref() == "ok");
    // The run can be looked at as any other.
    let run = process.desk.service().store().unwrap();
    assert!(svc_contract::store::Store::run(run.as_ref(), &answer.calls[0].run_id).is_ok());
    let declined = process.ask(&session, "When does the train to Basel leave?");
    assert_eq!(declined.found, Some(false), "{declined:?}");
    process.kill();
}

#[test]
fn a_script_that_writes_waits_for_a_person() {
    let (folder, process, project, session) = harvest();
    let goal = "summarise harvest.md and save it to short.json";
    let asked = process.ask(&session, goal);
    let proposal = asked.proposal.clone().unwrap();
    assert_eq!(proposal.state, ProposalState::Open);
    let writes = proposal.effects.iter().any(|it| it.as_ref() == "writes fs:short.json");
    assert!(writes, "{:?}", proposal.effects);
    let names = |process: &Process| -> Vec<String> {
        let all = process.desk.resources(&project, 50, None).unwrap().resources;
        all.iter().map(|it| it.name.to_string()).collect()
    };
    assert_eq!(names(&process), ["harvest.md"]);
    // Another process, later.
    process.kill();
    let process = Process::start(&folder);
    let decide = |approved: bool| {
        let decision = Decision { message_id: asked.id.clone(), approved };
        process.run(process.desk.decide(&session, decision))
    };
    let sent = decide(true).unwrap();
    let done = process.answer(&session, &sent);
    assert_eq!(done.state, MessageState::Complete, "{done:?}");
    assert_eq!(names(&process), ["harvest.md", "short.json"]);
    let fault = decide(false).unwrap_err();
    assert_eq!(fault.why, Why::Conflict, "{fault}");
    process.kill();
}

#[test]
fn what_was_sent_is_answered_after_every_crash() {
    let (folder, process, _, session) = harvest();
    let questions =
        ["Who is the director of the estate?", "How many tonnes were harvested in 2019?"];
    let sent: Vec<SentMessage> =
        (0..6).map(|it| process.send(&session, questions[it % 2])).collect();
    process.kill();
    for wait in [1, 40, 5, 120, 20] {
        let process = Process::start(&folder);
        std::thread::sleep(Duration::from_millis(wait));
        process.kill();
    }
    let process = Process::start(&folder);
    for sent in &sent {
        let answer = process.answer(&session, sent);
        assert_eq!(answer.state, MessageState::Complete, "{answer:?}");
        // Each was made by one job, however often its process died.
        assert_eq!(answer.calls.len(), 1, "{answer:?}");
    }
    let jobs = process.desk.book().jobs_of_session("local", &session).unwrap();
    assert_eq!(jobs.len(), sent.len());
    let used = process.desk.usage(&session, &UsageFilter::all()).unwrap();
    assert_eq!(used.by.len(), 1);
    process.kill();
}

#[test]
fn a_cancelled_answer_stays_cancelled() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("scripts")).unwrap();
    std::fs::write(folder.path().join("scripts/slow.svc"), "\"a\" >> shop.look").unwrap();
    let process = Process::start(&folder);
    let session = process.session(&process.project("A"), "");
    let sent = process.send(&session, "/slow");
    std::thread::sleep(Duration::from_millis(150));
    process.run(process.desk.cancel_message(&session, &sent.reply_id)).unwrap();
    assert_eq!(process.answer(&session, &sent).state, MessageState::Cancelled);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(process.answer(&session, &sent).state, MessageState::Cancelled);
    let again = process.run(process.desk.cancel_message(&session, &sent.reply_id));
    assert_eq!(again.unwrap_err().why, Why::Conflict);
    assert_eq!(process.ask(&session, "/slow").text.as_ref(), "a");
    process.kill();
}

#[test]
fn a_report_of_usage_counts_once_and_ends_a_session() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let session = process.session(&process.project("A"), r#", "bounds": {"max_tokens": 1000}"#);
    let try_report = |event: &str, tokens: u64| {
        let report = UsageReport {
            session_id: session.clone(),
            event_id: event.into(),
            model: Some("m".into()),
            input_tokens: tokens,
            output_tokens: 0,
            cost_usd: Some(0.5),
        };
        process.run(process.desk.report_usage(report))
    };
    let report = |event: &str, tokens: u64| try_report(event, tokens).unwrap();
    assert!(report("a", 850).recorded);
    let again = report("a", 850);
    assert!(again.duplicate && !again.recorded);
    assert_eq!(again.totals.input_tokens, 850);
    let used = process.desk.usage(&session, &UsageFilter::all()).unwrap();
    assert_eq!(used.remaining.tokens, Some(150));
    assert_eq!(word(used.limit_state), "warning");
    report("b", 200);
    assert_eq!(process.desk.session(&session).unwrap().state, SessionState::Exhausted);
    let fault = process.try_send(&session, "Who is there?").unwrap_err();
    assert_eq!(fault.why.status(), 402, "{fault}");
    // What was used before is still counted, until the session is closed.
    assert!(report("c", 1).recorded);
    process.run(process.desk.close_session(&session)).unwrap();
    assert_eq!(try_report("d", 1).unwrap_err().why, Why::Conflict);
    process.kill();
}

#[test]
fn a_session_ends_with_its_time() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let session = process.session(&process.project("A"), r#", "ttl_sec": 1"#);
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(process.desk.session(&session).unwrap().state, SessionState::Expired);
    assert_eq!(process.try_send(&session, "hello").unwrap_err().why, Why::Conflict);
    process.kill();
}

#[test]
fn files_are_known_by_their_content() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let project = process.project("A");
    let first = process.file(&project, "a.txt", "same");
    let second = process.file(&project, "b.txt", "same");
    assert_eq!(second.duplicate_of, Some(first.id.clone()));
    let again = process.file(&project, "a.txt", "same");
    assert_eq!(again.id, first.id);
    let third = process.file(&project, "a.txt", "other");
    assert_eq!(third.name.as_ref(), "a (2).txt");
    process.desk.remove_resource(&project, &first.id).unwrap();
    assert_eq!(process.desk.content(&project, &second.id).unwrap().1, b"same");
    process.desk.remove_resource(&project, &second.id).unwrap();
    assert!(process.desk.content(&project, &second.id).is_err());
    // What something else wrote or removed is noted.
    let files = folder.path().join("projects").join(project.as_ref()).join("files");
    std::fs::write(files.join("by-hand.csv"), "a,b\n").unwrap();
    let all = process.desk.resources(&project, 50, None).unwrap().resources;
    assert_eq!(
        all.iter().map(|it| it.name.as_ref()).collect::<Vec<_>>(),
        ["a (2).txt", "by-hand.csv"]
    );
    assert_eq!(all[1].media_type.as_ref(), "text/csv");
    std::fs::remove_file(files.join("by-hand.csv")).unwrap();
    let left = process.desk.resources(&project, 50, None).unwrap().resources;
    assert_eq!(left.len(), 1);
    // What is not one of this project is unknown in it.
    let other = process.project("B");
    assert!(process.desk.content(&other, &third.id).is_err());
    process.kill();
}

#[test]
fn names_of_projects_in_use_are_unique() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let first = process.project("Alpha");
    let new = || crate::decode::decode(args(r#"{"name": "ALPHA"}"#)).unwrap();
    let fault = process.run(process.desk.create_project(new())).unwrap_err();
    assert_eq!(fault.why, Why::Conflict);
    process.run(process.desk.archive_project(&first, true)).unwrap();
    process.run(process.desk.create_project(new())).unwrap();
    let fault = process.run(process.desk.archive_project(&first, false)).unwrap_err();
    assert_eq!(fault.why, Why::Conflict, "{fault}");
    process.kill();
}

#[test]
fn workers_run_scripts_and_goals_and_begin_again() {
    let (folder, process, _, session) = harvest();
    let start = |process: &Process, more: &str| {
        process.worker(&format!(r#"{{"session_id": "{session}", {more}}}"#))
    };
    let script = r#""kind": "script", "script": "read_text(path: \"harvest.md\") >> words >> len""#;
    let done = process.until_over(&start(&process, script).unwrap().id);
    assert_eq!((done.state, done.stats.ok, done.stats.failed), (WorkerState::Stopped, 1, 0));
    let goal = r#""kind": "goal", "goal": "summarise harvest.md""#;
    let done = process.until_over(&start(&process, goal).unwrap().id);
    assert_eq!((done.stats.ok, done.last_error), (1, None));
    let missing = r#""kind": "script", "script": "read_text(path: \"none.md\")""#;
    let done = process.until_over(&start(&process, missing).unwrap().id);
    assert_eq!((done.stats.ok, done.stats.failed), (0, 1));
    assert!(done.last_error.unwrap().contains("none.md"));
    for wrong in [
        r#""kind": "script""#,
        r#""kind": "goal""#,
        r#""kind": "queue", "script": "1""#,
        r#""kind": "script", "script": "1", "schedule": "daily""#,
        r#""kind": "script", "script": "nonsense here""#,
        r#""kind": "script", "script": "1", "max_runs": 0"#,
    ] {
        let fault = start(&process, wrong).unwrap_err();
        assert_eq!(fault.why.status(), 422, "{wrong}: {fault}");
    }
    // One that its process leaves begins again, and its run is made once.
    let slow = r#""kind": "script", "script": "\"a\" >> shop.look""#;
    let worker = start(&process, slow).unwrap().id;
    std::thread::sleep(Duration::from_millis(150));
    process.kill();
    let process = Process::start(&folder);
    let done = process.until_over(&worker);
    assert_eq!((done.stats.runs, done.stats.ok, done.stats.restarts), (1, 1, 1));
    process.kill();
}

#[test]
fn a_queue_answers_until_it_is_stopped() {
    let (_folder, process, _, session) = harvest();
    let queue = format!(r#"{{"session_id": "{session}", "kind": "queue"}}"#);
    let worker = process.worker(&queue).unwrap().id;
    assert_eq!(process.worker(&queue).unwrap_err().why, Why::Conflict);
    process.ask(&session, "Who is the director?");
    let stop = |mode| StopWorker { worker_id: worker.clone(), mode };
    process.run(process.desk.stop_worker(&stop(workers::StopMode::Drain))).unwrap();
    let done = process.until_over(&worker);
    assert_eq!((done.state, done.stats.ok), (WorkerState::Stopped, 1));
    let fault = process.run(process.desk.stop_worker(&stop(workers::StopMode::Cancel)));
    assert_eq!(fault.unwrap_err().why, Why::Conflict);
    // Without it, the desktop answers itself.
    assert_eq!(process.ask(&session, "Who is the director?").state, MessageState::Complete);
    process.kill();
}

#[test]
fn a_user_has_five_devices_whose_fingerprints_are_not_kept() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let register = |number: u32| {
        let new = args(&format!(
            r#"{{"user_id": "u", "fingerprint": "{number:064x}", "name": "n{number}",
                "platform": "linux"}}"#
        ));
        process.run(process.desk.register_device(crate::decode::decode(new).unwrap()))
    };
    for number in 0..5 {
        register(number).unwrap();
    }
    assert_eq!(register(5).unwrap_err().why, Why::Conflict);
    register(3).unwrap();
    assert_eq!(process.desk.devices("u").unwrap().devices.len(), 5);
    assert!(process.desk.devices("v").is_err());
    process.kill();
    let book = std::fs::read(folder.path().join("service/service.db")).unwrap();
    let print = format!("{:064x}", 3);
    assert!(!book.windows(64).any(|it| it == print.as_bytes()));
}

#[test]
fn settings_are_patched_and_tested() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder);
    let set = |text: &str| process.run(process.desk.configure(json::read(text).unwrap()));
    let reply = set(r#"{"session_ttl_sec": 60, "port": 9000}"#).unwrap();
    assert!(reply.restart_required && reply.version == 1 && reply.changed.len() == 2);
    let reply = set(r#"{"port": null, "bounds": {"max_tokens": 5}}"#).unwrap();
    assert_eq!((reply.config.port, reply.config.session_ttl_sec), (None, Some(60)));
    for nothing in ["{}", r#"{"session_ttl_sec": 60}"#] {
        let reply = set(nothing).unwrap();
        assert_eq!((reply.version, reply.changed.len()), (2, 0), "{nothing}");
    }
    for wrong in [
        r#"{"x": 1}"#,
        r#"{"port": 70000}"#,
        r#"{"port": "a"}"#,
        r#"{"session_ttl_sec": 0}"#,
        r#"{"thresholds": {"accuracy": 2}}"#,
        r#"{"bounds": {"max_budget_usd": -1}}"#,
        "[]",
    ] {
        let fault = set(wrong).unwrap_err();
        assert_eq!(fault.why.status(), 422, "{wrong}: {fault}");
    }
    assert_eq!(process.desk.config().unwrap().version, 2);
    let session = process.session(&process.project("A"), "");
    let session = process.desk.session(&session).unwrap();
    assert_eq!((session.ttl_sec, session.bounds.max_tokens), (60, Some(5)));
    process.kill();
}

#[test]
fn thresholds_mark_outputs() {
    let (_folder, process, _, session) = harvest();
    process.ask(&session, "Who is the director of the estate?");
    let given = Thresholds {
        accuracy: None,
        confidence: Some(1.0),
        completeness: None,
        efficiency: None,
        utility: None,
    };
    process.run(process.desk.set_thresholds(&session, given)).unwrap();
    let all = QualityFilter::all();
    let found = process.desk.quality(&session, &all).unwrap();
    assert_eq!(found.outputs[0].below, [Text::from("confidence")]);
    assert_eq!(process.desk.trend(&session, 5).unwrap().points.len(), 1);
    for format in [ReportFormat::Md, ReportFormat::Csv, ReportFormat::Html, ReportFormat::Json] {
        let (_, report) = process.desk.report(&session, format).unwrap();
        assert!(report.contains(found.outputs[0].message_id.as_ref()), "{report}");
    }
    assert!(matches!(
        json::read(&process.desk.report(&session, ReportFormat::Json).unwrap().1),
        Ok(Value::Record(_))
    ));
    process.kill();
}
