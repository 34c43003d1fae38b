//! `svc expand`: prints a script with its templates expanded.

use std::path::PathBuf;

use clap::Args;
use svc_api::expand::{ExpandError, expanded};

use super::{
    Session,
    exit::{FAILED, Failure, INVALID, OK, Result},
    script, terminal,
};

/// Print a script with its templates expanded.
///
/// Each call of a template is replaced by the pipeline that it builds.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Expand {
    /// The script; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

const EXAMPLES: &str = "Examples:
  svc expand report.svc
  svc expand report.svc > expanded.svc

Each call of a template becomes a call of a flow at the end of the script. Imported files are
left unchanged. The exit code is 7 if the script has errors.";

impl Expand {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let session = &session.at(&self.file)?;
        let source = script::read(session.engine.host(), &self.file)?;
        match expanded(&session.engine, &source) {
            Ok(text) => {
                terminal::print_data(&text)?;
                Ok(OK)
            }
            Err(ExpandError::Invalid(report)) => {
                let drawn = report.render(session.terminal.err.style());
                terminal::print_err(terminal::styled(&drawn));
                Ok(INVALID)
            }
            Err(ExpandError::SameName) => {
                let message = "a type of a template and a type of the script have the same name";
                Err(Failure::new(FAILED, message).help("rename the type of the script"))
            }
        }
    }
}
