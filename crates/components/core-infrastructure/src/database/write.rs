//! Ops that change a database.

use super::{
    Compute, Cx, ERRORS, Effect, ErrorKind, Example, Field, Limits, Op, OpError, Params, PathBuf,
    Rows, Scheme, Scope, Session, Text, Value, params, record,
};

record! {
    /// What a change of a database did.
    pub(super) struct Changed {
        /// The number of rows that were added, changed or removed.
        rows: i64,
    }
}

record! {
    /// A database after its steps.
    struct Migrated {
        /// The number of steps that it has.
        version: i64,
    }
}

const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Path("database"), idempotent: false }];

params! {
    /// Runs statements of SQL that change a database of `SQLite`, in one transaction.
    ///
    /// Several statements are separated by `;`: all of them are kept, or nothing, also if the program is killed.
    /// Params with names, `:name`, may be used in all of them; a list is for one statement. A missing database is
    /// created. References are enforced. Statements cannot attach other files, load code, or set pragmas.
    pub(super) struct Execute {
        /// The statements.
        #[filled]
        sql: Text,
        /// The file of the database.
        database: PathBuf,
        /// The values of the params.
        params: Params = Params(Value::Null),
    }
}

impl Op for Execute {
    const NAME: &'static str = "execute";
    const YIELDS: Scheme = Changed::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "insert into a sqlite table",
        "update or delete rows of a database",
        "run sql statements in a transaction",
        "create a table in a database",
        "change a database with sql",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "All or nothing",
            r#""create table goods (id integer primary key, name text); insert into goods (name) values (:name)"
  >> database.execute(database: "x.db", params: { name: "tea" })"#,
            r#"{"rows":1}"#,
        ),
        Example::err(
            "Another database",
            r#""attach 'y.db' as y" >> database.execute(database: "x.db")"#,
            "cannot attach other databases",
        ),
        Example::err(
            "A missing param",
            r#""select ?, ?" >> database.execute(database: "x.db", params: [1])"#,
            "expected 2 params, found 1",
        ),
    ];
}

impl Compute for Execute {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let rows = Session::write(cx, &self.database, |it| it.execute(&self.sql, &self.params.0))?;
        Ok(Changed { rows }.encode())
    }
}

params! {
    /// Adds rows to a table of a database of `SQLite`, all or nothing.
    ///
    /// A missing database or table is created, with a column for each field. A bool is kept as 0 or 1; dates,
    /// times, durations and money as their texts, and lists and records as JSON: `query<Row>` reads them again.
    pub(super) struct Import {
        /// The rows.
        rows: Rows,
        /// The file of the database.
        database: PathBuf,
        /// The table.
        #[filled]
        table: Text,
    }
}

impl Op for Import {
    const NAME: &'static str = "import";
    const YIELDS: Scheme = Changed::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "save rows into a sqlite database",
        "load a csv into a database table",
        "append records to a sqlite table",
        "import a table into app.db",
        "make a database of rows",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two rows",
            r#"[{ id: 1, name: "tea" }, { id: 2, name: "jam" }] >> database.import(database: "x.db", table: "goods")"#,
            r#"{"rows":2}"#,
        ),
        Example::err(
            "Names that SQL does not distinguish",
            r#"[{ id: 1, ID: 2 }] >> database.import(database: "x.db", table: "t")"#,
            "duplicate column `ID`",
        ),
    ];
}

impl Compute for Import {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let rows = self.rows.columns()?;
        let rows = Session::write(cx, &self.database, |it| it.import(&self.table, &rows))?;
        Ok(Changed { rows }.encode())
    }
}

params! {
    /// Brings a database to a version: runs the steps that it has not seen yet, each in a transaction.
    ///
    /// A step is one or several statements. The number of steps is kept in the database (`user_version`), so calling
    /// this again changes nothing. Add steps at the end; those that were applied are never run again. A
    /// missing database is created.
    pub(super) struct Migrate {
        /// The file of the database.
        database: PathBuf,
        /// The steps, oldest first.
        #[filled]
        steps: Vec<Text>,
    }
}

impl Op for Migrate {
    const NAME: &'static str = "migrate";
    const YIELDS: Scheme = Migrated::SCHEME;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("database"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "migrate a database schema",
        "apply schema changes once",
        "bring app.db to the newest version",
        "versioned migrations of sqlite",
        "upgrade the tables of a database",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two steps",
            r#"database.migrate(database: "x.db", steps: ["create table t (a)", "alter table t add column b"])"#,
            r#"{"version":2}"#,
        ),
        Example::err(
            "A wrong step",
            r#"database.migrate(database: "x.db", steps: ["create table t (a)", "alter table u add column b"])"#,
            "step 2: no such table: u",
        ),
    ];
}

impl Compute for Migrate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let version = Session::write(cx, &self.database, |it| it.migrate(&self.steps))?;
        Ok(Migrated { version }.encode())
    }
}
