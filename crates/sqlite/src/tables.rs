//! Tables in columns as tables of a database.

use std::{cmp::Ordering, collections::HashSet, sync::Arc, time::Duration};

use rusqlite::{
    Connection,
    config::DbConfig,
    fallible_iterator::FallibleIterator as _,
    types::{ToSqlOutput, Value as Sql, ValueRef},
};
use svc_columns::{Cell, Column, Data, Kind, Other as _, Table};
use svc_contract::{
    registry::{Cx, OpError, nearest},
    value::{Text, Value},
};

use crate::{
    bind,
    error::{Trouble, quoted},
    rows::writes,
    rules::Allowed,
    schema::{columns, known_names, table_name},
    session::{Session, several},
};

const ROWS_PER_CHECK: usize = 4096;

impl Session<'_> {
    /// Adds rows to a table, all or nothing; creates the table if it is missing.
    pub fn import(&self, name: &str, rows: &Table<Value>) -> Result<i64, OpError> {
        if rows.names.is_empty() {
            let message = "expected rows with at least one field, found none";
            return Err(OpError::invalid_input(message)
                .help("an empty table has no columns: create it with `database.execute`"));
        }
        self.all_or_nothing(|it| it.by_itself(|it| it.fill(name, rows)))?;
        Ok(i64::try_from(rows.len()).unwrap_or(i64::MAX))
    }

    fn fill(&self, name: &str, rows: &Table<Value>) -> Result<(), OpError> {
        let table = table_name(name)?;
        let known = self.patiently(|db| columns(db, name))?;
        let declared = declared(rows, "TEXT")?;
        if known.is_empty() {
            self.unguarded(&format!("CREATE TABLE {table} ({declared})"))?;
        } else {
            for column in rows.names.iter() {
                if !known.iter().any(|it| it.name.eq_ignore_ascii_case(column)) {
                    let failed = OpError::invalid_input(format!(
                        "the table `{name}` has no column `{column}`"
                    ));
                    let near = nearest(column, known.iter().map(|it| it.name.as_ref()));
                    let names: Vec<String> =
                        known.iter().map(|it| format!("`{}`", it.name)).collect();
                    return Err(failed.help(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("there are {}", names.join(", ")),
                    }));
                }
            }
        }
        self.insert(&table, rows)
    }

    fn insert(&self, table: &str, rows: &Table<Value>) -> Result<(), OpError> {
        if rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = rows.names.iter().map(|it| quoted(it)).collect();
        let places = vec!["?"; names.len()].join(", ");
        let sql = format!("INSERT INTO {table} ({}) VALUES ({places})", names.join(", "));
        let mut insert = self.db.prepare(&sql).map_err(|err| self.trouble(err))?;
        for row in 0..rows.len() {
            if row.is_multiple_of(ROWS_PER_CHECK) {
                self.cx.check()?;
            }
            for (idx, column) in rows.columns.iter().enumerate() {
                let cell = cell(column.cell(row)).map_err(|why| {
                    let column = &rows.names[idx];
                    OpError::invalid_input(format!("row {}: column `{column}`: {why}", row + 1))
                })?;
                insert.raw_bind_parameter(idx + 1, cell).map_err(|err| self.trouble(err))?;
            }
            insert.raw_execute().map_err(|err| {
                let err = self.trouble(err);
                let message = format!("row {}: {}", row + 1, err.message);
                OpError { message, ..err }
            })?;
        }
        Ok(())
    }
}

