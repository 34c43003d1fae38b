//! Calls that are made once, however often they are asked for: a caller names a call by a key of its
//! own, and a second request with that key gets the answer of the first one.
//!
//! With a book, what is known survives the process: a call that became a stored run is found again
//! after a crash, and not made a second time. In memory it ends with the process.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    host::Host,
    store::{Claim, RunId, StoreError},
};
use svc_store::book::{Book, OnceRow};

pub use svc_store::book::{OnceAnswer, OnceKey};

use crate::{Fault, Why};

/// How long a call is known, in milliseconds.
const KEPT: i64 = 24 * 60 * 60 * 1000;

/// The most calls that are known in memory.
const MOST: usize = 10_000;

/// The most bytes of all answers in memory.
const MOST_BYTES: usize = 64 << 20;

/// The longest key.
const LONGEST_KEY: usize = 255;

/// The calls that are made once. Cheap to clone.
#[derive(Clone)]
pub struct Once(Arc<Inner>);

struct Inner {
    kept: Kept,
    /// Distinguishes this process from others.
    holder: String,
    /// Shows other processes that this one lives.
    _alive: Option<Box<dyn Claim>>,
}

enum Kept {
    Memory(Mutex<Memory>),
    Book(Arc<Book>),
}

#[derive(Default)]
struct Memory {
    calls: HashMap<OnceKey, OnceRow>,
    /// The keys, the oldest first.
    order: VecDeque<OnceKey>,
    bytes: usize,
}

/// What is known of a call.
#[derive(Debug)]
pub enum Entered {
    /// It is made now.
    First(Entry),
    /// It was made, and this is its answer.
    Repeated(OnceAnswer),
    /// It became this run in a process that has ended.
    Interrupted(Entry, RunId),
}

/// A call that is being made. If it is dropped before anything of it has begun, it is forgotten.
pub struct Entry {
    once: Once,
    key: Arc<OnceKey>,
    has_begun: Arc<AtomicBool>,
    /// What a process before this one knew of it.
    before: Option<OnceRow>,
    is_done: bool,
}

/// Notes the run that a call becomes.
#[derive(Clone)]
pub struct Noting {
    once: Once,
    key: Arc<OnceKey>,
    has_begun: Arc<AtomicBool>,
}

tokio::task_local! {
    /// The call that this task makes. The service notes in it what it starts, so that nothing between
    /// has to pass it on.
    static CURRENT: Noting;
}

/// Notes that the current call begins; the name of a run that it becomes must be noted before that.
pub fn begins() -> Option<Noting> {
    let noting = CURRENT.try_with(Clone::clone).ok()?;
    noting.has_begun.store(true, Ordering::Relaxed);
    Some(noting)
}

impl Once {
    /// What ends with the process.
    pub fn in_memory(host: &dyn Host) -> Self {
        Self::of(Kept::Memory(Mutex::default()), &RunId::new(host.now()), None)
    }

    /// What is kept in a book.
    pub fn in_book(book: Arc<Book>, host: &dyn Host) -> Result<Self, StoreError> {
        let holder = RunId::new(host.now());
        let alive = book.enter_worker(&holder)?;
        Ok(Self::of(Kept::Book(book), &holder, Some(alive)))
    }

    fn of(kept: Kept, holder: &RunId, alive: Option<Box<dyn Claim>>) -> Self {
        Self(Arc::new(Inner { kept, holder: holder.to_string(), _alive: alive }))
    }

    /// Begins a call, unless it is known. `asked` is a hash of what the call is about; `now` is in
    /// milliseconds since 1970.
    pub async fn enter(&self, key: OnceKey, asked: [u8; 32], now: i64) -> Result<Entered, Fault> {
        test(&key.key)?;
        let holder = self.0.holder.clone();
        let row = OnceRow { asked, at: now, holder, run: None, answer: None };
        let known = match &self.0.kept {
            Kept::Memory(memory) => lock(memory).enter(&key, row, now - KEPT)?,
            Kept::Book(book) => book.enter_once(key.clone(), row, now - KEPT).await?,
        };
        let mut entry = Entry {
            once: self.clone(),
            key: Arc::new(key),
            has_begun: Arc::default(),
            before: None,
            is_done: false,
        };
        let Some(known) = known else { return Ok(Entered::First(entry)) };
        if known.asked != asked {
            entry.kept();
            let message = "this key was used for another call";
            return Err(Fault::field("Idempotency-Key", message)
                .help("use a new key for each call, and the same one only to repeat it"));
        }
        if let Some(answer) = known.answer {
            entry.kept();
            return Ok(Entered::Repeated(answer));
        }
        if known.holder == self.0.holder || self.lives(&known.holder)? {
            entry.kept();
            return Err(running());
        }
        match known.run.as_deref().map(RunId::parse) {
            Some(Ok(run)) => {
                entry.before = Some(known);
                Ok(Entered::Interrupted(entry, run))
            }
            _ => {
                entry.before = Some(known);
                entry.take_over().await?;
                Ok(Entered::First(entry))
            }
        }
    }
}

