//! The queue of jobs: nothing is lost or done twice, whatever happens in whatever order.

use std::collections::BTreeMap;

use svc_contract::{registry::Usage, store::RunId};

use super::*;

pub(super) const SECOND: i64 = 1000;
pub(super) const LEASE: i64 = 20 * SECOND;

pub(super) fn new(id: &str, owner: &str) -> NewJob {
    NewJob {
        id: id.to_owned(),
        owner: owner.to_owned(),
        kind: JobKind::Script,
        name: "report".to_owned(),
        input: r#"{"most":3}"#.to_owned(),
        bounds: "{}".to_owned(),
        session: None,
        parent: None,
        run: RunId::new(1),
        created: 1,
        notify: None,
    }
}

pub(super) fn lease(worker: &RunId, now: i64) -> Lease {
    Lease { worker: worker.clone(), now, until: now + LEASE }
}

pub(super) fn end(event: JobEvent, at: i64) -> Finish {
    let result = (event == JobEvent::Succeeded).then(|| "7".to_owned());
    Finish { event, result, error: None, used: Usage::default(), at }
}

pub(super) fn submitted(book: &Book, new: NewJob) -> JobRow {
    match book.submit(new).wait().unwrap() {
        Submitted::Queued(row) => *row,
        other => panic!("{other:?}"),
    }
}

pub(super) fn taken(book: &Book, worker: &RunId, now: i64) -> Option<JobRow> {
    book.take(lease(worker, now)).wait().unwrap()
}

pub(super) fn question(job: &JobRow, path: &str, kind: AskKind) -> NewApproval {
    NewApproval {
        id: format!("apr_{}", RunId::new(1)),
        owner: job.owner.clone(),
        job: job.no,
        kind,
        run: job.run.clone(),
        path: path.to_owned(),
        question: "Send?".to_owned(),
        details: "a draft".to_owned(),
        asked: 1,
        expires: 100 * SECOND,
    }
}

pub(super) fn in_memory() -> Book {
    Book::in_memory(&host()).unwrap()
}

#[test]
fn jobs_are_taken_in_their_order_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let book = open(&folder);
    let (a, b) = (submitted(&book, new("a", "ann")), submitted(&book, new("b", "bob")));
    assert_eq!((a.version, a.state, a.is_ready), (1, JobState::Queued, true));
    let worker = RunId::new(1);
    let first = taken(&book, &worker, 5).unwrap();
    assert_eq!((first.no, first.state, first.started), (a.no, JobState::Running, Some(5)));
    assert!(book.finish(a.no, worker.clone(), end(JobEvent::Succeeded, 9)).wait().unwrap());
    assert!(!book.finish(a.no, worker.clone(), end(JobEvent::Failed, 9)).wait().unwrap());
    drop(book);
    let book = open(&folder);
    assert_eq!(book.job("ann", "a", None).unwrap().unwrap().state, JobState::Ok);
    assert_eq!(book.job_result(a.no).unwrap().as_deref(), Some("7"));
    assert_eq!(taken(&book, &worker, 9).unwrap().no, b.no);
    assert_eq!(taken(&book, &worker, 9), None);
    assert!(!book.has_ready().unwrap());
}

#[test]
fn owners_are_apart() {
    let book = in_memory();
    let job = submitted(&book, new("a", "ann"));
    let asked = book.ask(question(&job, "approve", AskKind::Ask)).wait().unwrap();
    assert_eq!(book.job("bob", "a", None).unwrap(), None);
    assert_eq!(book.job_of_run("bob", job.run.as_str()).unwrap(), None);
    assert_eq!(book.jobs("bob", &JobFilter { limit: 9, ..JobFilter::default() }).unwrap(), []);
    assert_eq!(book.approval("bob", &asked.id).unwrap(), None);
    assert_eq!(book.approvals("bob", None, 9).unwrap(), []);
    let answer = |owner: &str| {
        book.answer(owner.into(), asked.id.clone(), ApprovalEvent::Approved, None, 2)
            .wait()
            .unwrap()
    };
    assert_eq!(answer("bob"), Answered::Unknown);
    assert_eq!(book.cancel("bob".into(), "a".into(), 2).wait().unwrap(), Changed::Unknown);
    assert_eq!(book.archive("bob".into(), "a".into()).wait().unwrap(), Changed::Unknown);
    assert!(matches!(answer("ann"), Answered::Done(_)));
    // The same id of another owner is a job of its own.
    let err = book.submit(new("a", "bob")).wait().unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Bug, "ids are unique: {err}");
}

