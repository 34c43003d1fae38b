//! Servers of databases for components: PostgreSQL, MySQL and MariaDB.
//!
//! A call is one connection with one transaction: [`query`] reads, [`execute`] writes all or nothing.
//! Values are bound, and never become a part of a statement. A call that is cancelled stops its
//! statement on the server.
//!
//! **Invariant:** a connection goes only to an address that the host gives for the server, and no message
//! contains the password.

mod address;
mod connect;
mod hidden;
mod mysql;
mod params;
mod postgres;
mod rows;
mod sql;
mod stop;
mod tls;

use address::{Address, System};
use hidden::Hidden;
use svc_columns::Table;
use svc_contract::{
    registry::{Cx, OpError},
    value::{Secret, Value},
};

/// A server of databases, as a script names it.
pub struct Database<'a> {
    /// Its address, with the user and the password.
    pub address: &'a Secret,
    /// Certificates in PEM, one of which has signed that of the server.
    pub ca: Option<&'a str>,
}

/// The rows of one statement that only reads, at most `most`.
pub async fn query(
    cx: &Cx,
    database: &Database<'_>,
    sql: &str,
    params: &Value,
    most: usize,
) -> Result<Table<Value>, OpError> {
    let hidden = Hidden::of(database.address);
    let found = async {
        let address = Address::read(database.address, database.ca)?;
        match address.system {
            System::Postgres => postgres::query(cx, &address, sql, params, most).await,
            System::MySql => mysql::query(cx, &address, sql, params, most).await,
        }
    };
    found.await.map_err(|err| hidden.in_error(err))
}

/// Runs one or several statements in one transaction; returns the number of changed rows.
pub async fn execute(
    cx: &Cx,
    database: &Database<'_>,
    sql: &str,
    params: &Value,
) -> Result<i64, OpError> {
    let hidden = Hidden::of(database.address);
    let done = async {
        let address = Address::read(database.address, database.ca)?;
        match address.system {
            System::Postgres => postgres::execute(cx, &address, sql, params).await,
            System::MySql => mysql::execute(cx, &address, sql, params).await,
        }
    };
    done.await.map_err(|err| hidden.in_error(err))
}
