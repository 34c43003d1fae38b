//! Scripts over servers of databases: policies, types, and what is kept of a run.

#[path = "../../../crates/servers/tests/it/started.rs"]
#[expect(dead_code, reason = "the tests of the crate use all of it")]
mod started;

use std::{
    net::TcpListener,
    sync::{Arc, Mutex},
};

use svc::{Engine, Policy};
use svc_contract::value::json;
use svc_engine::run::{Event, Observer};
use svc_host_os::test::TestHost;

fn engine(url: &str) -> Engine {
    svc::engine().with_host(Arc::new(TestHost::new().env("SVC_SECRET_SHOP", url)))
}

async fn result(engine: &Engine, script: &str) -> String {
    match engine.run(script.to_owned()).await {
        Ok(it) => json::write(&it.value),
        Err(err) => err.to_string(),
    }
}

const READ: &str = r#"secret shop
"select 1 as one" >> database.query_server(server: shop)"#;

const WRITE: &str = r#"secret shop
"create table t (a int)" >> database.execute_server(server: shop)"#;

#[tokio::test]
async fn a_policy_decides_which_servers_are_reached() {
    // Whatever listens here sees whether a connection was made.
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let url = format!("postgres://ann:hunter22@127.0.0.1:{port}/shop?sslmode=disable");
    let reached = || server.accept().is_ok();
    let policy =
        |rules: &[&str]| rules.iter().fold(Policy::closed(), |it, rule| it.allow(rule).unwrap());
    let named = format!("reads web:127.0.0.1:{port}");
    for (rules, script, expected) in [
        (&[][..], READ, "policy"),
        (&["reads fs", "writes web"], READ, "policy"),
        (&["reads web:db.example"], READ, "the policy does not allow `127.0.0.1:"),
        (&["reads web:127.0.0.1:1"], READ, "the policy does not allow `127.0.0.1:"),
        (&["reads web"], READ, "which is this machine"),
        (&[named.as_str()], WRITE, "policy"),
        (
            &[named.as_str(), "writes web:db.example"],
            WRITE,
            "the policy does not allow `127.0.0.1:",
        ),
    ] {
        let found = result(&engine(&url).with_policy(policy(rules)), script).await;
        assert!(found.contains(expected), "{rules:?}: {found}");
        assert!(!reached(), "{rules:?}: a connection was made");
        assert!(!found.contains("hunter22"), "{found}");
    }
    let denied = Policy::default().deny(&named).unwrap();
    let found = result(&engine(&url).with_policy(denied), READ).await;
    assert!(found.contains("the policy does not allow `127.0.0.1:") && !reached(), "{found}");
    // An allowed server is reached, and so is that of the secret where nothing is restricted.
    for engine in [engine(&url).with_policy(policy(&[&named])), engine(&url)] {
        let script = format!("{READ} within {{ timeout: 300ms }}");
        let found = result(&engine, &script).await;
        assert!(found.contains("300ms"), "{found}");
        assert!(reached());
        while reached() {}
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Observer for Heard {
    fn event(&self, path: &str, event: &Event<'_>) {
        self.0.lock().unwrap().push(format!("{path} {event:?}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_server_are_read_as_a_type() {
    let Some(server) = started::postgres(false) else { return };
    let heard = Arc::new(Heard::default());
    let engine = engine(&server.url("")).with_observer(heard.clone());
    let fill = r#"secret shop
"create table orders (id int primary key, price numeric(10,2), day date, at timestamptz, tags text[], paid bool, note text, data bytea, more jsonb, waits interval); insert into orders values (:id, :price, :day, :at, :tags, :paid, null, decode('00ff', 'hex'), :more, :waits)"
  >> database.execute_server(
    server: shop,
    params: {
      id: 7, price: 12.5, day: "2026-03-01", at: "2026-03-01T12:30:00Z", tags: ["a b", "c"],
      paid: true, more: { n: [1, 2] }, waits: 1h30m,
    },
  )"#;
    assert_eq!(result(&engine, fill).await, r#"{"rows":1}"#);
    let read = r#"secret shop
type Order = {
  id: int, price: float, day: date, at: time, tags: [string], paid: bool, note: string?, data: bytes,
  more: { n: [int] }, waits: duration,
}
"select * from orders where id = :id" >> database.query_server<Order>(server: shop, params: { id: 7 })"#;
    assert_eq!(
        result(&engine, read).await,
        r#"[{"id":7,"price":12.5,"day":"2026-03-01","at":"2026-03-01T12:30:00Z","tags":["a b","c"],"paid":true,"note":null,"data":"00ff","more":{"n":[1,2]},"waits":"1h30m"}]"#
    );
    let wrong = read.replace("paid: bool", "paid: date");
    let found = result(&engine, &wrong).await;
    assert!(found.contains("row 1: column `paid`: expected a date"), "{found}");
    let fails = r#"secret shop
"select nothing from orders" >> database.query_server(server: shop)"#;
    let found = result(&engine, fails).await;
    assert!(found.contains("column 8: column \"nothing\" does not exist (42703)"), "{found}");
    // A statement whose time is over ends on the server.
    let slow = r#"secret shop
let slow = "select pg_sleep(61)" >> database.query_server(server: shop) within { timeout: 700ms } fallback []
"select count(*) as n from pg_stat_activity where query like '%pg_sleep(61)%' and state = 'active' and pid <> pg_backend_pid() and $1::int = 0"
  >> database.query_server(server: shop, params: [slow >> len])"#;
    assert_eq!(result(&engine, slow).await, r#"[{"n":0}]"#);
    // The rows go on as a table.
    let on = r#"secret shop
"select i, i % 3 as k from generate_series(1, 9) i" >> database.query_server(server: shop)
  >> table(by: ["k"], measures: { n: "count()", i: "sum(i)" }) >> table.sort(by: ["k"])"#;
    assert_eq!(
        result(&engine, on).await,
        r#"[{"k":0,"n":3,"i":18},{"k":1,"n":3,"i":12},{"k":2,"n":3,"i":15}]"#
    );
    let heard = heard.0.lock().unwrap().join("\n");
    for it in [started::PASSWORD, started::ENCODED] {
        assert!(!heard.contains(it), "a password was reported");
    }
}

/// `svc run` as users call it: neither what it prints, nor the store, contains the password.
#[test]
fn a_run_keeps_no_password() {
    let Some(server) = started::postgres(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("read.svc");
    let text = r#"secret shop
let rows = "select current_user::text as name" >> database.query_server(server: shop)
let wrong = "select 1 as nothing from nowhere" >> database.query_server(server: shop) fallback []
{ rows: rows, wrong: wrong }"#;
    std::fs::write(&file, text).unwrap();
    let run = |url: String| {
        std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .arg("run")
            .arg(&file)
            .current_dir(folder.path())
            .env("SVC_STORE", folder.path().join("runs.db"))
            .env("SVC_SECRET_SHOP", url)
            .output()
            .unwrap()
    };
    let fine = run(server.url(""));
    let shown = String::from_utf8_lossy(&fine.stdout).into_owned();
    assert!(shown.contains("ann"), "{shown} {}", String::from_utf8_lossy(&fine.stderr));
    let wrong = run(server.address("hunter2222", "127.0.0.1", "shop", ""));
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(said.contains("password authentication failed"), "{said}");
    for output in [&fine.stdout, &fine.stderr, &wrong.stdout, &wrong.stderr] {
        let output = String::from_utf8_lossy(output);
        for it in [started::PASSWORD, started::ENCODED, "hunter2222"] {
            assert!(!output.contains(it), "{output}");
        }
    }
    let mut folders = vec![folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let kept = std::fs::read(path).unwrap();
            for it in [started::PASSWORD, started::ENCODED, "hunter2222"] {
                assert!(!kept.windows(it.len()).any(|part| part == it.as_bytes()));
            }
        }
    }
}
