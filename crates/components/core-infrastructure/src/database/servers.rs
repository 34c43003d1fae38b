//! Databases of servers: PostgreSQL, MySQL and MariaDB.

#[cfg(feature = "servers")]
use svc_contract::{
    registry::{Cx, Io, OpError},
    value::Value as Found,
};
use svc_contract::{
    registry::{
        Effect, ErrorKind, Example, Field, Generic, Limits, Max, Op, Scheme, Scope, params,
    },
    value::{Secret, Text, Value},
};

use super::{Changed, Params};

/// What statements on a server can fail with.
const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::Denied,
    ErrorKind::Failed,
    ErrorKind::Timeout,
    ErrorKind::Unavailable,
    ErrorKind::Unsupported,
    ErrorKind::Exhausted,
];

/// A statement of a cancelled call is stopped on the server.
const LIMITS: Limits = Limits { ends_itself: true, ..Limits::DEFAULT };

params! {
    /// The rows that a statement of SQL selects from a database of a PostgreSQL, MySQL or MariaDB server.
    ///
    /// `server` is a secret with the address: `postgres://user:password@host:5432/database` or
    /// `mysql://user:password@host:3306/database`. The statement runs in a transaction that only reads; one that
    /// writes, or that uses files of the server, is refused. Values belong into `params`, never into the text: a list for
    /// `$1` (PostgreSQL) or `?` (MySQL), a record for `:name` (both). The rows are `json`: exact decimal numbers, dates,
    /// times and UUIDs are strings, arrays are lists, and binary values strings of hex digits. `query_server<Row>` reads
    /// them as the fields of `Row`. More rows than `max_rows` are an error, not a part of the result. A call that is
    /// cancelled stops its statement on the server.
    pub(super) struct QueryServer {
        /// The statement.
        #[filled]
        sql: Text,
        /// The address of the server, with the user, the password and the database.
        server: Secret,
        /// The values of the params.
        params: Params = Params(Value::Null),
        /// The most rows of the result.
        #[range(1..=10_000_000)]
        max_rows: i64 = 10_000,
        /// Certificates in PEM, one of which has signed that of the server; by default the known authorities.
        ca: Option<Text> = None,
    }
}

const WRONG_ADDRESS: Example = Example::err(
    "Not the address of a server",
    r#"secret shop
"select 1" >> database.query_server(server: shop)"#,
    "begins with neither `postgres://` nor `mysql://`",
)
.answered(&[("SVC_SECRET_SHOP", "shop.db")], &[]);

impl Op for QueryServer {
    const NAME: &'static str = "query_server";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);
    const GENERIC: Generic = Generic::Rows;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Web("server"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const LIMITS: Limits = LIMITS;
    const SAYS: &'static [&'static str] = &[
        "query a postgres server",
        "select rows from postgresql",
        "read from a mysql or mariadb server",
        "rows of a remote database server",
        "connect to a postgres database with a password",
    ];
    const EXAMPLES: &'static [Example] = &[
        WRONG_ADDRESS,
        Example::err(
            "A statement that writes",
            r#"secret shop
"delete from goods" >> database.query_server(server: shop)"#,
            "expected a statement that reads, found `DELETE`",
        )
        .answered(&[("SVC_SECRET_SHOP", "postgres://ann:pw@db.example/shop")], &[]),
    ];
}

#[cfg(feature = "servers")]
impl Io for QueryServer {
    async fn run(self, cx: &Cx) -> Result<Found, OpError> {
        let database = svc_servers::Database { address: &self.server, ca: self.ca.as_deref() };
        let most = super::most(self.max_rows);
        let table = svc_servers::query(cx, &database, &self.sql, &self.params.0, most).await?;
        svc_sqlite::typed(&table, cx.wanted())
    }
}

params! {
    /// Runs statements of SQL that change a database of a PostgreSQL, MySQL or MariaDB server, in one transaction.
    ///
    /// Several statements are separated by `;`: all of them are kept, or nothing. Params with names, `:name`, may be used in
    /// all of them; a list is for one statement. `BEGIN`, `COMMIT`, `COPY` and the like are refused. MySQL keeps a
    /// statement such as `CREATE TABLE` at once, so there it must be the only one. A write is never repeated by itself.
    pub(super) struct ExecuteServer {
        /// The statements.
        #[filled]
        sql: Text,
        /// The address of the server, with the user, the password and the database.
        server: Secret,
        /// The values of the params.
        params: Params = Params(Value::Null),
        /// Certificates in PEM, one of which has signed that of the server; by default the known authorities.
        ca: Option<Text> = None,
    }
}

impl Op for ExecuteServer {
    const NAME: &'static str = "execute_server";
    const YIELDS: Scheme = Changed::SCHEME;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Web("server"), idempotent: false }];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const LIMITS: Limits = LIMITS;
    const SAYS: &'static [&'static str] = &[
        "insert into a postgres table",
        "update rows of a mysql server",
        "run statements on a postgresql server in a transaction",
        "create a table on a database server",
        "write to a remote database server",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::err(
            "Not the address of a server",
            r#"secret shop
"delete from goods" >> database.execute_server(server: shop)"#,
            "begins with neither `postgres://` nor `mysql://`",
        )
        .answered(&[("SVC_SECRET_SHOP", "shop.db")], &[]),
        Example::err(
            "The end of the transaction",
            r#"secret shop
"delete from goods; commit" >> database.execute_server(server: shop)"#,
            "a transaction is around all statements: `COMMIT`",
        )
        .answered(&[("SVC_SECRET_SHOP", "postgres://ann:pw@db.example/shop")], &[]),
    ];
}

#[cfg(feature = "servers")]
impl Io for ExecuteServer {
    async fn run(self, cx: &Cx) -> Result<Found, OpError> {
        let database = svc_servers::Database { address: &self.server, ca: self.ca.as_deref() };
        let rows = svc_servers::execute(cx, &database, &self.sql, &self.params.0).await?;
        Ok(Changed { rows }.encode())
    }
}
