//! The workers: they take jobs, start or resume their runs, and show that they live.

use std::{sync::Arc, time::Duration};

use svc_store::book::JobRow;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{BEAT, Jobs, call_of};
use crate::{Fault, Live, Service, Why, hooks::outbox};

/// How often the book is looked at: other processes may have changed it.
const LOOK: Duration = Duration::from_millis(500);

/// How long a job waits that may not begin yet.
const LATER: Duration = Duration::from_secs(2);

/// Takes jobs until the service stops, `at_once` at the same time.
pub async fn run(service: Service, at_once: usize) {
    let Ok(jobs) = service.jobs().cloned() else { return };
    let beating = tokio::spawn(beats(jobs.clone()));
    let sending = tokio::spawn(outbox::run(service.clone(), jobs.clone()));
    let places = Arc::new(Semaphore::new(at_once.max(1)));
    let mut changed = jobs.0.changed.subscribe();
    while !jobs.is_stopping() {
        // A failing book is looked at again a little later.
        let _ = jobs.upkeep().await;
        // A place of the owner, and one of those that all jobs share.
        let all = &service.shared.job_places;
        while let (Ok(own), Ok(shared)) =
            (places.clone().try_acquire_owned(), all.clone().try_acquire_owned())
        {
            match jobs.next().await {
                Ok(Some(row)) => {
                    tokio::spawn(work(service.clone(), jobs.clone(), row, (own, shared)));
                }
                Ok(None) | Err(_) => break,
            }
        }
        Jobs::next_change(&mut changed, LOOK).await;
    }
    jobs.settled().await;
    beating.abort();
    sending.abort();
}

async fn beats(jobs: Jobs) {
    loop {
        tokio::time::sleep(BEAT).await;
        // Without a sign of life for some time, another worker takes the jobs.
        let _ = jobs.beat().await;
    }
}

impl Jobs {
    /// Takes jobs from workers that are gone, ends questions that are too old, and the runs of jobs
    /// that another process has cancelled.
    async fn upkeep(&self) -> Result<(), Fault> {
        self.drop_lost()?;
        let now = self.now();
        if self.book().has_expired(now)? {
            self.book().expire(now).await?;
        }
        let mut gone = Vec::new();
        for (worker, until) in self.book().leases()? {
            // This worker lives, however long the machine slept.
            let is_other = worker != self.0.worker;
            if is_other && (until <= now || !self.book().is_alive(&worker)?) {
                gone.push(worker);
            }
        }
        if !gone.is_empty() {
            self.book().reclaim(i64::MIN, gone, now).await?;
        }
        self.fire_due().await
    }

    /// The next job, if one is ready.
    async fn next(&self) -> Result<Option<JobRow>, Fault> {
        if self.is_stopping() || !self.book().has_ready()? {
            return Ok(None);
        }
        Ok(self.book().take(self.lease()).await?)
    }

    /// Gives back a job that has not begun.
    async fn give_back(&self, row: &JobRow) -> Result<(), Fault> {
        self.book().release(row.no, self.0.worker.clone()).await?;
        Ok(())
    }

    /// Renews the leases of the jobs that run here.
    async fn beat(&self) -> Result<(), Fault> {
        let own: Vec<i64> = self.held().keys().copied().collect();
        if !own.is_empty() {
            self.book().beat(self.lease(), own).await?;
        }
        Ok(())
    }

    /// Ends the runs of jobs that are not held any more.
    fn drop_lost(&self) -> Result<(), Fault> {
        // Before the book is read: what is taken meanwhile is not lost.
        let own: Vec<i64> = self.held().keys().copied().collect();
        if own.is_empty() {
            return Ok(());
        }
        let held = self.book().held_by(&self.0.worker)?;
        let all = self.held();
        for no in own.iter().filter(|it| !held.contains(it)) {
            if let Some(cancel) = all.get(no) {
                cancel.cancel();
            }
        }
        Ok(())
    }
}

/// Does one job.
async fn work(
    service: Service,
    jobs: Jobs,
    row: JobRow,
    place: (OwnedSemaphorePermit, OwnedSemaphorePermit),
) {
    match begin(&service, &jobs, &row).await {
        Ok(live) => {
            jobs.hold(&row, &live);
            jobs.follow(&row, &live).await;
        }
        // Its owner does too much now, or has no key, or the book is busy: the job waits.
        Err(fault) if fault.retry_after.is_some() || fault.why == Why::Unauthorized => {
            tokio::time::sleep(LATER).await;
            while jobs.give_back(&row).await.is_err() && !jobs.is_stopping() {
                tokio::time::sleep(LOOK).await;
            }
        }
        Err(fault) => {
            while jobs.fail(&row, &fault).await.is_err() && !jobs.is_stopping() {
                tokio::time::sleep(LOOK).await;
            }
            jobs.tell();
        }
    }
    drop(place);
    jobs.tell();
}

/// Starts the run of a job, or resumes it if it has begun.
async fn begin(service: &Service, jobs: &Jobs, row: &JobRow) -> Result<Arc<Live>, Fault> {
    // The rights of its owner may have changed since it was queued.
    let service = service.as_now()?.of_session(row.session.as_deref())?;
    let kept = service.kept().ok_or_else(super::queue::none)?;
    let resolved = service.resolve(call_of(row)?);
    if kept.knows(&row.run) {
        // The rules for effects and the limits are those of now; the names were allowed then.
        return service.resume_job(jobs, row, resolved.ok()).await;
    }
    if row.has_begun {
        let message = format!("the run {} of the job is not in the store any more", row.run);
        return Err(Fault::not_found(message).help("submit the job again"));
    }
    let parent = row.parent.map(|it| jobs.book().job_at(it)).transpose()?.flatten();
    let over = parent.map(|it| it.run).filter(|it| kept.knows(it));
    service.start_job(resolved?, row, over).await
}
