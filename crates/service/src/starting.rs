//! Starting and resuming runs: their permission, their slot, and who follows them.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use svc_contract::{
    host::Host,
    store::{Run, RunId, Store as _},
};
use svc_store::book::JobRow;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::{
    Fault, Folder, Live, Resolved, Service, Why, once,
    permit::{self, Note, Permit, Spending, Wish},
    runs::{Continued, Of, Start},
    service::stopping,
};

impl Service {
    /// Starts a call as a run that outlives its caller. A script is recorded, if there is a store.
    pub async fn start(&self, mut resolved: Resolved) -> Result<Arc<Live>, Fault> {
        // First, since what is granted must be settled.
        let place = self.place()?;
        let permit = self.permit(&mut resolved).await?;
        let (named, name) = oneshot::channel();
        let slot = self.noted_slot(place, async move { name.await.ok() });
        let start = Start {
            engine: self.side.engine_of(&resolved).clone(),
            resolved,
            cancel: self.cancelling(),
            permit,
            jobs: self.side.jobs.clone(),
            of: Of { owner: self.owner().to_owned(), job: None },
            over: None,
        };
        let live = self.shared.runs.start(start, slot)?;
        if live.is_stored() {
            // Without a reader the run has ended already.
            let _ = named.send(live.id().clone());
        }
        Ok(live)
    }

    /// Starts the run of a job, which takes over the calls of another run if it is there.
    pub(crate) async fn start_job(
        &self,
        mut resolved: Resolved,
        job: &JobRow,
        over: Option<RunId>,
    ) -> Result<Arc<Live>, Fault> {
        let permit = self.permit(&mut resolved).await?;
        let engine = self.side.recording(resolved.is_published());
        let start = Start {
            engine: engine.clone(),
            resolved,
            cancel: self.cancelling(),
            permit,
            jobs: self.side.jobs.clone(),
            of: Of { owner: job.owner.clone(), job: Some(job.clone()) },
            over,
        };
        let slot = self.slot_of_job();
        self.shared.runs.start(start, slot)
    }

    /// Continues a stored run where it stopped. Its caps are those of its first part.
    pub async fn resume(&self, id: &RunId) -> Result<Arc<Live>, Fault> {
        if let Some(live) = self.live(id.as_str())
            && live.outcome().is_none()
        {
            return Err(Fault::new(Why::Conflict, format!("the run {id} is still running")));
        }
        let place = self.place()?;
        let known = self.jobs().ok().and_then(|it| it.call_of_run(self.owner(), id));
        let resolved = known.and_then(|it| self.resolve(it).ok());
        let of = Of { owner: self.owner().to_owned(), job: None };
        let continued = self.continued(id, of, resolved, Vec::new()).await?;
        let name = id.clone();
        let slot = self.noted_slot(place, async move { Some(name) });
        self.shared.runs.resume(continued, slot)
    }

    /// Continues the run of a job. `retry` are the writes that may be repeated.
    pub(crate) async fn resume_job(
        &self,
        job: &JobRow,
        resolved: Option<Resolved>,
        retry: Vec<String>,
    ) -> Result<Arc<Live>, Fault> {
        let of = Of { owner: job.owner.clone(), job: Some(job.clone()) };
        let continued = self.continued(&job.run, of, resolved, retry).await?;
        let slot = self.slot_of_job();
        self.shared.runs.resume(continued, slot)
    }

    async fn continued(
        &self,
        id: &RunId,
        of: Of,
        resolved: Option<Resolved>,
        retry: Vec<String>,
    ) -> Result<Continued, Fault> {
        let store = self.side.store.as_ref();
        let store = store.ok_or_else(|| Fault::not_found(format!("unknown run `{id}`")))?;
        let run = store.run(id.as_str())?;
        let permit = self.permit_to_resume(id).await?;
        let engine = self.side.recording(self.is_published(&run));
        Ok(Continued {
            engine: engine.clone(),
            id: id.clone(),
            cancel: self.cancelling(),
            permit,
            paid: run.used.cost,
            jobs: self.side.jobs.clone(),
            of,
            resolved,
            retry,
        })
    }

