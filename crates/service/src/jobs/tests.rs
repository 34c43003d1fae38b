//! Jobs in a process that ends in the middle of everything. A process is a runtime here: when it is
//! dropped, nothing of it goes on, and the files are opened again by the next one.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    registry::{ErrorKind, OpError, Reply, Tier},
    value::{Value, json},
};
use svc_engine::Engine;
use svc_host_os::OsHost;
use svc_store::SqliteStore;
use tempfile::TempDir;

use super::*;
use crate::{Answer, Bounds, Call, Caller, LOCAL, Options, Service, Work};

/// What the ops of a test did, in any process.
#[derive(Default)]
struct World {
    paid: AtomicUsize,
    /// How many of the next payments never end.
    hangs: AtomicUsize,
}

struct Process {
    process: crate::process::Process,
    service: Service,
}

fn engine(world: &Arc<World>) -> Engine {
    let own = world.clone();
    let pay = svc_contract::registry::io_op("shop.pay", move |what: String| {
        let own = own.clone();
        async move {
            let hangs =
                own.hangs.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1));
            own.paid.fetch_add(1, Ordering::SeqCst);
            if hangs.is_ok() {
                std::future::pending::<()>().await;
            }
            Ok::<String, OpError>(format!("paid {what}"))
        }
    });
    let pay = pay.effect("writes shop on every attempt").version(1);
    let look = svc_contract::registry::io_op("shop.look", |what: String| async move {
        std::future::pending::<()>().await;
        what
    });
    let look = look.effect("reads shop").version(1);
    let engine = Engine::new(svc_components::registry(), Arc::new(OsHost::default()));
    engine.with_ops([pay, look]).unwrap()
}

impl Process {
    fn start(folder: &TempDir, world: &Arc<World>) -> Self {
        Self::of(folder, world, Tier::Builder)
    }

    fn of(folder: &TempDir, world: &Arc<World>, tier: Tier) -> Self {
        Self::within(folder, world, tier, None)
    }

    /// One whose store of runs has at most this many pages.
    fn within(folder: &TempDir, world: &Arc<World>, tier: Tier, page_limit: Option<u32>) -> Self {
        let engine = engine(world);
        let space = svc_store::Options { now: engine.host().now(), page_limit };
        let runs = SqliteStore::open_with(&folder.path().join("runs.db"), space).unwrap();
        let runs = Arc::new(runs);
        let book = Arc::new(Book::open(&folder.path().join("service"), engine.host()).unwrap());
        let jobs = Jobs::open(book, runs.clone(), engine.clone()).unwrap();
        let mut options = Options::new("1");
        options.folder = Some(folder.path().join("scripts"));
        options.jobs = Some(jobs);
        options.caller = Caller::without_key(tier, "1");
        let service = Service::new(engine, Some(runs), options).unwrap();
        let process = crate::process::Process::of(&service);
        Self { process, service }
    }

    fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.process.run(work)
    }

    /// Ends the process without a warning.
    fn kill(self) {
        self.process.kill();
    }

    fn call(&self, tool: &str, args: &str) -> Result<Answer, Fault> {
        let args = crate::decode::object(json::read(args).unwrap(), "").unwrap();
        let work = Work::Tool { name: tool.to_owned(), args };
        self.run(self.service.call(Call { work, bounds: Bounds::default() }))
    }

    fn submit(&self, job: &str, input: &str) -> String {
        let args = format!(r#"{{"job":"{job}","input":{input}}}"#);
        let answer = self.call("job_submit", &args).unwrap();
        field(&answer.value, "job_id").as_str().unwrap().to_owned()
    }

    fn job(&self, id: &str) -> JobRow {
        self.service.jobs().unwrap().job(LOCAL, id, None).unwrap()
    }

    fn until(&self, id: &str, state: JobState) -> JobRow {
        for _ in 0..600 {
            let row = self.job(id);
            if row.state == state {
                return row;
            }
            assert!(!row.state.is_over(), "{row:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{:?} is not {state:?} after 30 s", self.job(id));
    }

    fn answer(&self, id: &str, is_yes: bool) -> Result<(), Fault> {
        let reply = Reply { id: id.to_owned(), is_yes, comment: None };
        self.service.jobs().unwrap().answer(LOCAL, reply).map(drop)
    }

    fn question(&self) -> svc_contract::registry::Approval {
        let open = Some(ApprovalState::Open);
        let mut all = self.service.jobs().unwrap().approvals(LOCAL, open, 9).unwrap();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }
}

fn field(value: &Value, name: &str) -> Value {
    value.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default()
}

fn scripts(all: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in all {
        write(&folder.path().join("scripts").join(name), text);
    }
    folder
}

fn write(file: &Path, text: &str) {
    OsHost::default().write(file, text.as_bytes()).unwrap();
}

fn waited(count: &AtomicUsize, expected: usize) {
    for _ in 0..600 {
        if count.load(Ordering::SeqCst) == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("expected {expected}, found {}", count.load(Ordering::SeqCst));
}

#[test]
fn a_write_of_unknown_fate_waits_for_a_person() {
    for is_yes in [true, false] {
        let folder = scripts(&[("buy.svc", "param what: string\nwhat >> shop.pay")]);
        let world = Arc::new(World::default());
        world.hangs.store(1, Ordering::SeqCst);
        let first = Process::start(&folder, &world);
        let id = first.submit("buy", r#"{"what":"tea"}"#);
        waited(&world.paid, 1);
        first.kill();

        let second = Process::start(&folder, &world);
        second.until(&id, JobState::Waiting);
        assert_eq!(world.paid.load(Ordering::SeqCst), 1, "it is not repeated by itself");
        let asked = second.question();
        assert!(asked.question.contains("may have happened already"), "{asked:?}");
        assert_eq!(asked.job_id, id);
        second.answer(&asked.id, is_yes).unwrap();
        if is_yes {
            let row = second.until(&id, JobState::Ok);
            assert_eq!(world.paid.load(Ordering::SeqCst), 2);
            let result = second.service.jobs().unwrap().result(&row).unwrap();
            assert_eq!(result, Some("paid tea".into()));
        } else {
            let row = second.until(&id, JobState::Failed);
            assert_eq!(world.paid.load(Ordering::SeqCst), 1);
            assert!(row.error.unwrap().contains("unknown whether it wrote"));
        }
        let why = second.answer(&asked.id, true).unwrap_err().why;
        assert_eq!(why, Why::Conflict);
    }
}

#[test]
fn a_call_that_is_resumed_asks_as_a_job_does() {
    let folder = scripts(&[("buy.svc", "param what: string\nwhat >> shop.pay")]);
    let world = Arc::new(World::default());
    world.hangs.store(1, Ordering::SeqCst);
    let first = Process::start(&folder, &world);
    let args = crate::decode::object(json::read(r#"{"what":"tea"}"#).unwrap(), "").unwrap();
    let work = Work::Served { name: "buy".to_owned(), args };
    let resolved = first.service.resolve(Call { work, bounds: Bounds::default() }).unwrap();
    let run = first.run(first.service.start(resolved)).unwrap().id().clone();
    waited(&world.paid, 1);
    first.kill();

    let second = Process::start(&folder, &world);
    let live = second.run(second.service.resume(&run)).unwrap();
    let id = live.job_id().unwrap().to_owned();
    second.until(&id, JobState::Waiting);
    assert_eq!(world.paid.load(Ordering::SeqCst), 1, "it is not repeated by itself");
    second.answer(&second.question().id, true).unwrap();
    let row = second.until(&id, JobState::Ok);
    assert_eq!((row.run, world.paid.load(Ordering::SeqCst)), (run, 2));
}

const ASKING: &str = "param what: string\nlet first = what >> shop.pay\n\
    let allowed = first >> approve(question: \"Send it?\")\n{ sent: allowed >> shop.pay }";

#[test]
fn a_question_holds_nothing_and_survives_the_process() {
    let folder = scripts(&[("ask.svc", ASKING)]);
    let world = Arc::new(World::default());
    let first = Process::start(&folder, &world);
    let id = first.submit("ask", r#"{"what":"tea"}"#);
    let row = first.until(&id, JobState::Waiting);
    assert!(row.worker.is_none() && !row.is_ready, "{row:?}");
    assert!(first.service.running().is_empty(), "its run has ended for now");
    assert_eq!(world.paid.load(Ordering::SeqCst), 1);
    first.kill();

    let second = Process::start(&folder, &world);
    let asked = second.question();
    assert_eq!((asked.question.as_str(), asked.details.as_str()), ("Send it?", "paid tea"));
    assert_eq!(second.job(&id).state, JobState::Waiting);
    second.answer(&asked.id, true).unwrap();
    let row = second.until(&id, JobState::Ok);
    assert_eq!(world.paid.load(Ordering::SeqCst), 2, "what was paid is not paid again");
    assert_eq!((row.attempts, row.deaths), (2, 0));
    let result = second.service.jobs().unwrap().result(&row).unwrap().unwrap();
    assert_eq!(field(&result, "sent"), "paid paid tea".into());
}

#[test]
fn a_no_is_an_error_that_a_script_can_catch() {
    let text = "(\"a\" >> approve(question: \"?\")) fallback \"kept\"";
    let folder = scripts(&[("ask.svc", ASKING), ("kept.svc", text)]);
    let world = Arc::new(World::default());
    let process = Process::start(&folder, &world);
    for (job, input, state) in
        [("ask", r#"{"what":"tea"}"#, JobState::Failed), ("kept", "{}", JobState::Ok)]
    {
        let id = process.submit(job, input);
        process.until(&id, JobState::Waiting);
        process.answer(&process.question().id, false).unwrap();
        let row = process.until(&id, state);
        assert_eq!(row.error.is_some_and(|it| it.contains("denied")), state == JobState::Failed);
    }
    assert_eq!(world.paid.load(Ordering::SeqCst), 1);
}

#[test]
fn several_questions_are_answered_one_by_one() {
    let text = "[\"a\", \"b\", \"c\"] >> each { it >> approve(question: \"This one?\") }";
    let folder = scripts(&[("many.svc", text)]);
    let process = Process::start(&folder, &Arc::default());
    let id = process.submit("many", "{}");
    process.until(&id, JobState::Waiting);
    let jobs = process.service.jobs().unwrap();
    for left in (1..=3).rev() {
        for _ in 0..600 {
            let open = jobs.approvals(LOCAL, Some(ApprovalState::Open), 9).unwrap();
            if open.len() == left && process.job(&id).state == JobState::Waiting {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let open = jobs.approvals(LOCAL, Some(ApprovalState::Open), 9).unwrap();
        assert_eq!(open.len(), left, "{open:?}");
        process.answer(&open[0].id, true).unwrap();
    }
    process.until(&id, JobState::Ok);
}

#[test]
fn a_job_whose_process_dies_too_often_is_stuck() {
    let folder = scripts(&[("look.svc", "\"x\" >> shop.look")]);
    let world = Arc::default();
    let mut process = Process::start(&folder, &world);
    let id = process.submit("look", "{}");
    for deaths in 1..=svc_store::book::MOST_DEATHS + 1 {
        process.until(&id, JobState::Running);
        process.kill();
        process = Process::start(&folder, &world);
        for _ in 0..600 {
            if process.job(&id).deaths == deaths {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let row = process.job(&id);
    assert_eq!((row.state, row.deaths), (JobState::Stuck, svc_store::book::MOST_DEATHS + 1));
    assert!(row.error.unwrap().contains("died 4 times"));
}

#[test]
fn a_service_that_stops_gives_its_jobs_back() {
    let folder = scripts(&[("look.svc", "\"x\" >> shop.look")]);
    let world = Arc::default();
    let process = Process::start(&folder, &world);
    let id = process.submit("look", "{}");
    process.until(&id, JobState::Running);
    process.run(process.service.stop(Duration::from_millis(50)));
    let row = process.job(&id);
    assert_eq!((row.state, row.deaths, row.worker), (JobState::Queued, 0, None));
    process.kill();
    let next = Process::start(&folder, &world);
    next.until(&id, JobState::Running);
    next.run(next.service.jobs().unwrap().cancel(LOCAL, &id)).unwrap();
    next.until(&id, JobState::Cancelled);
    for _ in 0..600 {
        if next.service.running().is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("a cancelled job still runs");
}

#[test]
fn a_job_waits_for_space() {
    let text = "param what: string\nrange(1, 60) >> each { \"${it} ${what}\" >> wait(duration: 1ms) } \
        within { max_parallel: 1 } >> len";
    let folder = scripts(&[("long.svc", text)]);
    let process = Process::within(&folder, &Arc::default(), Tier::Builder, Some(60));
    let id = process.submit("long", &format!(r#"{{"what":"{}"}}"#, "long ".repeat(1_000)));
    for _ in 0..600 {
        let row = process.job(&id);
        assert!(!row.state.is_over(), "{row:?}");
        if row.attempts > 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let row = process.job(&id);
    assert!(row.attempts > 1 && row.deaths == 0, "{row:?}");
    let live = process.service.live(row.run.as_str()).unwrap();
    let fault = process.run(live.ended()).unwrap_err();
    assert_eq!((fault.why, fault.why.status()), (Why::Busy, 503), "{fault}");
    assert!(fault.retry_after.is_some() && fault.message.contains("no space left"), "{fault}");
    process.kill();

    let next = Process::start(&folder, &Arc::default());
    let row = next.until(&id, JobState::Ok);
    assert_eq!(next.service.jobs().unwrap().result(&row).unwrap(), Some(59.into()));
}

#[test]
fn a_refinement_makes_only_the_calls_that_differ() {
    let text = "param a: string\nparam b: string\n{ one: a >> shop.pay, two: b >> shop.pay }";
    let folder = scripts(&[("two.svc", text)]);
    let world = Arc::new(World::default());
    let process = Process::start(&folder, &world);
    let id = process.submit("two", r#"{"a":"x","b":"y"}"#);
    process.until(&id, JobState::Ok);
    assert_eq!(world.paid.load(Ordering::SeqCst), 2);
    let args = format!(r#"{{"job_id":"{id}","changes":{{"b":"z"}}}}"#);
    let refined = process.call("job_refine", &args).unwrap();
    assert_eq!(field(&refined.value, "version"), 2.into());
    let row = process.until(&id, JobState::Ok);
    assert_eq!((row.version, world.paid.load(Ordering::SeqCst)), (2, 3));
    let result = process.service.jobs().unwrap().result(&row).unwrap().unwrap();
    assert_eq!(field(&result, "one"), "paid x".into());
    assert_eq!(field(&result, "two"), "paid z".into());

    let forked = process.call("job_workbench_fork", &args).unwrap();
    let fork = field(&forked.value, "job_id").as_str().unwrap().to_owned();
    process.until(&fork, JobState::Ok);
    assert_eq!(world.paid.load(Ordering::SeqCst), 3, "the fork repeats nothing");
    let other = format!(r#"{{"job_id":"{id}","other":"1"}}"#);
    let compared = process.call("job_workbench_compare", &other).unwrap().value;
    let text = json::write(&field(&compared, "fields"));
    assert!(text.contains("inputs.b") && text.contains("result.two"), "{text}");
    assert!(!text.contains("result.one"), "{text}");
}

#[test]
fn nothing_is_queued_that_cannot_run() {
    let folder = scripts(&[("buy.svc", "param what: string\nwhat >> shop.pay")]);
    let process = Process::of(&folder, &Arc::default(), Tier::Researcher);
    let submit = |args: &str| process.call("job_submit", args).unwrap_err();
    let unknown = submit(r#"{"job":"by","input":{}}"#);
    assert_eq!(unknown.why, Why::Op(ErrorKind::NotFound));
    assert!(unknown.help.unwrap().contains("`buy`"));
    let missing = submit(r#"{"job":"buy","input":{}}"#);
    assert!(missing.message.contains("what"), "{missing}");
    let wrong = submit(r#"{"job":"buy","input":{"whta":"x"}}"#);
    assert_eq!(wrong.why, Why::Op(ErrorKind::InvalidInput));
    let above = r#"{"job":"invoke_component","input":{"component":"files","op":"append_file","params":{"text":"a","to":"b"}}}"#;
    let above = submit(above);
    assert_eq!(above.why, Why::Op(ErrorKind::Denied), "{above:?}");
    let again = r#"{"job":"job_submit","input":{"job":"buy","input":{"what":"x"}}}"#;
    assert!(submit(again).message.contains("queues a job itself"));
    let filter = JobFilter { limit: 9, ..JobFilter::default() };
    assert_eq!(process.service.jobs().unwrap().list(LOCAL, &filter).unwrap(), []);

    let folder = scripts(&[("one.svc", "1")]);
    let low = Process::of(&folder, &Arc::default(), Tier::Free);
    let denied = low.call("job_submit", r#"{"job":"one"}"#).unwrap_err();
    assert_eq!(denied.why, Why::Op(ErrorKind::Denied), "{denied:?}");
}

#[test]
fn a_job_of_another_owner_does_not_exist() {
    let folder = scripts(&[("one.svc", "1"), ("ask.svc", ASKING)]);
    let process = Process::start(&folder, &Arc::default());
    let jobs = process.service.jobs().unwrap();
    let id = process.submit("one", "{}");
    process.until(&id, JobState::Ok);
    let is_unknown = |fault: Fault| assert_eq!(fault.why, Why::Op(ErrorKind::NotFound));
    is_unknown(jobs.job("other", &id, None).unwrap_err());
    is_unknown(process.run(jobs.cancel("other", &id)).unwrap_err());
    is_unknown(process.run(jobs.archive("other", &id)).unwrap_err());
    is_unknown(process.run(jobs.ended("other", &id, Duration::ZERO)).unwrap_err());
    let asks = process.submit("ask", r#"{"what":"tea"}"#);
    process.until(&asks, JobState::Waiting);
    let asked = process.question().id;
    is_unknown(jobs.approval("other", &asked).unwrap_err());
    let reply = Reply { id: asked, is_yes: true, comment: None };
    is_unknown(jobs.answer("other", reply).unwrap_err());
}

/// The process died after the run had ended, and before its job had.
#[test]
fn a_run_that_has_ended_already_is_not_made_again() {
    let folder = scripts(&[("buy.svc", "param what: string\nwhat >> shop.pay")]);
    let world = Arc::new(World::default());
    let process = Process::start(&folder, &world);
    let first = process.submit("buy", r#"{"what":"tea"}"#);
    let done = process.until(&first, JobState::Ok);
    let book = process.service.jobs().unwrap().book();
    let again = svc_store::book::NewJob {
        id: "job_again".to_owned(),
        owner: LOCAL.to_owned(),
        kind: done.kind,
        name: done.name.clone(),
        input: done.input.clone(),
        bounds: done.bounds.clone(),
        session: None,
        parent: None,
        run: done.run.clone(),
        created: 1,
        notify: None,
    };
    book.submit(again).wait().unwrap();
    let row = process.until("job_again", JobState::Ok);
    assert_eq!(world.paid.load(Ordering::SeqCst), 1);
    let result = process.service.jobs().unwrap().result(&row).unwrap();
    assert_eq!(result, Some("paid tea".into()));
}

#[test]
fn a_run_that_was_removed_does_not_begin_again() {
    let folder = scripts(&[("ask.svc", ASKING)]);
    let world = Arc::new(World::default());
    let first = Process::start(&folder, &world);
    let id = first.submit("ask", r#"{"what":"tea"}"#);
    first.until(&id, JobState::Waiting);
    let asked = first.question();
    first.kill();
    let host = OsHost::default();
    for entry in host.list(folder.path(), 99).unwrap() {
        let is_of_store = entry.path.file_name().unwrap().to_string_lossy().starts_with("runs.db");
        if is_of_store && !entry.stat.is_dir {
            host.remove(&entry.path).unwrap();
        }
    }
    let second = Process::start(&folder, &world);
    second.answer(&asked.id, true).unwrap();
    let row = second.until(&id, JobState::Failed);
    assert!(row.error.unwrap().contains("not in the store any more"));
    assert_eq!(world.paid.load(Ordering::SeqCst), 1);
}

#[test]
fn a_fork_waits_for_the_run_that_it_takes_over() {
    let text = "param time: duration\nparam what: string\n\
        let first = \"tea\" >> shop.pay\nlet waited = first >> wait(duration: time)\n\
        { one: waited, two: what >> shop.pay }";
    let folder = scripts(&[("slow.svc", text)]);
    let world = Arc::new(World::default());
    let process = Process::start(&folder, &world);
    let id = process.submit("slow", r#"{"time":"2s","what":"cake"}"#);
    waited(&world.paid, 2);
    let args = format!(r#"{{"job_id":"{id}","changes":{{"what":"milk"}}}}"#);
    let forked = process.call("job_workbench_fork", &args).unwrap();
    let fork = field(&forked.value, "job_id").as_str().unwrap().to_owned();
    process.until(&fork, JobState::Ok);
    assert_eq!(process.job(&id).state, JobState::Ok, "it came first");
    assert_eq!(world.paid.load(Ordering::SeqCst), 3);
}

#[test]
fn a_schedule_queues_its_job_again_and_again() {
    let folder = scripts(&[("buy.svc", "param what: string\nwhat >> shop.pay")]);
    let world = Arc::new(World::default());
    let process = Process::start(&folder, &world);
    let jobs = process.service.jobs().unwrap();
    let args = |text: &str| crate::decode::object(json::read(text).unwrap(), "").unwrap();
    let work = |text: &str| Jobs::work_of(&process.service, "buy", args(text)).unwrap();
    let add = |times: &str, input: &str| {
        process.run(jobs.schedule(&process.service, LOCAL, times, work(input)))
    };
    assert!(add("* * * * * *", "{}").unwrap_err().message.contains("what"));
    assert!(add("every day", r#"{"what":"tea"}"#).is_err());
    let added = add("* * * * * *", r#"{"what":"tea"}"#).unwrap();
    for _ in 0..600 {
        if world.paid.load(Ordering::SeqCst) >= 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(world.paid.load(Ordering::SeqCst) >= 2);
    assert_eq!(jobs.schedules(LOCAL).unwrap().len(), 1);
    let unknown = process.run(jobs.unschedule("other", &added.id)).unwrap_err();
    assert_eq!(unknown.why, Why::Op(ErrorKind::NotFound));
    process.run(jobs.unschedule(LOCAL, &added.id)).unwrap();
    assert_eq!(jobs.schedules(LOCAL).unwrap(), []);
}
