//! Scripts over real databases: what other programs see, policies, and processes that are killed.

mod logic;
#[cfg(all(feature = "servers", unix))]
mod servers;

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use svc::{Engine, Policy};
use svc_contract::value::json;
use svc_host_os::OsHost;

async fn result(engine: &Engine, script: &str) -> String {
    match engine.run(script.to_owned()).await {
        Ok(it) => json::write(&it.value),
        Err(err) => err.to_string(),
    }
}

fn engine() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default()))
}

fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

#[tokio::test]
async fn a_database_of_another_program_is_read_and_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let other = Connection::open(&file).unwrap();
    other
        .execute_batch(
            "create table t (a integer, b text); insert into t values (1, 'x'), (2, null)",
        )
        .unwrap();
    let (engine, file) = (engine(), quoted(&file));
    let rows =
        result(&engine, &format!("\"select * from t order by a\" >> query(database: {file})"))
            .await;
    assert_eq!(rows, r#"[{"a":1,"b":"x"},{"a":2,"b":null}]"#);
    let script = format!(
        "\"update t set b = :b where b is null; insert into t values (3, :b)\" >> database.execute(database: {file}, params: {{ b: \"it's\" }})"
    );
    assert_eq!(result(&engine, &script).await, r#"{"rows":1}"#.replace('1', "2"));
    let seen: String = other
        .query_row("select group_concat(b) from (select b from t order by a)", [], |it| it.get(0))
        .unwrap();
    assert_eq!(seen, "x,it's,it's");
}

#[tokio::test]
async fn a_failed_write_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    let setup = "create table t (a integer unique); insert into t values (1)";
    Connection::open(&old).unwrap().execute_batch(setup).unwrap();
    let (engine, [old_path, new_path]) = (engine(), [&old, &new].map(|it| quoted(it)));
    for (script, why) in [
        ("\"insert into t values (1)\" >> database.execute(database: DB)", "UNIQUE"),
        ("\"insert inta t\" >> database.execute(database: DB)", "syntax error"),
        ("\"insert into t values (?)\" >> database.execute(database: DB)", "param"),
        ("[{ b: 1 }] >> database.import(database: DB, table: \"t\")", "b"),
        ("[\"drop table missing\"] >> database.migrate(database: DB)", "missing"),
    ] {
        let failed = result(&engine, &script.replace("DB", &old_path)).await;
        assert!(failed.contains(why), "{script}: {failed}");
        let rows: i64 = Connection::open(&old)
            .unwrap()
            .query_row("select count(*) from t", [], |it| it.get(0))
            .unwrap();
        assert_eq!(rows, 1, "{script}");
    }
    let failed = "\"insert into missing values (1)\" >> database.execute(database: DB)";
    result(&engine, &failed.replace("DB", &new_path)).await;
    assert!(!new.exists(), "a database that was never written leaves no file");
}

#[tokio::test]
async fn rows_go_on_as_a_table() {
    let script = r#"
"select region, units from orders" >> query(database: "examples/data/shop.db")
  >> table(by: ["region"], measures: { n: "count()", units: "sum(units)" })
  >> table.sort(by: ["region"])
  >> take(n: 2)
"#;
    let rows = result(&engine(), script).await;
    assert!(rows.starts_with(r#"[{"region":"east","n":"#), "{rows}");
}

#[tokio::test]
async fn a_policy_names_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let [inside, outside] = ["in", "out"].map(|it| folder.path().join(it));
    for it in [&inside, &outside] {
        std::fs::create_dir(it).unwrap();
        Connection::open(it.join("x.db")).unwrap().execute_batch("create table t (a)").unwrap();
    }
    std::os::unix::fs::symlink(outside.join("x.db"), inside.join("link.db")).unwrap();
    let policy = ["reads", "writes"].into_iter().fold(Policy::default(), |it, verb| {
        it.allow(&format!("{verb} fs:{}", inside.display())).unwrap()
    });
    let engine = engine().with_policy(policy);
    let read = |file: &Path| format!("\"select a from t\" >> query(database: {})", quoted(file));
    let write = |file: &Path| {
        format!("\"insert into t values (1)\" >> database.execute(database: {})", quoted(file))
    };
    assert_eq!(result(&engine, &read(&inside.join("x.db"))).await, "[]");
    assert_eq!(result(&engine, &write(&inside.join("x.db"))).await, "{\"rows\":1}");
    for script in [
        read(&outside.join("x.db")),
        write(&outside.join("x.db")),
        read(&inside.join("link.db")),
        write(&inside.join("link.db")),
        read(&inside.join("../out/x.db")),
    ] {
        let found = result(&engine, &script).await;
        assert!(found.contains("policy") || found.contains("cannot open"), "{script}: {found}");
    }
    let untouched: i64 = Connection::open(outside.join("x.db"))
        .unwrap()
        .query_row("select count(*) from t", [], |it| it.get(0))
        .unwrap();
    assert_eq!(untouched, 0);
}

/// A run whose process is killed keeps all rows of calls that had ended, and no part of another.
#[test]
fn a_killed_run_keeps_what_was_committed() {
    const KILLS: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let db = Connection::open(&file).unwrap();
    db.execute_batch("create table t (n integer, half integer)").unwrap();
    let script = folder.path().join("fill.svc");
    let text = format!(
        "range(1, 100000) >> each {{ \"insert into t values (:n, 1); insert into t values (:n, 2)\" >> database.execute(database: {}, params: {{ n: it }}) }} >> len",
        quoted(&file)
    );
    std::fs::write(&script, text).unwrap();
    let count = |db: &Connection| -> i64 {
        db.query_row("select count(*) from t", [], |it| it.get(0)).unwrap()
    };
    for kill in 0..KILLS {
        let before = count(&db);
        let mut run = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(["run", "--store", "none"])
            .arg(&script)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let started = Instant::now();
        let mut seen = before;
        while seen < before + 40 {
            assert!(started.elapsed() < Duration::from_mins(1), "nothing was written");
            if let Ok(Some(_)) = run.try_wait() {
                let out = run.wait_with_output().unwrap();
                panic!("{}", String::from_utf8_lossy(&out.stderr));
            }
            std::thread::sleep(Duration::from_millis(3 + kill));
            // The other process may hold the lock.
            if let Ok(found) = db.query_row("select count(*) from t", [], |it| it.get(0)) {
                seen = found;
            }
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let after = count(&db);
        assert!(after >= seen && after % 2 == 0, "{seen} rows were seen, {after} are there");
        let check: String = db.query_row("pragma integrity_check", [], |it| it.get(0)).unwrap();
        assert_eq!(check, "ok");
        let torn: i64 = db
            .query_row(
                "select count(*) from (select n from t group by n having count(*) % 2 = 1)",
                [],
                |it| it.get(0),
            )
            .unwrap();
        assert_eq!(torn, 0);
    }
}
