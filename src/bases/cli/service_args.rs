//! The options of a service, for every base that offers one.

use std::path::PathBuf;

use clap::Args;
use svc_contract::registry::OpError;
use svc_service::{Entrance, Options, Service};

use super::{
    Session,
    data_folder::{self, DataArgs},
    exit::{Failure, Result, USAGE},
    keeping::OptionalStoreArgs,
    policy::Rules,
    terminal::Terminal,
};

/// What is served, under which rules, and where it is recorded.
#[derive(Args)]
pub(super) struct ServiceArgs {
    /// A folder: each of its scripts with a pipeline is offered.
    #[arg(value_name = "FOLDER")]
    pub(super) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(super) data: DataArgs,
    #[command(flatten)]
    pub(super) rules: Rules,
    #[command(flatten)]
    keeping: OptionalStoreArgs,
    /// Offer the tools that the conformance suite of MCP calls.
    #[arg(long, hide = true)]
    pub(super) conformance_fixtures: bool,
}

impl ServiceArgs {
    /// Where the project is looked for.
    pub(super) fn place(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The service with its jobs, for callers of an entrance or of this process alone.
    pub(super) fn service(
        &self,
        session: &Session,
        entrance: Option<Entrance>,
        mut options: Options,
    ) -> Result<Service> {
        let store = self.keeping.opened(session)?;
        if let Some(store) = &store {
            options.jobs = Some(self.keeping.jobs(store, session)?);
        }
        if let Some(folder) = &self.folder {
            options.folder = Some(existing(folder, session)?);
        }
        options.entrance = entrance;
        let store = store.map(|it| it.shared());
        Service::new(session.engine.clone(), store, options).map_err(|it| data_folder::wrong(&it))
    }
}

/// Says which scripts are served, and why others are not.
pub(super) fn note_scripts(service: &Service, terminal: Terminal) {
    let Some(folder) = service.folder() else { return };
    let names: Vec<String> = folder.scripts().iter().map(|it| it.name.clone()).collect();
    terminal.note(&format!("scripts: {}", names.join(", ")));
    for it in folder.unserved() {
        terminal.note(&format!("not served: {}: {}", it.path, it.why));
    }
}

/// The folder, if it is one.
pub(super) fn existing(folder: &std::path::Path, session: &Session) -> Result<PathBuf> {
    let stat = session.engine.host().stat(folder);
    let stat = stat.map_err(|err| Failure::reading(OpError::io(err, folder)))?;
    if stat.is_dir {
        return Ok(folder.to_owned());
    }
    let message = format!("`{}` is not a folder", folder.display());
    Err(Failure::new(USAGE, message).help("serve the folder that contains the script"))
}
