//! Asks the person at the terminal.

use std::{
    io::{self, BufRead, BufReader, IsTerminal, Write},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use svc_text::visible::visible;
use tokio::sync::oneshot;

/// The maximum interval at which code that draws on the terminal must check whether to stop.
const GIVE_WAY: Duration = Duration::from_millis(200);

/// The maximum number of characters and lines of the details that are shown.
const MOST_CHARS: usize = 4_000;
const MOST_LINES: usize = 40;

/// The number of times a question is asked before the answer counts as no.
const MOST_TIMES: usize = 3;

/// The number of unanswered questions.
static ASKING: AtomicUsize = AtomicUsize::new(0);

/// One question at a time.
static TERMINAL: Mutex<()> = Mutex::new(());

/// Whether a person is being asked: nothing else should be drawn on the terminal.
pub fn is_asking() -> bool {
    ASKING.load(Ordering::SeqCst) > 0
}

/// A question without an answer yet.
struct Asking;

impl Asking {
    fn start() -> Self {
        ASKING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        ASKING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Asks on the terminal of this process. The reading thread is not awaited, so a run that is
/// cancelled meanwhile can end.
pub(super) async fn ask(question: String, details: String) -> io::Result<bool> {
    let asking = Asking::start();
    let (sender, answer) = oneshot::channel();
    thread::Builder::new().name("ask".to_owned()).spawn(move || {
        let _one = TERMINAL.lock().unwrap_or_else(PoisonError::into_inner);
        // The caller may be gone if another question came before this one.
        if !sender.is_closed() {
            let _ = sender.send(on_terminal(&question, &details));
        }
    })?;
    let answer = answer.await.map_err(|_| io::Error::other("no answer"));
    drop(asking);
    answer?
}

#[cfg(unix)]
fn on_terminal(question: &str, details: &str) -> io::Result<bool> {
    match super::terminal() {
        Ok(terminal) => {
            thread::sleep(GIVE_WAY);
            converse(BufReader::new(&terminal), &terminal, question, details)
        }
        Err(_) => on_standard_streams(question, details),
    }
}

#[cfg(not(unix))]
fn on_terminal(question: &str, details: &str) -> io::Result<bool> {
    on_standard_streams(question, details)
}

fn on_standard_streams(question: &str, details: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "no terminal available"));
    }
    thread::sleep(GIVE_WAY);
    converse(io::stdin().lock(), io::stderr().lock(), question, details)
}

/// Shows the details and repeats the question until the answer is yes or no. The end of the
/// input counts as no, and so does an empty line.
fn converse(
    mut input: impl BufRead,
    mut output: impl Write,
    question: &str,
    details: &str,
) -> io::Result<bool> {
    writeln!(output, "{}", shown(details))?;
    for _ in 0..MOST_TIMES {
        write!(output, "{} [y/N] ", visible(question))?;
        output.flush()?;
        let mut line = String::new();
        let is_end = input.read_line(&mut line)? == 0;
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" | "" => return Ok(false),
            _ if is_end => return Ok(false),
            _ => writeln!(output, "answer `y` or `n`")?,
        }
    }
    Ok(false)
}

/// The part of the details that a person can read, and the length of the rest.
fn shown(details: &str) -> String {
    let lines = details.split('\n').take(MOST_LINES).map(str::len).sum::<usize>();
    let breaks = details.matches('\n').count().min(MOST_LINES - 1);
    let end = details.char_indices().nth(MOST_CHARS).map_or(details.len(), |(at, _)| at);
    let end = end.min(lines + breaks);
    let rest = details[end..].chars().count();
    let text = visible(&details[..end]);
    if rest == 0 { text.into_owned() } else { format!("{text}\n… and {rest} more characters") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(input: &str, details: &str) -> (bool, String) {
        let mut output = Vec::new();
        let answer = converse(input.as_bytes(), &mut output, "Send?", details).unwrap();
        (answer, String::from_utf8(output).unwrap())
    }

    #[test]
    fn only_yes_is_yes() {
        for yes in ["y\n", "Yes\n", " y ", "what\nyes\n"] {
            assert!(conversation(yes, "x").0, "{yes:?}");
        }
        for no in ["n\n", "no", "\n", "", "perhaps", "a\nb\nc\nyes\n"] {
            assert!(!conversation(no, "x").0, "{no:?}");
        }
        assert_eq!(conversation("y\n", "a draft").1, "a draft\nSend? [y/N] ");
    }

    #[test]
    fn details_cannot_write_over_the_question_and_long_ones_are_cut() {
        let shown = conversation("n\n", "a\u{1b}[2Kb\r\u{202e}c").1;
        assert_eq!(shown, "a\\u{1b}[2Kb\\u{d}\\u{202e}c\nSend? [y/N] ");
        let long = "x\n".repeat(1_000);
        let shown = conversation("n\n", &long).1;
        assert!(shown.lines().count() < MOST_LINES + 5, "{shown}");
        assert!(shown.contains("more characters"));
        let wide = "ü".repeat(MOST_CHARS + 7);
        assert!(conversation("n\n", &wide).1.contains("… and 7 more characters"));
    }
}
