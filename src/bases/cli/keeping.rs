//! Where runs are kept, as the command line says it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, Result, USAGE},
};
use crate::{
    engine::Engine,
    host::Host,
    store::{Store, StoreError, StoreErrorKind},
};

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
    /// The engine, which keeps its runs where a store is named.
    pub(super) fn kept(&self, engine: Engine) -> Result<Engine> {
        match self.file(engine.host()) {
            Some(file) => {
                let store = open(engine.host(), &file)?;
                Ok(engine.keeping(store))
            }
            None => Ok(engine),
        }
    }

    fn file(&self, host: &dyn Host) -> Option<PathBuf> {
        self.store.clone().or_else(|| host.env(VARIABLE).map(PathBuf::from))
    }

    /// The store, which must be named.
    pub(super) fn opened(&self, session: &Session) -> Result<Arc<Store>> {
        open(session.engine.host(), &self.named(session)?)
    }

    /// The same, only to look into it: it need not be one that can be written.
    pub(super) fn reading(&self, session: &Session) -> Result<Arc<Store>> {
        let (file, now) = (self.named(session)?, session.engine.host().now());
        Store::open_reading(&file, now).map(Arc::new).map_err(failure)
    }

    /// The file of the store, which must be named.
    pub(super) fn named(&self, session: &Session) -> Result<PathBuf> {
        self.file(session.engine.host()).ok_or_else(|| {
            let help = format!("name it with `--store FILE`, or in `{VARIABLE}`");
            Failure::new(USAGE, "no store of runs is named").help(help)
        })
    }
}

fn open(host: &dyn Host, file: &Path) -> Result<Arc<Store>> {
    Store::open(file, host.now()).map(Arc::new).map_err(failure)
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
