//! The tables, and the migrations of older stores.
//!
//! A released migration never changes: a store remembers the checksum of each, and refuses a
//! program with other checksums.

use std::cmp::Ordering;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use svc_contract::{
    registry::HintId,
    store::{StoreError, StoreErrorKind},
};

use super::error::{SqlError, SqlResult};

/// Distinguishes a store from any other `SQLite` file: "svcs".
pub(super) const APPLICATION: i32 = 0x7376_6373;

/// Each migrates a store from the previous version to the next one.
const MIGRATIONS: [&str; 5] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
];

/// The tables of one kind of database.
pub(super) struct Tables<'a> {
    /// Distinguishes its files from any other `SQLite` file.
    pub(super) application: i32,
    /// Each migrates a file from the previous version to the next one.
    pub(super) migrations: &'a [&'a str],
}

/// Those of a store of runs.
pub(super) const RUNS: Tables<'static> =
    Tables { application: APPLICATION, migrations: &MIGRATIONS };

const LEDGER: &str = "CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER NOT NULL PRIMARY KEY,
    checksum BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT";

/// Migrates a store of runs: completely, or not at all.
pub(super) fn migrate(connection: &mut Connection, now: i64) -> SqlResult<()> {
    migrate_by(&RUNS, connection, now)
}

/// Migrates a database: completely, or not at all.
pub(super) fn migrate_by(
    tables: &Tables<'_>,
    connection: &mut Connection,
    now: i64,
) -> SqlResult<()> {
    let migrations = tables.migrations;
    if version(connection)? == migrations.len() && tables.own(connection)? {
        return verify(migrations, connection);
    }
    let own = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    let there = version(&own)?;
    if there == 0 && !is_empty(&own)? || there > 0 && !tables.own(&own)? {
        return Err(foreign());
    }
    if there > migrations.len() {
        return Err(newer(&own));
    }
    own.execute(LEDGER, [])?;
    verify(&migrations[..there], &own)?;
    for (idx, sql) in migrations.iter().enumerate().skip(there) {
        own.execute_batch(sql)?;
        own.execute(
            "INSERT INTO migrations (version, checksum, at) VALUES (?1, ?2, ?3)",
            params![idx + 1, blake3::hash(sql.as_bytes()).as_bytes(), now],
        )?;
    }
    if there == 0 {
        own.pragma_update(None, "application_id", tables.application)?;
        own.execute("INSERT INTO mark (one, commits) VALUES (1, 1)", [])?;
        rename(&own)?;
    }
    own.execute(
        "INSERT OR REPLACE INTO meta (name, value) VALUES ('svc', ?1)",
        [env!("CARGO_PKG_VERSION")],
    )?;
    own.pragma_update(None, "user_version", migrations.len())?;
    Ok(own.commit()?)
}

/// Whether the tables are of the current version. Newer and foreign tables are an error.
pub(super) fn is_current(connection: &Connection) -> SqlResult<bool> {
    let there = version(connection)?;
    if !RUNS.own(connection)? {
        return Err(foreign());
    }
    match there.cmp(&MIGRATIONS.len()) {
        Ordering::Less => Ok(false),
        Ordering::Equal => verify(&MIGRATIONS, connection).map(|()| true),
        Ordering::Greater => Err(newer(connection)),
    }
}

/// Gives a store a new identity for its mark.
pub(super) fn rename(connection: &Connection) -> SqlResult<()> {
    let id = format!("{:016x}", fastrand::u64(..));
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('store', ?1)", [id])?;
    Ok(())
}

/// The identity of a store, which its mark contains.
pub(super) fn identity(connection: &Connection) -> SqlResult<u64> {
    let sql = "SELECT value FROM meta WHERE name = 'store'";
    let id: Option<String> = connection.query_row(sql, [], |it| it.get(0)).optional()?;
    let id = id.and_then(|it| u64::from_str_radix(&it, 16).ok());
    Ok(id.ok_or_else(|| StoreError::corrupt("it has no identity"))?)
}

/// The number of commits in the database.
pub(super) fn commits(connection: &Connection) -> SqlResult<u64> {
    let commits: i64 =
        connection.query_row("SELECT commits FROM mark WHERE one = 1", [], |it| it.get(0))?;
    Ok(u64::try_from(commits)
        .map_err(|_| StoreError::corrupt("its count of commits is negative"))?)
}

/// The version of the tables, 0 without tables. A newer one is refused by the migration.
pub(super) fn version(connection: &Connection) -> SqlResult<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |it| it.get(0))?;
    Ok(usize::try_from(version).map_err(|_| StoreError::corrupt("its version is negative"))?)
}

impl Tables<'_> {
    /// Whether a file is marked as a database of this kind.
    pub(super) fn own(&self, connection: &Connection) -> SqlResult<bool> {
        let id: i32 = connection.pragma_query_value(None, "application_id", |it| it.get(0))?;
        Ok(id == self.application)
    }
}

fn is_empty(connection: &Connection) -> SqlResult<bool> {
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |it| it.get(0))?;
    Ok(tables == 0)
}

fn foreign() -> SqlError {
    let message = "the file is a database, but not a store of svc";
    StoreError::new(StoreErrorKind::Foreign, message).help(HintId::StoreFile).into()
}

fn newer(connection: &Connection) -> SqlError {
    let sql = "SELECT value FROM meta WHERE name = 'svc'";
    let maker: Option<String> = connection.query_row(sql, [], |it| it.get(0)).ok();
    let maker = maker.map_or_else(String::new, |it| format!(" ({it})"));
    let message = format!("the store was made by a newer svc{maker}");
    StoreError::new(StoreErrorKind::Newer, message).help(HintId::StoreNewer).into()
}

