//! The amounts that attempts reserved and used: the accounts behind the caps of a run, however
//! often it is resumed.

use rusqlite::{Connection, Row, params};
use svc_contract::{
    registry::Usage,
    store::{Payment, RunId, StoreError},
};

use super::{SqliteStore, error::SqlResult, read};

pub(super) const PAYMENT: &str = "SELECT runs.id, number, path, op, scopes, at, most_tokens,
    most_cost, payments.tokens IS NOT NULL, coalesce(payments.tokens, 0),
    coalesce(payments.cost, 0), payments.origin
    FROM payments JOIN runs ON runs.no = payments.run";

impl SqliteStore {
    /// The payments of a run, including those taken over from the run that it resumes.
    pub(super) fn read_payments(&self, run: &RunId) -> SqlResult<Vec<Payment>> {
        let reader = self.pool.reader()?;
        let sql = format!("{PAYMENT} WHERE runs.id = ?1 ORDER BY number");
        let mut found = reader.prepare_cached(&sql)?;
        let mut rows = found.query([run.as_str()])?;
        let mut payments = Vec::new();
        while let Some(row) = rows.next()? {
            payments.push(payment(row)?);
        }
        Ok(payments)
    }
}

pub(super) fn payment(row: &Row<'_>) -> SqlResult<Payment> {
    let scopes: Option<String> = row.get(4)?;
    let scopes = scopes.map(|it| serde_json::from_str(&it)).transpose();
    let is_settled: bool = row.get(8)?;
    Ok(Payment {
        run: RunId::parse(&row.get::<_, String>(0)?)
            .map_err(|err| StoreError::corrupt(err.message))?,
        number: read::count(row, 1)?,
        path: row.get(2)?,
        op: row.get(3)?,
        scopes: scopes.map_err(|_| StoreError::corrupt("the scopes of a payment are damaged"))?,
        at: row.get(5)?,
        most: read::used(row, 6)?,
        used: is_settled.then(|| read::used(row, 9)).transpose()?,
        origin: read::origin(row, 11)?,
    })
}

/// Writes payments, inside one transaction.
pub(super) struct Books<'a>(pub(super) &'a Connection);

impl Books<'_> {
    pub(super) fn insert(&self, run: i64, it: &Payment) -> SqlResult<()> {
        const SQL: &str = "INSERT INTO payments (run, number, path, op, scopes, at, most_tokens,
                most_cost, tokens, cost, origin)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (run, number) DO UPDATE SET path = ?3, op = ?4, scopes = ?5, at = ?6,
                most_tokens = ?7, most_cost = ?8, tokens = ?9, cost = ?10, origin = ?11";
        let scopes = it.scopes.as_ref().map(|it| serde_json::Value::from(it.clone()).to_string());
        self.0.prepare_cached(SQL)?.execute(params![
            run,
            whole(it.number),
            it.path,
            it.op,
            scopes,
            it.at,
            whole(it.most.tokens),
            it.most.cost.nanos(),
            it.used.map(|it| whole(it.tokens)),
            it.used.map(|it| it.cost.nanos()),
            it.origin.as_ref().map(RunId::as_str),
        ])?;
        Ok(())
    }

    pub(super) fn settle(&self, run: i64, number: u64, used: Usage) -> SqlResult<()> {
        const SQL: &str =
            "UPDATE payments SET tokens = ?3, cost = ?4 WHERE run = ?1 AND number = ?2";
        let row = params![run, whole(number), whole(used.tokens), used.cost.nanos()];
        match self.0.prepare_cached(SQL)?.execute(row)? {
            0 => Err(StoreError::not_found(format!("the run has no payment {number}")).into()),
            _ => Ok(()),
        }
    }

    /// Replaces the payments that a run took over from another one.
    pub(super) fn take_over(&self, run: i64, payments: &[Payment]) -> SqlResult<()> {
        let sql = "DELETE FROM payments WHERE run = ?1 AND origin IS NOT NULL";
        self.0.prepare_cached(sql)?.execute([run])?;
        payments.iter().try_for_each(|it| self.insert(run, it))
    }
}

/// `SQLite` counts to 2^63.
fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
