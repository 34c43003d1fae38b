//! The outbox: what is to be sent about jobs. It is written in the transaction that changes the job,
//! so nothing is lost and nothing is sent that did not happen.

use rusqlite::{Connection, OptionalExtension as _, Row, params, types::Type};
use svc_contract::store::RunId;

use super::{
    super::{Book, Written},
    Lease,
    rows::{JobRow, by_no},
    state::JobState,
};
use crate::error::{Result, SqlResult};

/// How long something is tried to be sent, in milliseconds.
pub const TRIED_FOR: i64 = 24 * 60 * 60 * 1000;

/// How long the end of a delivery is remembered, in milliseconds.
const KEPT: i64 = 30 * 24 * 60 * 60 * 1000;

/// The most deliveries that one write forgets.
const FORGOTTEN: i64 = 1000;

/// Something to be sent about a job. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRow {
    pub no: i64,
    /// The same at each try.
    pub id: String,
    pub owner: String,
    /// The place of its job in the queue.
    pub job: i64,
    pub url: String,
    /// The state of the job that is reported.
    pub event: JobState,
    /// When the job came into that state.
    pub at: i64,
    pub body: Option<String>,
    pub state: DeliveryState,
    /// How often it was tried.
    pub tries: u32,
    /// When the next try is.
    pub next: i64,
    /// The last time of a try.
    pub until: i64,
    /// The last status of the receiver.
    pub status: Option<u16>,
    /// Why the last try failed.
    pub error: Option<String>,
    pub ended: Option<i64>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is tried, or will be.
    Pending,
    /// The receiver has it.
    Delivered,
    /// The receiver does not want it.
    Stopped,
    /// It was tried too often.
    Failed,
}

/// What happens to a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryEvent {
    Accepted,
    /// The receiver answered that it is gone.
    Gone,
    /// A try failed; when the next one is, if there is one.
    Missed(Option<i64>),
    /// Someone wants it sent again.
    Again,
}

