//! How a statement would be run, and which indexes would help it.

use std::fmt::Write as _;

use rusqlite::Connection;
use svc_contract::{record, registry::OpError, value::Text};

use crate::{
    error::quoted,
    rules::{Allowed, Reads},
    session::Session,
};

record! {
    /// How a statement would be run.
    pub struct Explained {
        /// The steps of the database, one a line; what a step contains is indented.
        pub plan: String,
        /// Statements that would make it quicker.
        pub suggestions: Vec<Text>,
    }
}

/// Names of indexes that are tried out.
const TRIED: &str = "svc_tried_";

/// A step of a plan: its number, the one that contains it, and what it does.
type Step = (i64, i64, String);

impl Session<'_> {
    /// The plan of a statement, which is not run.
    pub fn explain(&self, sql: &str) -> Result<Explained, OpError> {
        // Nothing is run, so a statement that writes can be explained, too.
        self.allow(Allowed::Writes);
        self.rules.note_reads();
        drop(self.one(sql)?);
        let reads = self.rules.take_reads();
        let explained = format!("EXPLAIN QUERY PLAN {sql}");
        let steps = self.by_itself(|it| it.patiently(|db| steps(db, &explained)))?;
        let suggestions = self.by_itself(|it| {
            // Without a copy of the schema there is nothing to try out.
            suggestions(&it.db, &explained, &steps, &reads).unwrap_or_default()
        });
        Ok(Explained { plan: shown(&steps), suggestions })
    }
}

fn steps(db: &Connection, explained: &str) -> rusqlite::Result<Vec<Step>> {
    let mut query = db.prepare(explained)?;
    let mut rows = query.raw_query();
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push((row.get(0)?, row.get(1)?, row.get(3)?));
    }
    Ok(all)
}

fn shown(steps: &[Step]) -> String {
    let mut text = String::new();
    let mut depths: Vec<(i64, usize)> = vec![(0, 0)];
    for (id, parent, what) in steps {
        let depth = depths.iter().find(|it| it.0 == *parent).map_or(0, |it| it.1);
        depths.push((*id, depth + 1));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{what}", "  ".repeat(depth));
    }
    text.trim_end().to_owned()
}

/// How often a plan sorts rows, or looks at all of them.
fn sorts(steps: &[Step]) -> usize {
    steps.iter().filter(|it| it.2.starts_with("USE TEMP B-TREE")).count()
}

/// Indexes that the database would use if they were there: they are tried out in an empty copy.
fn suggestions(
    db: &Connection,
    explained: &str,
    steps_now: &[Step],
    reads: &Reads,
) -> rusqlite::Result<Vec<Text>> {
    let copy = Connection::open_in_memory()?;
    let mut query = db.prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'view', type = 'index', rowid",
    )?;
    let all: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for sql in all {
        // Virtual tables and the tables of SQLite itself have no indexes, and may not be created.
        let _ = copy.execute_batch(&sql);
    }
    let mut tried = Vec::new();
    for (idx, (table, column)) in reads.iter().enumerate() {
        if has_index(&copy, table, column)? {
            continue;
        }
        let on = format!("ON {}({})", quoted(table), quoted(column));
        if copy.execute_batch(&format!("CREATE INDEX {TRIED}{idx} {on}")).is_ok() {
            tried.push((format!("{TRIED}{idx}"), table, column));
        }
    }
    let steps_then = steps(&copy, explained)?;
    let sorts_less = sorts(&steps_then) < sorts(steps_now);
    let helps = |name: &str| {
        let named = |it: &&Step| it.2.split(' ').any(|word| word == name);
        steps_then.iter().filter(named).any(|it| it.2.starts_with("SEARCH") || sorts_less)
    };
    let useful = tried.iter().filter(|it| helps(&it.0));
    Ok(useful
        .map(|(_, table, column)| {
            let name = quoted(&format!("{table}_{column}"));
            format!("CREATE INDEX {name} ON {}({})", quoted(table), quoted(column)).into()
        })
        .collect())
}

/// Whether an index begins with this column.
fn has_index(db: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    db.query_row(
        "SELECT EXISTS (SELECT 1 FROM pragma_index_list(?1) l, pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = ?2)",
        [table, column],
        |row| row.get(0),
    )
}
