//! `svc repl`: runs statements as they are entered.
//!
//! On a terminal there is a prompt with completion, hints and history. Statements from a pipe run
//! the same way, but only results are printed.

mod chart;
mod commands;
mod complete;
mod files;
mod helper;
mod paint;
mod piped;
mod prompt;
mod session;
mod settings;
mod tree;
mod tune;
mod view;

use std::{io::IsTerminal, path::PathBuf};

use clap::Args;

use super::{
    Session,
    exit::{Failure, Result, USAGE},
    keeping::OptionalStoreArgs,
    policy::Rules,
    tuning::TuneArgs,
};
use session::Repl;
use settings::Settings;

/// Run statements interactively, with completion by type.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReplArgs {
    /// A script to load first.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    settings: settings::Given,
    /// Continue after a statement from a pipe failed.
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    tuning: TuneArgs,
    #[command(flatten)]
    keeping: OptionalStoreArgs,
}

const EXAMPLES: &str = r#"Examples:
  svc repl
  svc repl report.svc --max-cost 0.10
  echo '[3, 1, 2] >> sort { it }' | svc repl

At the prompt:
  search("budgets", source: "docs")     run a pipeline; its value becomes `ans`
  >> take(3)                            continue from `ans`
  let hits = ans                        name a value for the following lines
  :type hits >> summary                 show the type without running anything
  :save report.svc                      save the script for the last answer
  :help                                 list all commands

Tab completes by type, Ctrl-R searches the history, Ctrl-C cancels the running line and Ctrl-D
quits. An incomplete statement continues on the next line; an empty line ends it."#;

impl ReplArgs {
    /// Where the project is looked for.
    pub(super) fn place(&self, _: &Session) -> PathBuf {
        self.file.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let held = self.tuning.session(&self.rules.with_rules(session)?)?;
        let is_prompt = std::io::stdin().is_terminal();
        if is_prompt && !held.terminal.out.is_terminal {
            let message = "cannot show a prompt: standard output is not a terminal";
            let help = "pass statements through a pipe: `echo .. | svc repl`";
            return Err(Failure::new(USAGE, message).help(help));
        }
        let engine = self.keeping.kept(&held, held.engine.clone())?;
        let held = Session { engine, is_prompt, goes_on: true, ..held };
        let settings = Settings::new(&self.settings, is_prompt);
        let mut repl = Repl::new(held, settings, self.keeping.file());
        if let Some(file) = &self.file {
            repl.load(file).await?;
        }
        if is_prompt {
            prompt::converse(&mut repl).await
        } else {
            piped::converse(&mut repl, self.keep_going).await
        }
    }
}