impl DeliveryState {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Delivered, Self::Stopped, Self::Failed];

    /// The state after an event; `None` if it cannot happen in this state.
    pub fn next(self, event: DeliveryEvent) -> Option<Self> {
        use DeliveryEvent as E;
        match (self, event) {
            (Self::Pending, E::Accepted) => Some(Self::Delivered),
            (Self::Pending, E::Gone) => Some(Self::Stopped),
            (Self::Pending, E::Missed(None)) => Some(Self::Failed),
            (Self::Pending, E::Missed(Some(_))) | (_, E::Again) => Some(Self::Pending),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The outcome of a try.
#[derive(Clone, Debug)]
pub struct Tried {
    pub event: DeliveryEvent,
    pub status: Option<u16>,
    pub error: Option<String>,
    pub at: i64,
}

/// Which deliveries are listed.
#[derive(Clone, Debug, Default)]
pub struct DeliveryFilter {
    pub state: Option<DeliveryState>,
    /// The id of a job.
    pub job: Option<String>,
    pub limit: u32,
}

const DELIVERY: &str = "SELECT no, id, owner, job, url, event, at, body, state, tries, next, until, \
    status, error, ended FROM deliveries";

/// Notes that the state of a job is to be reported, if its caller wants that.
pub(super) fn add(own: &Connection, job: i64, event: JobState, at: i64) -> SqlResult<()> {
    let Some(row) = by_no(own, job)? else { return Ok(()) };
    let Some(url) = &row.notify else { return Ok(()) };
    let sql = "SELECT count(*) FROM deliveries WHERE job = ?1";
    let count: i64 = own.prepare_cached(sql)?.query_row([job], |it| it.get(0))?;
    own.prepare_cached(
        "INSERT INTO deliveries (id, owner, job, url, event, at, state, next, until)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', ?6, ?7)",
    )?
    .execute(params![
        name(&row, count),
        row.owner,
        job,
        url,
        event.name(),
        at,
        at.saturating_add(TRIED_FOR)
    ])?;
    Ok(())
}

/// A name that no other delivery has, of any owner.
fn name(row: &JobRow, count: i64) -> String {
    let of = format!("{}\0{}\0{}\0{}\0{count}", row.owner, row.id, row.version, row.run);
    let hash = blake3::hash(of.as_bytes()).to_hex();
    format!("msg_{}", hash.get(..32).unwrap_or(&hash))
}

impl Book {
    /// The next delivery whose time has come, for a worker.
    pub fn take_delivery(&self, lease: Lease) -> Written<Option<DeliveryRow>> {
        self.write(move |own| {
            let sql = format!(
                "{DELIVERY} WHERE state = 'pending' AND next <= ?1 AND (lease IS NULL OR lease <= ?1)
                    ORDER BY next, no LIMIT 1"
            );
            let found = own.prepare_cached(&sql)?.query_row([lease.now], delivery).optional()?;
            if let Some(row) = &found {
                let sql = "UPDATE deliveries SET worker = ?2, lease = ?3 WHERE no = ?1";
                own.prepare_cached(sql)?.execute(params![
                    row.no,
                    lease.worker.as_str(),
                    lease.until
                ])?;
            }
            Ok(found)
        })
    }

    /// Whether there is a delivery whose time has come.
    pub fn has_due_delivery(&self, now: i64) -> Result<bool> {
        self.read(|it| {
            let sql = "SELECT EXISTS (SELECT 1 FROM deliveries
                WHERE state = 'pending' AND next <= ?1 AND (lease IS NULL OR lease <= ?1))";
            Ok(it.prepare_cached(sql)?.query_row([now], |it| it.get(0))?)
        })
    }

    /// Keeps the body of a delivery before it is sent; the first one stays.
    pub fn fill_delivery(&self, no: i64, body: String) -> Written<String> {
        self.write(move |own| {
            let sql = "UPDATE deliveries SET body = coalesce(body, ?2) WHERE no = ?1";
            own.prepare_cached(sql)?.execute(params![no, body])?;
            let sql = "SELECT body FROM deliveries WHERE no = ?1";
            Ok(own.prepare_cached(sql)?.query_row([no], |it| it.get(0))?)
        })
    }

    /// Notes the outcome of a try, if the worker still has the delivery.
    pub fn tried_delivery(&self, no: i64, worker: RunId, tried: Tried) -> Written<bool> {
        self.write(move |own| {
            let sql = format!("{DELIVERY} WHERE no = ?1 AND worker = ?2");
            let mut found = own.prepare_cached(&sql)?;
            let row = found.query_row(params![no, worker.as_str()], delivery).optional()?;
            let Some(state) = row.as_ref().and_then(|it| it.state.next(tried.event)) else {
                return Ok(false);
            };
            let next = match tried.event {
                DeliveryEvent::Missed(next) => next,
                _ => None,
            };
            own.prepare_cached(
                "UPDATE deliveries SET state = ?2, tries = tries + 1, next = coalesce(?3, next),
                    status = ?4, error = ?5, ended = ?6, worker = NULL, lease = NULL WHERE no = ?1",
            )?
            .execute(params![
                no,
                state.name(),
                next,
                tried.status,
                tried.error,
                (state != DeliveryState::Pending).then_some(tried.at),
            ])?;
            forget(own, tried.at)?;
            Ok(true)
        })
    }

    /// Gives back what workers have that are gone.
    pub fn free_deliveries(&self, gone: Vec<RunId>) -> Written<()> {
        self.write(move |own| {
            let sql = "UPDATE deliveries SET worker = NULL, lease = NULL WHERE worker = ?1";
            let mut free = own.prepare_cached(sql)?;
            for worker in &gone {
                free.execute([worker.as_str()])?;
            }
            Ok(())
        })
    }

    /// The workers that have deliveries.
    pub fn delivering(&self) -> Result<Vec<RunId>> {
        self.read(|it| {
            let sql = "SELECT DISTINCT worker FROM deliveries WHERE worker IS NOT NULL";
            let mut found = it.prepare_cached(sql)?;
            let names = found.query_map([], |it| it.get::<_, String>(0))?;
            let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
            Ok(names.iter().filter_map(|it| RunId::parse(it).ok()).collect())
        })
    }

    /// The deliveries of an owner, the latest first.
    pub fn deliveries(&self, owner: &str, filter: &DeliveryFilter) -> Result<Vec<DeliveryRow>> {
        self.read(|it| {
            let sql = format!(
                "{DELIVERY} WHERE owner = ?1 AND (?2 IS NULL OR state = ?2)
                    AND (?3 IS NULL OR job IN (SELECT no FROM jobs WHERE id = ?3))
                    ORDER BY no DESC LIMIT ?4"
            );
            let state = filter.state.map(DeliveryState::name);
            let mut found = it.prepare_cached(&sql)?;
            let rows =
                found.query_map(params![owner, state, filter.job, filter.limit], delivery)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Sends a delivery of an owner again, with all its tries. Returns it if it is known.
    pub fn resend(&self, owner: String, id: String, now: i64) -> Written<Option<DeliveryRow>> {
        self.write(move |own| {
            let Some(row) = one(own, &owner, &id)? else { return Ok(None) };
            let Some(state) = row.state.next(DeliveryEvent::Again) else { return Ok(Some(row)) };
            own.prepare_cached(
                "UPDATE deliveries SET state = ?2, tries = 0, next = ?3, until = ?4, ended = NULL
                    WHERE no = ?1",
            )?
            .execute(params![
                row.no,
                state.name(),
                now,
                now.saturating_add(TRIED_FOR)
            ])?;
            one(own, &owner, &id)
        })
    }
}

/// Forgets deliveries that ended long ago.
fn forget(own: &Connection, now: i64) -> SqlResult<()> {
    let sql = "DELETE FROM deliveries WHERE no IN
        (SELECT no FROM deliveries WHERE ended < ?1 LIMIT ?2)";
    own.prepare_cached(sql)?.execute([now.saturating_sub(KEPT), FORGOTTEN])?;
    Ok(())
}

fn one(reader: &Connection, owner: &str, id: &str) -> SqlResult<Option<DeliveryRow>> {
    let mut found = reader.prepare_cached(&format!("{DELIVERY} WHERE id = ?1 AND owner = ?2"))?;
    Ok(found.query_row([id, owner], delivery).optional()?)
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<DeliveryRow> {
    let unknown = |column| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, "an unknown value".into())
    };
    Ok(DeliveryRow {
        no: row.get(0)?,
        id: row.get(1)?,
        owner: row.get(2)?,
        job: row.get(3)?,
        url: row.get(4)?,
        event: JobState::parse(&row.get::<_, String>(5)?).ok_or_else(|| unknown(5))?,
        at: row.get(6)?,
        body: row.get(7)?,
        state: DeliveryState::parse(&row.get::<_, String>(8)?).ok_or_else(|| unknown(8))?,
        tries: row.get(9)?,
        next: row.get(10)?,
        until: row.get(11)?,
        status: row.get(12)?,
        error: row.get(13)?,
        ended: row.get(14)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_a_delivery_is_decided() {
        let events = [
            DeliveryEvent::Accepted,
            DeliveryEvent::Gone,
            DeliveryEvent::Missed(Some(1)),
            DeliveryEvent::Missed(None),
            DeliveryEvent::Again,
        ];
        let table = [
            (DeliveryState::Pending, "delivered stopped pending failed pending"),
            (DeliveryState::Delivered, "- - - - pending"),
            (DeliveryState::Stopped, "- - - - pending"),
            (DeliveryState::Failed, "- - - - pending"),
        ];
        assert_eq!(table.map(|it| it.0), DeliveryState::ALL);
        for (state, row) in table {
            let next = events.map(|it| state.next(it).map_or("-", DeliveryState::name));
            assert_eq!(next.join(" "), row, "{state:?}");
            assert_eq!(DeliveryState::parse(state.name()), Some(state));
        }
    }
}
