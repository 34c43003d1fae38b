//! What one caller has: engines with its rights, its files, its stores and its jobs.

use std::sync::Arc;

use svc_contract::registry::CallerTier;
use svc_engine::Engine;
use svc_store::SqliteStore;

use crate::{
    Caller, Folder, Resolved,
    components::{KeptStore, workbench::Bench},
    jobs::Jobs,
    owner::Owner,
};

/// The engine for a caller, whose rights its components know.
pub(crate) fn lent_to(engine: &Engine, caller: &Caller) -> Engine {
    engine.clone().lend(Arc::new(caller.clone())).lend(Arc::new(CallerTier(caller.tier)))
}

pub(crate) struct Side {
    pub(crate) caller: Caller,
    /// For what the caller sends.
    pub(crate) sent: Engine,
    /// The same with the store of runs, if there is one.
    pub(crate) kept: Engine,
    /// For what the operator published, with that store.
    pub(crate) published: Engine,
    pub(crate) store: Option<Arc<SqliteStore>>,
    /// The jobs, if they are kept.
    pub(crate) jobs: Option<Jobs>,
    /// Whose it is; none for the user of this machine.
    pub(crate) owner: Option<Arc<Owner>>,
}

impl Side {
    /// The user of this machine. `engine` has a caller, and no jobs.
    pub(crate) fn local(
        engine: &Engine,
        caller: Caller,
        store: Option<Arc<SqliteStore>>,
        jobs: Option<Jobs>,
        folder: Option<Folder>,
    ) -> Self {
        let bench = Arc::new(Bench::new(jobs.clone(), &caller.owner, engine));
        bench.serve(folder);
        let sent = bench.lent_to(match &store {
            Some(store) => engine.clone().lend(Arc::new(KeptStore(store.clone()))),
            None => engine.clone(),
        });
        let kept = match &store {
            Some(store) => sent.clone().with_store(store.clone()),
            None => sent.clone(),
        };
        Self { caller, sent, published: kept.clone(), kept, store, jobs, owner: None }
    }

    /// The holder of a key.
    pub(crate) fn of_owner(caller: Caller, owner: Arc<Owner>, folder: Option<Folder>) -> Self {
        let policy = caller.role.policy();
        let bench = Arc::new(Bench::new(Some(owner.jobs.clone()), &caller.owner, &owner.sent));
        bench.serve(folder);
        let with = |it: &Engine| {
            let lent = lent_to(it, &caller).lend(Arc::new(KeptStore(owner.store.clone())));
            bench.lent_to(lent.with_policy(policy.clone()))
        };
        let stored = |it: Engine| it.with_store(owner.store.clone());
        let sent = with(&owner.sent);
        let (kept, published) = (stored(sent.clone()), stored(with(&owner.published)));
        let (store, jobs) = (Some(owner.store.clone()), Some(owner.jobs.clone()));
        Self { caller, sent, kept, published, store, jobs, owner: Some(owner) }
    }

    /// The engine of a call.
    pub(crate) fn engine_of(&self, call: &Resolved) -> &Engine {
        if call.is_recorded() { self.recording(call.is_published()) } else { &self.sent }
    }

    /// The engine of a run that is recorded.
    pub(crate) fn recording(&self, is_published: bool) -> &Engine {
        if is_published { &self.published } else { &self.kept }
    }
}
