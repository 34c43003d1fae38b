//! `svc replay`: runs a script again on recorded results.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use svc_contract::value::Value;
use svc_engine::{DryRunResult, Error, Fate};

use super::{
    Session,
    exit::{FAILED, INVALID, OK, Result},
    keeping::{self, StoreArgs},
    run::reader,
    script, show, terminal,
};

/// Run a script again on the recorded results of its calls, without effects, and report
/// differences.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Replay {
    /// The run: its name, a prefix of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Use this script instead of the script of the run.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc replay last                       does this version of svc return the same result?
  svc replay last --with triage.svc     what would an edited script return?

Pure ops are computed again; all other calls return their recorded results. The exit code is
1 if anything differs.";

#[derive(Serialize)]
struct ReplayJson<'a> {
    run: String,
    /// Whether nothing differs.
    same: bool,
    result: Option<Value>,
    error: Option<String>,
    calls: Vec<CallJson<'a>>,
    /// The recorded calls that the script no longer reaches.
    gone: Vec<&'a str>,
    /// The nodes that depend on a call that was never recorded.
    not_reached: Vec<&'a str>,
}

#[derive(Serialize)]
struct CallJson<'a> {
    path: &'a str,
    fate: &'static str,
    cause: Option<&'a svc_engine::cause::Cause>,
}

impl Replay {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let engine = self.keeping.engine(session)?;
        let other = self.with.as_ref().map(|it| script::read(engine.host(), it)).transpose()?;
        let run = engine.kept_run(&self.run).map_err(keeping::failure)?;
        let dry_run = match engine.replay(run, other) {
            Ok(it) => it,
            Err(err) => return Ok(refused(&err, session)),
        };
        let value = engine.value_of(&dry_run.run).map_err(keeping::failure)?;
        let same = dry_run.is_same(value.as_deref());
        if self.json {
            terminal::print_json(&json(&dry_run, same))?;
        } else {
            terminal::print(&render(&dry_run, same, session))?;
        }
        Ok(if same { OK } else { FAILED })
    }
}

/// Reports why the comparison is impossible, and returns the exit code.
pub(super) fn refused(err: &Error, session: &Session) -> u8 {
    terminal::print_err(terminal::styled(&err.render(session.terminal.err.style())));
    match err {
        Error::Check(_) => INVALID,
        Error::Input { .. } | Error::Run { .. } => FAILED,
    }
}

fn json(dry_run: &DryRunResult, same: bool) -> ReplayJson<'_> {
    let (result, error) = match &dry_run.ended {
        Some(Ok(value)) => (Some(value.clone()), None),
        Some(Err(err)) => (None, Some(err.to_string())),
        None => (None, None),
    };
    let calls = dry_run.calls.iter().map(|(path, fate)| {
        let (fate, cause) = match fate {
            Fate::Same => ("same", None),
            Fate::Rerun(cause) => ("not recorded", Some(cause)),
            Fate::Stale(cause) => ("differs", Some(cause)),
            Fate::Computed { cause, is_same: true } => ("computed the same", cause.as_ref()),
            Fate::Computed { cause, is_same: false } => ("computed another", cause.as_ref()),
        };
        CallJson { path, fate, cause }
    });
    ReplayJson {
        run: dry_run.run.id.to_string(),
        same,
        result,
        error,
        calls: calls.collect(),
        gone: dry_run.gone().collect(),
        not_reached: dry_run.not_reached(),
    }
}

fn render(dry_run: &DryRunResult, same: bool, session: &Session) -> String {
    let mut text = String::new();
    for (path, fate) in &dry_run.calls {
        let line = match fate {
            Fate::Same | Fate::Computed { is_same: true, .. } => continue,
            Fate::Rerun(cause) => format!("not recorded: {cause}"),
            Fate::Stale(cause) => format!("differs: {cause}; the recorded result is used"),
            Fate::Computed { cause: Some(cause), .. } => format!("returns another result: {cause}"),
            Fate::Computed { cause: None, .. } => "new; computed".to_owned(),
        };
        text.push_str(&format!("{path}\n  {line}\n"));
    }
    for path in dry_run.gone() {
        text.push_str(&format!("{path}\n  no longer reached\n"));
    }
    for path in dry_run.not_reached() {
        text.push_str(&format!("{path}\n  depends on a call that is not recorded\n"));
    }
    let count = dry_run.calls.len();
    let calls = if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
    let outcome = match (same, &dry_run.ended) {
        (true, _) => format!("the same: {calls}, and the result\n"),
        (false, Some(Ok(value))) => {
            let shown = show::show(value, reader(session));
            format!("{} of {calls} are the same; the new result is\n{shown}", dry_run.same())
        }
        (false, Some(Err(err))) => format!("the run fails now: {err}\n"),
        (false, None) => {
            format!("{} of {calls} are the same; the rest needs a run\n", dry_run.same())
        }
    };
    text + outcome.as_str()
}
