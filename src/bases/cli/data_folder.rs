//! The option that selects the folder of a service.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::store::RunStore;
use svc_service::{
    access::{
        Access,
        roles::{PolicyError, Roles},
    },
    jobs::Jobs,
};

use super::{
    Session,
    exit::{Failure, INVALID, NOT_FOUND, Result, USAGE},
    keeping::{self, StoreArgs},
};

/// The folder next to the store of runs.
const DEFAULT: &str = "service";

/// The folder of a service.
#[derive(Args)]
pub(super) struct DataArgs {
    /// The folder of the service, with its database and its policy: the keys, the audit, the jobs
    /// and what was tuned. The default is `service` next to the store of runs, in the user's data
    /// folder.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// The store of runs, with the jobs of a server.
#[derive(Args)]
pub(super) struct JobsArgs {
    #[command(flatten)]
    keeping: StoreArgs,
    #[command(flatten)]
    data: DataArgs,
}

impl JobsArgs {
    /// The existing store, opened for writing, and the jobs whose runs are in it.
    pub(super) fn opened(&self, session: &Session) -> Result<(RunStore, Jobs)> {
        self.keeping.with_jobs(self.data.named(), session)
    }
}

impl DataArgs {
    /// The folder that the user named.
    pub(super) fn named(&self) -> Option<&Path> {
        self.data.as_deref()
    }

    pub(super) fn folder(&self, session: &Session) -> Result<PathBuf> {
        if let Some(folder) = &self.data {
            return Ok(folder.clone());
        }
        let store = keeping::folder_of_stores(session.engine.host()).map_err(|err| {
            Failure::new(USAGE, format!("cannot find a folder for the service: {err}"))
                .help("name it with `--data DIR`")
        })?;
        Ok(store.join(DEFAULT))
    }

    /// What is in the folder, which is created if necessary.
    pub(super) fn opened(&self, session: &Session) -> Result<Access> {
        let folder = self.folder(session)?;
        Access::open(&folder, session.engine.host()).map_err(keeping::failure)
    }

    /// The same for commands that need keys or an audit.
    pub(super) fn existing(&self, session: &Session) -> Result<Access> {
        let folder = self.folder(session)?;
        if !Access::exists(&folder, session.engine.host()) {
            let message = format!("no service is set up in `{}`", folder.display());
            let help = "issue its first key with `svc keys issue`, or name another folder with \
                `--data DIR`";
            return Err(Failure::new(NOT_FOUND, message).help(help));
        }
        self.opened(session)
    }

    /// The roles of the folder's policy file, or the built-in ones.
    pub(super) fn roles(&self, session: &Session, is_hosted: bool) -> Result<Roles> {
        let file = Access::policy_file(&self.folder(session)?);
        Roles::open(Some(file), is_hosted, session.engine.host()).map_err(|it| wrong(&it))
    }
}

/// A policy file that is not used.
pub(super) fn wrong(err: &PolicyError) -> Failure {
    match err {
        PolicyError::File(why) => Failure::new(NOT_FOUND, why.clone()),
        PolicyError::Wrong(_) => Failure::new(INVALID, err.to_string())
            .help("`docs/access.md` lists the fields of a policy"),
    }
}
