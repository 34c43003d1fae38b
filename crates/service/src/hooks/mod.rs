//! Webhooks in both directions: signed requests that start served scripts, and reports of jobs that
//! are sent to their callers.
//!
//! A hook names a script, and the key whose owner and role its runs have, so rights, limits and the
//! audit are those of any other call. Reports wait in the outbox of the book until they are
//! received: see `outbox.rs`.

mod address;
mod incoming;
pub mod kept;
pub(crate) mod outbox;
mod pauses;
mod report;
pub mod secrets;

pub use incoming::{Signed, SignedRequest};
pub use svc_store::book::{DeliveryFilter, DeliveryRow, DeliveryState, HookForm, HookRow};

use crate::{Fault, Service};

impl Service {
    /// What was or is sent for the caller, the latest first.
    pub fn deliveries(&self, filter: &DeliveryFilter) -> Result<Vec<DeliveryRow>, Fault> {
        Ok(self.jobs()?.book().deliveries(self.owner(), filter)?)
    }

    /// The id of the job of a delivery.
    pub fn job_of(&self, delivery: &DeliveryRow) -> Result<Option<String>, Fault> {
        Ok(self.jobs()?.book().job_at(delivery.job)?.map(|it| it.id))
    }

    /// Sends a delivery of the caller again, with all its tries.
    pub async fn resend(&self, id: &str) -> Result<DeliveryRow, Fault> {
        let jobs = self.jobs()?;
        let sent = jobs.book().resend(self.owner().to_owned(), id.to_owned(), jobs.now()).await?;
        jobs.tell();
        sent.ok_or_else(|| Fault::not_found(format!("unknown delivery `{id}`")))
    }

    /// The secret that signs what is sent for the caller.
    pub fn signing_secret(&self) -> Result<String, Fault> {
        let book = self.jobs()?.book();
        let (generation, _) = book.signing(self.owner())?;
        Ok(secrets::signing(book, self.owner(), generation).reveal())
    }

    /// Signs what is sent for the caller with a new secret; the one before also signs for a day.
    pub async fn rotate_signing(&self) -> Result<String, Fault> {
        let jobs = self.jobs()?;
        jobs.book().rotate_signing(self.owner().to_owned(), jobs.now()).await?;
        self.signing_secret()
    }
}