#[test]
fn a_version_follows_the_end_of_the_one_before() {
    let book = in_memory();
    let worker = RunId::new(1);
    let first = submitted(&book, new("a", "ann"));
    assert_eq!(book.submit(new("a", "ann")).wait().unwrap(), Submitted::Busy(JobState::Queued));
    taken(&book, &worker, 1).unwrap();
    book.finish(first.no, worker, end(JobEvent::Failed, 2)).wait().unwrap();
    let second = submitted(&book, NewJob { parent: Some(first.no), ..new("a", "ann") });
    assert_eq!((second.version, second.parent), (2, Some(first.no)));
    assert_eq!(book.job("ann", "a", None).unwrap().unwrap().version, 2);
    assert_eq!(book.job("ann", "a", Some(1)).unwrap().unwrap().state, JobState::Failed);
    assert_eq!(book.job_versions("ann", "a").unwrap().len(), 2);
    let listed = book.jobs("ann", &JobFilter { limit: 9, ..JobFilter::default() }).unwrap();
    assert_eq!(listed.iter().map(|it| it.version).collect::<Vec<_>>(), [2]);
    let refused = book.archive("ann".into(), "a".into()).wait().unwrap();
    assert!(matches!(refused, Changed::Refused(_)));
    book.cancel("ann".into(), "a".into(), 3).wait().unwrap();
    book.archive("ann".into(), "a".into()).wait().unwrap();
    assert_eq!(book.jobs("ann", &JobFilter { limit: 9, ..JobFilter::default() }).unwrap(), []);
}

#[test]
fn an_owner_has_a_thousand_queued_jobs_at_most() {
    let book = in_memory();
    for number in 0..MOST_QUEUED {
        submitted(&book, new(&format!("{number}"), "ann"));
    }
    assert_eq!(book.submit(new("more", "ann")).wait().unwrap(), Submitted::Full);
    submitted(&book, new("other", "bob"));
    taken(&book, &RunId::new(1), 1).unwrap();
    submitted(&book, new("more", "ann"));
}

#[test]
fn one_of_many_answers_wins() {
    let book = in_memory();
    let job = submitted(&book, new("a", "ann"));
    let asked = book.ask(question(&job, "approve", AskKind::Ask)).wait().unwrap();
    let again = book.ask(question(&job, "approve", AskKind::Ask)).wait().unwrap();
    assert_eq!(again.id, asked.id, "the same question is asked once");
    let answers: Vec<_> = (0..100)
        .map(|number| {
            let event =
                if number % 2 == 0 { ApprovalEvent::Approved } else { ApprovalEvent::Rejected };
            book.answer("ann".into(), asked.id.clone(), event, Some(format!("{number}")), 2)
        })
        .collect();
    let answers: Vec<Answered> = answers.into_iter().map(|it| it.wait().unwrap()).collect();
    let won = answers.iter().filter(|it| matches!(it, Answered::Done(_))).count();
    assert_eq!(won, 1);
    let row = book.approval("ann", &asked.id).unwrap().unwrap();
    assert_eq!((row.state, row.comment.as_deref()), (ApprovalState::Approved, Some("0")));
}

