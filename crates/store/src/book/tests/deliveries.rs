//! The outbox: each change of a job that wants it is reported, whichever process dies between two steps.

use svc_contract::store::RunId;

use super::{
    work::{LEASE, SECOND, end, lease, new, question, submitted, taken},
    *,
};

const URL: &str = "https://example.com/done";

fn in_memory() -> Book {
    Book::in_memory(&host()).unwrap()
}

fn notified(id: &str) -> NewJob {
    NewJob { notify: Some(URL.to_owned()), ..new(id, "ann") }
}

fn all(book: &Book) -> Vec<DeliveryRow> {
    book.deliveries("ann", &DeliveryFilter { limit: 100, ..DeliveryFilter::default() }).unwrap()
}

fn take(book: &Book, worker: &RunId, now: i64) -> Option<DeliveryRow> {
    let is_due = book.has_due_delivery(now).unwrap();
    let row = book.take_delivery(lease(worker, now)).wait().unwrap();
    assert_eq!(row.is_some(), is_due);
    row
}

fn tried(event: DeliveryEvent, at: i64) -> Tried {
    Tried { event, status: Some(200), error: None, at }
}

#[test]
fn each_end_of_a_job_is_reported_once() {
    let book = in_memory();
    let worker = RunId::new(1);
    for (id, event) in
        [("a", JobEvent::Succeeded), ("b", JobEvent::Failed), ("c", JobEvent::Cancelled)]
    {
        submitted(&book, notified(id));
        let row = taken(&book, &worker, 1).unwrap();
        assert!(book.finish(row.no, worker.clone(), end(event, 7)).wait().unwrap());
        // The second end of a job does nothing, and reports nothing.
        assert!(!book.finish(row.no, worker.clone(), end(event, 8)).wait().unwrap());
    }
    submitted(&book, notified("d"));
    book.cancel("ann".into(), "d".into(), 9).wait().unwrap();
    // Without an address, nothing is sent.
    submitted(&book, new("e", "ann"));
    book.cancel("ann".into(), "e".into(), 9).wait().unwrap();
    let events: Vec<&str> = all(&book).iter().map(|it| it.event.name()).collect();
    assert_eq!(events, ["cancelled", "cancelled", "failed", "ok"]);
    let mut ids: Vec<String> = all(&book).into_iter().map(|it| it.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    assert!(book.has_work().unwrap(), "what is not sent keeps its owner at work");
}

#[test]
fn a_job_that_is_stuck_is_reported_with_the_time() {
    let book = in_memory();
    submitted(&book, notified("a"));
    for death in 0..=MOST_DEATHS {
        let dead = RunId::new(i64::from(death));
        taken(&book, &dead, 1).unwrap();
        book.reclaim(i64::MIN, vec![dead], 50).wait().unwrap();
    }
    let row = book.job("ann", "a", None).unwrap().unwrap();
    assert_eq!((row.state, row.ended), (JobState::Stuck, Some(50)));
    let sent = all(&book).remove(0);
    assert_eq!((sent.event, sent.at, sent.until), (JobState::Stuck, 50, 50 + TRIED_FOR));
}

#[test]
fn one_worker_has_a_delivery_until_it_dies() {
    let book = in_memory();
    let (one, two) = (RunId::new(1), RunId::new(2));
    submitted(&book, notified("a"));
    book.cancel("ann".into(), "a".into(), 10).wait().unwrap();
    assert_eq!(take(&book, &one, 9), None, "it has not happened yet");
    let row = take(&book, &one, 10).unwrap();
    assert_eq!(take(&book, &two, 11), None);
    // The body of the first try stays.
    assert_eq!(book.fill_delivery(row.no, "first".into()).wait().unwrap(), "first");
    assert_eq!(book.fill_delivery(row.no, "second".into()).wait().unwrap(), "first");
    // The worker gives no sign of life.
    let again = take(&book, &two, 10 + LEASE).unwrap();
    assert_eq!((&again.id, again.tries), (&row.id, 0));
    assert_eq!(again.body.as_deref(), Some("first"));
    // It is not the worker's any more.
    let late = book.tried_delivery(row.no, one.clone(), tried(DeliveryEvent::Accepted, 5));
    assert!(!late.wait().unwrap());
    // It has died.
    assert_eq!(book.delivering().unwrap(), std::slice::from_ref(&two));
    book.free_deliveries(vec![two.clone()]).wait().unwrap();
    let row = take(&book, &one, 12).unwrap();
    let missed = tried(DeliveryEvent::Missed(Some(500)), 100);
    assert!(book.tried_delivery(row.no, one.clone(), missed).wait().unwrap());
    assert_eq!(take(&book, &one, 499), None);
    let row = take(&book, &one, 500).unwrap();
    assert_eq!((row.tries, row.status), (1, Some(200)));
    let accepted = tried(DeliveryEvent::Accepted, 600);
    assert!(book.tried_delivery(row.no, one.clone(), accepted).wait().unwrap());
    assert_eq!(take(&book, &one, 10 * SECOND), None);
    assert!(!book.has_work().unwrap());
    // It can be sent again, by its owner only.
    assert_eq!(book.resend("bob".into(), row.id.clone(), 700).wait().unwrap(), None);
    let again = book.resend("ann".into(), row.id.clone(), 700).wait().unwrap().unwrap();
    assert_eq!(
        (again.state, again.tries, again.until),
        (DeliveryState::Pending, 0, 700 + TRIED_FOR)
    );
    assert_eq!(take(&book, &one, 700).unwrap().id, row.id);
}

#[test]
fn a_question_is_reported_unless_it_is_answered_already() {
    for is_answered in [true, false] {
        let (book, worker) = (in_memory(), RunId::new(1));
        submitted(&book, notified("a"));
        let row = taken(&book, &worker, 1).unwrap();
        let asked = book.ask(question(&row, "approve", AskKind::Ask)).wait().unwrap();
        if is_answered {
            let answer =
                book.answer("ann".into(), asked.id.clone(), ApprovalEvent::Approved, None, 2);
            answer.wait().unwrap();
        }
        book.park(row.no, worker.clone(), vec![asked.id], 5).wait().unwrap();
        assert_eq!(all(&book).len(), usize::from(!is_answered));
    }
}

#[test]
fn what_ended_long_ago_is_forgotten() {
    let (book, worker) = (in_memory(), RunId::new(1));
    let month = 31 * 24 * 60 * 60 * SECOND;
    for (id, at) in [("a", 1), ("b", month)] {
        submitted(&book, notified(id));
        book.cancel("ann".into(), id.into(), at).wait().unwrap();
        let row = take(&book, &worker, at).unwrap();
        let gone = tried(DeliveryEvent::Gone, at);
        book.tried_delivery(row.no, worker.clone(), gone).wait().unwrap();
    }
    let left: Vec<(i64, DeliveryState)> = all(&book).iter().map(|it| (it.at, it.state)).collect();
    assert_eq!(left, [(month, DeliveryState::Stopped)]);
}

#[test]
fn hooks_are_kept_by_script() {
    let book = in_memory();
    let hook = |id: &str, script: &str, form| HookRow {
        id: id.to_owned(),
        script: script.to_owned(),
        form,
        key: None,
        secret: Some("name".to_owned()),
        created: 1,
    };
    let hooks = [
        hook("1", "a", HookForm::Standard),
        hook("2", "a", HookForm::Github),
        hook("3", "b", HookForm::Standard),
    ];
    for it in &hooks {
        book.add_hook(it.clone()).wait().unwrap();
    }
    assert_eq!(book.hooks().unwrap(), hooks);
    assert_eq!(book.hooks_of("a").unwrap(), hooks[..2]);
    assert_eq!(book.remove_hook("1".into()).wait().unwrap().as_ref(), Some(&hooks[0]));
    assert_eq!(book.remove_hook("1".into()).wait().unwrap(), None);
    assert_eq!(book.hook("2").unwrap().as_ref(), Some(&hooks[1]));
    assert_eq!(book.hooks_of("a").unwrap().len(), 1);
    assert_eq!(book.signing("ann").unwrap(), (1, 0));
    assert_eq!(book.rotate_signing("ann".into(), 5).wait().unwrap(), 2);
    assert_eq!((book.signing("ann").unwrap(), book.signing("bob").unwrap()), ((2, 5), (1, 0)));
}
