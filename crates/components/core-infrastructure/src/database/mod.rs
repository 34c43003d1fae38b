//! Databases: rows by SQL, changes, the schema, plans of statements. Files of `SQLite`, and servers.

use std::path::PathBuf;

use svc_contract::{
    needs,
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Field, Generic, Limits, Max, Op,
        OpError, Rows, Scheme, Scope, Tool, compute, params, record,
    },
    value::{Text, Value, arithmetic::LONGEST_LIST},
};
use svc_sqlite::{DbSchema, Explained, Session, typed};

mod servers;
mod write;

use servers::{ExecuteServer, QueryServer};
use write::{Changed, Execute, Import, Migrate};

pub(super) const COMPONENT: Component = Component {
    name: "database",
    cluster: "core-infrastructure",
    summary: "Databases of SQLite, PostgreSQL and MySQL: queries, changes in transactions, import, schema, plans.",
    version: 1,
    bias: Bias::new(
        "statements of SQL with bound params; results as columns",
        &[
            "the file is a database of SQLite 3; a server runs PostgreSQL, MySQL or MariaDB",
            "the journal next to it belongs to it",
            "texts are UTF-8",
        ],
    ),
    aliases: &[("query", "infer")],
    ops: &[
        compute::<Infer>(),
        compute::<Execute>(),
        compute::<Schema>(),
        compute::<Explain>(),
        compute::<Import>(),
        compute::<Migrate>(),
        needs!("servers", io::<QueryServer>()),
        needs!("servers", io::<ExecuteServer>()),
    ],
};

/// What ops that open a file can fail with.
const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::Denied,
    ErrorKind::Failed,
    ErrorKind::Unavailable,
    ErrorKind::Unsupported,
    ErrorKind::Exhausted,
];

/// Params of statements: a list, or a record with their names.
struct Params(Value);

impl Field for Params {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::Json,
        Scheme::List(&Scheme::Var('P'), Max::Unknown),
        Scheme::Record("record", &[]),
    ]);

    fn decode(value: Value) -> Option<Self> {
        Some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

/// The most rows of a result, within the longest list.
fn most(rows: i64) -> usize {
    usize::try_from(rows).unwrap_or(LONGEST_LIST).min(LONGEST_LIST)
}

params! {
    /// The rows that a statement of SQL selects from a database of `SQLite`.
    ///
    /// The database is only read: a statement that writes, attaches other files or loads code is refused with
    /// an error of kind `invalid_input`. Values belong into `params`, never into the text: a list for `?`, a
    /// record for `:name`. The rows are `json`, with ints, floats and texts as the database keeps them; a
    /// blob is a string of hex digits. `query<Row>` reads them as the fields of `Row`: a bool of 0 or 1, a date
    /// of its text, a blob as bytes. More rows than `max_rows` are an error, not a part of the result. A
    /// database that another program is writing to for more than 5 seconds is an error of kind `unavailable`.
    struct Infer {
        /// The statement.
        #[filled]
        sql: Text,
        /// The file of the database.
        database: PathBuf,
        /// The values of the params.
        params: Params = Params(Value::Null),
        /// The most rows of the result.
        #[range(1..=10_000_000)]
        max_rows: i64 = 10_000,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const TOOL: Option<Tool> = Some(Tool::builder("query_database"));
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Unknown);
    const GENERIC: Generic = Generic::Rows;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("database"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "query a sqlite database",
        "run a select statement on a database",
        "rows of a sqlite file",
        "read from app.db with sql",
        "look up records in a database by sql",
        "select from a database table with params",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Rows with a param",
            r#"let made = [{ id: 1, name: "tea" }, { id: 2, name: "jam" }] >> database.import(database: "x.db", table: "goods")
if made.rows == 2 { "select name from goods where id = ?" >> query(database: "x.db", params: [2]) } else { [] }"#,
            r#"[{"name":"jam"}]"#,
        ),
        Example::err(
            "A file that is not a database",
            r#""select 1" >> query(database: "x.db")"#,
            "not a database of SQLite",
        )
        .with(&[("x.db", "This is a text, and not a database. It is long enough to have a header of its own, which is wrong.")]),
        Example::err("No file", r#""select 1" >> query(database: "x.db")"#, "it does not exist"),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let session = Session::reading(cx, &self.database)?;
        let table = session.query(&self.sql, &self.params.0, most(self.max_rows))?;
        typed(&table, cx.wanted())
    }
}

params! {
    /// The tables and views of a database: columns, keys, indexes and references.
    struct Schema {
        /// The file of the database.
        database: PathBuf,
    }
}

impl Op for Schema {
    const NAME: &'static str = "schema";
    const YIELDS: Scheme = DbSchema::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("database"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "which tables are in a database",
        "columns of a sqlite table",
        "schema of a database file",
        "describe the tables of app.db",
        "indexes and references of a database",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Columns of a new table",
            r#"let made = [{ id: 1, name: "tea" }] >> database.import(database: "x.db", table: "goods")
if made.rows == 1 { path("x.db") >> database.schema >> .tables >> each { .columns >> each { "${.name} ${.type}" } } } else { [] }"#,
            r#"[["id INTEGER","name TEXT"]]"#,
        ),
        Example::err("No file", r#"database.schema(database: "x.db")"#, "it does not exist"),
    ];
}

impl Compute for Schema {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(Session::reading(cx, &self.database)?.schema()?.encode())
    }
}

params! {
    /// How a database would run a statement, and which indexes would help it.
    ///
    /// The statement is not run. Indexes on the columns that it reads are tried out in an empty copy of the
    /// schema; those that the database would use to find or order rows are suggested, as statements for
    /// `database.execute`.
    struct Explain {
        /// The statement.
        #[filled]
        sql: Text,
        /// The file of the database.
        database: PathBuf,
    }
}

impl Op for Explain {
    const NAME: &'static str = "explain";
    const YIELDS: Scheme = Explained::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("database"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "why is this sql query slow",
        "query plan of a statement",
        "which index does a query need",
        "suggest an index for sql",
        "explain query plan of sqlite",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A missing index",
            r#"let made = [{ id: 1, name: "tea" }] >> database.import(database: "x.db", table: "goods")
if made.rows == 1 { "select id from goods where name = ?" >> database.explain(database: "x.db") >> .suggestions } else { [] }"#,
            r#"["CREATE INDEX \"goods_name\" ON \"goods\"(\"name\")"]"#,
        ),
        Example::err(
            "No file",
            r#""select 1" >> database.explain(database: "x.db")"#,
            "it does not exist",
        ),
    ];
}

impl Compute for Explain {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(Session::reading(cx, &self.database)?.explain(&self.sql)?.encode())
    }
}
