//! Worker processes: the same program again, with little memory, an empty environment, and
//! nothing open but its ends of three pipes.
//!
//! Limits cannot be set for a process from outside, so the worker limits itself before it does
//! a piece of work ([`serve`]). It ends when its standard input is closed, even in the middle
//! of its work, so none is left when this process is killed.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use svc_contract::host::{Process, WorkerError, WorkerLimits};

mod frame;
mod serve;
mod worker;

pub use serve::is_worker;
use worker::{LOOK, Program, Worker};

/// The time after which an idle worker is ended.
const IDLE: Duration = Duration::from_secs(5);

/// The number of tasks after which a worker is replaced, so that leaks cannot accumulate.
const MOST_WORK: u32 = 500;

/// Whether this program has called [`crate::is_worker`]: any other program, started again,
/// would do its own work.
static ASKS: AtomicBool = AtomicBool::new(false);

/// The worker processes of a program.
#[derive(Clone, Debug)]
pub(crate) struct Workers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// `None` means this program, if it has called [`crate::is_worker`].
    program: Option<Program>,
    pool: Mutex<Pool>,
    freed: Condvar,
}

/// The idle workers.
#[derive(Debug, Default)]
struct Pool {
    idle: Vec<(Worker, Instant)>,
    busy: usize,
    is_swept: bool,
}

impl Default for Workers {
    fn default() -> Self {
        static OWN: OnceLock<Workers> = OnceLock::new();
        OWN.get_or_init(|| Self::new(None)).clone()
    }
}

impl Workers {
    /// The workers of another program, which must call [`crate::is_worker`] first of all.
    pub(crate) fn of(program: PathBuf) -> Self {
        Self::new(Some(Program::of(program)))
    }

    /// The workers of this binary of unit tests: the test with this name.
    pub(crate) fn of_test(name: &str) -> io::Result<Self> {
        Program::of_test(name).map(|it| Self::new(Some(it)))
    }

    fn new(program: Option<Program>) -> Self {
        let (pool, freed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Inner { program, pool, freed }))
    }

    /// Runs a piece of work in a worker, and waits for its answer.
    pub(crate) fn run(
        &self,
        work: Vec<u8>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        let program = self.program()?;
        let work = Arc::new(work);
        match limits.process {
            Process::Fresh => Worker::start(&program, limits.process)?.run(&work, limits),
            Process::Kept => self.run_kept(&program, &work, limits),
        }
    }

    fn run_kept(
        &self,
        program: &Program,
        work: &Arc<Vec<u8>>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        let (place, idle) = self.place(limits)?;
        let start = || Worker::start(program, limits.process);
        let mut worker = idle.map_or_else(start, Ok)?;
        let is_first = worker.done == 0;
        let mut answer = worker.run(work, limits);
        if !is_first && answer.as_ref().is_err_and(may_be_of_before) {
            worker = start()?;
            answer = worker.run(work, limits);
        }
        if answer.is_ok() && worker.done < MOST_WORK {
            place.keep(worker);
        }
        answer
    }

    fn program(&self) -> Result<Program, WorkerError> {
        if let Some(program) = &self.0.program {
            return Ok(program.clone());
        }
        if ASKS.load(Ordering::Relaxed) {
            Ok(Program::of(std::env::current_exe().map_err(WorkerError::Lost)?))
        } else {
            Err(WorkerError::Unsupported)
        }
    }

    /// Waits until fewer workers than cores are busy; also returns an idle worker, if any.
    fn place(&self, limits: &WorkerLimits<'_>) -> Result<(Place<'_>, Option<Worker>), WorkerError> {
        static CORES: OnceLock<usize> = OnceLock::new();
        let most = *CORES.get_or_init(|| thread::available_parallelism().map_or(2, usize::from));
        let mut pool = self.0.pool();
        while pool.busy >= most {
            if !(limits.goes_on)() {
                return Err(WorkerError::Cancelled);
            }
            let woken = self.0.freed.wait_timeout(pool, LOOK);
            pool = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        pool.busy += 1;
        let idle = pool.idle.pop().map(|(worker, _)| worker);
        Ok((Place(self), idle))
    }
}

/// Whether another worker may succeed where a reused one failed: its memory may have been
/// fragmented, or it was killed meanwhile.
fn may_be_of_before(why: &WorkerError) -> bool {
    matches!(why, WorkerError::Memory | WorkerError::Crashed | WorkerError::Lost(_))
}

impl Inner {
    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the workers that were idle for a while; returns whether others are left.
    fn sweep(&self) -> bool {
        let mut pool = self.pool();
        let (keep, end) =
            pool.idle.drain(..).partition(|(_, since): &(Worker, Instant)| since.elapsed() < IDLE);
        pool.idle = keep;
        pool.is_swept = !pool.idle.is_empty();
        let goes_on = pool.is_swept;
        drop(pool);
        drop::<Vec<_>>(end);
        goes_on
    }
}

/// The permission to have one busy worker.
struct Place<'a>(&'a Workers);

impl Place<'_> {
    fn keep(&self, worker: Worker) {
        let mut pool = self.0.0.pool();
        pool.idle.push((worker, Instant::now()));
        if !std::mem::replace(&mut pool.is_swept, true) {
            let inner = Arc::downgrade(&self.0.0);
            thread::spawn(move || {
                loop {
                    thread::sleep(IDLE / 4);
                    if !inner.upgrade().is_some_and(|it| it.sweep()) {
                        return;
                    }
                }
            });
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.0.pool().busy -= 1;
        self.0.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests;