#[test]
fn an_answer_wakes_its_job_whenever_it_comes() {
    let book = in_memory();
    let worker = RunId::new(1);
    for comes_first in [false, true] {
        let job = submitted(&book, new(&format!("{comes_first}"), "ann"));
        let row = taken(&book, &worker, 1).unwrap();
        assert_eq!(row.no, job.no);
        let asked = book.ask(question(&row, "approve", AskKind::Ask)).wait().unwrap();
        let answer = || {
            let answer =
                book.answer("ann".into(), asked.id.clone(), ApprovalEvent::Approved, None, 2);
            assert!(matches!(answer.wait().unwrap(), Answered::Done(_)));
        };
        if comes_first {
            answer();
        }
        assert!(book.park(row.no, worker.clone(), vec![asked.id.clone()], 5).wait().unwrap());
        assert_eq!(book.job_at(row.no).unwrap().unwrap().state, JobState::Waiting);
        assert_eq!(book.has_ready().unwrap(), comes_first);
        if !comes_first {
            assert_eq!(taken(&book, &worker, 3), None);
            answer();
        }
        assert_eq!(taken(&book, &worker, 3).unwrap().no, row.no);
        book.finish(row.no, worker.clone(), end(JobEvent::Succeeded, 4)).wait().unwrap();
    }
}

#[test]
fn an_old_question_expires_and_its_job_goes_on() {
    let book = in_memory();
    let worker = RunId::new(1);
    submitted(&book, new("a", "ann"));
    let row = taken(&book, &worker, 1).unwrap();
    let asked = book.ask(question(&row, "approve", AskKind::Ask)).wait().unwrap();
    book.park(row.no, worker.clone(), vec![asked.id.clone()], 5).wait().unwrap();
    assert!(!book.has_expired(asked.expires - 1).unwrap());
    assert_eq!(book.expire(asked.expires - 1).wait().unwrap(), 0);
    assert!(book.has_expired(asked.expires).unwrap());
    // An answer that comes too late counts as none, also before it is looked for.
    let late =
        book.answer("ann".into(), asked.id.clone(), ApprovalEvent::Approved, None, asked.expires);
    let Answered::TooLate(late) = late.wait().unwrap() else { panic!() };
    assert_eq!(late.state, ApprovalState::Expired);
    assert_eq!(book.expire(asked.expires).wait().unwrap(), 0);
    assert_eq!(taken(&book, &worker, 2).unwrap().no, row.no);
    // The end of a job ends its questions.
    let open = book.ask(question(&row, "other", AskKind::Ask)).wait().unwrap();
    book.cancel("ann".into(), "a".into(), 3).wait().unwrap();
    assert_eq!(book.approval("ann", &open.id).unwrap().unwrap().state, ApprovalState::Expired);
}

#[test]
fn a_write_is_repeated_once_for_each_answer() {
    let book = in_memory();
    let job = submitted(&book, new("a", "ann"));
    let first = book.ask(question(&job, "append", AskKind::Write)).wait().unwrap();
    let allowed = || book.allowed_writes(job.run.clone()).wait().unwrap();
    assert!(allowed().is_empty());
    let yes = |id: &str| {
        book.answer("ann".into(), id.to_owned(), ApprovalEvent::Approved, None, 2).wait().unwrap()
    };
    assert!(matches!(yes(&first.id), Answered::Done(_)));
    assert_eq!(allowed(), ["append"]);
    assert!(allowed().is_empty());
    // The process died again during the write.
    let second = book.ask(question(&job, "append", AskKind::Write)).wait().unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(second.state, ApprovalState::Open);
}

