//! The options of a service, for every base that offers one.

use std::path::PathBuf;

use clap::Args;
use svc_contract::registry::OpError;
use svc_service::{Entrance, Options, Service, access::Access};

use super::{
    Session,
    data_folder::{self, DataArgs},
    exit::{Failure, Result, USAGE},
    keeping::{self, OptionalStoreArgs},
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

    /// The folder with the database of this machine's user: the one that the user named, or the one
    /// next to the store of runs.
    pub(super) fn data_folder(&self, session: &Session) -> Result<PathBuf> {
        match self.data.named() {
            Some(folder) => Ok(folder.to_owned()),
            None => self.keeping.service_folder(session),
        }
    }

    /// Where else a database may be: next to the store of runs, where an earlier version kept it.
    pub(super) fn earlier(&self, session: &Session) -> Result<Option<PathBuf>> {
        let Some(named) = self.data.named() else { return Ok(None) };
        let (other, host) = (self.keeping.service_folder(session)?, session.engine.host());
        let has_moved = !Access::exists(named, host) && Access::exists(&other, host);
        Ok(has_moved.then_some(other))
    }

    fn folder_of_jobs(&self, session: &Session) -> Result<PathBuf> {
        let folder = self.data_folder(session)?;
        if let Some(earlier) = self.earlier(session)? {
            session.terminal.note(&format!(
                "jobs, schedules and tuned components are in `{}` from now on; those of servers \
                 without `--data` stay in `{}`",
                folder.display(),
                earlier.display()
            ));
        }
        Ok(folder)
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
            let folder = self.folder_of_jobs(session)?;
            options.jobs = Some(store.jobs(&folder, &session.engine).map_err(keeping::failure)?);
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
