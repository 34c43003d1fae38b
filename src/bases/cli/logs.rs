//! Logs: what runs do, line by line, for those who look into them afterwards.

use std::{
    io::{self, Write},
    path::PathBuf,
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};

use clap::{Args, ValueEnum};
use svc_contract::host::Host;
use svc_host_os::{self as os};
use svc_lang::diag::{visible_json, visible_line};
use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer as _, filter::Targets, fmt, layer::SubscriberExt as _, registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use super::{
    exit::{FAILED, Failure, Result, USAGE},
    screen::Screen,
    terminal::{self, Terminal},
    traces::Traces,
};

/// The variables that stand for what the command line does not say.
const LEVEL: &str = "SVC_LOG";
const FORMAT: &str = "SVC_LOG_FORMAT";

/// What is logged, how, and where.
#[derive(Args)]
#[command(next_help_heading = "Logs")]
pub(super) struct Logs {
    /// Log what runs do: `error`, `warn`, `info`, `debug` or `trace`. Without it, what
    /// `SVC_LOG` says.
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<String>,
    /// How a line of the log looks: `text` or `json`. Without it, what `SVC_LOG_FORMAT` says.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    log_format: Option<Format>,
    /// The file that the log is added to, in place of standard error.
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

/// What a line of a log looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Format {
    /// An event on one line, whatever is in it. Logs end up on terminals, and what reads them
    /// takes each line for an event.
    fn visible(self, event: &str) -> String {
        let (line, end) = match event.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (event, ""),
        };
        let line = match self {
            Self::Text => visible_line(line),
            Self::Json => visible_json(line),
        };
        line.into_owned() + end
    }
}

/// Where lines go, and what they look like.
struct Sink {
    format: Format,
    end: End,
}

enum End {
    Screen(Screen),
    File(Mutex<Box<dyn Write + Send>>),
}

impl Logs {
    /// Begins to log, and to send traces where the environment asks for that.
    ///
    /// A program that listens to `tracing` by itself keeps its own listener.
    pub(super) fn start(&self, host: &dyn Host, terminal: Terminal) -> Result<Traces> {
        let (filter, format) = (self.filter(host)?, self.format(host)?);
        let end = filter.is_some().then(|| self.end(terminal)).transpose()?;
        let sink = end.map(|end| Sink { format, end });
        let written = filter.zip(sink).map(|(filter, sink)| lines(sink).with_filter(filter));
        let traces = Traces::start(host, terminal);
        let listener = traces.listener();
        if written.is_some() || listener.is_some() {
            // Whoever listens already is a program that svc is a part of.
            let _ = tracing_subscriber::registry().with(listener).with(written).try_init();
        }
        traces.tell();
        Ok(traces)
    }

    /// What is logged; nothing where nobody asked for it.
    fn filter(&self, host: &dyn Host) -> Result<Option<Targets>> {
        let told = |name: &str, value: &str| {
            filter(value).ok_or_else(|| {
                let message = format!("{name} cannot be `{value}`");
                let help = "say `error`, `warn`, `info`, `debug` or `trace`, or `off`; or \
                            levels by target, as `info,hyper_util=debug`";
                Failure::new(USAGE, message).help(help)
            })
        };
        match (&self.log, host.env(LEVEL)) {
            (Some(value), _) => told("`--log`", value).map(Some),
            (None, Some(value)) => told(&format!("`{LEVEL}`"), &value).map(Some),
            (None, None) => Ok(self.log_file.as_ref().and_then(|_| filter("info"))),
        }
    }

    fn format(&self, host: &dyn Host) -> Result<Format> {
        let told = host.env(FORMAT).filter(|_| self.log_format.is_none());
        let told = told.map(|it| {
            Format::from_str(&it, false).map_err(|_| {
                Failure::new(USAGE, format!("`{FORMAT}` is `text` or `json`, not `{it}`"))
            })
        });
        Ok(self.log_format.or(told.transpose()?).unwrap_or(Format::Text))
    }

    fn end(&self, terminal: Terminal) -> Result<End> {
        let Some(path) = &self.log_file else {
            return Ok(End::Screen(Screen::new(terminal.draws)));
        };
        let file = os::append(path).map_err(|err| {
            let message = format!("cannot write the log `{}`: {err}", path.display());
            Failure::new(FAILED, message)
        })?;
        Ok(End::File(Mutex::new(file)))
    }
}

/// Levels by target. A bare level is that of svc itself: what the libraries below it say is
/// of use to few.
fn filter(text: &str) -> Option<Targets> {
    text.split(',').map(str::trim).try_fold(Targets::new(), |all, part| {
        let (target, level) = part.split_once('=').unwrap_or(("svc", part));
        // No level at all would be read as one.
        let is_whole = !target.is_empty() && !level.is_empty();
        let level = LevelFilter::from_str(level).ok().filter(|_| is_whole)?;
        Some(all.with_target(target, level))
    })
}

/// Writes a line for every event.
fn lines<S>(sink: Sink) -> Box<dyn tracing_subscriber::Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let format = sink.format;
    let layer = fmt::layer().with_writer(Arc::new(sink));
    match format {
        Format::Text => layer.with_target(false).boxed(),
        Format::Json => layer.json().flatten_event(true).with_current_span(false).boxed(),
    }
}

impl Write for &Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let shown = self.format.visible(&String::from_utf8_lossy(line));
        match &self.end {
            End::Screen(screen) => screen.give_way(|| terminal::command(&shown)),
            End::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.write_all(shown.as_bytes())?;
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::filter;

    #[test]
    fn a_bare_level_is_that_of_svc() {
        let debug = filter("debug").unwrap();
        assert!(debug.would_enable("svc", &Level::DEBUG));
        assert!(!debug.would_enable("svc", &Level::TRACE));
        assert!(!debug.would_enable("hyper_util", &Level::ERROR));
        let both = filter("warn, hyper_util=trace").unwrap();
        assert!(both.would_enable("hyper_util::client", &Level::TRACE));
        assert!(!both.would_enable("svc", &Level::INFO));
        assert!(filter("loud").is_none() && filter("=debug").is_none() && filter("").is_none());
    }
}