/// What a start finds: every state that a process can leave behind.
#[test]
fn a_start_makes_the_best_of_every_state() {
    let folder = tempfile::tempdir().unwrap();
    let now = 1_000 * SECOND;
    let (dead, alive) = (RunId::new(1), RunId::new(2));
    let mut expected = BTreeMap::new();
    {
        let book = open(&folder);
        let mut plant = |name: &str, next: (JobState, bool), make: &dyn Fn(&JobRow)| {
            let row = submitted(&book, new(name, "ann"));
            make(&row);
            expected.insert(name.to_owned(), next);
        };
        let take = |worker: &RunId, at: i64| drop(taken(&book, worker, at).unwrap());
        let ends = |row: &JobRow, event: JobEvent| {
            take(&dead, now);
            assert!(book.finish(row.no, dead.clone(), end(event, now)).wait().unwrap());
        };
        let dies = |times: u32| {
            for _ in 0..times {
                take(&dead, now);
                book.reclaim(now, vec![dead.clone()], now).wait().unwrap();
            }
        };
        plant("ok", (JobState::Ok, false), &|it| ends(it, JobEvent::Succeeded));
        plant("failed", (JobState::Failed, false), &|it| ends(it, JobEvent::Failed));
        plant("cancelled", (JobState::Cancelled, false), &|_| {
            book.cancel("ann".into(), "cancelled".into(), now).wait().unwrap();
        });
        plant("archived", (JobState::Archived, false), &|it| {
            ends(it, JobEvent::Succeeded);
            book.archive("ann".into(), "archived".into()).wait().unwrap();
        });
        plant("stuck", (JobState::Stuck, false), &|_| dies(MOST_DEATHS + 1));
        plant("last chance", (JobState::Stuck, false), &|_| {
            dies(MOST_DEATHS);
            take(&dead, now);
        });
        plant("waiting", (JobState::Waiting, false), &|it| {
            take(&dead, now);
            let asked = book.ask(question(it, "approve", AskKind::Ask)).wait().unwrap();
            book.park(it.no, dead.clone(), vec![asked.id], 5).wait().unwrap();
        });
        plant("unexpired, dead", (JobState::Queued, true), &|_| take(&dead, now));
        plant("expired", (JobState::Queued, true), &|_| take(&alive, now - LEASE));
        plant("unexpired, alive", (JobState::Running, false), &|_| take(&alive, now - LEASE + 1));
        plant("answered", (JobState::Waiting, true), &|it| {
            take(&dead, now);
            let asked = book.ask(question(it, "approve", AskKind::Ask)).wait().unwrap();
            book.park(it.no, dead.clone(), vec![asked.id.clone()], 5).wait().unwrap();
            let event = ApprovalEvent::Approved;
            book.answer("ann".into(), asked.id, event, None, 2).wait().unwrap();
        });
        plant("queued", (JobState::Queued, true), &|_| {});
    }
    let book = open(&folder);
    let _claim = book.enter_worker(&alive).unwrap();
    let gone: Vec<RunId> = book.leases().unwrap().into_iter().map(|it| it.0).collect();
    let gone = gone.into_iter().filter(|it| !book.is_alive(it).unwrap()).collect();
    let died = book.reclaim(now, gone, now).wait().unwrap();
    assert_eq!(died.len(), 3, "{died:?}");
    for (name, next) in expected {
        let row = book.job("ann", &name, None).unwrap().unwrap();
        assert_eq!((row.state, row.is_ready), next, "{name}");
        let is_held = row.state == JobState::Running;
        assert_eq!((row.worker.is_some(), row.lease.is_some()), (is_held, is_held), "{name}");
        assert_eq!(row.ended.is_some(), row.state.is_over(), "{name}");
    }
    // A second look changes nothing.
    assert!(book.reclaim(now, Vec::new(), now).wait().unwrap().is_empty());
}

#[test]
fn a_full_disk_loses_no_accepted_job() {
    let folder = tempfile::tempdir().unwrap();
    let book = Book::open_with(folder.path(), &host(), Some(90)).unwrap();
    let mut accepted = 0;
    let err = loop {
        let input = format!("{{\"text\":{:?}}}", "long ".repeat(200));
        match book.submit(NewJob { input, ..new(&format!("{accepted}"), "ann") }).wait() {
            Ok(_) => accepted += 1,
            Err(err) => break err,
        }
    };
    assert_eq!(err.kind, StoreErrorKind::Full, "{err}");
    assert!(accepted > 3);
    let worker = RunId::new(1);
    // What cannot be written did not happen.
    let row = book.take(lease(&worker, 1)).wait();
    drop(book);
    let book = open(&folder);
    if let Ok(Some(row)) = row {
        assert_eq!(book.job_at(row.no).unwrap().unwrap().worker, Some(worker.clone()));
        book.release(row.no, worker.clone()).wait().unwrap();
    }
    for number in 0..accepted {
        let row = taken(&book, &worker, 1).unwrap();
        assert_eq!(row.id, number.to_string());
    }
    assert_eq!(taken(&book, &worker, 1), None);
}

