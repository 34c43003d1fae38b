//! `svc schema`: prints the JSON Schemas of the output of commands.

use clap::{Args, builder::PossibleValuesParser};
use svc_api::schemas;

use super::{
    Session,
    exit::{OK, Result},
    terminal,
};

/// Print the JSON Schema of the `--json` output of a command.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Schema {
    /// The command whose output is described. Without it, all of them are listed.
    #[arg(value_name = "COMMAND", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(schemas::ALL.iter().map(|it| it.name)))]
    command: Option<String>,
}

const EXAMPLES: &str = "Examples:
  svc schema
  svc schema check > svc-check.schema.json

Every schema has two forms: what the command prints, and the object `{ \"error\": .. }` that it
prints if it has no result. The exit code distinguishes them.";

impl Schema {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match schemas::ALL.iter().find(|it| self.command.as_deref() == Some(it.name)) {
            Some(it) => terminal::print_data(&it.schema(&session.engine))?,
            None => terminal::print(&list())?,
        }
        Ok(OK)
    }
}

/// The commands, and what they print.
fn list() -> String {
    let width = schemas::ALL.iter().map(|it| it.name.len()).max().unwrap_or(0);
    let lines = schemas::ALL.iter().map(|it| format!("{:width$}  {}", it.name, it.prints));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