/// Checks that the applied migrations are those of this program.
fn verify(migrations: &[&str], connection: &Connection) -> SqlResult<()> {
    let mut rows = connection.prepare("SELECT checksum FROM migrations ORDER BY version")?;
    let known: rusqlite::Result<Vec<Vec<u8>>> = rows.query_map([], |it| it.get(0))?.collect();
    let ours = migrations.iter().map(|it| blake3::hash(it.as_bytes()).as_bytes().to_vec());
    if known?.into_iter().eq(ours) {
        return Ok(());
    }
    let message = "the store was made by a development version of svc with other tables";
    Err(StoreError::new(StoreErrorKind::Newer, message).help(HintId::StoreFile).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migrated(migrations: &[&str], connection: &mut Connection) -> SqlResult<()> {
        migrate_by(&Tables { migrations, ..RUNS }, connection, 0)
    }

    #[test]
    fn a_store_is_brought_up_to_date_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, 0).unwrap();
        let id = identity(&connection).unwrap();
        let more = [&MIGRATIONS[..], &["CREATE TABLE more (it TEXT) STRICT"]].concat();
        migrated(&more, &mut connection).unwrap();
        migrated(&more, &mut connection).unwrap();
        connection.execute("INSERT INTO more (it) VALUES ('a')", []).unwrap();
        assert_eq!(identity(&connection).unwrap(), id);
        assert_eq!(version(&connection).unwrap(), more.len());
    }

    /// The recorded usage of nodes becomes payments, and so does unrecorded usage.
    #[test]
    fn what_was_spent_before_there_were_payments_is_kept() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrated(&MIGRATIONS[..3], &mut connection).unwrap();
        connection
            .execute_batch(
                r#"INSERT INTO runs (no, id, script, text, folder, params, bounds, version, state,
                    started, tokens, cost) VALUES
                    (1, 'a', 's', x'00', '', '', '', '', 'failed', 7, 100, 900),
                    (2, 'b', 's', x'00', '', '', '', '', 'running', 7, 0, 0);
                INSERT INTO ops (no, component, op, version) VALUES (1, 'llm_router', 'ask', 1);
                INSERT INTO nodes (run, path, key, op, state, attempts, started, took, tokens, cost,
                    about, origin) VALUES
                    (1, 'free', zeroblob(32), 1, 'done', 1, 8, 0, 0, 0, '{}', NULL),
                    (1, 'paid', zeroblob(32), 1, 'done', 1, 8, 0, 10, 200, '{}', 'z'),
                    (1, 'lost', zeroblob(32), 1, 'failed', 1, 9, 0, 20, 300, 'no json', NULL),
                    (2, 'begun', zeroblob(32), 1, 'intended', 0, 9, 0, 0, 0,
                        '{"most":{"tokens":5,"cost":50}}', NULL);"#,
            )
            .unwrap();
        migrate(&mut connection, 0).unwrap();
        let sql = "SELECT run || ' ' || path || ' ' || op || ' ' || most_tokens || ' ' || most_cost
            || ' ' || coalesce(cost, 'open') || ' ' || coalesce(origin, '') FROM payments
            ORDER BY run, number";
        let mut found = connection.prepare(sql).unwrap();
        let rows: Vec<String> =
            found.query_map([], |it| it.get(0)).unwrap().map(|it| it.unwrap()).collect();
        let wanted = [
            "1   70 400 400 ",
            "1 paid llm_router.ask 10 200 200 z",
            "1 lost llm_router.ask 20 300 300 ",
            "2 begun llm_router.ask 5 50 open ",
        ];
        assert_eq!(rows, wanted);
    }

    #[test]
    fn a_newer_store_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        let more = [&MIGRATIONS[..], &["CREATE TABLE more (it TEXT)"]].concat();
        migrated(&more, &mut connection).unwrap();
        connection.execute("UPDATE meta SET value = '9.1.0' WHERE name = 'svc'", []).unwrap();
        let err = migrate(&mut connection, 0).unwrap_err();
        assert_eq!(err.0.kind, StoreErrorKind::Newer);
        assert_eq!(err.0.message, "the store was made by a newer svc (9.1.0)");
    }

    #[test]
    fn a_changed_migration_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        let changed = MIGRATIONS[0].replace("-- Times", "-- times");
        migrated(&[&changed], &mut connection).unwrap();
        let err = migrate(&mut connection, 0).unwrap_err();
        assert_eq!(err.0.kind, StoreErrorKind::Newer);
        let err = migrated(&[MIGRATIONS[0], "CREATE TABLE more (it TEXT)"], &mut connection);
        assert_eq!(err.unwrap_err().0.kind, StoreErrorKind::Newer);
        assert_eq!(version(&connection).unwrap(), 1);
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, 0).unwrap();
        migrated(&[MIGRATIONS[0], "CREATE TABLE more (it TEXT); nonsense"], &mut connection)
            .unwrap_err();
        migrate(&mut connection, 0).unwrap();
    }

    #[test]
    fn the_database_of_another_program_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute("CREATE TABLE theirs (it TEXT)", []).unwrap();
        let err = migrate(&mut connection, 0).unwrap_err();
        assert_eq!(err.0.message, "the file is a database, but not a store of svc");
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |it| it.get(0)).unwrap();
        assert_eq!(tables, 1);
    }
}
