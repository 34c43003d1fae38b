//! Sends the entries of the outbox.
//!
//! A delivery is written in the transaction that changes its job, and taken with a lease. Its body is
//! durable before the first try, and its id is the same at each try. If the process dies between any
//! two steps, the next one tries again: a receiver may get a delivery twice, and never none.

use std::{sync::Arc, time::Duration};

use svc_contract::host::http::Response;
use svc_signatures::{ID, SIGNATURE, TIMESTAMP};
use svc_store::book::{DeliveryEvent, DeliveryRow, Lease, Tried};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{pauses, report, secrets};
use crate::{Fault, Service, components::workbench::Bench, jobs::Jobs};

/// How many deliveries of an owner are tried at the same time.
const AT_ONCE: usize = 8;

/// How long a receiver may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long a try counts as going on without its end.
const TRY: Duration = Duration::from_mins(1);

/// How often the book is looked at.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Clone)]
struct Outbox {
    service: Service,
    jobs: Jobs,
    bench: Arc<Bench>,
}

/// Sends deliveries whose time has come, until the service stops.
pub(crate) async fn run(service: Service, jobs: Jobs) {
    let bench = Arc::new(Bench::new(Some(jobs.clone()), service.owner(), service.engine()));
    let outbox = Outbox { service, jobs, bench };
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut changed = outbox.jobs.changes();
    while !outbox.jobs.is_stopping() {
        // A failing book is looked at again a little later.
        let _ = outbox.free().await;
        while let Ok(place) = places.clone().try_acquire_owned() {
            let Ok(Some(row)) = outbox.next().await else { break };
            tokio::spawn(outbox.clone().deliver(row, place));
        }
        Jobs::next_change(&mut changed, LOOK).await;
    }
}

impl Outbox {
    /// Gives back what workers have that are gone.
    async fn free(&self) -> Result<(), Fault> {
        let book = self.jobs.book();
        let mut gone = Vec::new();
        for worker in book.delivering()? {
            if !self.jobs.is_own(&worker) && !book.is_alive(&worker)? {
                gone.push(worker);
            }
        }
        if !gone.is_empty() {
            book.free_deliveries(gone).await?;
        }
        Ok(())
    }

    async fn next(&self) -> Result<Option<DeliveryRow>, Fault> {
        let (book, now) = (self.jobs.book(), self.jobs.now());
        if self.jobs.is_stopping() || !book.has_due_delivery(now)? {
            return Ok(None);
        }
        let lease = Lease { until: self.jobs.after(TRY), ..self.jobs.lease() };
        Ok(book.take_delivery(lease).await?)
    }

    async fn deliver(self, row: DeliveryRow, place: OwnedSemaphorePermit) {
        let tried = self.tried(&row).await;
        let worker = self.jobs.worker();
        while self.jobs.book().tried_delivery(row.no, worker.clone(), tried.clone()).await.is_err()
        {
            if self.jobs.is_stopping() {
                // It is tried again when the lease is over, under the same id.
                break;
            }
            tokio::time::sleep(LOOK).await;
        }
        drop(place);
        self.jobs.tell();
    }

    /// One try.
    async fn tried(&self, row: &DeliveryRow) -> Tried {
        let sent = match self.body(row).await {
            Ok(body) => self.send(row, body).await,
            Err(fault) => Err(Miss::of(fault.message)),
        };
        let at = self.jobs.now();
        match sent {
            Ok(status) => {
                let event = match status {
                    410 => DeliveryEvent::Gone,
                    _ => DeliveryEvent::Accepted,
                };
                Tried { event, status: Some(status), error: None, at }
            }
            Err(Miss { status, why, asked, is_final }) => {
                let chance = self.jobs.chance();
                let next = pauses::next(row.tries + 1, at, row.until, asked, chance);
                let event = DeliveryEvent::Missed(next.filter(|_| !is_final));
                Tried { event, status, error: Some(why), at }
            }
        }
    }

    /// The body, which is durable before it is sent.
    async fn body(&self, row: &DeliveryRow) -> Result<String, Fault> {
        if let Some(body) = &row.body {
            return Ok(body.clone());
        }
        let job = self.jobs.book().job_at(row.job)?;
        let job = job.ok_or_else(|| Fault::not_found("its job is not known any more"))?;
        let (bench, of) = (self.bench.clone(), row.clone());
        let made = tokio::task::spawn_blocking(move || report::body(&bench, &job, &of)).await;
        let made =
            made.map_err(|err| Fault::not_found(format!("cannot show the job: {err}")))??;
        Ok(self.jobs.book().fill_delivery(row.no, made).await?)
    }

    /// The status of a receiver that took it, or does not want it any more.
    async fn send(&self, row: &DeliveryRow, body: String) -> Result<u16, Miss> {
        let now = self.jobs.now();
        let keys = secrets::all_signing(self.jobs.book(), &row.owner, now);
        let keys = keys.map_err(|err| Miss::of(err.to_string()))?;
        let seconds = now.div_euclid(1000).to_string();
        let sign = |it: &svc_signatures::Key| it.sign(&row.id, &seconds, body.as_bytes());
        let signatures: Vec<String> = keys.iter().map(sign).collect();
        let version = &self.service.caller().version;
        let request = self
            .service
            .request_to(&row.url, body.into_bytes())
            .header(ID, row.id.as_str())
            .header(TIMESTAMP, seconds.as_str())
            .header(SIGNATURE, signatures.join(" "))
            .header("user-agent", format!("svc/{version}"));
        // Redirects are not followed: another address was never allowed.
        match tokio::time::timeout(PATIENCE, self.jobs.http(request)).await {
            Ok(Ok(response)) => judged(&response),
            Ok(Err(err)) => {
                let is_final = svc_contract::host::refused(&err).is_some();
                Err(Miss { is_final, ..Miss::of(err.to_string()) })
            }
            Err(_) => Err(Miss::of(format!("no answer within {} s", PATIENCE.as_secs()))),
        }
    }
}

/// Why a try failed.
struct Miss {
    status: Option<u16>,
    why: String,
    /// The pause that the receiver asks for.
    asked: Option<Duration>,
    /// Whether no other try can succeed.
    is_final: bool,
}

impl Miss {
    fn of(why: String) -> Self {
        Self { status: None, why, asked: None, is_final: false }
    }
}

fn judged(response: &Response) -> Result<u16, Miss> {
    let status = response.status;
    if (200..300).contains(&status) || status == 410 {
        return Ok(status);
    }
    let why = match status {
        300..400 => format!("status {status}: redirects are not followed"),
        _ => format!("status {status}"),
    };
    Err(Miss { status: Some(status), asked: response.retry_after(), ..Miss::of(why) })
}
