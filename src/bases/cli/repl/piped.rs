//! Statements from a pipe.
//!
//! A statement runs as soon as it is complete, so a program can write one, read its result, and
//! write the next. Lines that have already arrived and continue the statement belong to it.

use std::{
    collections::VecDeque,
    io::{self, BufRead},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use svc_lang::{diag::Span, syntax};

use super::{
    super::{
        exit::{FAILED, Failure, INTERRUPTED, OK, Result, USAGE},
        signals::Signals,
    },
    session::{Outcome, Repl},
};

/// The wait for a line that may continue a complete statement.
const LOOKAHEAD: Duration = Duration::from_millis(20);

/// Runs statements until the pipe ends or a statement fails, and returns the exit code.
pub(super) async fn converse(repl: &mut Repl, keeps_going: bool) -> Result<u8> {
    let (lines, mut code) = (lines(), OK);
    let mut entered = Entered {
        lines,
        text: String::new(),
        look_from: 0,
        is_over: false,
        ready: VecDeque::new(),
    };
    while let Some(text) = waiting(|| entered.next())? {
        match repl.execute(&text).await? {
            Outcome::Done => {}
            Outcome::Leave => return Ok(code),
            Outcome::Failed(failed) if keeps_going => code = failed,
            Outcome::Failed(failed) => return Ok(failed),
        }
    }
    Ok(code)
}

/// Waits for input from the pipe. A signal during the wait ends the program; during a run, signals
/// belong to the run.
fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    let listening = tokio::spawn(async {
        if Signals::new().next().await.is_some() {
            std::process::exit(INTERRUPTED.into());
        }
    });
    let came = wait();
    listening.abort();
    came
}

type Line = io::Result<Vec<u8>>;

/// The lines of standard input, read on another thread, so that waiting can time out.
fn lines() -> Receiver<Line> {
    let (sender, lines) = mpsc::sync_channel(1_000);
    thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n') {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

struct Entered {
    lines: Receiver<Line>,
    /// The text that was read but not run.
    text: String,
    /// The length of the text from which it is checked for completeness again.
    look_from: usize,
    is_over: bool,
    /// Complete statements that were not run yet.
    ready: VecDeque<String>,
}

impl Entered {
    /// The next statement, or the remaining text at the end.
    fn next(&mut self) -> Result<Option<String>> {
        if self.ready.is_empty() {
            let text = self.gathered()?;
            // If checks were skipped, the text may contain several statements.
            let is_one = std::mem::take(&mut self.look_from) == 0;
            self.ready = if is_one { VecDeque::from([text]) } else { split_statements(&text) };
        }
        Ok(self.ready.pop_front().filter(|it| !it.trim().is_empty()))
    }

    /// The lines up to the end of a statement, or all remaining lines.
    fn gathered(&mut self) -> Result<String> {
        while !self.is_over {
            match self.line()? {
                Some(line) if self.is_next(&line) => {
                    return Ok(std::mem::replace(&mut self.text, line));
                }
                Some(line) => self.add(&line),
                None if self.is_over => {}
                None => break,
            }
        }
        Ok(std::mem::take(&mut self.text))
    }

    /// The next line; `None` at the end, and if no line followed a complete statement in time.
    fn line(&mut self) -> Result<Option<String>> {
        match self.lines.recv_timeout(LOOKAHEAD) {
            Ok(line) => Ok(Some(read(line)?)),
            Err(RecvTimeoutError::Timeout) if is_whole(&self.text) => Ok(None),
            Err(_) => match self.lines.recv() {
                Ok(line) => Ok(Some(read(line)?)),
                Err(_) => {
                    self.is_over = true;
                    Ok(None)
                }
            },
        }
    }

    /// Whether a line begins a new statement.
    ///
    /// A long text is checked only now and then, because each check parses all of it.
    fn is_next(&mut self, line: &str) -> bool {
        const LONG: usize = 16 << 10;
        if self.text.len() < self.look_from && !is_command(line) {
            return false;
        }
        let goes_on = format!("{}\n{line}", self.text);
        let ends = is_whole(&self.text)
            && (is_command(&self.text)
                || is_command(line)
                || syntax::regions(&goes_on).len() > syntax::regions(&self.text).len());
        let next_look = self.text.len() + self.text.len() / 8;
        if !ends && next_look > LONG {
            self.look_from = next_look;
        }
        ends
    }

    fn add(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

/// The statements of a text, each with the comments above it.
fn split_statements(text: &str) -> VecDeque<String> {
    let mut begins = 0;
    let piece = |it: Span| text[std::mem::replace(&mut begins, it.end)..it.end].to_owned();
    syntax::regions(text).into_iter().map(piece).collect()
}

/// Whether the text is complete. Comments alone belong to the statement below them.
fn is_whole(text: &str) -> bool {
    is_command(text) || (!syntax::regions(text).is_empty() && syntax::is_whole(text))
}

fn is_command(text: &str) -> bool {
    text.trim_start().starts_with(':')
}

fn read(line: Line) -> Result<String> {
    let wrong = |err| Failure::new(FAILED, format!("cannot read standard input: {err}"));
    let mut bytes = line.map_err(wrong)?;
    if bytes.ends_with(b"\r") {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        let message =
            format!("standard input is not valid UTF-8 (invalid byte at offset {place} of a line)");
        Failure::new(USAGE, message)
    })
}
