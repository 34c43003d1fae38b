//! `svc openapi`: the description of the REST interface.

use clap::Args;

use super::{
    Session,
    exit::{OK, Result},
    terminal,
};

/// Print the OpenAPI document of `svc serve`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Openapi {}

const EXAMPLES: &str = "Examples:
  svc openapi > openapi.json
  svc openapi | jq -r '.paths | keys[]'";

impl Openapi {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let Self {} = self;
        let document =
            svc_api::rest::document(env!("CARGO_PKG_VERSION"), session.engine.registry());
        terminal::print_data(&format!("{document}\n"))?;
        Ok(OK)
    }
}
