//! `svc tap`: prints a value of a run.

use clap::Args;
use svc_api::tap::{TapError, Tapped, tap};

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    keeping::{self, StoreArgs},
    run::{print_value, reader},
    show, terminal,
};

/// Print the result of a call in a run.
///
/// Without PATH, prints the result of the run.
#[derive(Args)]
pub(super) struct Tap {
    /// The run: its name, a prefix of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// The path of the call, as in `svc show`.
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Print the arguments of the call instead.
    #[arg(long, requires = "path")]
    args: bool,
    /// Print the value as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
}

impl Tap {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session))
    }

    fn printed(&self, session: &Session) -> Result<u8> {
        let store = self.keeping.reading(session)?;
        let what = match &self.path {
            None => Tapped::Result,
            Some(path) if self.args => Tapped::Args(path),
            Some(path) => Tapped::Call(path),
        };
        let value = tap(&session.engine, &store, &self.run, what);
        let value = value.map_err(|err| self.failure(err))?;
        if self.json {
            terminal::print_json(&value)?;
        } else {
            print_value(&show::show(&value, reader(session)), reader(session))?;
        }
        Ok(OK)
    }

    fn failure(&self, err: TapError) -> Failure {
        let failure = Failure::new(NOT_FOUND, err.to_string());
        match err {
            TapError::Store(err) => keeping::failure(err),
            TapError::UnknownNode { .. } => {
                failure.help(format!("list the nodes with `svc show {}`", self.run))
            }
            TapError::NoResult => failure,
        }
    }
}
