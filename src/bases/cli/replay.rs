//! `svc replay`: a run again, on what its calls gave.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use svc_contract::value::Value;
use svc_engine::{Error, Fate, Rehearsed};

use super::{
    Session,
    exit::{FAILED, INVALID, OK, Result},
    keeping::{self, Keeping},
    run::reader,
    script, show, terminal,
};

/// Run a script again on what its calls gave, without any effect, and tell where it differs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Replay {
    /// The run, by its name, the beginning of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Another script in the place of the one that it had.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: Keeping,
}

const EXAMPLES: &str = "Examples:
  svc replay last                       does this svc still come to the same result?
  svc replay last --with triage.svc     what would an edited script make of it?

What is pure is computed again; for all other calls what was recorded stands. The exit code
is 1 where something differs.";

#[derive(Serialize)]
struct ReplayJson<'a> {
    run: String,
    /// Whether nothing differs.
    same: bool,
    result: Option<Value>,
    error: Option<String>,
    calls: Vec<CallJson<'a>>,
    /// What was recorded and is not reached any more.
    gone: Vec<&'a str>,
    /// What needs a call that was never made.
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
        let rehearsed = match engine.replay(run, other) {
            Ok(it) => it,
            Err(err) => return Ok(refused(&err, session)),
        };
        let value = engine.value_of(&rehearsed.run).map_err(keeping::failure)?;
        let same = rehearsed.is_same(value.as_deref());
        if self.json {
            terminal::print_json(&json(&rehearsed, same))?;
        } else {
            terminal::print(&told(&rehearsed, same, session))?;
        }
        Ok(if same { OK } else { FAILED })
    }
}

/// Tells why nothing can be rehearsed.
pub(super) fn refused(err: &Error, session: &Session) -> u8 {
    terminal::tell(terminal::styled(&err.render(session.terminal.err.style())));
    match err {
        Error::Check(_) => INVALID,
        Error::Input { .. } | Error::Run { .. } => FAILED,
    }
}

fn json(rehearsed: &Rehearsed, same: bool) -> ReplayJson<'_> {
    let (result, error) = match &rehearsed.ended {
        Some(Ok(value)) => (Some(value.clone()), None),
        Some(Err(err)) => (None, Some(err.to_string())),
        None => (None, None),
    };
    let calls = rehearsed.calls.iter().map(|(path, fate)| {
        let (fate, cause) = match fate {
            Fate::Same => ("same", None),
            Fate::Anew(cause) => ("not recorded", Some(cause)),
            Fate::Stale(cause) => ("differs", Some(cause)),
            Fate::Computed { cause, is_same: true } => ("computed the same", cause.as_ref()),
            Fate::Computed { cause, is_same: false } => ("computed another", cause.as_ref()),
        };
        CallJson { path, fate, cause }
    });
    ReplayJson {
        run: rehearsed.run.id.to_string(),
        same,
        result,
        error,
        calls: calls.collect(),
        gone: rehearsed.gone().collect(),
        not_reached: rehearsed.not_reached(),
    }
}

fn told(rehearsed: &Rehearsed, same: bool, session: &Session) -> String {
    let mut text = String::new();
    for (path, fate) in &rehearsed.calls {
        let line = match fate {
            Fate::Same | Fate::Computed { is_same: true, .. } => continue,
            Fate::Anew(cause) => format!("not recorded: {cause}"),
            Fate::Stale(cause) => format!("differs: {cause}; what was recorded stands"),
            Fate::Computed { cause: Some(cause), .. } => format!("gives another result: {cause}"),
            Fate::Computed { cause: None, .. } => "new; computed".to_owned(),
        };
        text.push_str(&format!("{path}\n  {line}\n"));
    }
    for path in rehearsed.gone() {
        text.push_str(&format!("{path}\n  not reached any more\n"));
    }
    for path in rehearsed.not_reached() {
        text.push_str(&format!("{path}\n  needs what is not recorded\n"));
    }
    let count = rehearsed.calls.len();
    let calls = if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
    let outcome = match (same, &rehearsed.ended) {
        (true, _) => format!("the same: {calls}, and what came of them\n"),
        (false, Some(Ok(value))) => {
            let shown = show::show(value, reader(session));
            format!("{} of {calls} are the same; the result is now\n{shown}", rehearsed.same())
        }
        (false, Some(Err(err))) => format!("it fails now: {err}\n"),
        (false, None) => {
            format!("{} of {calls} are the same; the rest needs a run\n", rehearsed.same())
        }
    };
    text + outcome.as_str()
}
