//! `svc bias cases`: the cases by which a component is judged.

use std::path::PathBuf;

use clap::Args;
use svc_api::tuning::calls_of;
use svc_contract::value::Value;
use svc_service::bias::Work;

use super::{Common, Failure, OK, Result, Session, read_text, write};
use crate::bases::cli::{
    exit::USAGE,
    keeping::{self, StoreArgs},
    terminal,
};

/// The largest file of cases.
const LARGEST: u64 = 64 << 20;

/// Count the cases of a component, add some, or draw again which of them are sealed.
///
/// A component brings cases, and a project has its own in `cases/COMPONENT.jsonl`, one a line:
/// `{"input": {"query": ".."}, "expected": ["id"], "score": "ndcg@10"}`.
#[derive(Args)]
pub(super) struct CasesArgs {
    /// The component.
    component: String,
    /// Add the calls of the component in a recorded run, which expect the same results.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["from_file", "redraw", "test_set"])]
    from_run: Option<String>,
    /// Add the cases of a file: JSON Lines, or a test set as JSON.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["redraw", "test_set"])]
    from_file: Option<PathBuf>,
    /// Draw again which cases are sealed, and count attempts from the beginning.
    #[arg(long, conflicts_with = "test_set")]
    redraw: bool,
    /// Print all cases as a test set.
    #[arg(long)]
    test_set: bool,
    #[command(flatten)]
    keeping: StoreArgs,
    #[command(flatten)]
    common: Common,
}

impl CasesArgs {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let work = self.common.work(session)?;
        if self.test_set {
            let text = work.test_set(&self.component).map_err(Failure::reading)?;
            terminal::print_data(&format!("{text}\n"))?;
            return Ok(OK);
        }
        if self.redraw {
            work.redraw(&self.component).map_err(Failure::reading)?;
        }
        if let Some(run) = &self.from_run {
            let store = self.keeping.reading(session)?;
            let calls = calls_of(&store, run, &self.component).map_err(keeping::failure)?;
            if calls.is_empty() {
                let message = format!("the run {run} has no recorded call of `{}`", self.component);
                return Err(Failure::new(USAGE, message)
                    .help("calls that compute at once are not recorded: write cases into a file"));
            }
            let lines = work.cases_of_calls(&self.component, calls).map_err(Failure::reading)?;
            self.add(&lines, session)?;
        }
        if let Some(file) = &self.from_file {
            let text = read_text(file, LARGEST, session)?;
            let lines = work.read_cases(&self.component, &text).map_err(Failure::reading)?;
            self.add(&lines, session)?;
        }
        let counts = work.case_counts(&self.component).map_err(Failure::reading)?;
        let fields: [(&str, Value); 4] = [
            ("train", counts.train.into()),
            ("validation", counts.validation.into()),
            ("sealed", counts.sealed.into()),
            ("attempts", counts.attempts.into()),
        ];
        let all = fields.into_iter().map(|(name, it)| (name.into(), it)).collect();
        self.common.put(&Value::Record(all), session)
    }

    /// Adds lines to the file of the project, without those that are there.
    fn add(&self, lines: &[String], session: &Session) -> Result<()> {
        let file = Work::file_of_cases(&self.component);
        let host = session.engine.host();
        let mut text = match host.stat(&file) {
            Ok(_) => read_text(&file, LARGEST, session)?,
            Err(_) => String::new(),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let mut added = 0;
        for line in lines {
            if !text.lines().any(|it| it == line) {
                text += line;
                text.push('\n');
                added += 1;
            }
        }
        write(&file, &text, session)?;
        session.terminal.note(&format!("{added} cases added to {}", file.display()));
        Ok(())
    }
}
