//! Runs of svc in a file of the SQLite that sqlx has compiled into this program.

use std::sync::Arc;

use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use svc::store::{SqliteStore, Store};

use crate::Result;

/// Runs a script twice with a store, and counts the runs with sqlx.
pub(crate) async fn runs_are_kept() -> Result {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("runs.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&file, 1)?);
    let engine = svc::engine().with_store(store.clone());
    for word in ["a", "b"] {
        let upper: String = engine.run("upper").input(word).await?.get()?;
        assert_eq!(upper, word.to_uppercase());
    }
    store.flush().await?;

    let options = SqliteConnectOptions::new().filename(&file).read_only(true);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let count: i64 =
        sqlx::query_scalar("select count(*) from runs").fetch_one(&mut connection).await?;
    assert_eq!(count, 2);
    let version: String =
        sqlx::query_scalar("select sqlite_version()").fetch_one(&mut connection).await?;
    println!("store: svc kept {count} runs, which sqlx reads, by SQLite {version}");
    Ok(())
}
