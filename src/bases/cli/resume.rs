//! `svc resume`: a run goes on where it was.

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use super::{
    Session, against,
    exit::Result,
    given::CapArgs,
    keeping::{self, Keeping},
    policy::Rules,
    run, script,
    tuning::Tuning,
    watch::Watch,
};

/// Go on with a run where it was: after a crash, a failure, Ctrl-C or an exhausted budget.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Resume {
    /// The run, by its name, the beginning of it, or `last`. `svc runs` lists them.
    #[arg(value_name = "RUN")]
    run: String,
    /// Go on with this script instead: a new run, which takes from the earlier one what did
    /// not change.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Make a call again although its result is known: the path of its node.
    #[arg(long, value_name = "PATH")]
    again: Vec<String>,
    /// Let a write happen again that was begun, and of which nobody knows whether it
    /// happened: the path of its node.
    #[arg(long, value_name = "PATH")]
    retry_write: Vec<String>,
    /// Print the result as JSON, or the failure of the run.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    caps: CapArgs,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    keeping: Keeping,
}

const EXAMPLES: &str = "Examples:
  svc resume last
  svc resume 01j9 --max-cost 2.00
  svc resume last --with triage.svc
  svc resume last --again 'each[3]/ask'
  svc resume last --retry-write 'each[3]/file_bug'

What was done is not done again: it keeps its value, and its cost counts against the caps.";

impl Resume {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let session = &self.tuning.session(&self.rules.held(session)?)?;
        let store = self.keeping.opened(session)?;
        let watch = Arc::new(Watch::new(session.terminal));
        let engine = session.engine.clone().watched_by(watch.clone()).keeping(store);
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
