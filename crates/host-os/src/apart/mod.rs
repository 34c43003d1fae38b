//! Work in processes of its own: the program once more, with little memory, an empty
//! environment, and nothing open but its ends of three pipes.
//!
//! A process cannot be told from outside what it may use, so the worker limits itself, before
//! it does a piece of work ([`serve`]). It ends when its standard input does, also in the middle
//! of its work, so none is left behind when this process is killed.

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

use svc_contract::host::{Apart, Process, Unanswered};

mod frame;
mod serve;
mod worker;

pub use serve::is_worker;
use worker::{LOOK, Program, Worker};

/// How long a worker is kept that has nothing to do.
const IDLE: Duration = Duration::from_secs(5);

/// After so many pieces of work a worker is replaced, so that nothing adds up in it.
const MOST_WORK: u32 = 500;

/// Whether this program asks at its beginning what it is: started once more, any other
/// program would do its own work.
static ASKS: AtomicBool = AtomicBool::new(false);

/// The processes of one program that work apart.
#[derive(Clone, Debug)]
pub(crate) struct Workers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Nothing: this program, where it asks what it is.
    program: Option<Program>,
    pool: Mutex<Pool>,
    freed: Condvar,
}

/// Those that are kept for further work.
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
    /// Those of another program, which asks first of all whether it is one.
    pub(crate) fn of(program: PathBuf) -> Self {
        Self::new(Some(Program::of(program)))
    }

    /// Those of the binary of unit tests, the test of this name in it.
    pub(crate) fn of_test(name: &str) -> io::Result<Self> {
        Program::of_test(name).map(|it| Self::new(Some(it)))
    }

    fn new(program: Option<Program>) -> Self {
        let (pool, freed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Inner { program, pool, freed }))
    }

    /// Has a worker do a piece of work, and waits for its answer.
    pub(crate) fn run(&self, work: Vec<u8>, apart: &Apart<'_>) -> Result<Vec<u8>, Unanswered> {
        let program = self.program()?;
        let work = Arc::new(work);
        match apart.process {
            Process::Fresh => Worker::start(&program, apart.process)?.run(&work, apart),
            Process::Kept => self.run_kept(&program, &work, apart),
        }
    }

    fn run_kept(
        &self,
        program: &Program,
        work: &Arc<Vec<u8>>,
        apart: &Apart<'_>,
    ) -> Result<Vec<u8>, Unanswered> {
        let (place, idle) = self.place(apart)?;
        let start = || Worker::start(program, apart.process);
        let mut worker = idle.map_or_else(start, Ok)?;
        let is_first = worker.done == 0;
        let mut answer = worker.run(work, apart);
        if !is_first && answer.as_ref().is_err_and(may_be_of_before) {
            worker = start()?;
            answer = worker.run(work, apart);
        }
        if answer.is_ok() && worker.done < MOST_WORK {
            place.keep(worker);
        }
        answer
    }

    fn program(&self) -> Result<Program, Unanswered> {
        if let Some(program) = &self.0.program {
            return Ok(program.clone());
        }
        match ASKS.load(Ordering::Relaxed) {
            true => Ok(Program::of(std::env::current_exe().map_err(Unanswered::Lost)?)),
            false => Err(Unanswered::Unsupported),
        }
    }

    /// Waits until there are fewer workers at work than cores; gives an idle one, if any.
    fn place(&self, apart: &Apart<'_>) -> Result<(Place<'_>, Option<Worker>), Unanswered> {
        static CORES: OnceLock<usize> = OnceLock::new();
        let most = *CORES.get_or_init(|| thread::available_parallelism().map_or(2, usize::from));
        let mut pool = self.0.pool();
        while pool.busy >= most {
            if !(apart.goes_on)() {
                return Err(Unanswered::Cancelled);
            }
            let woken = self.0.freed.wait_timeout(pool, LOOK);
            pool = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        pool.busy += 1;
        let idle = pool.idle.pop().map(|(worker, _)| worker);
        Ok((Place(self), idle))
    }
}

/// Whether another worker may do what one that had done other work before could not: memory
/// may have been scattered, or the process was ended meanwhile.
fn may_be_of_before(why: &Unanswered) -> bool {
    matches!(why, Unanswered::Memory | Unanswered::Crashed | Unanswered::Lost(_))
}

impl Inner {
    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the workers that had nothing to do for a while; whether others are left.
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

/// The leave to have one worker at work.
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