fn cell(cell: Cell<'_, Value>) -> Result<ToSqlOutput<'_>, String> {
    Ok(match cell {
        Cell::Null => ToSqlOutput::Borrowed(ValueRef::Null),
        Cell::Int(it) => ToSqlOutput::Borrowed(ValueRef::Integer(it)),
        Cell::Text(it) => ToSqlOutput::Borrowed(ValueRef::Text(it.as_bytes())),
        Cell::Float(it) if it.is_nan() => return Err(bind::NAN.to_owned()),
        Cell::Float(it) => ToSqlOutput::Borrowed(ValueRef::Real(it)),
        Cell::Bool(it) => ToSqlOutput::Borrowed(ValueRef::Integer(it.into())),
        Cell::Other(it) => return bind::cell(it),
        it @ (Cell::Money(_) | Cell::Duration(_) | Cell::Time(_)) => {
            ToSqlOutput::Owned(Sql::Text(Value::of(it).to_string()))
        }
    })
}

/// The rows that a statement selects from tables, at most `most`.
pub fn over_tables(
    cx: &Cx,
    tables: &[(Text, Table<Value>)],
    sql: &str,
    most: usize,
) -> Result<Table<Value>, OpError> {
    let session = Session::in_memory(cx)?;
    session.unguarded("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
    session.patiently(|db| db.create_collation(IN_TIME, in_time))?;
    let tables: Vec<(Text, Table<Value>)> =
        tables.iter().map(|(name, rows)| (name.clone(), counted_all(rows))).collect();
    for (name, rows) in &tables {
        if session.by_itself(|it| it.patiently(|db| columns(db, name)))?.is_empty() {
            // A table without rows has no columns; SQL needs one.
            let declared = if rows.names.is_empty() {
                "\"\"".to_owned()
            } else {
                declared(rows, &format!("TEXT COLLATE {IN_TIME}"))?
            };
            session.unguarded(&format!("CREATE TABLE {} ({declared})", table_name(name)?))?;
        } else {
            let message = format!("two tables have the name `{name}`");
            return Err(OpError::invalid_input(message).help("`input` is the name of the input"));
        }
    }
    session.all_or_nothing(|it| {
        tables
            .iter()
            .try_for_each(|(name, rows)| it.by_itself(|it| it.insert(&table_name(name)?, rows)))
    })?;
    session.allow(Allowed::Reads);
    session.query(sql, &Value::Null, most)
}

/// A table as far as it is known before a run: its name, and its columns.
pub type KnownTable = (Text, Option<Vec<Text>>);

/// Finds what is wrong with a statement over tables before there are rows; with a table whose columns
/// are unknown, or tables that are, only its syntax.
///
/// # Errors
///
/// The statement fails for all rows of these tables.
pub fn test_query(tables: Option<&[KnownTable]>, sql: &str) -> Result<(), OpError> {
    let Ok(db) = Connection::open_in_memory() else { return Ok(()) };
    let is_known = tables.is_some_and(|all| all.iter().all(|(_, columns)| columns.is_some()))
        && create_known(&db, tables.unwrap_or_default()).is_ok();
    let wrong = |err| {
        let is_certain = is_known || is_syntax(&err);
        if is_certain { Err(Trouble::unstopped(err).explained(&known_names(&db))) } else { Ok(()) }
    };
    let mut all = rusqlite::Batch::new(&db, sql);
    match all.next() {
        Ok(Some(statement)) if !statement.readonly() => Err(writes()),
        Ok(Some(_)) if matches!(all.next(), Ok(Some(_))) => Err(several()),
        Ok(_) => Ok(()),
        Err(err) => wrong(err),
    }
}

fn create_known(db: &Connection, tables: &[KnownTable]) -> Result<(), ()> {
    // `"name"` is a column, and never a text, as in a run.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false).map_err(|_| ())?;
    for (name, columns) in tables {
        let columns: Vec<String> = columns.iter().flatten().map(|it| quoted(it)).collect();
        // A table without columns is one of which nothing is known.
        let name = table_name(name).map_err(|_| ())?;
        let create = format!("CREATE TABLE {name} ({})", columns.join(", "));
        db.execute_batch(&create).map_err(|_| ())?;
    }
    Ok(())
}

/// Whether a statement cannot be read, whatever the tables are.
fn is_syntax(err: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqlInputError { msg, .. } = err else { return false };
    msg.ends_with(": syntax error")
        || msg == "incomplete input"
        || msg.starts_with("unrecognized token")
}

/// The columns as SQL counts with them.
fn counted_all(rows: &Table<Value>) -> Table<Value> {
    let columns = rows.columns.iter().map(counted).collect();
    Table::new(rows.names.clone(), columns, rows.len())
}

/// Money as its amount, and a duration as its seconds.
fn counted(column: &Arc<Column<Value>>) -> Arc<Column<Value>> {
    const NANOS: f64 = 1e9;
    #[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
    let data = match &column.data {
        Data::Money(all) => Data::Float(all.iter().map(|it| *it as f64 / NANOS).collect()),
        Data::Duration(all) => Data::Float(all.iter().map(Duration::as_secs_f64).collect()),
        _ => return column.clone(),
    };
    Arc::new(Column { data, valid: column.valid.clone() })
}

/// The order of texts in which those of times are in the order of time: without the `Z`, a time with
/// fractions of a second comes after the same one without.
const IN_TIME: &str = "in_time";

fn in_time(a: &str, b: &str) -> Ordering {
    let [a, b] = [a, b].map(|it| it.strip_suffix('Z').unwrap_or(it));
    a.cmp(b)
}

/// The most columns of a table of `SQLite`, and of a result.
pub(crate) const MOST_COLUMNS: usize = 2000;

/// The columns of a new table, with the types of their values; `times` is that of times.
fn declared(rows: &Table<Value>, times: &str) -> Result<String, OpError> {
    if rows.names.len() > MOST_COLUMNS {
        let message = format!("too many columns: {} (limit {MOST_COLUMNS})", rows.names.len());
        return Err(OpError::invalid_input(message)
            .help("keep the columns that the statement needs, for example with `each { { a: .a, b: .b } }`"));
    }
    let mut seen: HashSet<String> = HashSet::new();
    let mut all = Vec::with_capacity(rows.names.len());
    for (name, column) in rows.names.iter().zip(&rows.columns) {
        // SQL compares names without regard to case.
        let lower = name.to_lowercase();
        if !seen.insert(lower) {
            let message = format!("duplicate column `{name}`: SQL ignores the case of names");
            return Err(OpError::invalid_input(message).help("rename one of the fields"));
        }
        all.push(format!("{} {}", quoted(name), declared_type(column, times)));
    }
    Ok(all.join(", "))
}

fn declared_type<'t>(column: &Column<Value>, times: &'t str) -> &'t str {
    match column.kind() {
        _ if !column.has_values() => "",
        Kind::Int | Kind::Bool => "INTEGER",
        Kind::Float => "REAL",
        Kind::Other => "",
        Kind::Time => times,
        Kind::Text | Kind::Money | Kind::Duration => "TEXT",
    }
}
