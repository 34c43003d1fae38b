//! The option that selects the folder of a service.

use std::path::PathBuf;

use clap::Args;
use svc_service::access::{
    Access,
    roles::{PolicyError, Roles},
};

use super::{
    Session,
    exit::{Failure, INVALID, NOT_FOUND, Result, USAGE},
    keeping,
};

/// The folder next to the store of runs.
const DEFAULT: &str = "service";

/// The folder of a service.
#[derive(Args)]
pub(super) struct DataArgs {
    /// The folder with the keys, the policy and the audit of the service. The default is
    /// `service` next to the store of runs, in the user's data folder.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DataArgs {
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
