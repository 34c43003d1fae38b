//! Random sequences of everything that can happen to a queue.

use std::{collections::BTreeMap, fmt::Write as _};

use proptest::prelude::*;
use svc_contract::store::RunId;

use super::{
    work::{SECOND, end, in_memory, lease, new, question, submitted, taken},
    *,
};

/// Something that happens to a queue; numbers choose a job and a worker.
#[derive(Clone, Copy, Debug)]
enum Step {
    Submit,
    Take(usize),
    Finish(usize, bool),
    Ask(usize),
    Park(usize),
    Answer(usize, bool),
    Release(usize),
    Cancel(usize),
    Archive(usize),
    Beat(usize),
    Kill(usize),
    Later(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let some = 0..64_usize;
    prop_oneof![
        3 => Just(Step::Submit),
        5 => some.clone().prop_map(Step::Take),
        3 => (some.clone(), any::<bool>()).prop_map(|(it, ok)| Step::Finish(it, ok)),
        2 => some.clone().prop_map(Step::Ask),
        2 => some.clone().prop_map(Step::Park),
        2 => (some.clone(), any::<bool>()).prop_map(|(it, yes)| Step::Answer(it, yes)),
        1 => some.clone().prop_map(Step::Release),
        1 => some.clone().prop_map(Step::Cancel),
        1 => some.clone().prop_map(Step::Archive),
        1 => some.clone().prop_map(Step::Beat),
        1 => some.prop_map(Step::Kill),
        1 => (0..30_i64).prop_map(|it| Step::Later(it * SECOND)),
    ]
}

/// What one worker believes that it has: jobs, each with the number of times it was taken then.
type Held = Vec<(i64, u32)>;

fn played(steps: &[Step]) {
    let book = in_memory();
    let workers = [RunId::new(1), RunId::new(2), RunId::new(3)];
    let mut held: [Held; 3] = Default::default();
    let (mut count, mut now) = (0_i64, SECOND);
    let mut ended: BTreeMap<i64, JobState> = BTreeMap::new();
    for step in steps {
        match *step {
            Step::Submit => {
                count += 1;
                submitted(&book, new(&format!("{count}"), "ann"));
            }
            Step::Take(it) => {
                if let Some(row) = taken(&book, &workers[it % 3], now) {
                    assert!(!ended.contains_key(&row.no), "{row:?} was taken after its end");
                    held[it % 3].push((row.no, row.attempts));
                }
            }
            Step::Finish(it, ok) => {
                let Some((no, attempt)) = held[it % 3].pop() else { continue };
                let event = if ok { JobEvent::Succeeded } else { JobEvent::Failed };
                let before = book.job_at(no).unwrap().unwrap();
                let done =
                    book.finish(no, workers[it % 3].clone(), end(event, now)).wait().unwrap();
                let is_own = before.worker.as_ref() == Some(&workers[it % 3]);
                assert_eq!(done, is_own, "only its worker ends a job");
                if done {
                    // A worker that lost a job and took it again has it in its second attempt.
                    assert!(before.attempts >= attempt);
                    assert!(ended.insert(no, before.state.next(event).unwrap()).is_none());
                }
            }
            Step::Ask(it) => {
                let Some((no, _)) = held[it % 3].last() else { continue };
                let row = book.job_at(*no).unwrap().unwrap();
                if row.worker.as_ref() == Some(&workers[it % 3]) {
                    book.ask(question(&row, &format!("{it}"), AskKind::Ask)).wait().unwrap();
                }
            }
            Step::Park(it) => {
                let Some((no, _)) = held[it % 3].pop() else { continue };
                let open = book.open_approvals(no).unwrap();
                let ids = open.into_iter().map(|it| it.id).collect();
                book.park(no, workers[it % 3].clone(), ids, now).wait().unwrap();
            }
            Step::Answer(it, yes) => {
                let open = book.approvals("ann", Some(ApprovalState::Open), 100).unwrap();
                if open.is_empty() {
                    continue;
                }
                let id = open[it % open.len()].id.clone();
                let event = if yes { ApprovalEvent::Approved } else { ApprovalEvent::Rejected };
                book.answer("ann".into(), id, event, None, now).wait().unwrap();
            }
            Step::Release(it) => {
                let Some((no, _)) = held[it % 3].pop() else { continue };
                book.release(no, workers[it % 3].clone()).wait().unwrap();
            }
            Step::Cancel(it) if count > 0 => {
                let id = (i64::try_from(it).unwrap() % count + 1).to_string();
                let done = book.cancel("ann".into(), id, now).wait().unwrap();
                if let Changed::Done(row) = done {
                    assert!(ended.insert(row.no, row.state).is_none());
                }
            }
            Step::Archive(it) if count > 0 => {
                let id = (i64::try_from(it).unwrap() % count + 1).to_string();
                if let Changed::Done(row) = book.archive("ann".into(), id).wait().unwrap() {
                    assert!(ended.insert(row.no, row.state).is_some());
                }
            }
            Step::Cancel(_) | Step::Archive(_) => {}
            Step::Beat(it) => {
                let own: Vec<i64> = held[it % 3].iter().map(|it| it.0).collect();
                let worker = &workers[it % 3];
                let still = book.beat(lease(worker, now), own).wait().unwrap();
                held[it % 3].retain(|(no, _)| still.contains(no));
            }
            Step::Kill(it) => {
                held[it % 3].clear();
                let died = book.reclaim(now, vec![workers[it % 3].clone()], now).wait().unwrap();
                stuck(&died, &mut ended);
            }
            Step::Later(time) => {
                now += time;
                book.expire(now).wait().unwrap();
                let died = book.reclaim(now, Vec::new(), now).wait().unwrap();
                stuck(&died, &mut ended);
            }
        }
    }
    sound(&book, count, &ended);
    drained(&book, &workers[0], now, count);
}

fn stuck(died: &[JobRow], ended: &mut BTreeMap<i64, JobState>) {
    for row in died.iter().filter(|it| it.state == JobState::Stuck) {
        assert!(row.deaths > MOST_DEATHS);
        assert!(ended.insert(row.no, row.state).is_none());
    }
}

/// Every job is there once, and each that has not ended has someone or something that moves it on.
fn sound(book: &Book, count: i64, ended: &BTreeMap<i64, JobState>) {
    for no in 1..=count {
        let row = book.job_at(no).unwrap().expect("no job is lost");
        assert_eq!(ended.get(&no).copied(), row.state.is_over().then_some(row.state), "{row:?}");
        let asks = !book.open_approvals(no).unwrap().is_empty();
        let moves = match row.state {
            JobState::Queued => row.is_ready,
            JobState::Running => row.lease.is_some(),
            JobState::Waiting => row.is_ready || asks,
            _ => !row.is_ready && !asks,
        };
        assert!(moves, "{row:?}");
    }
    assert_eq!(book.job_at(count + 1).unwrap(), None);
}

/// Whatever happened, the queue can be worked off, and no job is done twice.
fn drained(book: &Book, worker: &RunId, now: i64, count: i64) {
    let far = now + 1_000 * SECOND;
    book.expire(far).wait().unwrap();
    book.reclaim(far, Vec::new(), far).wait().unwrap();
    let mut done = String::new();
    while let Some(row) = taken(book, worker, far) {
        let _ = write!(done, " {} ", row.no);
        assert_eq!(done.matches(&format!(" {} ", row.no)).count(), 1, "{done}");
        assert!(book.finish(row.no, worker.clone(), end(JobEvent::Succeeded, far)).wait().unwrap());
    }
    for no in 1..=count {
        let row = book.job_at(no).unwrap().unwrap();
        assert!(row.state.is_over(), "{row:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_loses_or_doubles_a_job(steps in prop::collection::vec(step(), 1..80)) {
        played(&steps);
    }
}
