//! Statements that come through a pipe.
//!
//! A statement runs as soon as it is whole, so that a program may write one, read its result,
//! and write the next. Lines that are there already and go on with it belong to it.

use std::{
    io::{self, BufRead},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use super::{
    super::exit::{FAILED, Failure, OK, Result, USAGE},
    talk::{Heard, Talk},
};
use crate::syntax;

/// How long a line is waited for that may go on with a whole statement.
const LOOKAHEAD: Duration = Duration::from_millis(20);

/// Runs what comes until the pipe ends, or a statement fails; gives the exit code.
pub(super) async fn converse(talk: &mut Talk<'_>, keeps_going: bool) -> Result<u8> {
    let (lines, mut code) = (lines(), OK);
    let mut entered = Entered { lines, text: String::new(), is_over: false };
    while let Some(text) = entered.next()? {
        match talk.hear(&text).await? {
            Heard::Done => {}
            Heard::Leave => return Ok(code),
            Heard::Failed(failed) if keeps_going => code = failed,
            Heard::Failed(failed) => return Ok(failed),
        }
    }
    Ok(code)
}

type Line = io::Result<Vec<u8>>;

/// The lines of standard input, read apart so that they can be waited for.
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
    /// What was read and not run.
    text: String,
    is_over: bool,
}

impl Entered {
    /// The next statement, or what is left at the end.
    fn next(&mut self) -> Result<Option<String>> {
        while !self.is_over {
            match self.line()? {
                Some(line) if self.is_next(&line) => {
                    return Ok(Some(std::mem::replace(&mut self.text, line)));
                }
                Some(line) => self.add(&line),
                None if self.is_over => {}
                None => return Ok(Some(std::mem::take(&mut self.text))),
            }
        }
        let rest = std::mem::take(&mut self.text);
        Ok(Some(rest).filter(|it| !it.trim().is_empty()))
    }

    /// The next line; none where a whole statement was waited with for long enough, and at
    /// the end.
    fn line(&mut self) -> Result<Option<String>> {
        let is_due = !self.text.trim().is_empty() && is_whole(&self.text);
        let line = match is_due {
            true => self.lines.recv_timeout(LOOKAHEAD),
            false => self.lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match line {
            Ok(Ok(bytes)) => Ok(Some(text(bytes)?)),
            Ok(Err(err)) => Err(Failure::new(FAILED, format!("cannot read standard input: {err}"))),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                self.is_over = true;
                Ok(None)
            }
        }
    }

    /// Whether a line begins another statement than the one that is read.
    fn is_next(&self, line: &str) -> bool {
        if self.text.trim().is_empty() || !is_whole(&self.text) {
            return false;
        }
        let goes_on = format!("{}\n{line}", self.text);
        is_command(&self.text)
            || is_command(line)
            || syntax::regions(&goes_on).len() > syntax::regions(&self.text).len()
    }

    fn add(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

/// Whether nothing must follow. Notes alone belong to what stands below them.
fn is_whole(text: &str) -> bool {
    is_command(text) || (!syntax::regions(text).is_empty() && syntax::is_whole(text))
}

fn is_command(text: &str) -> bool {
    text.trim_start().starts_with(':')
}

fn text(mut bytes: Vec<u8>) -> Result<String> {
    if bytes.ends_with(b"\r") {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        let message = format!("standard input is not UTF-8: byte {place} of a line");
        Failure::new(USAGE, message)
    })
}
