//! `svc resume`: resumes a run where it stopped.

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use super::{
    Session, against,
    exit::{Result, answered},
    given::CapArgs,
    keeping::{self, StoreArgs},
    mcp_servers,
    output::OutputArgs,
    policy::Rules,
    run, script,
    tuning::TuneArgs,
    watch::Watch,
};

/// Resume a run where it stopped.
///
/// After a crash, a failure, Ctrl-C or an exhausted budget.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Resume {
    /// The run: its name, a prefix of it, or `last`. `svc runs` lists all runs.
    #[arg(value_name = "RUN")]
    run: String,
    /// Start a new run with this script, which reuses the unchanged calls of the earlier run.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Make the call at PATH again although its result is known.
    #[arg(long, value_name = "PATH")]
    again: Vec<String>,
    /// Repeat the write at PATH, which was started and may or may not have happened.
    #[arg(long, value_name = "PATH")]
    retry_write: Vec<String>,
    /// Print the result, or the failure of the run, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    caps: CapArgs,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    tuning: TuneArgs,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc resume last
  svc resume 01j9 --max-cost 2.00
  svc resume last --with triage.svc
  svc resume last --again 'each[3]/ask'
  svc resume last --retry-write 'each[3]/file_bug'

Finished calls are not made again: they keep their results, and their cost counts against
the caps.";

impl Resume {
    /// Where the project is looked for: at the script, or where the run was started.
    pub(super) fn place(&self, session: &Session) -> PathBuf {
        self.with.clone().unwrap_or_else(|| self.keeping.place_of(&self.run, session))
    }

    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.resume(session).await)
    }

    async fn resume(&self, session: &Session) -> Result<u8> {
        let output = self.output.open(session)?;
        let session = &self.tuning.alone(&self.rules.with_rules(session)?)?;
        let store = self.keeping.opened(session)?;
        let watch = Arc::new(Watch::new(session.terminal));
        let engine = store.engine(session.engine.clone().with_observer(watch.clone()));
        let request = match &self.with {
            Some(file) => {
                let source = script::read(engine.host(), file)?;
                against::announce(&engine, &self.run, source.clone(), session);
                engine.resume_with(&self.run, source)
            }
            None => engine.resume(&self.run),
        };
        let request = request.map_err(keeping::failure)?;
        if let Some(plan) = request.plan_before_inputs() {
            mcp_servers::agreed(plan, &self.place(session), session).await?;
        }
        let request = self.again.iter().fold(request, |it, path| it.again(path));
        let request = self.retry_write.iter().fold(request, |it, path| it.retry_write(path));
        let printed = run::Printed { json: self.json, output: output.as_ref() };
        run::conclude(self.caps.give(request), &watch, printed, session).await
    }
}
