//! PostgreSQL: one connection and one transaction a call, over the extended protocol, which takes
//! one statement at a time.

mod encode;
mod error;
mod login;
mod value;

use std::collections::BTreeSet;

use futures_util::TryStreamExt as _;
use svc_columns::Table;
use svc_contract::{
    host::Access,
    registry::{Cx, OpError},
    value::Value,
};
use tokio_postgres::{Column, Statement as Prepared, Transaction, types::ToSql};

use crate::{
    address::{Address, System},
    params::Given,
    rows::Rows,
    sql::{self, Statement, Written},
    stop::until_cancelled,
};
use encode::Param;
use error::Failure;
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
    let statement = sql::one(sql, System::Postgres)?;
    statement.test_read()?;
    let mut session = Session::open(cx, address, Access::Read).await?;
    let stop = session.stopper();
    let work = async {
        let start = session.client.build_transaction().read_only(true).start();
        let transaction = start.await.map_err(|err| address.failure(&err))?;
        let one = Prepare { address, statement: &statement, given: &given };
        let (prepared, written) = one.prepared(&transaction).await?;
        given.test_used(&written.used())?;
        one.rows(cx, &transaction, &prepared, &written, most).await
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
    let statements = sql::statements(sql, System::Postgres)?;
    statements.iter().try_for_each(Statement::test_write)?;
    given.test_several(statements.len())?;
    let mut session = Session::open(cx, address, Access::Write).await?;
    let stop = session.stopper();
    let work = async {
        let transaction =
            session.client.transaction().await.map_err(|err| address.failure(&err))?;
        let (mut rows, mut used) = (0, BTreeSet::new());
        for statement in &statements {
            let one = Prepare { address, statement, given: &given };
            let (prepared, written) = one.prepared(&transaction).await?;
            let count = one.run(&transaction, &prepared, &written).await?;
            rows += if statement.counts() { count } else { 0 };
            used.extend(written.used());
        }
        given.test_used(&used)?;
        // Dropping the transaction before rolls it back.
        transaction.commit().await.map_err(|err| address.uncommitted(&err))?;
        Ok(i64::try_from(rows).unwrap_or(i64::MAX))
    };
    until_cancelled(cx, work, stop.stop()).await
}

/// One statement and its params.
struct Prepare<'a> {
    address: &'a Address,
    statement: &'a Statement<'a>,
    given: &'a Given<'a>,
}

impl Prepare<'_> {
    async fn prepared(&self, on: &Transaction<'_>) -> Result<(Prepared, Written), OpError> {
        let written = self.statement.written(self.given)?;
        let prepared = on.prepare(&written.text).await;
        match prepared {
            Ok(it) => Ok((it, written)),
            Err(err) => Err(self.failed(&written, &err)),
        }
    }

    fn failed(&self, written: &Written, err: &tokio_postgres::Error) -> OpError {
        let at = |character| self.statement.place_in(written, written.byte_at(character));
        Failure { address: self.address, err, place: &at }.into()
    }

    fn params(&self, prepared: &Prepared, written: &Written) -> Result<Vec<Param>, OpError> {
        let types = prepared.params();
        let values = self.given.values(written, types.len())?;
        let params = types.iter().zip(values).map(|(ty, (name, value))| {
            Param::of(value, ty)
                .map_err(|why| OpError::invalid_input(format!("param `{name}`: {why}")))
        });
        params.collect()
    }

    async fn run(
        &self,
        on: &Transaction<'_>,
        prepared: &Prepared,
        written: &Written,
    ) -> Result<u64, OpError> {
        let params = self.params(prepared, written)?;
        let done =
            on.execute_raw(prepared, params.iter().map(|it| it as &(dyn ToSql + Sync))).await;
        done.map_err(|err| self.failed(written, &err))
    }

    async fn rows(
        &self,
        cx: &Cx,
        on: &Transaction<'_>,
        prepared: &Prepared,
        written: &Written,
        most: usize,
    ) -> Result<Table<Value>, OpError> {
        let params = self.params(prepared, written)?;
        let columns = prepared.columns();
        let mut rows = Rows::new(columns.iter().map(Column::name), most)?;
        for column in columns {
            value::test_type(column.type_()).map_err(|why| {
                OpError::invalid_input(format!("column `{}`: {why}", column.name()))
            })?;
        }
        let failed = |err| self.failed(written, &err);
        let params = params.iter().map(|it| it as &(dyn ToSql + Sync));
        let portal = on.bind_raw(prepared, params).await.map_err(failed)?;
        // One more than the limit, to notice it; the server sends no further ones.
        let more = i32::try_from(most.saturating_add(1)).unwrap_or(i32::MAX);
        let found = on.query_portal_raw(&portal, more).await.map_err(failed)?;
        let mut found = std::pin::pin!(found);
        while let Some(row) = found.try_next().await.map_err(failed)? {
            rows.push(cx, |idx| value::read(&row, idx)).await?;
        }
        Ok(rows.finish())
    }
}
