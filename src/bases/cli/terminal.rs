//! The two ends that a person reads: standard output and standard error.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};

use clap::ValueEnum;
use serde::Serialize;

use super::exit::Result;
use crate::{diag::Style, host::Host};

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// What is known of standard output and standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    pub(super) out: Stream,
    pub(super) err: Stream,
    /// Whether lines on standard error can be drawn over.
    pub(super) draws: bool,
}

/// One of the two streams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    pub(super) is_terminal: bool,
    pub(super) colour: bool,
}

impl Terminal {
    pub(super) fn new(color: Color, host: &dyn Host) -> Self {
        let is_dumb = host.env("TERM").as_deref() == Some("dumb");
        let plain = is_dumb || host.env("NO_COLOR").is_some();
        let stream = |is_terminal| Stream {
            is_terminal,
            colour: match color {
                Color::Auto => is_terminal && !plain,
                Color::Always => true,
                Color::Never => false,
            },
        };
        let (out, err) = (stream(io::stdout().is_terminal()), stream(io::stderr().is_terminal()));
        Self { out, err, draws: err.is_terminal && !is_dumb }
    }

    /// Writes an error without a place in a script.
    pub(super) fn complain(self, message: &str, help: Option<&str>) {
        let word = self.err.paint("error:", Ink::Red);
        tell(&format!("{word} {}\n", self.err.printable(message)));
        if let Some(help) = help {
            let word = self.err.paint("help:", Ink::Cyan);
            tell(&format!("  {word} {}\n", self.err.printable(help)));
        }
    }

    /// Writes something worth knowing that is no failure.
    pub(super) fn note(self, message: &str) {
        let word = self.err.paint("note:", Ink::Cyan);
        tell(&format!("{word} {}\n", self.err.printable(message)));
    }
}

/// Writes to standard output as it is.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes indented JSON to standard output.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Writes to standard error. Nobody is left to hear of a failure to do so.
pub(super) fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// What a piece of text looks like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Bold,
    Dim,
    Red,
    Cyan,
}

impl Stream {
    pub(super) fn style(self) -> Style {
        if self.colour { Style::Colour } else { Style::Plain }
    }

    pub(super) fn paint(self, text: &str, ink: Ink) -> String {
        let code = match ink {
            Ink::Bold => "1",
            Ink::Dim => "2",
            Ink::Red => "1;31",
            Ink::Cyan => "1;36",
        };
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// The text without what would command the terminal: documents come from anywhere.
    pub(super) fn printable(self, text: &str) -> Cow<'_, str> {
        if self.is_terminal { harmless(text) } else { Cow::Borrowed(text) }
    }
}

/// Replaces control characters, but for line ends and tabs.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let commands = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
    if text.contains(commands) {
        Cow::Owned(text.replace("\r\n", "\n").replace(commands, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn documents_cannot_command_a_terminal() {
        assert_eq!(harmless("a\tb\nc"), "a\tb\nc");
        assert_eq!(harmless("\u{1b}[2Jx\r\ny"), "\u{fffd}[2Jx\ny");
    }
}
