//! What is in a database.

use rusqlite::Connection;
use svc_contract::{record, registry::OpError, value::Text};

use crate::{
    error::{Known, quoted},
    session::Session,
};

record! {
    /// What is in a database.
    pub struct DbSchema {
        /// The tables and views, by name.
        pub tables: Vec<DbTable>,
        /// The number of steps that `database.migrate` has applied.
        pub version: i64,
    }
}

record! {
    /// A table or view of a database.
    pub struct DbTable {
        /// Its name.
        pub name: Text,
        /// `table`, `view` or `virtual`.
        pub kind: Text,
        /// Its columns, in order.
        pub columns: Vec<DbColumn>,
        /// Its indexes.
        pub indexes: Vec<DbIndex>,
        /// Its references to other tables.
        pub references: Vec<DbReference>,
        /// The statement that made it.
        pub sql: Option<Text>,
    }
}

record! {
    /// A column of a table.
    pub struct DbColumn {
        /// Its name.
        pub name: Text,
        /// The type with which it was declared; empty if there is none.
        pub r#type: Text,
        /// Whether it may be null.
        pub nullable: bool,
        /// Its place in the primary key, from 1; 0 if it is not a part of it.
        pub key: i64,
        /// The default, as an expression of SQL.
        pub default: Option<Text>,
    }
}

record! {
    /// An index of a table.
    pub struct DbIndex {
        /// Its name.
        pub name: Text,
        /// The columns, in order; an expression is empty.
        pub columns: Vec<Text>,
        /// Whether two rows cannot have the same values.
        pub unique: bool,
    }
}

record! {
    /// A reference from a column to one of another table.
    pub struct DbReference {
        /// The column.
        pub column: Text,
        /// The other table.
        pub table: Text,
        /// Its column; none if it is the primary key.
        pub to: Option<Text>,
    }
}

impl Session<'_> {
    /// The tables and views with their columns.
    pub fn schema(&self) -> Result<DbSchema, OpError> {
        self.by_itself(|it| it.patiently(schema))
    }
}

fn schema(db: &Connection) -> rusqlite::Result<DbSchema> {
    let version = db.query_row("PRAGMA user_version", [], |it| it.get(0))?;
    let mut list = db.prepare(
        "SELECT l.name, l.type, s.sql FROM pragma_table_list l LEFT JOIN sqlite_schema s ON s.name = l.name
         WHERE l.schema = 'main' AND l.type != 'shadow' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY l.name",
    )?;
    let mut tables = Vec::new();
    let mut rows = list.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let kind: String = row.get(1)?;
        let sql: Option<String> = row.get(2)?;
        tables.push(DbTable {
            columns: columns(db, &name)?,
            indexes: indexes(db, &name)?,
            references: references(db, &name)?,
            name: name.into(),
            kind: kind.into(),
            sql: sql.map(Text::from),
        });
    }
    Ok(DbSchema { tables, version })
}

pub(crate) fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<DbColumn>> {
    let mut query = db.prepare("SELECT * FROM pragma_table_info(?)")?;
    let found = query.query_map([table], |row| {
        Ok(DbColumn {
            name: text(row, 1)?,
            r#type: text(row, 2)?,
            nullable: !row.get::<_, bool>(3)?,
            default: row.get::<_, Option<String>>(4)?.map(Text::from),
            key: row.get(5)?,
        })
    })?;
    found.collect()
}

fn indexes(db: &Connection, table: &str) -> rusqlite::Result<Vec<DbIndex>> {
    let mut query =
        db.prepare("SELECT name, \"unique\" FROM pragma_index_list(?) ORDER BY name")?;
    let found = query.query_map([table], |row| Ok((text(row, 0)?, row.get(1)?)))?;
    let mut all = Vec::new();
    for it in found {
        let (name, unique) = it?;
        let mut query = db.prepare("SELECT coalesce(name, '') FROM pragma_index_info(?)")?;
        let columns = query.query_map([name.as_ref()], |row| text(row, 0))?;
        let columns = columns.collect::<rusqlite::Result<_>>()?;
        all.push(DbIndex { name, columns, unique });
    }
    Ok(all)
}

fn references(db: &Connection, table: &str) -> rusqlite::Result<Vec<DbReference>> {
    let mut query =
        db.prepare("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?)")?;
    let found = query.query_map([table], |row| {
        Ok(DbReference {
            column: text(row, 0)?,
            table: text(row, 1)?,
            to: row.get::<_, Option<String>>(2)?.map(Text::from),
        })
    })?;
    found.collect()
}

fn text(row: &rusqlite::Row<'_>, idx: usize) -> rusqlite::Result<Text> {
    row.get::<_, String>(idx).map(Text::from)
}

/// The names of tables and of their columns, as far as they can be read.
pub(crate) fn known_names(db: &Connection) -> Known {
    let all = |sql: &str| -> rusqlite::Result<Vec<String>> {
        db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
    };
    let tables = all(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    );
    let tables = tables.unwrap_or_default();
    let columns = tables.iter().flat_map(|it| {
        all(&format!("SELECT name FROM pragma_table_info({})", literal(it))).unwrap_or_default()
    });
    Known { columns: columns.collect(), tables }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The name of a table in a statement; an error if a table cannot have it.
pub(crate) fn table_name(name: &str) -> Result<String, OpError> {
    if name.trim().is_empty() || name.contains('\0') {
        return Err(OpError::invalid_input(format!("invalid name of a table: {name:?}")));
    }
    if name.to_ascii_lowercase().starts_with("sqlite_") {
        let message = format!("invalid name of a table: `{name}` is reserved for SQLite");
        return Err(OpError::invalid_input(message).help("choose another name"));
    }
    Ok(quoted(name))
}
