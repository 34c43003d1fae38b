//! `svc why`: explains why the calls of a run were made.

use clap::Args;
use svc_api::why::text;

use super::{
    Session,
    exit::{OK, Result, answered},
    keeping::{self, StoreArgs},
    terminal,
};

/// Explain why the calls of a run were made.
///
/// Shows what differs from the run before.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Why {
    /// The run: its name, a prefix of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Only this call, by its path in `svc show`, or all calls of a place: `each[]/ask`.
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Compare with this run instead of the previous run of the same script.
    #[arg(long, value_name = "RUN")]
    since: Option<String>,
    /// Print the reasons as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc why last
  svc why last 'each[3]/ask'
  svc why last --since 01j9";

impl Why {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session))
    }

    fn printed(&self, session: &Session) -> Result<u8> {
        let engine = self.keeping.engine(session)?;
        let why = engine.why(&self.run, self.path.as_deref(), self.since.as_deref());
        let why = why.map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&why)?;
        } else {
            terminal::print(&text(&why))?;
        }
        Ok(OK)
    }
}
