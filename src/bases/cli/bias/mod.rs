//! `svc bias`: components that tune themselves.

mod cases;
mod changing;
mod evolve;
mod reading;

use std::path::Path;

use clap::{Args, Subcommand};
use svc_api::tuning;
use svc_contract::{
    host,
    registry::OpError,
    value::{Value, json},
};
use svc_service::bias::{WARNING, Work};

use super::{
    Session,
    data_folder::DataArgs,
    exit::{FAILED, Failure, NOT_FOUND, OK, Result, USAGE, answered},
    keeping,
    run::{print_value, reader},
    show, terminal,
};

/// The largest file of a candidate or a bundle.
const LARGEST: u64 = 4 << 20;

/// Tune components on cases with known answers.
///
/// A bias is what a component assumes: the defaults of its tunable params. `evolve` searches for better
/// ones, `apply` verifies them with four safety layers and makes them the defaults of `svc run`,
/// `svc repl` and `svc serve`, and `rollback` returns to an earlier version. Experimental.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct BiasArgs {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "Examples:
  svc bias snapshot                            the components that can be tuned
  svc bias cases ctx_search                    how many cases there are, and where
  svc bias evolve ctx_search -o better.json    search for better params
  svc bias validate ctx_search better.json     what applying them would find
  svc bias apply ctx_search better.json        verify them, and use them from now on
  svc bias rollback ctx_search                 return to the version before
  svc bias heal                                take back what turned out to be worse";

#[derive(Subcommand)]
enum Task {
    Snapshot(reading::Snapshot),
    Understand(reading::Understand),
    Observe(reading::Observe),
    Evaluate(reading::Evaluate),
    Cases(cases::CasesArgs),
    Evolve(evolve::Evolve),
    Frontier(evolve::Frontier),
    Validate(changing::Validate),
    Check(changing::Check),
    Apply(changing::Apply),
    Rollback(changing::Rollback),
    Heal(changing::Heal),
    History(reading::History),
    Compare(reading::Compare),
    Audit(reading::Audit),
    Metrics(reading::Metrics),
    Principles(reading::Principles),
    Status(reading::Status),
    Export(changing::Export),
    Import(changing::Import),
    Remember(reading::Remember),
    Recall(reading::Recall),
}

/// What all of them take.
#[derive(Args)]
struct Common {
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

impl BiasArgs {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let session = &session.here()?;
        match self.task {
            Task::Snapshot(it) => it.execute(session),
            Task::Understand(it) => it.execute(session),
            Task::Observe(it) => it.execute(session).await,
            Task::Evaluate(it) => it.execute(session).await,
            Task::Cases(it) => it.execute(session),
            Task::Evolve(it) => it.execute(session).await,
            Task::Frontier(it) => it.execute(session).await,
            Task::Validate(it) => it.execute(session).await,
            Task::Check(it) => it.execute(session).await,
            Task::Apply(it) => it.execute(session).await,
            Task::Rollback(it) => it.execute(session).await,
            Task::Heal(it) => it.execute(session).await,
            Task::History(it) => it.execute(session),
            Task::Compare(it) => it.execute(session),
            Task::Audit(it) => it.execute(session),
            Task::Metrics(it) => it.execute(session),
            Task::Principles(it) => it.execute(session),
            Task::Status(it) => it.execute(session),
            Task::Export(it) => it.execute(session),
            Task::Import(it) => it.execute(session).await,
            Task::Remember(it) => it.execute(session),
            Task::Recall(it) => it.execute(session),
        }
    }
}

impl Common {
    fn work(&self, session: &Session) -> Result<Work> {
        let folder = self.data.folder(session)?;
        tuning::opened(&folder, &session.engine).map_err(keeping::failure)
    }

    /// Prints the answer of a command.
    fn print(&self, found: std::result::Result<Value, OpError>, session: &Session) -> Result<u8> {
        answered(self.json, found.map_err(Failure::reading).and_then(|it| self.put(&it, session)))
    }

    fn put(&self, value: &Value, session: &Session) -> Result<u8> {
        if self.json {
            terminal::print_json(value)?;
        } else {
            let reader = reader(session);
            print_value(&show::show(value, reader), reader)?;
        }
        Ok(OK)
    }
}

/// Reads a value from a file of JSON, or from standard input.
fn read_json(file: &Path, session: &Session) -> Result<Value> {
    let text = read_text(file, LARGEST, session)?;
    json::read(&text).map_err(|err| {
        Failure::new(USAGE, format!("`{}` is not JSON: {err}", file.display()))
            .help("`svc bias evolve -o FILE` and `svc bias export` write such files")
    })
}

/// Reads a candidate: a bias, or the current one of a bundle that `svc bias export` wrote.
fn read_candidate(file: &Path, session: &Session) -> Result<Value> {
    let read = read_json(file, session)?;
    let current = read.as_record().and_then(|it| it.get("current_bias")).cloned();
    Ok(current.unwrap_or(read))
}

/// Writes a value as JSON to a file that the user named.
fn write_json(file: &Path, value: &Value, session: &Session) -> Result<()> {
    let mut text = json::write_pretty(value);
    text.push('\n');
    write(file, &text, session)
}

/// Writes a file that the user named, or says why it cannot.
fn write(file: &Path, text: &str, session: &Session) -> Result<()> {
    session
        .engine
        .host()
        .write(file, text.as_bytes())
        .map_err(|err| Failure::new(FAILED, format!("cannot write `{}`: {err}", file.display())))
}

fn read_text(file: &Path, most: u64, session: &Session) -> Result<String> {
    if file == Path::new("-") {
        return super::script::read_input();
    }
    let bytes = host::read(session.engine.host(), file, most).map_err(|err| {
        let is_missing = err.kind() == std::io::ErrorKind::NotFound;
        let code = if is_missing { NOT_FOUND } else { FAILED };
        Failure::new(code, format!("cannot read `{}`: {err}", file.display()))
    })?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(USAGE, format!("`{}` is not UTF-8", file.display())))
}

/// Says that what follows is experimental.
fn warn(session: &Session) {
    session.terminal.note(WARNING);
}
