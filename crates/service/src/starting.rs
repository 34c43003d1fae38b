//! Starting and resuming runs: their permission, their slot, and who follows them.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use svc_contract::{
    host::Host,
    store::{Run, RunId, Store as _},
    value::{Money, json},
};
use svc_store::book::JobRow;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    Bounds, Call, Fault, Folder, Live, Resolved, Served, Service, Why, Work, decode,
    jobs::{JobKind, Jobs},
    once,
    permit::{self, Note, Permit, Spending, Wish},
    runs::{Continued, Of, Start},
    service::stopping,
};

impl Service {
    /// Starts a call as a run that outlives its caller. A script is recorded, if there is a store.
    pub async fn start(&self, resolved: Resolved) -> Result<Arc<Live>, Fault> {
        self.tuned()?.start_now(resolved).await
    }

    async fn start_now(&self, mut resolved: Resolved) -> Result<Arc<Live>, Fault> {
        let place = self.place()?;
        let store = self.side.store.as_ref().filter(|_| resolved.is_recorded());
        let id = store.map(|it| it.new_id(self.engine().host().now()));
        let permit = self.permit(&mut resolved, id.as_ref()).await?;
        let slot = self.noted_slot(place, id.clone());
        let start = Start {
            engine: self.side.engine_of(&resolved).clone(),
            resolved,
            cancel: self.cancelling(),
            id,
            permit,
            paid: Money::ZERO,
            jobs: self.side.jobs.clone(),
            of: Of { owner: self.owner().to_owned(), job: None },
            over: None,
        };
        self.shared.runs.start(start, slot)
    }

    /// Starts the run of a job, which takes over the calls of another run if it is there.
    pub(crate) async fn start_job(
        &self,
        mut resolved: Resolved,
        job: &JobRow,
        over: Option<RunId>,
    ) -> Result<Arc<Live>, Fault> {
        let own = self.tuned()?;
        let paid = own.paid_by(over.as_ref())?;
        let permit = own.permit(&mut resolved, Some(&job.run)).await?;
        resolved.add_to_limit(paid);
        let engine = own.side.recording(resolved.is_published());
        let start = Start {
            engine: engine.clone(),
            resolved,
            cancel: own.cancelling(),
            id: Some(job.run.clone()),
            permit,
            paid,
            jobs: own.side.jobs.clone(),
            of: Of { owner: job.owner.clone(), job: Some(job.clone()) },
            over,
        };
        let slot = own.slot_of_job();
        own.shared.runs.start(start, slot)
    }

    /// Continues a stored run where it stopped. Its caps are those of its first part, and those of
    /// its caller.
    pub async fn resume(&self, id: &RunId) -> Result<Arc<Live>, Fault> {
        self.test_ended(id.as_str())?;
        if let Some(job) = self.job_that_goes_on(id)? {
            let message = format!("the run {id} goes on by itself: it is that of job {}", job.id);
            return Err(Fault::new(Why::Conflict, message));
        }
        let place = self.place()?;
        let known = self.jobs().ok().and_then(|it| it.call_of_run(self.owner(), id));
        let (has_job, resolved) = match known {
            Some(call) => (true, Some(self.resolve(call)?)),
            None => (false, self.published_call(id).and_then(|it| self.resolve(it).ok())),
        };
        let of = Of { owner: self.owner().to_owned(), job: None };
        let continued = self.continued(id, of, resolved).await?;
        let slot = self.noted_slot(place, Some(id.clone()));
        let live = self.shared.runs.resume(continued, slot)?;
        // As a job it can ask whether a write of unknown fate is repeated.
        if let (Ok(jobs), false) = (self.jobs(), has_job) {
            jobs.adopt_run(&live).await?;
        }
        Ok(live)
    }

    /// The call of a served script that a stored run comes from.
    fn published_call(&self, id: &RunId) -> Option<Call> {
        let run = self.side.store.as_ref()?.run(id.as_str()).ok()?;
        let served = self.folder()?.scripts().into_iter().find(|it| is_of(&run, it))?;
        let args = decode::object(json::read(&run.params).ok()?, "").ok()?;
        let work = Work::Served { name: served.name.clone(), args };
        Some(Call { work, bounds: Bounds::default() })
    }

