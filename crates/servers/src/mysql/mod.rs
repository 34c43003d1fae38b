//! MySQL and MariaDB: one connection and one transaction a call, with prepared statements, each of
//! which is one statement.

mod error;
mod login;
mod value;

use std::collections::BTreeSet;

use mysql_async::{Error, Params, Transaction, TxOpts, prelude::Queryable as _};
use svc_columns::Table;
use svc_contract::{
    host::Access,
    registry::{Cx, OpError},
    value::Value,
};

use crate::{
    address::{Address, System},
    params::Given,
    rows::Rows,
    sql::{self, Statement, Written},
    stop::until_cancelled,
};
use login::Session;

/// The rows of one statement in a transaction that only reads.
pub(crate) async fn query(
    cx: &Cx,
    address: &Address,
    sql: &str,
    params: &Value,
    most: usize,
) -> Result<Table<Value>, OpError> {
    let given = Given::of(params)?;
    let statement = sql::one(sql, System::MySql)?;
    statement.test_read()?;
    let written = statement.written(&given)?;
    given.test_used(&written.used())?;
    let params = bound(&statement, &given, &written)?;
    let mut session = Session::open(cx, address, Access::Read).await?;
    let (stop, unread) = (session.stopper(), session.stopper());
    let failed = |err| address.failed(&err);
    let work = async {
        let mut only_reads = TxOpts::default();
        only_reads.with_readonly(true);
        let start = session.connection.start_transaction(only_reads);
        let mut transaction = start.await.map_err(failed)?;
        let prepared = transaction.prep(&written.text).await.map_err(failed)?;
        let columns = prepared.columns();
        let mut rows = Rows::new(columns.iter().map(|it| it.name_str()), most)?;
        let mut found = transaction.exec_iter(&prepared, params).await.map_err(failed)?;
        // The columns of a statement such as SHOW are only known now.
        if columns.is_empty() {
            rows = Rows::new(found.columns_ref().iter().map(|it| it.name_str()), most)?;
        }
        while let Some(row) = found.next().await.map_err(failed)? {
            let pushed = rows.push(cx, |idx| value::read(&row, idx)).await;
            if let Err(err) = pushed {
                // Without this, the driver would read the other rows to use the connection again.
                unread.stop().await;
                return Err(err);
            }
        }
        Ok(rows.finish())
    };
    until_cancelled(cx, work, stop.stop()).await
}

/// Runs statements in one transaction.
pub(crate) async fn execute(
    cx: &Cx,
    address: &Address,
    sql: &str,
    params: &Value,
) -> Result<i64, OpError> {
    let given = Given::of(params)?;
    let statements = sql::statements(sql, System::MySql)?;
    statements.iter().try_for_each(Statement::test_write)?;
    given.test_several(statements.len())?;
    if statements.len() > 1 {
        statements.iter().try_for_each(Statement::test_kept_at_once)?;
    }
    let (mut all, mut used) = (Vec::new(), BTreeSet::new());
    for statement in &statements {
        let written = statement.written(&given)?;
        used.extend(written.used());
        all.push((statement.counts(), bound(statement, &given, &written)?, written));
    }
    given.test_used(&used)?;
    let mut session = Session::open(cx, address, Access::Write).await?;
    let stop = session.stopper();
    let failed = |err| address.failed(&err);
    let work = async {
        let start = session.connection.start_transaction(TxOpts::default());
        let mut transaction = start.await.map_err(failed)?;
        let mut rows = 0;
        for (counts, params, written) in all {
            let changed = changed(&mut transaction, &written.text, params).await;
            let changed = changed.map_err(failed)?;
            rows += if counts { changed } else { 0 };
        }
        // Dropping the transaction before rolls it back.
        transaction.commit().await.map_err(|err| address.not_committed(&err))?;
        Ok(i64::try_from(rows).unwrap_or(i64::MAX))
    };
    until_cancelled(cx, work, stop.stop()).await
}

/// Runs a statement; returns the number of rows that it reports.
async fn changed(on: &mut Transaction<'_>, sql: &str, params: Params) -> Result<u64, Error> {
    /// The statement cannot be prepared, such as one that defines a procedure.
    const UNPREPARED: u16 = 1295;
    let is_plain = matches!(params, Params::Empty);
    match on.exec_iter(sql, params).await {
        Ok(done) => {
            let rows = done.affected_rows();
            done.drop_result().await?;
            return Ok(rows);
        }
        Err(Error::Server(err)) if err.code == UNPREPARED && is_plain => {}
        Err(err) => return Err(err),
    }
    let done = on.query_iter(sql).await?;
    let rows = done.affected_rows();
    done.drop_result().await?;
    Ok(rows)
}

fn bound(
    statement: &Statement<'_>,
    given: &Given<'_>,
    written: &Written,
) -> Result<Params, OpError> {
    let values = given.values(written, statement.marks())?;
    if values.is_empty() {
        return Ok(Params::Empty);
    }
    let values = values.into_iter().map(|(name, value)| {
        value::param(value).map_err(|why| OpError::invalid_input(format!("param `{name}`: {why}")))
    });
    Ok(Params::Positional(values.collect::<Result<_, _>>()?))
}
