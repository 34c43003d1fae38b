//! A real server of MariaDB, over the protocol of MySQL.

use std::time::{Duration, Instant};

use svc_contract::{
    registry::ErrorKind,
    value::{Value, json},
};
use tokio_util::sync::CancellationToken;

use crate::{
    call::Caller,
    started::{self, ENCODED, PASSWORD, Started},
};

fn caller(server: &Started) -> Caller {
    Caller::of(server.url(""))
}

#[tokio::test(flavor = "multi_thread")]
async fn values_come_as_they_are_kept() {
    let Some(server) = started::mariadb(false) else { return };
    let ann = caller(&server);
    ann.execute(
        "create table t (a tinyint, b bigint unsigned, c float, d double, e decimal(30,6), f varchar(20),
           g date, h datetime(3), i timestamp, j time, k blob, l json, m enum('x','y'), n bit(9), o year, p bool)",
        "null",
    )
    .await
    .unwrap();
    ann.execute(
        "insert into t values (-1, 18446744073709551615, 0.1, 1e300, 123456789012345678901234.5, 'naïve',
           '2026-03-01', '2026-03-01 12:30:00.25', '2026-03-01 12:30:00', '-26:00:01', x'00ff', '{\"a\": [1, null]}',
           'y', b'100000001', 2026, true), (null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null)",
        "null",
    )
    .await
    .unwrap();
    let rows = ann.rows("select * from t order by a is null", "null").await.unwrap();
    let first = concat!(
        r#"[{"a":-1,"b":"18446744073709551615","c":0.1,"d":1e+300,"e":"123456789012345678901234.500000","#,
        r#""f":"naïve","g":"2026-03-01","h":"2026-03-01T12:30:00.25","i":"2026-03-01T12:30:00Z","#,
        r#""j":"-26:00:01","k":"00ff","l":"{\"a\": [1, null]}","m":"y","n":257,"o":2026,"p":1},"#,
    );
    assert!(rows.starts_with(first), "{rows}");
    assert_eq!(rows.matches("null").count(), 17);
    let twice = ann.fails("select 1 as a, 2 as a", "null").await;
    assert!(twice.contains("duplicate column `a`"), "{twice}");
    assert_eq!(ann.rows("select 1 as a from t where false", "null").await.unwrap(), "[]");
    assert!(ann.rows("show tables", "null").await.unwrap().contains("\"t\""));
    assert!(ann.rows("describe t", "null").await.unwrap().contains("tinyint"));
}

