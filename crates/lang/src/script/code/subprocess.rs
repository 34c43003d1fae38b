//! Inline code in a worker process ([`Host::run_in_worker`]): its requests and answers.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    host::{Host, Process, WorkerError, WorkerLimits},
    registry::{ErrorKind, OpError},
    value::{
        Text, Type, Value,
        wire::{Reader, WireWriter},
    },
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Ended, Failure, InlineScript, Watch, limits};

/// The first byte of requests of this kind.
pub const PURPOSE: u8 = b'c';

impl InlineScript {
    /// Runs the code in a worker process, and blocks this thread until it ends.
    pub fn run_in_worker(
        &self,
        args: &[Value],
        watch: &Watch,
        host: &dyn Host,
    ) -> Result<Value, Ended> {
        let left = watch.deadline.map(|it| it.saturating_duration_since(Instant::now()));
        let time = left.unwrap_or(limits::TIME);
        let goes_on = || !watch.cancel.is_cancelled();
        let limits = WorkerLimits {
            process: Process::Fresh,
            memory: limits::PROCESS,
            processor: time,
            time,
            answer: limits::ANSWER,
            goes_on: &goes_on,
        };
        match host.run_in_worker(self.asked(args, time), &limits) {
            Ok(answer) => self.answered(&answer),
            Err(why) => Err(Ended::Failed(self.everywhere(unanswered(why)))),
        }
    }

    fn asked(&self, args: &[Value], time: Duration) -> Vec<u8> {
        let mut ask = WireWriter::of(PURPOSE);
        ask.number(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        ask.number(self.base as u64);
        ask.text(&self.code);
        ask.number(self.names.len() as u64);
        for (name, arg) in self.names.iter().zip(args) {
            ask.text(name);
            ask.value(arg);
        }
        ask.0
    }

    fn answered(&self, answer: &[u8]) -> Result<Value, Ended> {
        let garbled =
            || self.everywhere(OpError::bug("the worker process returned an invalid answer"));
        match read_answer(answer) {
            Some(Ok(value)) => {
                value.cast(&self.yields).map_err(|it| Ended::Failed(self.unfit(&it)))
            }
            Some(Err(failure)) => Err(Ended::Failed(failure)),
            None => Err(Ended::Failed(garbled())),
        }
    }
}

/// The error for a missing answer.
fn unanswered(why: WorkerError) -> OpError {
    let exhausted =
        |message: &str, help: &str| OpError::new(ErrorKind::Exhausted, message).help(help);
    match why {
        WorkerError::Unsupported => OpError::new(
            ErrorKind::Unsupported,
            "inline code of an untrusted script needs a worker process",
        )
        .help("call `svc::is_worker()` first in the `main` of the program that runs the script"),
        WorkerError::Late | WorkerError::Processor => {
            OpError::new(ErrorKind::Timeout, "the code took too long")
                .help("work on fewer items, or write a component")
        }
        WorkerError::Cancelled => OpError::cancelled(),
        WorkerError::TooLarge => {
            exhausted("the result of the code is too large", "work on fewer items at a time")
        }
        WorkerError::Memory | WorkerError::Crashed => exhausted(
            "the worker process of the code ended early",
            "work on fewer items at a time: the code may need too much memory",
        ),
        WorkerError::Lost(err) => OpError::new(
            ErrorKind::Failed,
            format!("cannot run the code in a worker process: {err}"),
        ),
    }
}

/// Runs inline code in a worker: takes the bytes after [`PURPOSE`], and returns those of the
/// answer.
pub fn serve(asked: &[u8], host: Arc<dyn Host>) -> Vec<u8> {
    let ended = read_ask(asked).map(|ask| ask.run(host));
    let mut answer = WireWriter::default();
    match ended {
        Some(Ok(value)) => {
            answer.number(1);
            answer.value(&value);
        }
        Some(Err(Failure { error, place: (start, end) })) => {
            answer.number(0);
            answer.number(start as u64);
            answer.number(end as u64);
            answer.text(error.kind.name());
            answer.text(&error.message);
            answer.text(error.help.as_deref().unwrap_or_default());
        }
        None => {}
    }
    answer.0
}

struct Ask<'a> {
    time: Duration,
    base: usize,
    code: &'a str,
    names: Vec<Text>,
    args: Vec<Value>,
}

fn read_ask(asked: &[u8]) -> Option<Ask<'_>> {
    let mut asked = Reader(asked);
    let time = Duration::from_millis(asked.number()?);
    let (base, code) = (asked.place()?, asked.text()?);
    let (mut names, mut args) = (Vec::new(), Vec::new());
    for _ in 0..asked.place()? {
        names.push(asked.text()?.into());
        args.push(asked.value()?);
    }
    Some(Ask { time, base, code, names, args })
}

impl Ask<'_> {
    /// The caller tests the result against the expected type.
    fn run(self, host: Arc<dyn Host>) -> Result<Value, Failure> {
        let Ok(inline_script) = InlineScript::new(self.code, self.base, &self.names, &Type::Json)
        else {
            let error = OpError::bug("code that passed the check cannot be parsed");
            return Err(Failure { error, place: (self.base, self.base) });
        };
        let watch = Watch {
            operations: limits::OPERATIONS,
            deadline: Instant::now().checked_add(self.time),
            cancel: CancellationToken::new(),
            host: Some(host),
            memory: None,
        };
        inline_script.run(&self.args, &watch).map_err(|it| match it {
            Ended::Failed(failure) => failure,
            Ended::Unfinished => {
                inline_script.everywhere(OpError::bug("inline code did not finish"))
            }
        })
    }
}

fn read_answer(answer: &[u8]) -> Option<Result<Value, Failure>> {
    let mut answer = Reader(answer);
    if answer.number()? == 1 {
        return Some(Ok(answer.value()?));
    }
    let place = (answer.place()?, answer.place()?);
    let kind = ErrorKind::parse(answer.text()?)?;
    let (message, help) = (answer.text()?, answer.text()?);
    let error = OpError::new(kind, message);
    let error = if help.is_empty() { error } else { error.help(help) };
    Some(Err(Failure { error, place }))
}
