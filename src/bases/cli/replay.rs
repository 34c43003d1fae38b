//! `svc replay`: runs a script again on recorded results.

use std::path::PathBuf;

use clap::Args;
use svc_api::replay::{ReplayJson, text};
use svc_engine::Error;

use super::{
    Session,
    exit::{FAILED, Failure, INVALID, OK, Result, answered},
    keeping::{self, StoreArgs},
    output::OutputArgs,
    run::reader,
    script, show, terminal,
};

/// Run a script again on recorded results, without effects.
///
/// Reports every difference from the recorded run.
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
    output: OutputArgs,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc replay last                       does this version of svc return the same result?
  svc replay last --with triage.svc     what would an edited script return?

Pure ops are computed again; all other calls return their recorded results. The exit code is
1 if anything differs.";

impl Replay {
    /// Where the project is looked for: at the script, or where the run was started.
    pub(super) fn place(&self, session: &Session) -> PathBuf {
        self.with.clone().unwrap_or_else(|| self.keeping.place_of(&self.run, session))
    }

    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.replay(session).await)
    }

    async fn replay(&self, session: &Session) -> Result<u8> {
        let output = self.output.open(session)?;
        let engine = self.keeping.engine(session)?;
        let other = self.with.as_ref().map(|it| script::read(engine.host(), it)).transpose()?;
        let run = engine.kept_run(&self.run).map_err(keeping::failure)?;
        let dry_run = match engine.replay(run, other) {
            Ok(it) => it,
            Err(err) => return Err(refused(err, session)),
        };
        let value = engine.value_of(&dry_run.run).map_err(keeping::failure)?;
        let same = dry_run.is_same(value.as_deref());
        if let Some(output) = &output {
            match &dry_run.ended {
                Some(Ok(value)) => output.write(value, session, None).await?,
                _ => return Err(no_result(&self.run)),
            };
        }
        if self.json {
            terminal::print_json(&ReplayJson::new(&dry_run, same))?;
        } else {
            let shown = text(&dry_run, same, |it| show::show(it, reader(session)));
            terminal::print(&shown)?;
        }
        Ok(if same { OK } else { FAILED })
    }
}

fn no_result(run: &str) -> Failure {
    let help = format!("run `svc replay {run}` to see why");
    Failure::new(FAILED, "the replay has no result to write").help(help)
}

/// Reports why the comparison is impossible.
pub(super) fn refused(err: Error, session: &Session) -> Failure {
    terminal::print_err(terminal::styled(&err.render(session.terminal.err.style())));
    let code = if matches!(err, Error::Check(_)) { INVALID } else { FAILED };
    Failure::shown(code, err)
}
