//! Where runs are kept, as the command line says it.

use std::{path::PathBuf, sync::Arc};

use clap::Args;

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, Result, USAGE},
};
use crate::store::{Store, StoreError, StoreErrorKind};

/// The variable that names the store.
const VARIABLE: &str = "SVC_STORE";

/// The store of runs.
#[derive(Args)]
pub(super) struct Keeping {
    /// The file that keeps what runs do, so that they can go on after a crash, a failure or
    /// an exhausted budget. Without it, the one that `SVC_STORE` names.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

impl Keeping {
    /// The store, where one is named.
    pub(super) fn open(&self, session: &Session) -> Result<Option<Arc<Store>>> {
        let Some(file) = self.file(session) else { return Ok(None) };
        let now = session.engine.host().now();
        Store::open(&file, now).map(|it| Some(Arc::new(it))).map_err(failure)
    }

    fn file(&self, session: &Session) -> Option<PathBuf> {
        let host = session.engine.host();
        self.store.clone().or_else(|| host.env(VARIABLE).map(PathBuf::from))
    }

    /// The store, which must be named.
    pub(super) fn opened(&self, session: &Session) -> Result<Arc<Store>> {
        self.open(session)?.ok_or_else(unnamed)
    }

    /// The file of the store, which must be named.
    pub(super) fn named(&self, session: &Session) -> Result<PathBuf> {
        self.file(session).ok_or_else(unnamed)
    }
}

fn unnamed() -> Failure {
    let help = format!("name it with `--store FILE`, or in `{VARIABLE}`");
    Failure::new(USAGE, "no store of runs is named").help(help)
}

/// A failure of the store as one of the command.
pub(super) fn failure(err: StoreError) -> Failure {
    let code = match err.kind {
        StoreErrorKind::NotFound => NOT_FOUND,
        StoreErrorKind::Ambiguous => USAGE,
        _ => FAILED,
    };
    let failure = Failure::new(code, err.message);
    match err.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}