#[tokio::test(flavor = "multi_thread")]
async fn params_are_values_and_never_code() {
    let Some(server) = started::mariadb(false) else { return };
    let ann = caller(&server);
    ann.execute("create table t (a int, b text, c json, e date)", "null").await.unwrap();
    let evil = r#"["x\\'); drop table t; -- "]"#;
    assert_eq!(ann.execute("insert into t (a, b) values (1, ?)", evil).await.unwrap(), 1);
    assert_eq!(
        ann.rows("select b from t where b = ?", evil).await.unwrap(),
        r#"[{"b":"x\\'); drop table t; -- "}]"#
    );
    let named = r#"{"b":"it's","c":{"k":[1,"two"]},"e":"2026-03-01"}"#;
    let sql = "insert into t values (2, :b, :c, :e); update t set a = a + 1 where b = :b";
    assert_eq!(ann.execute(sql, named).await.unwrap(), 2);
    assert_eq!(
        ann.rows("select * from t where b = :b and b = :b", r#"{"b":"it's"}"#).await.unwrap(),
        r#"[{"a":3,"b":"it's","c":"{\"k\":[1,\"two\"]}","e":"2026-03-01"}]"#
    );
    for (sql, params, expected) in [
        ("select ?, ?", "[1]", "expected 2 params, found 1"),
        ("select ?", "null", "expected 1 param, found none"),
        ("select :a", r#"{"b":1}"#, "missing param `:a`"),
        ("select 1", r#"{"b":1}"#, "no statement uses the param `b`"),
        ("select ?", r#"{"a":1}"#, "`?` is a param without a name, and `params` is a record"),
        ("select 1; select 2", "null", "expected one SQL statement, found several"),
        ("select nothing from t", "null", "Unknown column 'nothing' in 'SELECT' (1054, 42S22)"),
        ("selec 1", "null", "expected a statement that reads, found `SELEC`"),
        ("select from", "null", "You have an error in your SQL syntax"),
    ] {
        let found = ann.fails(sql, params).await;
        let is_there = found.to_lowercase().contains(&expected.to_lowercase());
        assert!(found.starts_with("invalid_input: ") && is_there, "{sql}: {found}");
    }
    let binary = Value::List([Value::Bytes([0, 1, 255].into())].into_iter().collect());
    let row = ann.found("select length(?) as a", binary, 1).await.unwrap();
    assert_eq!(json::write(&row), r#"[{"a":3}]"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_cannot_write() {
    let Some(server) = started::mariadb(false) else { return };
    let ann = caller(&server);
    ann.execute("create table t (a int)", "null").await.unwrap();
    ann.execute("insert into t values (1)", "null").await.unwrap();
    let function = "create function put() returns int modifies sql data begin insert into t values (9); return 1; end";
    ann.execute(function, "null").await.unwrap();
    let found = ann.fails("select put()", "null").await;
    assert!(found.contains("READ ONLY transaction (1792, 25006)"), "{found}");
    for sql in [
        "with x as (select 1 as a) delete from t",
        "select a from t into outfile '/tmp/svc-out'",
        "select 1 into dumpfile '/tmp/svc-out'",
    ] {
        assert!(ann.fails(sql, "null").await.starts_with("invalid_input: "), "{sql}");
    }
    for (sql, word) in [
        ("insert into t values (2)", "INSERT"),
        ("load data infile '/etc/passwd' into table t", "LOAD"),
        ("call p()", "CALL"),
        ("set session transaction read write", "SET"),
        ("commit", "COMMIT"),
        ("truncate t", "TRUNCATE"),
        ("handler t open", "HANDLER"),
    ] {
        let found = ann.fails(sql, "null").await;
        assert!(
            found.starts_with("invalid_input: ") && found.contains(&format!("`{word}`")),
            "{sql}: {found}"
        );
    }
    let found = ann.fails("select 1 /*!50000 into outfile '/tmp/svc-out' */", "null").await;
    assert!(found.contains("is a comment that the server runs"), "{found}");
    assert_eq!(ann.rows("select a from t", "null").await.unwrap(), r#"[{"a":1}]"#);
    assert!(!std::path::Path::new("/tmp/svc-out").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_kept_whole_or_not_at_all() {
    let Some(server) = started::mariadb(false) else { return };
    let ann = caller(&server);
    ann.execute("create table t (a int primary key)", "null").await.unwrap();
    let found = ann.refuses("insert into t values (1); insert into t values (1)", "null").await;
    assert_eq!(
        found,
        "failed: Duplicate entry '1' for key 'PRIMARY' (1062, 23000) | nothing of this call was kept"
    );
    for sql in [
        "commit",
        "insert into t values (5); commit",
        "insert into t values (5); set autocommit = 1",
        "start transaction",
        "lock tables t write",
        "xa start 'x'",
    ] {
        let found = ann.refuses(sql, "null").await;
        assert!(found.contains("a transaction is around all statements"), "{sql}: {found}");
    }
    let found = ann.refuses("insert into t values (1);\ncreate table u (a int)", "null").await;
    assert!(
        found.contains(
            "line 2, column 1: MySQL keeps `CREATE` and all statements before it at once"
        ),
        "{found}"
    );
    assert_eq!(ann.rows("select a from t", "null").await.unwrap(), "[]");
    let sql = "insert into t values (1), (2); select * from t; delete from t where a = 2";
    assert_eq!(ann.execute(sql, "null").await.unwrap(), 3);
    assert_eq!(ann.rows("select a from t", "null").await.unwrap(), r#"[{"a":1}]"#);
}

const BUSY: &str =
    "select count(*) n from information_schema.processlist where info like 'select sleep(61)%'";

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_statement_ends_on_the_server() {
    let Some(server) = started::mariadb(false) else { return };
    let (ann, watch) = (caller(&server), caller(&server));
    for writes in [false, true] {
        let one = Caller { cancel: CancellationToken::new(), ..ann.clone() };
        let cancel = one.cancel.clone();
        let call = tokio::spawn(async move {
            if writes {
                one.execute("select sleep(61)", "null").await.map(|_| String::new())
            } else {
                one.rows("select sleep(61)", "null").await
            }
        });
        let begun = Instant::now();
        while watch.rows(BUSY, "null").await.unwrap() != r#"[{"n":1}]"# {
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not begin");
        }
        cancel.cancel();
        let stopped = Instant::now();
        assert_eq!(call.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
        assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
        while watch.rows(BUSY, "null").await.unwrap() != r#"[{"n":0}]"# {
            assert!(stopped.elapsed() < Duration::from_secs(2), "it goes on at the server");
        }
    }
    let one = caller(&server);
    let call = tokio::spawn(async move { one.rows("select sleep(61)", "null").await });
    while watch.rows(BUSY, "null").await.unwrap() != r#"[{"n":1}]"# {}
    call.abort();
    let dropped = Instant::now();
    while watch.rows(BUSY, "null").await.unwrap() != r#"[{"n":0}]"# {
        assert!(dropped.elapsed() < Duration::from_secs(5), "it goes on at the server");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_rows_stop_at_the_limit() {
    let Some(server) = started::mariadb(false) else { return };
    let ann = caller(&server);
    let begun = Instant::now();
    let sql = "select seq, repeat('x', 1000) t from seq_1_to_1000000";
    let found = ann.most(sql, "null", 100).await.unwrap_err();
    assert_eq!(found.message, "more than 100 rows (limit `max_rows`)");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let all = ann.most("select seq i from seq_1_to_300000", "null", 300_000).await.unwrap();
    assert!(all.starts_with(r#"[{"i":1},{"i":2}"#) && all.ends_with(r#"{"i":300000}]"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_in_the_middle_is_an_error() {
    let Some(mut server) = started::mariadb(false) else { return };
    let (ann, one) = (caller(&server), caller(&server));
    let call = tokio::spawn(async move { one.fails("select sleep(61)", "null").await });
    while ann.rows(BUSY, "null").await.unwrap() != r#"[{"n":1}]"# {}
    server.kill();
    let found = call.await.unwrap();
    assert!(found.starts_with("unavailable: the connection to the server `127.0.0.1:"), "{found}");
    let found = ann.fails("select 1", "null").await;
    assert!(found.contains("no server listens at this port"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_login_names_what_is_wrong() {
    let Some(server) = started::mariadb(false) else { return };
    let with = |password: &str, database: &str| {
        Caller::of(server.address(password, "127.0.0.1", database, ""))
    };
    let found = with("wrong", "shop").fails("select 1", "null").await;
    assert!(
        found.starts_with("denied: Access denied for user 'ann'@")
            && found.contains("(1045, 28000) | check the user"),
        "{found}"
    );
    let found = with(ENCODED, "nothing").refuses("select 1", "null").await;
    assert!(found.starts_with("denied: ") || found.starts_with("not_found: "), "{found}");
    let found = with(ENCODED, "shop").fails(&format!("select `{PASSWORD}`"), "null").await;
    assert!(found.contains("Unknown column '***'"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_is_as_safe_as_its_address_says() {
    let Some(server) = started::mariadb(true) else { return };
    let cipher = "show session status like 'Ssl_version'";
    let with = |host: &str, settings: &str, ca: Option<&str>| Caller {
        ca: ca.map(str::to_owned),
        ..Caller::of(server.address(ENCODED, host, "shop", settings))
    };
    let ca = Some(server.ca.as_str());
    for (host, settings, ca, is_encrypted) in [
        ("127.0.0.1", "", None, true),
        ("127.0.0.1", "?sslmode=require", None, true),
        ("127.0.0.1", "?sslmode=disable", None, false),
        ("localhost", "", ca, true),
        ("localhost", "?sslmode=verify-full", ca, true),
    ] {
        let found = with(host, settings, ca).rows(cipher, "null").await.unwrap();
        assert_eq!(found.contains("TLSv1."), is_encrypted, "{host}{settings}: {found}");
    }
    let found = with("127.0.0.1", "", ca).fails("select 1", "null").await;
    assert!(found.contains("not valid for name"), "{found}");
    let found = with("localhost", "?sslmode=verify-full", None).fails("select 1", "null").await;
    assert!(
        found.starts_with("failed: cannot encrypt the connection")
            && found.contains("UnknownIssuer"),
        "{found}"
    );
    let found = with("localhost", "", Some("no certificate")).fails("select 1", "null").await;
    assert!(found.contains("invalid certificates in `ca`: found none"), "{found}");
    drop(server);
    let Some(plain) = started::mariadb(false) else { return };
    let found = Caller::of(plain.url("?sslmode=require")).fails("select 1", "null").await;
    assert!(found.contains("server does not support TLS | with `?sslmode=disable`"), "{found}");
    Caller::of(plain.url("?sslmode=prefer")).rows("select 1", "null").await.unwrap();
}
