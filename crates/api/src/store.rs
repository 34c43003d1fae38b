//! The store of runs. This is the only file that opens one.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_contract::{
    host::{self, Host},
    store::{Filter, Store as _},
    value::{LARGEST_STATE, Learnt, ModelId},
};
use svc_engine::Engine;
use svc_service::{bias::Notes, jobs::Jobs};
use svc_store::{SqliteStore, book::Book};

pub use svc_contract::store::{
    Args, Attempt, Hash, Node, NodeState, Run, RunId, StoreError, StoreErrorKind,
};
pub use svc_store::{Health, Old, Pruned, Recovered, Size, StoredModel};

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

/// The largest file of a model that is read.
const LARGEST_MODEL: u64 = LARGEST_STATE as u64 + (2 << 20);

/// An open store of runs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RunStore(Arc<SqliteStore>);

impl RunStore {
    /// Opens the store in a file, and creates it if necessary.
    pub fn open(file: &Path, host: &dyn Host) -> Result<Self> {
        SqliteStore::open(file, host.now()).map(Self::from)
    }

    /// Opens an existing store for reading; its file does not have to be writable.
    pub fn open_reading(file: &Path, host: &dyn Host) -> Result<Self> {
        SqliteStore::open_reading(file, host.now()).map(Self::from)
    }

    /// Moves a damaged store aside and creates a new one with everything that is still readable.
    /// Returns `None` if the store is sound.
    pub fn recover(file: &Path, host: &dyn Host) -> Result<Option<Recovered>> {
        let now = host.now();
        match SqliteStore::open(file, now).and_then(|it| it.check()) {
            Ok(health) if health.problems.is_empty() => return Ok(None),
            // A store that is only busy, or of a newer version, is not damaged.
            Err(err) if err.kind != StoreErrorKind::Corrupt => return Err(err),
            _ => {}
        }
        SqliteStore::recover(file, now).map(|(_, recovered)| Some(recovered))
    }

    /// The engine with this store for its runs.
    #[must_use]
    pub fn engine(&self, engine: Engine) -> Engine {
        engine.with_store(self.0.clone())
    }

    /// The store itself, for a service.
    pub fn shared(&self) -> Arc<SqliteStore> {
        self.0.clone()
    }

    /// The jobs that are kept in a folder, whose runs are in this store.
    pub fn jobs(&self, folder: &Path, engine: &Engine) -> Result<Jobs> {
        let book = book_in(folder, engine)?;
        Jobs::open(book, self.0.clone(), engine.clone())
    }

    /// The latest runs, the latest first.
    pub fn latest(&self, limit: usize) -> Result<Vec<Run>> {
        self.0.runs(&Filter { limit: Some(limit), ..Filter::default() })
    }

    /// The run of that name, of a unique prefix of it, or the latest run for `last`.
    pub fn run(&self, name: &str) -> Result<Run> {
        self.0.run(name)
    }

    /// Every call of a run with everything that was ever paid for it.
    pub fn calls(&self, run: &RunId) -> Result<Vec<Node>> {
        self.0.calls(run)
    }

    /// A call of a run, by its path.
    pub fn node(&self, run: &RunId, path: &str) -> Result<Option<Node>> {
        self.0.node(run, path)
    }

    /// The arguments of a call, as JSON.
    pub fn arguments(&self, node: &Node) -> Result<String> {
        self.0.arguments(node)
    }

    /// The attempts of all calls of a run, with the paths of the calls.
    pub fn attempts(&self, run: &RunId) -> Result<Vec<(String, Attempt)>> {
        self.0.all_attempts(run)
    }

    /// A content as text.
    pub fn text(&self, hash: Hash) -> Result<Option<String>> {
        self.0.text(hash)
    }

    /// Makes a consistent copy in a new file.
    pub fn backup(&self, to: &Path) -> Result<()> {
        self.0.backup(to)
    }

    /// Checks the integrity of the store.
    pub fn check(&self) -> Result<Health> {
        self.0.check()
    }

    /// The models of all runs, and those with names.
    pub fn models(&self) -> Result<Vec<StoredModel>> {
        self.0.models()
    }

    /// The model of that name, or whose id begins with it.
    pub fn model(&self, name: &str) -> Result<StoredModel> {
        self.0.model(name)
    }

    /// The content of a model.
    pub fn learnt(&self, model: &StoredModel) -> Result<Learnt> {
        self.0.learnt(model.id)
    }

    /// Gives a model a name.
    pub fn name_model(&self, name: &str, model: &StoredModel) -> Result<()> {
        self.0.name_model(name, &self.0.learnt(model.id)?)
    }

    /// Removes a name of a model.
    pub fn forget_model(&self, name: &str) -> Result<()> {
        self.0.forget_model(name)
    }

    /// Adds the model in a file under a name.
    pub fn import_model(&self, file: &Path, name: &str, host: &dyn Host) -> Result<ModelId> {
        let path = file.display();
        let bytes = host::read(host, file, LARGEST_MODEL).map_err(|err| {
            StoreError::new(StoreErrorKind::Io, format!("cannot read `{path}`: {err}"))
        })?;
        let content = Learnt::from_file(&bytes).map_err(|why| {
            StoreError::new(StoreErrorKind::Corrupt, format!("cannot load `{path}`: {why}"))
        })?;
        self.0.name_model(name, &content)?;
        Ok(content.id())
    }

    pub fn size(&self) -> Result<Size> {
        self.0.size()
    }

    /// Removes old runs, or only lists them in a dry run.
    pub fn prune(&self, old: &Old, is_dry_run: bool) -> Result<Pruned> {
        if is_dry_run { self.0.would_prune(old) } else { self.0.prune(old) }
    }
}

impl From<Arc<SqliteStore>> for RunStore {
    fn from(store: Arc<SqliteStore>) -> Self {
        Self(store)
    }
}

impl From<SqliteStore> for RunStore {
    fn from(store: SqliteStore) -> Self {
        Self(Arc::new(store))
    }
}

/// The book of a service in a folder, which is created if necessary.
pub(crate) fn book_in(folder: &Path, engine: &Engine) -> Result<Arc<Book>> {
    Ok(Arc::new(Book::open(folder, engine.host())?))
}

/// The same engine, whose scripts keep notes in the book of a folder.
pub fn with_notes(engine: Engine, folder: PathBuf) -> Engine {
    let own = engine.clone();
    engine.lend(Arc::new(Notes::opened_by(move || book_in(&folder, &own))))
}

/// Whether a store cannot be created at its place, while no recorded run is at risk.
pub fn is_unusable(err: &StoreError) -> bool {
    matches!(err.kind, StoreErrorKind::ReadOnly | StoreErrorKind::Full | StoreErrorKind::Io)
}
