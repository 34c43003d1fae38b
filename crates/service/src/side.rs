//! What one caller has: engines with its rights, its files, its stores and its jobs.

use std::sync::{Arc, Mutex, PoisonError};

use svc_bias::{Biases, Notes, TOKEN};
use svc_contract::{
    registry::{CallerTier, Tuning},
    store::StoreError,
};
use svc_engine::Engine;
use svc_store::SqliteStore;

use crate::{
    Caller, Fault, Folder, Resolved, Service,
    components::{KeptStore, workbench::Bench},
    jobs::Jobs,
    owner::Owner,
};

/// The engine for a caller, whose rights its components know.
pub(crate) fn lent_to(engine: &Engine, caller: &Caller) -> Engine {
    engine.clone().lend(Arc::new(caller.clone())).lend(Arc::new(CallerTier(caller.tier)))
}

/// The biases that are kept next to jobs.
pub(crate) fn biases_of(jobs: &Jobs, engine: &Engine) -> Arc<Biases> {
    Arc::new(Biases::new(jobs.shared_book(), engine.host().env(TOKEN)))
}

fn lending(engine: &Engine, biases: Option<&Arc<Biases>>) -> Engine {
    match biases {
        Some(biases) => {
            let notes = Notes::of(biases.book().clone());
            engine.clone().lend(biases.clone()).lend(Arc::new(notes))
        }
        None => engine.clone(),
    }
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
    /// The biases of components, if they are kept, and the number of changes that the engines know.
    biases: Option<Arc<Biases>>,
    changes: u64,
    /// What the program itself has tuned, which takes precedence.
    own: Tuning,
    /// The same side with what is active now.
    now: Arc<Mutex<Option<Arc<Self>>>>,
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
        let biases = jobs.as_ref().map(|it| biases_of(it, engine));
        let engine = &lending(engine, biases.as_ref());
        let bench = Bench::new(jobs.clone(), &caller.owner, engine);
        let lent = match &store {
            Some(store) => engine.clone().lend(Arc::new(KeptStore(store.clone()))),
            None => engine.clone(),
        };
        Self::of_machine(&lent, (caller, bench), store, (jobs, biases), folder)
    }

    /// A project of the user of this machine. Its scripts see neither the jobs, the questions and the
    /// runs of others nor the notes.
    pub(crate) fn of_project(
        engine: &Engine,
        caller: Caller,
        store: Option<Arc<SqliteStore>>,
        jobs: Option<Jobs>,
        folder: Option<Folder>,
    ) -> Self {
        let biases = jobs.as_ref().map(|it| biases_of(it, engine));
        let bench = Bench::new(None, &caller.owner, engine);
        Self::of_machine(engine, (caller, bench), store, (jobs, biases), folder)
    }

    fn of_machine(
        lent: &Engine,
        (caller, bench): (Caller, Bench),
        store: Option<Arc<SqliteStore>>,
        (jobs, biases): (Option<Jobs>, Option<Arc<Biases>>),
        folder: Option<Folder>,
    ) -> Self {
        let bench = Arc::new(bench);
        bench.serve(folder);
        let sent = bench.lent_to(lent.clone());
        let kept = match &store {
            Some(store) => sent.clone().with_store(store.clone()),
            None => sent.clone(),
        };
        let (published, own, now) = (kept.clone(), sent.tuning().clone(), Arc::default());
        let owner = None;
        Self { caller, sent, published, kept, store, jobs, owner, biases, changes: 0, own, now }
    }

    /// The holder of a key.
    pub(crate) fn of_owner(caller: Caller, owner: Arc<Owner>, folder: Option<Folder>) -> Self {
        let policy = caller.role.policy();
        let bench = Arc::new(Bench::new(Some(owner.jobs.clone()), &caller.owner, &owner.sent));
        bench.serve(folder);
        let biases = Some(owner.biases.clone());
        let with = |it: &Engine| {
            let lent = lent_to(&lending(it, biases.as_ref()), &caller)
                .lend(Arc::new(KeptStore(owner.store.clone())));
            bench.lent_to(lent.with_policy(policy.clone()))
        };
        let stored = |it: Engine| it.with_store(owner.store.clone());
        let sent = with(&owner.sent);
        let (kept, published) = (stored(sent.clone()), stored(with(&owner.published)));
        let (store, jobs) = (Some(owner.store.clone()), Some(owner.jobs.clone()));
        let (owner, own, now) = (Some(owner), sent.tuning().clone(), Arc::default());
        Self { caller, sent, kept, published, store, jobs, owner, biases, changes: 0, own, now }
    }

    /// The same side with the biases that are active now; `None` if these are the ones that it has.
    pub(crate) fn tuned(&self) -> Result<Option<Arc<Self>>, StoreError> {
        let Some(biases) = &self.biases else { return Ok(None) };
        let changes = biases.changes()?;
        if changes == self.changes {
            return Ok(None);
        }
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(now) = now.as_ref().filter(|it| it.changes == changes) {
            return Ok(Some(now.clone()));
        }
        let tuning = biases.tuning(self.sent.registry())?.with(&self.own);
        let with = |it: &Engine| it.clone().with_tuning(tuning.clone());
        let side = Arc::new(Self {
            caller: self.caller.clone(),
            sent: with(&self.sent),
            kept: with(&self.kept),
            published: with(&self.published),
            store: self.store.clone(),
            jobs: self.jobs.clone(),
            owner: self.owner.clone(),
            biases: self.biases.clone(),
            changes,
            own: self.own.clone(),
            now: self.now.clone(),
        });
        *now = Some(side.clone());
        Ok(Some(side))
    }

    /// The biases of components, if they are kept.
    pub(crate) fn biases(&self) -> Option<&Arc<Biases>> {
        self.biases.as_ref()
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

impl Service {
    /// The service with the biases that are active now.
    pub(crate) fn tuned(&self) -> Result<Self, Fault> {
        let side = self.side.tuned()?.unwrap_or_else(|| self.side.clone());
        Ok(Self { side, ..self.clone() })
    }

    /// The biases of components, if they are kept.
    pub fn biases(&self) -> Option<&Arc<Biases>> {
        self.side.biases()
    }
}