/// Not a test by itself: the process that is killed.
#[test]
fn a_child_works_until_it_is_killed() {
    let Ok(folder) = std::env::var(CHILD) else { return };
    let book = Book::open(Path::new(&folder), &host()).unwrap();
    let mut said = fs::File::create(Path::new(&folder).join(SAID)).unwrap();
    let worker = RunId::new(host().now());
    let _claim = book.enter_worker(&worker).unwrap();
    for number in 0.. {
        let id = format!("{}-{number}", std::process::id());
        submitted(&book, new(&id, "ann"));
        writeln!(said, "queued {id}").unwrap();
        let row = taken(&book, &worker, host().now()).unwrap();
        book.finish(row.no, worker.clone(), end(JobEvent::Succeeded, 1)).wait().unwrap();
        writeln!(said, "done {}", row.id).unwrap();
    }
}

#[test]
fn a_killed_process_loses_no_job_and_its_worker_is_known_to_be_gone() {
    let folder = tempfile::tempdir().unwrap();
    for lines in [1, 4, 11, 2] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["book::tests::work::a_child_works_until_it_is_killed", "--exact", "--quiet"])
            .env(CHILD, folder.path())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let said = || {
            let said = fs::read_to_string(folder.path().join(SAID)).unwrap_or_default();
            said.rsplit_once('\n').map_or(String::new(), |it| it.0.to_owned())
        };
        while said().lines().count() < lines && begun.elapsed() < Duration::from_mins(1) {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let said = said();
        fs::remove_file(folder.path().join(SAID)).unwrap();
        let book = open(&folder);
        for line in said.lines() {
            let (what, id) = line.split_once(' ').unwrap();
            let row = book.job("ann", id, None).unwrap().expect("an accepted job is kept");
            assert!(what == "queued" || row.state == JobState::Ok, "{line}: {row:?}");
        }
        for (worker, _) in book.leases().unwrap() {
            assert!(!book.is_alive(&worker).unwrap());
            book.reclaim(0, vec![worker], 0).wait().unwrap();
        }
        let next = RunId::new(host().now());
        while let Some(row) = taken(&book, &next, 1) {
            book.finish(row.no, next.clone(), end(JobEvent::Succeeded, 1)).wait().unwrap();
        }
        assert!(book.leases().unwrap().is_empty());
    }
}

#[test]
fn a_schedule_queues_one_job_at_a_time() {
    let book = in_memory();
    let row = |id: &str, next: i64| ScheduleRow {
        id: id.to_owned(),
        owner: "ann".to_owned(),
        kind: JobKind::Script,
        name: "report".to_owned(),
        input: "{}".to_owned(),
        bounds: "{}".to_owned(),
        times: "* * * * *".to_owned(),
        next,
        created: 1,
        last: None,
    };
    assert!(book.add_schedule(row("s", 10)).wait().unwrap());
    assert_eq!(book.due_schedules(9).unwrap(), []);
    let due = book.due_schedules(10).unwrap().remove(0);
    // Two processes see that its time has come.
    let fire = |due: &ScheduleRow, next: i64, id: &str| {
        book.fire(due.clone(), next, new(id, "ann")).wait().unwrap()
    };
    let Fired::Queued(job) = fire(&due, 20, "a") else { panic!() };
    assert_eq!(fire(&due, 20, "b"), Fired::Gone);
    assert_eq!(book.due_schedules(19).unwrap(), []);
    // The job before has not ended.
    let due = book.due_schedules(20).unwrap().remove(0);
    assert_eq!((due.last, fire(&due, 30, "c")), (Some(job.no), Fired::Skipped));
    book.cancel("ann".into(), "a".into(), 25).wait().unwrap();
    let due = book.due_schedules(30).unwrap().remove(0);
    assert!(matches!(fire(&due, 40, "d"), Fired::Queued(_)));
    assert!(!book.remove_schedule("bob".into(), "s".into()).wait().unwrap());
    assert!(book.remove_schedule("ann".into(), "s".into()).wait().unwrap());
    assert_eq!(book.schedules("ann").unwrap(), []);
    for number in 0..MOST_SCHEDULES {
        assert!(book.add_schedule(row(&format!("{number}"), 1)).wait().unwrap());
    }
    assert!(!book.add_schedule(row("more", 1)).wait().unwrap());
}
