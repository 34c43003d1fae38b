//! Standard output and standard error, for people and for data.
//!
//! All output goes through this module, which escapes control and hidden characters;
//! `tests/it/architecture.rs` lists the exceptions.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use serde::Serialize;
use svc_contract::host::Host;
use svc_lang::diag::{Style, visible, visible_json, visible_styled};

use super::exit::Result;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// The properties of standard output and standard error.
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

    /// Prints an error that has no place in a script.
    pub(super) fn print_error(self, message: &str, help: Option<&str>) {
        let word = self.err.paint("error:", Ink::Red);
        print_err(styled(&format!("{word} {}\n", visible(message))));
        if let Some(help) = help {
            let word = self.err.paint("help:", Ink::Cyan);
            print_err(styled(&format!("  {word} {}\n", visible(help))));
        }
    }

    /// Prints a note, which is not a failure.
    pub(super) fn note(self, message: &str) {
        let word = self.err.paint("note:", Ink::Cyan);
        print_err(styled(&format!("{word} {}\n", visible(message))));
    }
}

/// Text for people: it contains no control or hidden characters except this program's own colours.
///
/// Converting a plain text escapes everything else, so a caller cannot forget it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown(String);

/// A text that contains colours of this program. Parts from other sources must have been escaped
/// before.
pub(super) fn styled(text: &str) -> Shown {
    Shown(visible_styled(text).into_owned())
}

impl Shown {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self(visible(text).into_owned())
    }
}

impl From<&String> for Shown {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

/// Prints text for people to standard output.
pub(super) fn print(text: impl Into<Shown>) -> Result<()> {
    write_out(text.into().as_str())
}

/// Prints data to standard output: byte for byte into a pipe or a file, and as text for people on a
/// terminal.
pub(super) fn print_data(data: &str) -> Result<()> {
    if io::stdout().is_terminal() { print(data) } else { write_out(data) }
}

/// Prints indented JSON to standard output. On a terminal, control and hidden characters become
/// JSON escapes, so the value is the same.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    if io::stdout().is_terminal() {
        let json = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
        return write_out(&[&visible_json(&json), "\n"].concat());
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Lets a callback write data to standard output, as [`print_data`] does.
pub(super) fn print_with<T>(write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    if io::stdout().is_terminal() {
        let mut data = Vec::new();
        let done = write(&mut data)?;
        print(&*String::from_utf8_lossy(&data))?;
        return Ok(done);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = write(&mut out)?;
    out.flush()?;
    Ok(done)
}

fn write_out(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints text for people to standard error. Failures are ignored, because nothing could report
/// them.
pub(super) fn print_err(text: impl Into<Shown>) {
    command(text.into().as_str());
}

/// Writes escape sequences to standard error. Only [`super::screen`] uses it.
pub(super) fn command(drawing: &str) {
    let _ = io::stderr().lock().write_all(drawing.as_bytes());
}

/// Prints an error of the command line, or the requested help.
pub(super) fn usage(error: &clap::Error) {
    // Printing help into a closed pipe is not a failure.
    let _ = error.print();
}

/// The style of a piece of text.
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
        let text = visible(text);
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_colours_reach_a_terminal() {
        let foreign = "\u{1b}[31mx\u{202e}";
        assert_eq!(Shown::from(foreign).as_str(), r"\u{1b}[31mx\u{202e}");
        let out = Stream { is_terminal: true, colour: true };
        let painted = out.paint(foreign, Ink::Bold);
        assert_eq!(styled(&painted).as_str(), "\u{1b}[1m\\u{1b}[31mx\\u{202e}\u{1b}[0m");
    }
}
