//! Work that its library cannot be stopped in, so that it runs in a worker process with limits: it may
//! take forever, or use up all memory in a single step.

use std::time::Duration;

use svc_contract::{
    host::{Process, WorkerError, WorkerLimits},
    registry::{Cx, ErrorKind, OpError},
    value::{Value, wire},
};

/// The first byte of this kind of work.
pub const PURPOSE: u8 = b't';

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// A program of jq, with its input.
    Jq,
    /// A JSON schema, with what it is to hold for.
    Schema,
}

/// How a task is done: the result, or what is wrong with its input.
pub(crate) type Work = fn(&str, &Value) -> Result<Value, String>;

/// The address space of a worker.
const MEMORY: u64 = 512 << 20;

/// The processor time, and the time to wait on a busy machine.
const TIME: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
const WAIT: Duration = Duration::from_mins(1);

/// The most bytes of a result.
const ANSWER: u64 = 256 << 20;

/// The first number of an answer.
mod tag {
    pub(super) const DONE: u64 = 0;
    pub(super) const FAILED: u64 = 1;
}

impl Task {
    fn number(self) -> u64 {
        match self {
            Self::Jq => 1,
            Self::Schema => 2,
        }
    }

    /// What it is called in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Jq => "the jq program",
            Self::Schema => "the JSON schema",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Jq => "bound the program, for example with `first(..)` or `limit(20; ..)`",
            Self::Schema => "look for parts of the schema that refer to each other several times",
        }
    }
}

/// Does a task in a worker process.
pub(crate) fn run(task: Task, text: &str, value: &Value, cx: &Cx) -> Result<Value, OpError> {
    let mut work = wire::WireWriter::of(PURPOSE);
    work.number(task.number());
    work.text(text);
    work.value(value);
    let goes_on = || cx.check().is_ok();
    let limits = WorkerLimits {
        process: Process::Kept,
        memory: MEMORY,
        processor: TIME,
        time: WAIT,
        answer: ANSWER,
        goes_on: &goes_on,
    };
    let answer = cx.host().run_in_worker(work.0, &limits).map_err(|why| unanswered(task, why))?;
    answered(&answer).unwrap_or_else(|| Err(OpError::bug("the worker returned an invalid answer")))
}

fn answered(answer: &[u8]) -> Option<Result<Value, OpError>> {
    let mut answer = wire::Reader(answer);
    Some(match answer.number()? {
        tag::DONE => Ok(answer.value()?),
        tag::FAILED => Err(OpError::invalid_input(answer.text()?)),
        _ => return None,
    })
}

fn unanswered(task: Task, why: WorkerError) -> OpError {
    let name = task.name();
    let bounded = |why: &str| OpError::failed(format!("{name} was ended: {why}")).help(task.help());
    match why {
        WorkerError::Cancelled => OpError::cancelled(),
        WorkerError::Processor => bounded("it computed for more than 10 s"),
        WorkerError::Memory => bounded("it used more than 512 MiB of memory"),
        WorkerError::TooLarge => bounded("its result is larger than 256 MiB"),
        WorkerError::Crashed => bounded("it used up the memory or the stack"),
        WorkerError::Late => {
            OpError::new(ErrorKind::Timeout, format!("{name} did not end in time on this machine"))
        }
        WorkerError::Unsupported => {
            let message = format!("{name} needs a worker process, which this program cannot start");
            OpError::new(ErrorKind::Unsupported, message)
                .help("call `svc::is_worker` first of all in `main`")
        }
        WorkerError::Lost(err) => {
            OpError::failed(format!("cannot start a worker process: {err}")).because(err)
        }
    }
}

/// Does one of these tasks in a worker: takes the bytes after [`PURPOSE`], and returns those of the
/// answer.
pub(crate) fn serve(asked: &[u8], tasks: &[(Task, Work)]) -> Vec<u8> {
    let Some(done) = served(asked, tasks) else { return Vec::new() };
    let mut answer = wire::WireWriter::default();
    match done {
        Ok(value) => {
            answer.number(tag::DONE);
            answer.value(&value);
        }
        Err(why) => {
            answer.number(tag::FAILED);
            answer.text(&why);
        }
    }
    answer.0
}

fn served(asked: &[u8], tasks: &[(Task, Work)]) -> Option<Result<Value, String>> {
    let mut asked = wire::Reader(asked);
    let (number, text, value) = (asked.number()?, asked.text()?, asked.value()?);
    let (_, work) = tasks.iter().find(|it| it.0.number() == number)?;
    Some(work(text, &value))
}
