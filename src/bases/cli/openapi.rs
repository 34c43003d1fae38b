//! `svc openapi`: the description of the REST interface.

use std::path::PathBuf;

use clap::Args;
use svc_service::{Options, Service};

use super::{
    Session, data_folder,
    exit::{OK, Result},
    service_args, terminal,
};

/// Print the OpenAPI document of `svc serve`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Openapi {
    /// A folder, as of `svc serve`: each of its scripts has endpoints with its own params.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  svc openapi > openapi.json
  svc openapi examples > openapi.json
  svc openapi | jq -r '.paths | keys[]'";

impl Openapi {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let version = env!("CARGO_PKG_VERSION");
        let folder = self.folder.map(|it| service_args::existing(&it, session)).transpose()?;
        let options = Options { folder, ..Options::new(version) };
        let service = Service::new(session.engine.clone(), None, options)
            .map_err(|err| data_folder::wrong(&err))?;
        let registry = service.engine().registry();
        let document = svc_api::rest::document(version, registry, &service.scripts(), false);
        terminal::print_data(&format!("{document}\n"))?;
        Ok(OK)
    }
}
