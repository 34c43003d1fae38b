//! The owners of a service, apart from each other: each has files, a cache, models and a store of
//! runs of its own, in a folder of its own.

mod host;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use svc_bias::Biases;
use svc_contract::{
    host::{DirEntry, Host},
    store::StoreError,
};
use svc_engine::{Engine, Hints};
use svc_store::{SqliteStore, book::Book};

use self::host::Mount;
pub(crate) use self::host::{Folders, OwnerHost};
use crate::{jobs::Jobs, side};

/// The most owners whose stores are open at the same time, besides those with jobs.
const MOST_OPEN: usize = 64;

/// Where the files of owners are, and what they share.
pub(crate) struct Owners {
    engine: Engine,
    folder: PathBuf,
    shared: Vec<Mount>,
    /// The folder of served scripts, which only these can read.
    published: Option<Mount>,
    open: Mutex<HashMap<String, (Arc<Owner>, Instant)>>,
}

/// One owner, with the engines of its runs.
pub(crate) struct Owner {
    /// For what the owner sends.
    pub(crate) sent: Engine,
    /// For what the operator published.
    pub(crate) published: Engine,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) jobs: Jobs,
    pub(crate) biases: Arc<Biases>,
}

impl Owners {
    /// Owners below the folder of a service. `engine` is that of the server, with its policy.
    pub(crate) fn new(
        engine: Engine,
        data: &Path,
        shared: &[PathBuf],
        published: Option<&Path>,
    ) -> Self {
        let mount = |it: &Path| Mount::of(it, engine.host());
        let (shared, published) =
            (shared.iter().map(|it| mount(it)).collect(), published.map(mount));
        let open = Mutex::default();
        Self { folder: data.join("owners"), shared, published, open, engine }
    }

    /// The owner of this name, and the name of one that was closed for it. The names of keys are names
    /// of folders.
    pub(crate) fn find(&self, name: &str) -> Result<(Arc<Owner>, Option<String>), StoreError> {
        let now = Instant::now();
        let mut open = self.open();
        if let Some((owner, used)) = open.get_mut(name) {
            *used = now;
            return Ok((owner.clone(), None));
        }
        let owner = Arc::new(self.opened(name)?);
        let evicted = if open.len() >= MOST_OPEN { oldest_idle(&open) } else { None };
        // Its runs go on: they hold its engine and its store.
        let closed = evicted.as_ref().and_then(|it| open.remove(it));
        open.insert(name.to_owned(), (owner.clone(), now));
        drop(open);
        if let Some((owner, _)) = closed {
            owner.jobs.stop();
        }
        Ok((owner, evicted))
    }

    /// The names of all owners that have a folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let found = self.engine.host().list(&self.folder, usize::MAX).unwrap_or_default();
        let name = |it: DirEntry| it.path.file_name()?.to_str().map(str::to_owned);
        found.into_iter().filter(|it| it.stat.is_dir && !it.is_link).filter_map(name).collect()
    }

    /// The jobs of the owners that are open.
    pub(crate) fn jobs(&self) -> Vec<Jobs> {
        self.open().values().map(|(owner, _)| owner.jobs.clone()).collect()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, (Arc<Owner>, Instant)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self, name: &str) -> Result<Owner, StoreError> {
        let root = self.folder.join(name);
        let folders = Folders {
            files: root.join("files"),
            cache: root.join("cache"),
            state: root.join("state"),
        };
        let store = SqliteStore::open(&root.join("store.db"), self.engine.host().now())?;
        let engine = |is_published: bool| {
            let mut mounts = self.shared.clone();
            mounts.extend(self.published.clone().filter(|_| is_published));
            let host =
                OwnerHost::new(self.engine.shared_host(), folders.clone(), mounts, is_published);
            // The rules of the server hold around those of the role.
            let host = self.engine.policy().guard(Arc::new(host));
            // The words of a command line help no caller.
            self.engine.clone().with_host(host).with_hints(Hints::None)
        };
        let store = Arc::new(store);
        let book = Arc::new(Book::open(&root, self.engine.host())?);
        let jobs = Jobs::open(book, store.clone(), self.engine.clone())?;
        let biases = side::biases_of(&jobs, &self.engine);
        Ok(Owner { sent: engine(false).untrusted(), published: engine(true), store, jobs, biases })
    }
}

/// The owner that was used longest ago and has no jobs: those of others need their workers.
fn oldest_idle(open: &HashMap<String, (Arc<Owner>, Instant)>) -> Option<String> {
    let mut all: Vec<_> = open.iter().collect();
    all.sort_by_key(|(_, (_, used))| *used);
    let idle = all.into_iter().find(|(_, (owner, _))| owner.jobs.are_idle());
    idle.map(|(name, _)| name.clone())
}

impl Mount {
    /// A folder under the name by which the operator knows it, without what leads out of a folder.
    fn of(folder: &Path, host: &dyn Host) -> Self {
        Self { name: host::inside(folder), folder: host.real_path(folder).unwrap_or_default() }
    }
}