impl Once {
    /// Whether another process is still making its calls.
    fn lives(&self, holder: &str) -> Result<bool, Fault> {
        match (&self.0.kept, RunId::parse(holder)) {
            (Kept::Book(book), Ok(holder)) => Ok(book.is_alive(&holder)?),
            _ => Ok(false),
        }
    }
}

/// A key is short and can be printed.
fn test(key: &str) -> Result<(), Fault> {
    let is_plain = key.bytes().all(|it| it.is_ascii_graphic() || it == b' ');
    if is_plain && (1..=LONGEST_KEY).contains(&key.len()) {
        return Ok(());
    }
    let message = format!("expected 1 to {LONGEST_KEY} signs of ASCII, found {} bytes", key.len());
    Err(Fault::field("Idempotency-Key", message))
}

fn running() -> Fault {
    Fault::new(Why::Conflict, "the first call with this key is still running")
        .help("try again later: its answer is kept for 24 hours")
        .retry_after(Duration::from_secs(1))
}

fn lock(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entry {
    /// Makes the call of a process that has ended, unless another request is quicker.
    pub async fn take_over(&self) -> Result<(), Fault> {
        let (Some(before), Kept::Book(book)) = (&self.before, &self.once.0.kept) else {
            return Ok(());
        };
        let holder = self.once.0.holder.clone();
        let is_taken = book.take_once((*self.key).clone(), before.clone(), holder).await?;
        if is_taken { Ok(()) } else { Err(running()) }
    }

    /// Makes the call, and says whether anything of it has begun.
    pub async fn making<F: Future>(&self, call: F) -> (F::Output, bool) {
        let Self { once, key, has_begun, .. } = self;
        let noting = Noting { once: once.clone(), key: key.clone(), has_begun: has_begun.clone() };
        let output = CURRENT.scope(noting, call).await;
        (output, has_begun.load(Ordering::Relaxed))
    }

    /// Keeps the answer for those who ask again.
    pub async fn answered(self, answer: OnceAnswer) -> Result<(), Fault> {
        match &self.once.0.kept {
            Kept::Memory(memory) => lock(memory).answered(&self.key, answer),
            Kept::Book(book) => book.answered_once((*self.key).clone(), answer).await?,
        }
        self.kept();
        Ok(())
    }

    /// Leaves what is known as it is.
    pub fn kept(mut self) {
        self.is_done = true;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        match &self.once.0.kept {
            Kept::Memory(memory) => lock(memory).forget(&self.key),
            // What it has done is not known: the next process looks at its run.
            Kept::Book(_) if self.has_begun.load(Ordering::Relaxed) => {}
            Kept::Book(book) => {
                // A full disk: the call is known until it is too old.
                let _ = book.forget_once((*self.key).clone(), self.once.0.holder.clone());
            }
        }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Noting {
    /// Nothing of the call has happened after all, so a repeat makes it.
    pub(crate) fn undo(&self) {
        self.has_begun.store(false, Ordering::Relaxed);
    }

    /// Notes the stored run that the call becomes, durably if there is a book.
    pub(crate) async fn run(&self, run: &RunId) -> Result<(), Fault> {
        let id = run.to_string();
        match &self.once.0.kept {
            Kept::Memory(memory) => {
                if let Some(call) = lock(memory).calls.get_mut(&*self.key) {
                    call.run = Some(id);
                }
            }
            Kept::Book(book) => book.started_once((*self.key).clone(), id).await?,
        }
        Ok(())
    }
}

impl Memory {
    fn enter(
        &mut self,
        key: &OnceKey,
        row: OnceRow,
        oldest: i64,
    ) -> Result<Option<OnceRow>, Fault> {
        self.forget_before(oldest);
        if let Some(known) = self.calls.get(key) {
            return Ok(Some(known.clone()));
        }
        self.make_room()?;
        self.order.push_back(key.clone());
        self.calls.insert(key.clone(), row);
        Ok(None)
    }

    fn answered(&mut self, key: &OnceKey, answer: OnceAnswer) {
        if let Some(call) = self.calls.get_mut(key) {
            self.bytes += answer.text.len();
            call.answer = Some(answer);
        }
        while self.bytes > MOST_BYTES && self.forget_oldest() {}
    }

    fn forget(&mut self, key: &OnceKey) {
        if let Some(call) = self.calls.remove(key) {
            self.bytes -= call.answer.map_or(0, |it| it.text.len());
            self.order.retain(|it| it != key);
        }
    }

    fn forget_before(&mut self, oldest: i64) {
        while let Some(first) = self.order.front() {
            if self.calls.get(first).is_some_and(|it| it.at >= oldest) {
                break;
            }
            let first = first.clone();
            self.forget(&first);
        }
    }

    /// Forgets the oldest answered call; a call that is being made is never forgotten.
    fn forget_oldest(&mut self) -> bool {
        let is_answered = |it: &&OnceKey| self.calls.get(*it).is_some_and(|it| it.answer.is_some());
        let oldest = self.order.iter().find(is_answered).cloned();
        oldest.inspect(|it| self.forget(it)).is_some()
    }

    fn make_room(&mut self) -> Result<(), Fault> {
        if self.calls.len() < MOST || self.forget_oldest() {
            return Ok(());
        }
        let message = "too many calls with an `Idempotency-Key` run at the same time";
        Err(Fault::new(Why::Busy, message).retry_after(Duration::from_secs(1)))
    }
}

#[cfg(test)]
mod tests {
    use svc_host_os::OsHost;

    use super::*;

    fn host() -> OsHost {
        OsHost::default()
    }

    fn key(caller: &str, key: &str) -> OnceKey {
        OnceKey { caller: caller.to_owned(), route: "POST /a".to_owned(), key: key.to_owned() }
    }

    fn answer(text: &str) -> OnceAnswer {
        OnceAnswer { status: 200, format: "application/json".to_owned(), text: text.to_owned() }
    }

    async fn first(once: &Once, of: OnceKey, now: i64) -> Entry {
        match once.enter(of, [1; 32], now).await.unwrap() {
            Entered::First(entry) => entry,
            other => panic!("it is known: {other:?}"),
        }
    }

    #[tokio::test]
    async fn a_call_is_known_for_a_day_and_by_its_caller() {
        let book = Arc::new(Book::in_memory(&host()).unwrap());
        for once in [Once::in_memory(&host()), Once::in_book(book, &host()).unwrap()] {
            first(&once, key("a", "k"), 1000).await.answered(answer("one")).await.unwrap();
            let again = once.enter(key("a", "k"), [1; 32], 1000 + KEPT).await.unwrap();
            assert!(matches!(again, Entered::Repeated(it) if it == answer("one")));
            let other = once.enter(key("a", "k"), [2; 32], 1000).await.unwrap_err();
            assert!(other.message.contains("another call"), "{other}");
            // Another caller's key, and a call that is too old.
            drop(first(&once, key("b", "k"), 1000).await);
            let entry = first(&once, key("a", "k"), 1001 + KEPT).await;
            let running = once.enter(key("a", "k"), [1; 32], 1001 + KEPT).await.unwrap_err();
            assert_eq!(running.why, Why::Conflict);
            drop(entry);
            // It was dropped before it began, so nothing of it is known.
            first(&once, key("a", "k"), 1002 + KEPT).await.kept();
        }
    }

    #[tokio::test]
    async fn a_book_outlives_a_process() {
        let book = Arc::new(Book::in_memory(&host()).unwrap());
        let process = || Once::in_book(book.clone(), &host()).unwrap();
        let before = process();
        first(&before, key("a", "answered"), 1).await.answered(answer("one")).await.unwrap();
        let (id, of) = (RunId::new(5), first(&before, key("a", "run"), 1).await);
        let noted = of.making(async { begins().unwrap().run(&id).await }).await;
        assert!(noted.0.is_ok() && noted.1);
        // A process that is killed forgets nothing of what it has written.
        of.kept();
        first(&before, key("a", "cut off"), 1).await.kept();

        let after = process();
        let running = after.enter(key("a", "run"), [1; 32], 2).await.unwrap_err();
        assert_eq!(running.why, Why::Conflict, "the first process still lives");
        drop(before);
        let answered = after.enter(key("a", "answered"), [1; 32], 2).await.unwrap();
        assert!(matches!(answered, Entered::Repeated(it) if it.text == "one"));
        let run = after.enter(key("a", "run"), [1; 32], 2).await.unwrap();
        let Entered::Interrupted(entry, run) = run else { panic!("{run:?}") };
        assert_eq!(run, id);
        entry.take_over().await.unwrap();
        assert_eq!(entry.take_over().await.unwrap_err().why, Why::Conflict);
        let again = first(&after, key("a", "cut off"), 2).await;
        let running = after.enter(key("a", "cut off"), [1; 32], 2).await.unwrap_err();
        assert_eq!(running.why, Why::Conflict);
        drop(again);
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let once = Once::in_memory(&host());
        let large = "x".repeat(MOST_BYTES / 4);
        for number in 0..6 {
            let entry = first(&once, key("a", &number.to_string()), number).await;
            entry.answered(answer(&large)).await.unwrap();
        }
        drop(first(&once, key("a", "0"), 9).await);
        let latest = once.enter(key("a", "5"), [1; 32], 9).await.unwrap();
        assert!(matches!(latest, Entered::Repeated(_)));
        for number in 0..MOST {
            first(&once, key("b", &number.to_string()), 9)
                .await
                .answered(answer(""))
                .await
                .unwrap();
        }
        let Kept::Memory(memory) = &once.0.kept else { panic!("no memory") };
        let memory = lock(memory);
        assert!(memory.calls.len() <= MOST && memory.order.len() == memory.calls.len());
    }
}