    /// Whether a run is that of a served script. No caller chooses the name of a script.
    fn is_published(&self, run: &Run) -> bool {
        let scripts = self.folder().map(Folder::scripts).unwrap_or_default();
        scripts.iter().any(|it| it.plan.program().source.name() == run.script)
    }

    /// The permission of a call by the limits of its caller. Its cap becomes that of the call.
    pub(crate) async fn permit(&self, resolved: &mut Resolved) -> Result<Permit, Fault> {
        if self.side.caller.is_local() {
            return Ok(Permit::default());
        }
        let ((tool, work), rule) = (resolved.described(), resolved.rule.clone());
        let Some(note) = self.note(tool, work, rule, resolved.arguments.clone()) else {
            return Ok(Permit::default());
        };
        let engine = self.side.engine_of(resolved);
        let run = random_name(note.host.as_ref());
        let wish = Wish {
            weight: resolved.weight(engine).saturating_sub(1),
            run: &run,
            spending: resolved.spending(engine)?,
            cap: resolved.cap(),
        };
        let (permit, cap) = permit::ask(note, wish).await?;
        resolved.limit(cap);
        Ok(permit)
    }

    async fn permit_to_resume(&self, id: &RunId) -> Result<Permit, Fault> {
        let rule = "the run is that of its owner".to_owned();
        let Some(note) = self.note("resume".to_owned(), id.to_string(), rule, String::new()) else {
            return Ok(Permit::default());
        };
        let run = random_name(note.host.as_ref());
        let wish = Wish { weight: 0, run: &run, spending: Spending::Unlimited, cap: None };
        Ok(permit::ask(note, wish).await?.0)
    }

    /// What is recorded of a call; nothing of those of this machine's user.
    pub(crate) fn note(
        &self,
        tool: String,
        work: String,
        rule: String,
        arguments: String,
    ) -> Option<Note> {
        let gate = self.shared.gate.clone().filter(|_| !self.side.caller.is_local())?;
        let caller = self.side.caller.clone();
        let (host, surface) = (self.shared.engine.shared_host(), self.surface);
        let begun = Instant::now();
        Some(Note { gate, host, caller, surface, tool, work, rule, arguments, begun })
    }

    /// The slot of a job, which has waited in the queue already.
    fn slot_of_job(
        &self,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, Fault>> + Send + 'static {
        let slots = self.shared.slots.clone();
        async move { slots.acquire_owned().await.map_err(|_| stopping()) }
    }

    pub(crate) async fn slot(&self) -> Result<OwnedSemaphorePermit, Fault> {
        let place = self.place()?;
        self.slot_at(place).await
    }

    /// A place in the queue for a slot; too many waiting calls are refused.
    fn place(&self) -> Result<Waiting, Fault> {
        if self.shared.slots.is_closed() {
            return Err(stopping());
        }
        let before = self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Waiting(self.clone());
        if before >= self.shared.most_waiting && self.shared.slots.available_permits() == 0 {
            let message = "too many calls wait for a free place";
            return Err(Fault::new(Why::Busy, message).retry_after(Duration::from_secs(1)));
        }
        Ok(place)
    }

    /// A slot for a run; a call that must be made once notes the name of its stored run first, so that
    /// no crash lets it run twice.
    fn noted_slot(
        &self,
        place: Waiting,
        name: impl Future<Output = Option<RunId>> + Send + 'static,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, Fault>> + Send + 'static {
        let (service, noting) = (self.clone(), once::begins());
        async move {
            if let Some(noting) = noting
                && let Some(name) = name.await
            {
                noting.run(&name).await?;
            }
            service.slot_at(place).await
        }
    }

    async fn slot_at(&self, place: Waiting) -> Result<OwnedSemaphorePermit, Fault> {
        let slot = self.shared.slots.clone().acquire_owned().await.map_err(|_| stopping());
        drop(place);
        slot
    }
}

/// A place in the queue, which is given back when it is dropped.
struct Waiting(Service);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.shared.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A name that nothing else has.
fn random_name(host: &dyn Host) -> String {
    let mut bytes = [0; 16];
    // Without randomness the time is left.
    if host.random(&mut bytes).is_err() {
        return host.now().to_string();
    }
    format!("{:032x}", u128::from_le_bytes(bytes))
}
