//! `svc repl`: statements that run as they are entered.
//!
//! A person at a terminal gets a prompt with completion, hints and history; what comes
//! through a pipe is run the same way, and only results are printed.

mod commands;
mod complete;
mod files;
mod helper;
mod paint;
mod piped;
mod prompt;
mod settings;
mod talk;
mod tree;
mod view;

use std::{io::IsTerminal, path::PathBuf};

use clap::Args;

use super::{
    Session,
    exit::{Failure, Result, USAGE},
    keeping::MayKeep,
    policy::Rules,
    tuning::Tuning,
};
use settings::Settings;
use talk::Talk;

/// Explore: run statements as they are entered, with completion that knows the types.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Repl {
    /// A script whose declarations and values are there from the beginning.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    settings: settings::Given,
    /// Go on after a statement that failed, when statements come through a pipe.
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    tuning: Tuning,
    #[command(flatten)]
    keeping: MayKeep,
}

const EXAMPLES: &str = r#"Examples:
  svc repl
  svc repl report.svc --max-cost 0.10
  echo '[3, 1, 2] >> sort { it }' | svc repl

At the prompt:
  search("budgets", source: "docs")     a pipeline runs; its value is `ans`
  >> take(3)                            goes on with `ans`
  let hits = ans                        names it, for the lines that follow
  :type hits >> summary                 the type of something, without running it
  :save report.svc                      the script that gives the last answer
  :help                                 all commands

Tab completes what fits the types, Ctrl-R searches what was entered before, Ctrl-C ends the
line that runs, Ctrl-D leaves. What is open goes on in the next line; an empty line ends it."#;

impl Repl {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let held = self.tuning.session(&self.rules.held(session)?)?;
        let is_prompt = std::io::stdin().is_terminal();
        if is_prompt && !held.terminal.out.is_terminal {
            let message = "the prompt needs a terminal for its output";
            let help = "let statements come through a pipe: `echo .. | svc repl`";
            return Err(Failure::new(USAGE, message).help(help));
        }
        let engine = self.keeping.kept(&held, held.engine.clone())?;
        let held = Session { engine, is_prompt, goes_on: true, ..held };
        let settings = Settings::new(&self.settings, is_prompt);
        let mut talk = Talk::new(&held, settings, self.keeping.file());
        if let Some(file) = &self.file {
            talk.load(file).await?;
        }
        match is_prompt {
            true => prompt::converse(&mut talk).await,
            false => piped::converse(&mut talk, self.keep_going).await,
        }
    }
}
