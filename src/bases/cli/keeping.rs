//! Where runs are kept, as the command line says it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use svc_contract::host::Host;
use svc_engine::Engine;
use svc_store::{Store, StoreError, StoreErrorKind};

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, Result, USAGE},
};

/// The variable that names the store.
const VARIABLE: &str = "SVC_STORE";

/// The store of those who name none, in the folder for the data of programs.
const DEFAULT: &str = "runs.db";

/// The store of runs.
#[derive(Args)]
pub(super) struct Keeping {
    /// The file that keeps what runs do, so that they can go on after a crash, a failure or
    /// an exhausted budget. Without it, the one that `SVC_STORE` names, or else one in the
    /// user's data folder.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

/// The same for what can do without a store.
#[derive(Args)]
pub(super) struct MayKeep {
    #[command(flatten)]
    keeping: Keeping,
    /// Keep nothing of what is done.
    #[arg(long, conflicts_with = "store")]
    no_store: bool,
}

/// A place for a store.
struct Place {
    file: PathBuf,
    /// Whether somebody named it. Then it must be usable.
    is_named: bool,
}

impl MayKeep {
    /// The file that was named on the command line.
    pub(super) fn file(&self) -> Option<&Path> {
        self.keeping.store.as_deref()
    }

    /// The engine, which keeps its runs. Where nobody named a store and the usual place
    /// cannot be written, it keeps none, and that is told.
    pub(super) fn kept(&self, session: &Session, engine: Engine) -> Result<Engine> {
        if self.no_store {
            return Ok(engine);
        }
        let place = match self.keeping.place(engine.host()) {
            Ok(place) => place,
            Err(err) => {
                not_kept(session, &err.to_string());
                return Ok(engine);
            }
        };
        match Store::open(&place.file, engine.host().now()) {
            Ok(store) => Ok(engine.keeping(Arc::new(store))),
            Err(err) if !place.is_named && is_unusable(&err) => {
                not_kept(session, &err.message);
                Ok(engine)
            }
            Err(err) => Err(failure(err)),
        }
    }

    /// The engine, which knows of earlier runs where there are any.
    pub(super) fn knowing(&self, engine: Engine) -> Result<Engine> {
        let place = self.keeping.place(engine.host()).ok().filter(|_| !self.no_store);
        let is_there = |it: &Place| it.is_named || engine.host().stat(&it.file).is_ok();
        let Some(place) = place.filter(is_there) else { return Ok(engine) };
        match Store::open_reading(&place.file, engine.host().now()) {
            Ok(store) => Ok(engine.keeping(Arc::new(store))),
            Err(err) if err.kind == StoreErrorKind::NotFound => Ok(engine),
            Err(err) => Err(failure(err)),
        }
    }
}

impl Keeping {
    fn place(&self, host: &dyn Host) -> std::io::Result<Place> {
        let named = self.store.clone().or_else(|| host.env(VARIABLE).map(PathBuf::from));
        match named {
            Some(file) => Ok(Place { file, is_named: true }),
            None => Ok(Place { file: host.data_dir()?.join(DEFAULT), is_named: false }),
        }
    }

    /// The store, with the runs that it has.
    pub(super) fn opened(&self, session: &Session) -> Result<Arc<Store>> {
        open(session.engine.host(), &self.there(session)?.file)
    }

    /// The place of the store. The usual one must be in use.
    fn there(&self, session: &Session) -> Result<Place> {
        let place = self.placed(session)?;
        if !place.is_named && session.engine.host().stat(&place.file).is_err() {
            let message = "no run has been kept yet";
            let help = "`svc run` keeps what it does; `--store FILE` names another store";
            return Err(Failure::new(NOT_FOUND, message).help(help));
        }
        Ok(place)
    }

    /// The same, only to look into it: it need not be one that can be written.
    pub(super) fn reading(&self, session: &Session) -> Result<Arc<Store>> {
        let (place, now) = (self.there(session)?, session.engine.host().now());
        Store::open_reading(&place.file, now).map(Arc::new).map_err(failure)
    }

    /// The engine, which knows the runs of the store.
    pub(super) fn engine(&self, session: &Session) -> Result<Engine> {
        Ok(session.engine.clone().keeping(self.reading(session)?))
    }

    /// The file of the store.
    pub(super) fn named(&self, session: &Session) -> Result<PathBuf> {
        Ok(self.placed(session)?.file)
    }

    fn placed(&self, session: &Session) -> Result<Place> {
        self.place(session.engine.host()).map_err(|err| {
            let help = format!("name it with `--store FILE`, or in `{VARIABLE}`");
            Failure::new(USAGE, format!("no place for a store of runs: {err}")).help(help)
        })
    }
}

/// Whether a store cannot be made at its place, but nothing that was kept is in danger.
fn is_unusable(err: &StoreError) -> bool {
    matches!(err.kind, StoreErrorKind::ReadOnly | StoreErrorKind::Full | StoreErrorKind::Io)
}

fn not_kept(session: &Session, why: &str) {
    session.terminal.note(&format!("this run is not kept: {why}"));
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
