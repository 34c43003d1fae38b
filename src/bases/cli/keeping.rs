//! The options that select the store of runs.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::store::{RunStore, StoreError, StoreErrorKind, is_unusable};
use svc_contract::host::Host;
use svc_engine::Engine;
use svc_service::{access::Access, jobs::Jobs};

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, Result, USAGE},
};

/// The variable that names the store.
const VARIABLE: &str = "SVC_STORE";

/// The folder of a server, next to its store of runs.
const SERVICE: &str = "service";

/// The default store, in the user's data folder.
const DEFAULT: &str = "runs.db";

/// The store of runs.
#[derive(Args)]
pub(super) struct StoreArgs {
    /// The store that records runs, so that they can be resumed after a crash, a failure or an
    /// exhausted budget. The default is `SVC_STORE`, or else `runs.db` in the user's data
    /// folder.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

/// The same for commands that work without a store.
#[derive(Args)]
pub(super) struct OptionalStoreArgs {
    #[command(flatten)]
    keeping: StoreArgs,
    /// Do not record the run.
    #[arg(long, conflicts_with = "store")]
    no_store: bool,
}

/// The location of a store.
struct Place {
    file: PathBuf,
    /// Whether the user named it; then it must be usable.
    is_named: bool,
}

impl OptionalStoreArgs {
    /// The file named on the command line.
    pub(super) fn file(&self) -> Option<&Path> {
        self.keeping.store.as_deref()
    }

    /// The engine with a store for its runs. If the user named no store and the default one is not
    /// writable, returns the engine without a store and prints a note.
    pub(super) fn kept(&self, session: &Session, engine: Engine) -> Result<Engine> {
        Ok(match self.opened(session)? {
            Some(store) => store.engine(engine),
            None => engine,
        })
    }

    /// The store, if there is to be one. If the user named none and the default one is not
    /// writable, returns none and prints a note.
    pub(super) fn opened(&self, session: &Session) -> Result<Option<RunStore>> {
        if self.no_store {
            return Ok(None);
        }
        let host = session.engine.host();
        let place = match self.keeping.place(host) {
            Ok(place) => place,
            Err(err) => {
                not_kept(session, &err.to_string());
                return Ok(None);
            }
        };
        match RunStore::open(&place.file, host) {
            Ok(store) => Ok(Some(store)),
            Err(err) if !place.is_named && is_unusable(&err) => {
                not_kept(session, &err.message);
                Ok(None)
            }
            Err(err) => Err(failure(err)),
        }
    }

    /// The folder of a server, next to the store of its runs.
    pub(super) fn service_folder(&self, session: &Session) -> Result<PathBuf> {
        self.keeping.service_folder(session)
    }

    /// The engine with the earlier runs, if there is a store.
    pub(super) fn knowing(&self, engine: Engine) -> Result<Engine> {
        let place = self.keeping.place(engine.host()).ok().filter(|_| !self.no_store);
        let is_there = |it: &Place| it.is_named || engine.host().stat(&it.file).is_ok();
        let Some(place) = place.filter(is_there) else { return Ok(engine) };
        match RunStore::open_reading(&place.file, engine.host()) {
            Ok(store) => Ok(store.engine(engine)),
            Err(err) if err.kind == StoreErrorKind::NotFound => Ok(engine),
            Err(err) => Err(failure(err)),
        }
    }
}

/// The store that commands use by default, if it exists and can be read.
pub(super) fn default_store(host: &dyn Host) -> Option<RunStore> {
    let place = StoreArgs { store: None }.place(host).ok()?;
    RunStore::open_reading(&place.file, host).ok()
}

impl StoreArgs {
    /// The script of a run, or the current folder.
    pub(super) fn place_of(&self, run: &str, session: &Session) -> PathBuf {
        let host = session.engine.host();
        let place = self.place(host).ok();
        let store = place.and_then(|it| RunStore::open_reading(&it.file, host).ok());
        let run = store.and_then(|it| it.engine(session.engine.clone()).kept_run(run).ok());
        run.map_or_else(|| PathBuf::from("."), |it| Path::new(&it.folder).join(&it.script))
    }

    fn place(&self, host: &dyn Host) -> std::io::Result<Place> {
        let named = self.store.clone().or_else(|| host.env(VARIABLE).map(PathBuf::from));
        match named {
            Some(file) => Ok(Place { file, is_named: true }),
            None => Ok(Place { file: host.data_dir()?.join(DEFAULT), is_named: false }),
        }
    }

    /// The existing store, opened for writing.
    pub(super) fn opened(&self, session: &Session) -> Result<RunStore> {
        let place = self.there(session)?;
        RunStore::open(&place.file, session.engine.host()).map_err(failure)
    }

