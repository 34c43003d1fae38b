//! `svc resume`: resumes a run where it stopped.

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use super::{
    Session, against,
    exit::{Result, answered},
    given::CapArgs,
    keeping::{self, StoreArgs},
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
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.resume(session).await)
    }

    async fn resume(&self, session: &Session) -> Result<u8> {
        let session = &self.tuning.session(&self.rules.with_rules(session)?)?;
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
        let request = self.again.iter().fold(request, |it, path| it.again(path));
        let request = self.retry_write.iter().fold(request, |it, path| it.retry_write(path));
        run::conclude(self.caps.give(request), &watch, self.json, session).await
    }
}
