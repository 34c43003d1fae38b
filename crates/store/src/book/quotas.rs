//! The quotas of a day: calls, and money.
//!
//! Both are taken before they are used, in one transaction, so that neither several threads nor
//! several processes pass a quota, and a crash forgets nothing. What is not used is given back.

use rusqlite::{Connection, OptionalExtension as _, params};
use svc_contract::value::Money;

use super::{Book, Written};
use crate::error::{Result, SqlResult};

/// The days that are kept.
const KEPT_DAYS: i64 = 62;

/// Calls that were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenCalls {
    /// Those that were taken now.
    pub granted: u64,
    /// Those that are taken by everyone.
    pub total: u64,
}

/// Money that a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// The run may take this much at most.
    Granted(Money),
    /// Nothing is left of the day's quota.
    Exhausted,
}

impl Book {
    /// Takes up to `wanted` calls of a day, so that no more than `limit` are taken.
    pub fn take_calls(
        &self,
        account: String,
        day: i64,
        wanted: u64,
        limit: u64,
    ) -> Written<TakenCalls> {
        self.write(move |own| {
            let taken = taken(own, &account, day)?;
            let granted = wanted.min(limit.saturating_sub(taken));
            if taken == 0 {
                let sql = "DELETE FROM days WHERE day < ?1";
                own.prepare_cached(sql)?.execute([day - KEPT_DAYS])?;
            }
            if granted > 0 {
                put(own, &account, day, taken + granted)?;
            }
            Ok(TakenCalls { granted, total: taken + granted })
        })
    }

    /// Gives back calls that were taken and not used, without waiting.
    pub fn return_calls(&self, account: String, day: i64, unused: u64) -> Result<()> {
        self.append(move |own| {
            let rest = taken(own, &account, day)?.saturating_sub(unused);
            put(own, &account, day, rest)
        })
    }

    /// The calls of a day that are taken.
    pub fn calls(&self, account: &str, day: i64) -> Result<u64> {
        self.read(|it| taken(it, account, day))
    }

    /// Reserves money for a run: `most`, or what is left of the day's `limit`. A run that is not
    /// settled keeps its reservation; one that was settled and goes on reserves again, and what it
    /// used is part of that.
    pub fn reserve(
        &self,
        run: String,
        account: String,
        day: i64,
        most: Money,
        limit: Option<Money>,
    ) -> Written<Reserved> {
        self.write(move |own| {
            let known = reservation(own, &run)?;
            if let Some((known, None)) = known {
                return Ok(Reserved::Granted(known));
            }
            let used = known.and_then(|(_, used)| used).unwrap_or_default();
            let left = match limit {
                Some(limit) => {
                    let others = spent(own, &account, day, &run)?;
                    limit.nanos().saturating_sub(others.nanos())
                }
                None => i64::MAX,
            };
            let granted = Money::from_nanos(most.nanos().clamp(0, left.max(0)));
            if granted <= used && most > Money::ZERO {
                return Ok(Reserved::Exhausted);
            }
            own.prepare_cached(
                "INSERT OR REPLACE INTO reservations (run, account, day, most)
                    VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![run, account, day, granted.nanos()])?;
            let sql = "DELETE FROM reservations WHERE account = ?1 AND day < ?2";
            own.prepare_cached(sql)?.execute(params![account, day - KEPT_DAYS])?;
            Ok(Reserved::Granted(granted))
        })
    }

    /// Settles the reservation of a run: from now on, only what it used counts. Returns whether it
    /// has one.
    pub fn settle(&self, run: String, used: Money) -> Written<bool> {
        self.write(move |own| {
            let sql = "UPDATE reservations SET used = ?2 WHERE run = ?1";
            Ok(own.prepare_cached(sql)?.execute(params![run, used.nanos().max(0)])? > 0)
        })
    }

    /// The money of a day that is spent or reserved.
    pub fn spent(&self, account: &str, day: i64) -> Result<Money> {
        self.read(|it| spent(it, account, day, ""))
    }
}

fn taken(reader: &Connection, account: &str, day: i64) -> SqlResult<u64> {
    let sql = "SELECT taken FROM days WHERE account = ?1 AND day = ?2";
    let mut found = reader.prepare_cached(sql)?;
    let taken: Option<i64> = found.query_row(params![account, day], |it| it.get(0)).optional()?;
    Ok(taken.unwrap_or(0).max(0).cast_unsigned())
}

fn put(own: &Connection, account: &str, day: i64, taken: u64) -> SqlResult<()> {
    const SQL: &str = "INSERT INTO days (account, day, taken) VALUES (?1, ?2, ?3)
        ON CONFLICT (account, day) DO UPDATE SET taken = ?3";
    let taken = i64::try_from(taken).unwrap_or(i64::MAX);
    own.prepare_cached(SQL)?.execute(params![account, day, taken])?;
    Ok(())
}

/// What a run reserved, and what it used if it is settled.
fn reservation(reader: &Connection, run: &str) -> SqlResult<Option<(Money, Option<Money>)>> {
    let mut found = reader.prepare_cached("SELECT most, used FROM reservations WHERE run = ?1")?;
    let row = found.query_row([run], |it| Ok((it.get(0)?, it.get::<_, Option<i64>>(1)?)));
    let row = row.optional()?;
    Ok(row.map(|(most, used)| (Money::from_nanos(most), used.map(Money::from_nanos))))
}

/// The money of all runs but one. A reservation that was never settled counts in full.
fn spent(reader: &Connection, account: &str, day: i64, but: &str) -> SqlResult<Money> {
    let sql = "SELECT coalesce(sum(coalesce(used, most)), 0) FROM reservations
        WHERE account = ?1 AND day = ?2 AND run <> ?3";
    let mut found = reader.prepare_cached(sql)?;
    Ok(Money::from_nanos(found.query_row(params![account, day, but], |it| it.get(0))?))
}