    /// The location of the store. The default one must exist.
    fn there(&self, session: &Session) -> Result<Place> {
        let place = self.placed(session)?;
        if !place.is_named && session.engine.host().stat(&place.file).is_err() {
            let message = "no run has been recorded yet";
            let help = "start one with `svc run`, or name another store with `--store FILE`";
            return Err(Failure::new(NOT_FOUND, message).help(help));
        }
        Ok(place)
    }

    /// The existing store with the jobs in a folder, or next to it.
    pub(super) fn with_jobs(
        &self,
        data: Option<&Path>,
        session: &Session,
    ) -> Result<(RunStore, Jobs)> {
        let store = self.opened(session)?;
        let jobs = self.jobs_of(&store, data, session)?.ok_or_else(|| {
            let place = data.map_or_else(
                || "next to this store".to_owned(),
                |it| format!("in `{}`", it.display()),
            );
            Failure::new(NOT_FOUND, format!("no server has kept jobs {place}")).help(
                "start one with `svc serve`, or name another store with `--store FILE` or another \
                 folder with `--data DIR`",
            )
        })?;
        Ok((store, jobs))
    }

    /// The jobs in a folder, or next to a store, if a server has kept some.
    pub(super) fn jobs_of(
        &self,
        store: &RunStore,
        data: Option<&Path>,
        session: &Session,
    ) -> Result<Option<Jobs>> {
        let host = session.engine.host();
        let folder = match data {
            Some(folder) => folder.to_owned(),
            None => self.service_folder(session)?,
        };
        if !Access::exists(&folder, host) {
            return Ok(None);
        }
        store.jobs(&folder, &session.engine).map(Some).map_err(failure)
    }

    /// The existing store, opened for reading; it does not have to be writable.
    pub(super) fn reading(&self, session: &Session) -> Result<RunStore> {
        let place = self.there(session)?;
        RunStore::open_reading(&place.file, session.engine.host()).map_err(failure)
    }

    /// The engine with the runs of the store.
    pub(super) fn engine(&self, session: &Session) -> Result<Engine> {
        Ok(self.reading(session)?.engine(session.engine.clone()))
    }

    /// The folder of the service with the runs of the store.
    pub(super) fn service_folder(&self, session: &Session) -> Result<PathBuf> {
        Ok(service_folder(&self.placed(session)?.file, session.engine.host()))
    }

    /// The file of the store.
    pub(super) fn named(&self, session: &Session) -> Result<PathBuf> {
        Ok(self.placed(session)?.file)
    }

    fn placed(&self, session: &Session) -> Result<Place> {
        self.place(session.engine.host()).map_err(|err| {
            let help = format!("name it with `--store FILE`, or in `{VARIABLE}`");
            Failure::new(USAGE, format!("cannot find a folder for the store of runs: {err}"))
                .help(help)
        })
    }
}

/// The folder with the jobs of a store: that of an owner has both.
fn service_folder(store: &Path, host: &dyn Host) -> PathBuf {
    let own = store.parent().unwrap_or(Path::new("."));
    if Access::exists(own, host) { own.to_owned() } else { own.join(SERVICE) }
}

fn not_kept(session: &Session, why: &str) {
    session.terminal.note(&format!("this run is not recorded: {why}"));
}

/// The folder of the store that commands use by default.
pub(super) fn folder_of_stores(host: &dyn Host) -> std::io::Result<PathBuf> {
    let file = StoreArgs { store: None }.place(host)?.file;
    Ok(file.parent().unwrap_or(Path::new("")).to_owned())
}

/// The folder of the service next to the store that commands use by default.
pub(super) fn service_of_stores(host: &dyn Host) -> std::io::Result<PathBuf> {
    Ok(folder_of_stores(host)?.join(SERVICE))
}

/// The same engine, whose scripts keep notes in the folder of the service.
pub(super) fn with_notes(engine: Engine) -> Engine {
    match service_of_stores(engine.host()) {
        Ok(folder) => svc_api::store::with_notes(engine, folder),
        // Without a folder for data, nothing is kept.
        Err(_) => engine,
    }
}

/// A failure of the store as one of the command.
pub(super) fn failure(err: StoreError) -> Failure {
    let code = match err.kind {
        StoreErrorKind::NotFound => NOT_FOUND,
        StoreErrorKind::Ambiguous => USAGE,
        _ => FAILED,
    };
    let failure = Failure::new(code, err.message);
    match err.hint.map(|it| it.command_line()).or(err.help) {
        Some(help) => failure.help(help),
        None => failure,
    }
}
