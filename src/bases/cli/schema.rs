//! `svc schema`: prints the JSON Schemas of the output of commands.

use clap::{Args, ValueEnum};
use svc_engine::output::{failure::FAILURE_SCHEMA, planned::PLAN_SCHEMA, verdict::VERDICT_SCHEMA};

use super::{
    exit::{OK, Result},
    terminal,
};

/// Print the JSON Schema of the `--json` output of a command.
#[derive(Args)]
#[command(after_help = "Examples:\n  svc schema check > svc-check.schema.json")]
pub(super) struct Schema {
    /// The command whose output is described.
    command: Described,
}

#[derive(Clone, Copy, ValueEnum)]
enum Described {
    Check,
    Plan,
    /// The output of a failed run.
    Run,
}

impl Schema {
    pub(super) fn execute(self) -> Result<u8> {
        match self.command {
            Described::Check => terminal::print_data(VERDICT_SCHEMA)?,
            Described::Plan => terminal::print_data(PLAN_SCHEMA)?,
            Described::Run => terminal::print_data(FAILURE_SCHEMA)?,
        }
        Ok(OK)
    }
}
