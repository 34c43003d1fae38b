//! Logs: the events of runs, line by line.

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

/// The variables that set the defaults of the options.
const LEVEL: &str = "SVC_LOG";
const FORMAT: &str = "SVC_LOG_FORMAT";

/// The options that set the content, format and destination of the log.
#[derive(Args)]
#[command(next_help_heading = "Logs")]
pub(super) struct Logs {
    /// The level of the log: `error`, `warn`, `info`, `debug` or `trace`. The default is
    /// `SVC_LOG`.
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<String>,
    /// The format of the log: `text` or `json`. The default is `SVC_LOG_FORMAT`.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    log_format: Option<Format>,
    /// Append the log to this file instead of writing it to standard error.
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

/// The format of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Format {
    /// An event on one line, with control characters escaped: logs end up on terminals, and
    /// programs read each line as one event.
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

/// The destination and format of the lines.
struct Sink {
    format: Format,
    end: End,
}

enum End {
    Screen(Screen),
    File(Mutex<Box<dyn Write + Send>>),
}

impl Logs {
    /// Starts the log, and the export of traces if the environment asks for it.
    ///
    /// A program with its own `tracing` subscriber keeps it.
    pub(super) fn start(&self, host: &dyn Host, terminal: Terminal) -> Result<Traces> {
        let (filter, format) = (self.filter(host)?, self.format(host)?);
        let end = filter.is_some().then(|| self.end(terminal)).transpose()?;
        let sink = end.map(|end| Sink { format, end });
        let written = filter.zip(sink).map(|(filter, sink)| lines(sink).with_filter(filter));
        let traces = Traces::start(host, terminal);
        let listener = traces.listener();
        if written.is_some() || listener.is_some() {
            // A subscriber that exists already belongs to a program that embeds svc.
            let _ = tracing_subscriber::registry().with(listener).with(written).try_init();
        }
        traces.report();
        Ok(traces)
    }

    /// The filter of the log; `None` if no log was requested.
    fn filter(&self, host: &dyn Host) -> Result<Option<Targets>> {
        let parsed = |name: &str, value: &str| {
            filter(value).ok_or_else(|| {
                let message = format!("invalid value `{value}` of {name}");
                let help = "use `error`, `warn`, `info`, `debug`, `trace` or `off`, or \
                            levels by target, as in `info,hyper_util=debug`";
                Failure::new(USAGE, message).help(help)
            })
        };
        match (&self.log, host.env(LEVEL)) {
            (Some(value), _) => parsed("`--log`", value).map(Some),
            (None, Some(value)) => parsed(&format!("`{LEVEL}`"), &value).map(Some),
            (None, None) => Ok(self.log_file.as_ref().and_then(|_| filter("info"))),
        }
    }

    fn format(&self, host: &dyn Host) -> Result<Format> {
        let parsed = host.env(FORMAT).filter(|_| self.log_format.is_none());
        let parsed = parsed.map(|it| {
            Format::from_str(&it, false).map_err(|_| {
                Failure::new(
                    USAGE,
                    format!("expected `text` or `json` in `{FORMAT}`, found `{it}`"),
                )
            })
        });
        Ok(self.log_format.or(parsed.transpose()?).unwrap_or(Format::Text))
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

/// Parses levels by target. A bare level applies to svc only: the events of its dependencies are
/// rarely interesting.
fn filter(text: &str) -> Option<Targets> {
    text.split(',').map(str::trim).try_fold(Targets::new(), |all, part| {
        let (target, level) = part.split_once('=').unwrap_or(("svc", part));
        // An empty level would be parsed as a valid one.
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