    /// Refuses a run that has not ended in this process; it may not be in the store yet.
    pub fn test_ended(&self, id: &str) -> Result<(), Fault> {
        match self.live(id) {
            Some(live) if live.outcome().is_none() => {
                Err(Fault::new(Why::Conflict, format!("the run {id} is still running")))
            }
            _ => Ok(()),
        }
    }

    /// The job of a run, if it has not ended: then it is resumed when its turn comes.
    pub fn job_that_goes_on(&self, run: &RunId) -> Result<Option<JobRow>, Fault> {
        let Ok(jobs) = self.jobs() else { return Ok(None) };
        Ok(jobs.of_run(self.owner(), run.as_str())?.filter(|it| !it.state.is_over()))
    }

    /// Continues the run of a job.
    pub(crate) async fn resume_job(
        &self,
        jobs: &Jobs,
        job: &JobRow,
        resolved: Option<Resolved>,
    ) -> Result<Arc<Live>, Fault> {
        let of = Of { owner: job.owner.clone(), job: Some(job.clone()) };
        let mut continued = self.continued(&job.run, of, resolved).await?;
        // Last, since each permission of a person is used once.
        continued.retry = jobs.book().allowed_writes(job.run.clone()).await?;
        let slot = self.slot_of_job();
        self.shared.runs.resume(continued, slot)
    }

    async fn continued(
        &self,
        id: &RunId,
        of: Of,
        resolved: Option<Resolved>,
    ) -> Result<Continued, Fault> {
        let store = self.side.store.as_ref();
        let store = store.ok_or_else(|| Fault::not_found(format!("unknown run `{id}`")))?;
        let run = store.run(id.as_str())?;
        let paid = self.paid_by(run.origin.as_ref())?;
        let (permit, cap) = self.permit_to_resume(id).await?;
        let is_published = match &of.job {
            Some(job) => job.kind == JobKind::Script,
            None => self.is_published(&run),
        };
        Ok(Continued {
            engine: self.side.recording(is_published).clone(),
            id: id.clone(),
            cancel: self.cancelling(),
            permit,
            cap: cap.map(|it| it.checked_add(paid).unwrap_or(it)),
            paid,
            jobs: self.side.jobs.clone(),
            of,
            resolved,
            retry: Vec::new(),
        })
    }

    /// What another run has paid, whose calls are taken over.
    fn paid_by(&self, run: Option<&RunId>) -> Result<Money, Fault> {
        match (&self.side.store, run) {
            (Some(store), Some(run)) => Ok(store.run(run.as_str())?.used.cost),
            _ => Ok(Money::ZERO),
        }
    }

    /// Whether a run is that of a served script. No caller chooses the name of a script.
    fn is_published(&self, run: &Run) -> bool {
        let scripts = self.folder().map(Folder::scripts).unwrap_or_default();
        scripts.iter().any(|it| is_of(run, it))
    }

    /// The permission of a call by the limits of its caller. Its cap becomes that of the call.
    pub(crate) async fn permit(
        &self,
        resolved: &mut Resolved,
        run: Option<&RunId>,
    ) -> Result<Permit, Fault> {
        if self.side.caller.is_local() {
            return Ok(Permit::default());
        }
        let ((tool, work), rule) = (resolved.described(), resolved.rule.clone());
        let Some(note) = self.note(tool, work, rule, resolved.arguments.clone()) else {
            return Ok(Permit::default());
        };
        let engine = self.side.engine_of(resolved);
        let run = run.map_or_else(|| random_name(note.host.as_ref()), ToString::to_string);
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

    async fn permit_to_resume(&self, id: &RunId) -> Result<(Permit, Option<Money>), Fault> {
        let rule = "the run is that of its owner".to_owned();
        let Some(note) = self.note("resume".to_owned(), id.to_string(), rule, String::new()) else {
            return Ok((Permit::default(), None));
        };
        let (run, spending) = (id.as_str(), Spending::Unlimited);
        permit::ask(note, Wish { weight: 0, run, spending, cap: None }).await
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
        name: Option<RunId>,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, Fault>> + Send + 'static {
        let (service, noting) = (self.clone(), once::begins());
        async move {
            if let (Some(noting), Some(name)) = (noting, name) {
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

/// Whether a run is one of this script.
fn is_of(run: &Run, script: &Served) -> bool {
    script.plan.program().source.name() == run.script
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
