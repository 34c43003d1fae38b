//! Inline code in a process of its own ([`Host::apart`]): what it is asked, and what it answers.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    host::{Apart, Host, Process, Unanswered},
    registry::{ErrorKind, OpError},
    value::{
        Text, Type, Value,
        wire::{Reader, Writer},
    },
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Ended, Failure, Island, Watch, limits};

/// What work of this kind begins with.
pub const PURPOSE: u8 = b'c';

impl Island {
    /// Runs it in a process of its own, and waits for that on this thread.
    pub fn run_apart(
        &self,
        args: &[Value],
        watch: &Watch,
        host: &dyn Host,
    ) -> Result<Value, Ended> {
        let left = watch.deadline.map(|it| it.saturating_duration_since(Instant::now()));
        let time = left.unwrap_or(limits::TIME);
        let goes_on = || !watch.cancel.is_cancelled();
        let apart = Apart {
            process: Process::Fresh,
            memory: limits::PROCESS,
            processor: time,
            time,
            answer: limits::ANSWER,
            goes_on: &goes_on,
        };
        match host.apart(self.asked(args, time), &apart) {
            Ok(answer) => self.answered(&answer),
            Err(why) => Err(Ended::Failed(self.everywhere(unanswered(why)))),
        }
    }

    fn asked(&self, args: &[Value], time: Duration) -> Vec<u8> {
        let mut ask = Writer::of(PURPOSE);
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
        let garbled = || self.everywhere(OpError::bug("the process of the code gave no answer"));
        match read_answer(answer) {
            Some(Ok(value)) => {
                value.cast(&self.yields).map_err(|it| Ended::Failed(self.unfit(&it)))
            }
            Some(Err(failure)) => Err(Ended::Failed(failure)),
            None => Err(Ended::Failed(garbled())),
        }
    }
}

/// Why there is no answer.
fn unanswered(why: Unanswered) -> OpError {
    let exhausted =
        |message: &str, help: &str| OpError::new(ErrorKind::Exhausted, message).help(help);
    match why {
        Unanswered::Unsupported => OpError::new(
            ErrorKind::Unsupported,
            "inline code of a script that is not trusted needs a process of its own",
        )
        .help(
            "the program that runs the script calls `svc::is_worker()` first of all in its `main`",
        ),
        Unanswered::Late | Unanswered::Processor => {
            OpError::new(ErrorKind::Timeout, "the code took longer than it may")
                .help("work on fewer items, or write a component")
        }
        Unanswered::Cancelled => OpError::cancelled(),
        Unanswered::TooLarge => exhausted(
            "the result of the code is larger than it may be",
            "work on fewer items at a time",
        ),
        Unanswered::Memory | Unanswered::Crashed => exhausted(
            "the process of the code ended before its answer",
            "the code needs more memory than it may have: work on fewer items at a time",
        ),
        Unanswered::Lost(err) => {
            OpError::new(ErrorKind::Failed, format!("the code cannot be run apart: {err}"))
        }
    }
}

/// What a worker does with inline code: the bytes behind [`PURPOSE`] in, those of its answer
/// out.
pub fn serve(asked: &[u8], host: Arc<dyn Host>) -> Vec<u8> {
    let ended = read_ask(asked).map(|ask| ask.run(host));
    let mut answer = Writer::default();
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
    /// The type that is due is tested by whoever asked.
    fn run(self, host: Arc<dyn Host>) -> Result<Value, Failure> {
        let Ok(island) = Island::new(self.code, self.base, &self.names, &Type::Json) else {
            let error = OpError::bug("code that checked cannot be read any more");
            return Err(Failure { error, place: (self.base, self.base) });
        };
        let watch = Watch {
            operations: limits::OPERATIONS,
            deadline: Instant::now().checked_add(self.time),
            cancel: CancellationToken::new(),
            host: Some(host),
            memory: None,
        };
        island.run(&self.args, &watch).map_err(|it| match it {
            Ended::Failed(failure) => failure,
            Ended::Unfinished => island.everywhere(OpError::bug("inline code did not finish")),
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
