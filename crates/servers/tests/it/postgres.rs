//! A real server of PostgreSQL.

use std::time::{Duration, Instant};

use svc_contract::{registry::ErrorKind, value::Value};

use crate::{
    call::Caller,
    started::{self, ENCODED, PASSWORD, Started},
};

fn caller(server: &Started) -> Caller {
    Caller::of(server.url(""))
}

#[tokio::test(flavor = "multi_thread")]
async fn values_come_as_they_are_kept() {
    let Some(server) = started::postgres(false) else { return };
    let ann = caller(&server);
    let row = ann
        .rows(
            "select 1::int2 a, -2147483648 b, 9223372036854775807 c, 0.1::float4 d, 1e300::float8 e,
               12345678901234567890.123450::numeric f, -0.00001234::numeric g, 1e20::numeric h,
               'naïve'::text i, true j, date '2026-03-01' k, timestamp '2026-03-01 12:30:00.25' l,
               timestamptz '2026-03-01 12:30:00+02' m, interval '1 day 01:30' n, interval '1 mon -2 days' o,
               'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid p, '{\"a\": [1, null]}'::jsonb q, '[true]'::json r,
               '\\x00ff'::bytea s, null::int t, array[[1,2],[3,null]] u, array['a,b','\"c\"',null]::text[] v,
               '{}'::int[] w, array[date '2026-03-01'] x, time '12:30' y, 'x'::\"char\" z",
            "null",
        )
        .await
        .unwrap();
    let expected = concat!(
        r#"[{"a":1,"b":-2147483648,"c":9223372036854775807,"d":0.1,"e":1e+300,"#,
        r#""f":"12345678901234567890.123450","g":"-0.00001234","h":"100000000000000000000","#,
        r#""i":"naïve","j":true,"k":"2026-03-01","l":"2026-03-01T12:30:00.25","m":"2026-03-01T10:30:00Z","#,
        r#""n":"1d1h30m","o":"P1M-2DT0S","p":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","#,
        r#""q":{"a":[1,null]},"r":[true],"s":"00ff","t":null,"u":[[1,2],[3,null]],"#,
        r#""v":["a,b","\"c\"",null],"w":[],"x":["2026-03-01"],"y":"12:30:00","z":"x"}]"#,
    );
    assert_eq!(row, expected);
    let mood = "create type mood as enum ('fine'); create domain age as int; create table t (m mood, a age, b mood[])";
    ann.execute(mood, "null").await.unwrap();
    ann.execute("insert into t values ($1, $2, $3)", r#"["fine", 7, ["fine"]]"#).await.unwrap();
    assert_eq!(
        ann.rows("select * from t", "null").await.unwrap(),
        r#"[{"m":"fine","a":7,"b":["fine"]}]"#
    );
    let odd = ann.fails("select '1.2.3.4'::inet as host", "null").await;
    assert_eq!(
        odd,
        "invalid_input: column `host`: a value of the type `inet` cannot be read; select it as text: `.. ::text`"
    );
    let twice = ann.fails("select 1 as a, 2 as a", "null").await;
    assert!(twice.contains("duplicate column `a`"), "{twice}");
    assert_eq!(ann.rows("select 1 as a where false", "null").await.unwrap(), "[]");
    assert_eq!(ann.rows("explain select 1", "null").await.unwrap().matches("Result").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn params_are_values_and_never_code() {
    let Some(server) = started::postgres(false) else { return };
    let ann = caller(&server);
    ann.execute("create table t (a int, b text, c jsonb, d int[], e date)", "null").await.unwrap();
    let evil = r#"["x'); drop table t; --"]"#;
    assert_eq!(ann.execute("insert into t (a, b) values (1, $1)", evil).await.unwrap(), 1);
    assert_eq!(
        ann.rows("select b from t where b = $1", evil).await.unwrap(),
        r#"[{"b":"x'); drop table t; --"}]"#
    );
    let named = r#"{"b":"it's","c":{"k":[1,"two"]},"d":[1,null,3],"e":"2026-03-01"}"#;
    let sql = "insert into t values (2, :b, :c, :d, :e); update t set a = a + 1 where b = :b";
    assert_eq!(ann.execute(sql, named).await.unwrap(), 2);
    assert_eq!(
        ann.rows("select * from t where b = :b", r#"{"b":"it's"}"#).await.unwrap(),
        r#"[{"a":3,"b":"it's","c":{"k":[1,"two"]},"d":[1,null,3],"e":"2026-03-01"}]"#
    );
    for (sql, params, expected) in [
        ("select $1::int, $2::int", "[1]", "expected 2 params, found 1"),
        ("select $1::int", "null", "expected 1 param, found none"),
        ("select :a", r#"{"b":1}"#, "missing param `:a`"),
        ("select 1", r#"{"b":1}"#, "no statement uses the param `b`"),
        ("select :a", "[1]", "`:a` is a param with a name, and `params` is a list"),
        ("select $1::int", r#"["x"]"#, "invalid input syntax for type integer: \"x\" (22P02)"),
        ("select $1::int", "[[1]]", "param `$1`: expected int4, found list"),
        ("select $1::int4", "[99999999999]", "out of range for type integer"),
        ("select 1; select 2", "null", "expected one SQL statement, found several"),
        ("", "null", "found an empty text"),
    ] {
        let found = ann.fails(sql, params).await;
        assert!(found.starts_with("invalid_input: ") && found.contains(expected), "{sql}: {found}");
    }
    let binary = Value::List([Value::Bytes([0, 1, 255].into())].into_iter().collect());
    let row = ann.found("select $1::bytea as a", binary, 1).await.unwrap();
    assert_eq!(svc_contract::value::json::write(&row), r#"[{"a":"0001ff"}]"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_cannot_write() {
    let Some(server) = started::postgres(false) else { return };
    let ann = caller(&server);
    ann.execute(
        "create table t (a int); insert into t values (1); create sequence s;
         create function put() returns int language sql as 'insert into t values (9) returning a';
         create function sneak() returns int language plpgsql as
           $$ begin set transaction read write; insert into t values (8); return 1; end $$",
        "null",
    )
    .await
    .unwrap();
    for sql in [
        "select put()",
        "select sneak()",
        "with x as (insert into t values (2) returning a) select a from x",
        "explain analyze insert into t values (3)",
        "select nextval('s')",
        "select set_config('transaction_read_only', 'off', true), put()",
        "select * into u from t",
        "select a from t for update",
    ] {
        let found = ann.fails(sql, "null").await;
        assert!(
            found.contains("read-only transaction (25006)") || found.contains("read-write mode"),
            "{sql}: {found}"
        );
    }
    for (sql, word) in [
        ("copy (select 1) to program 'touch /tmp/svc-copied'", "COPY"),
        ("copy t to '/tmp/svc-copied'", "COPY"),
        ("COPY t FROM STDIN", "COPY"),
        ("do $$ begin insert into t values (4); end $$", "DO"),
        ("call p()", "CALL"),
        ("set transaction read write", "SET"),
        ("commit", "COMMIT"),
        ("truncate t", "TRUNCATE"),
    ] {
        let found = ann.fails(sql, "null").await;
        assert!(
            found.starts_with("invalid_input: ") && found.contains(&format!("`{word}`")),
            "{sql}: {found}"
        );
    }
    assert_eq!(ann.rows("select a from t", "null").await.unwrap(), r#"[{"a":1}]"#);
    assert!(!std::path::Path::new("/tmp/svc-copied").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_kept_whole_or_not_at_all() {
    let Some(server) = started::postgres(false) else { return };
    let ann = caller(&server);
    ann.execute("create table t (a int primary key, b text)", "null").await.unwrap();
    let found = ann.refuses("insert into t values (1);\ninsert into t values (1)", "null").await;
    assert_eq!(
        found,
        "failed: duplicate key value violates unique constraint \"t_pkey\": Key (a)=(1) already exists. (23505) | nothing of this call was kept"
    );
    let found = ann
        .refuses("insert into t values (1);\ninsert into t\n  values (:x, bb)", r#"{"x":2}"#)
        .await;
    assert!(
        found.starts_with("invalid_input: line 3, column 15: column \"bb\" does not exist"),
        "{found}"
    );
    for sql in [
        "commit",
        "insert into t values (5); commit; insert into t values (6)",
        "begin",
        "savepoint x",
    ] {
        let found = ann.refuses(sql, "null").await;
        assert!(found.contains("a transaction is around all statements"), "{sql}: {found}");
    }
    let commits = "create procedure p() language plpgsql as $$ begin insert into t values (7); commit; end $$; call p()";
    assert!(ann.refuses(commits, "null").await.contains("invalid transaction termination"));
    assert!(ann.refuses("copy t from stdin", "null").await.contains("`COPY`"));
    assert_eq!(ann.rows("select a from t", "null").await.unwrap(), "[]");
    // A constraint that is tested at the end fails the end.
    ann.execute("create table u (a int references t deferrable initially deferred)", "null")
        .await
        .unwrap();
    let found = ann.refuses("insert into u values (77)", "null").await;
    assert!(found.contains("(23503) | nothing of this call was kept"), "{found}");
    assert_eq!(ann.rows("select count(*) n from u", "null").await.unwrap(), r#"[{"n":0}]"#);
    // Rows that are read are not rows that changed.
    let sql = "insert into t values (1), (2); select * from t; with x as (delete from t returning a) select * from x";
    assert_eq!(ann.execute(sql, "null").await.unwrap(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_statement_ends_on_the_server() {
    let Some(server) = started::postgres(false) else { return };
    let (ann, watch) = (caller(&server), caller(&server));
    let busy = "select count(*) n from pg_stat_activity where query like '%pg_sleep(61)%' and pid <> pg_backend_pid() and state = 'active'";
    for writes in [false, true] {
        let one = Caller { cancel: tokio_util::sync::CancellationToken::new(), ..ann.clone() };
        let cancel = one.cancel.clone();
        let call = tokio::spawn(async move {
            if writes {
                one.execute("select pg_sleep(61)", "null").await.map(|_| String::new())
            } else {
                one.rows("select pg_sleep(61)", "null").await
            }
        });
        let begun = Instant::now();
        while watch.rows(busy, "null").await.unwrap() != r#"[{"n":1}]"# {
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not begin");
        }
        cancel.cancel();
        let stopped = Instant::now();
        assert_eq!(call.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
        assert!(stopped.elapsed() < Duration::from_secs(1), "{:?}", stopped.elapsed());
        while watch.rows(busy, "null").await.unwrap() != r#"[{"n":0}]"# {
            assert!(stopped.elapsed() < Duration::from_millis(900), "it goes on at the server");
        }
    }
    // A call that is dropped has no time to stop anything: the server notices that by itself.
    let one = caller(&server);
    let call = tokio::spawn(async move { one.rows("select pg_sleep(61)", "null").await });
    while watch.rows(busy, "null").await.unwrap() != r#"[{"n":1}]"# {}
    call.abort();
    let dropped = Instant::now();
    while watch.rows(busy, "null").await.unwrap() != r#"[{"n":0}]"# {
        assert!(dropped.elapsed() < Duration::from_secs(10), "it goes on at the server");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_rows_stop_at_the_limit() {
    let Some(server) = started::postgres(false) else { return };
    let ann = caller(&server);
    let begun = Instant::now();
    let sql = "select i, repeat('x', 1000) t from generate_series(1, 1000000) i";
    let found = ann.most(sql, "null", 100).await.unwrap_err();
    assert_eq!(found.message, "more than 100 rows (limit `max_rows`)");
    // A set of a function is made before it is read; the rows are not sent.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let all =
        ann.most("select i from generate_series(1, 300000) i", "null", 300_000).await.unwrap();
    assert!(all.starts_with(r#"[{"i":1},{"i":2}"#) && all.ends_with(r#"{"i":300000}]"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_in_the_middle_is_an_error() {
    let Some(mut server) = started::postgres(false) else { return };
    let ann = caller(&server);
    ann.execute("create table t (a int)", "null").await.unwrap();
    let (reads, writes) = (ann.clone(), ann.clone());
    let reads = tokio::spawn(async move { reads.fails("select pg_sleep(60)", "null").await });
    let writes = tokio::spawn(async move {
        writes.refuses("insert into t values (1); select pg_sleep(60)", "null").await
    });
    let busy = "select count(*) n from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid() and state = 'active'";
    while ann.rows(busy, "null").await.unwrap() != r#"[{"n":2}]"# {}
    // The administrator ends one of them, and the other one loses the whole server.
    let ended = "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(60)%' and xact_start = (select min(xact_start) from pg_stat_activity where query like 'select pg_sleep(60)%')";
    ann.rows(ended, "null").await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.kill();
    let both = [reads.await.unwrap(), writes.await.unwrap()];
    for it in &both {
        assert!(it.starts_with("unavailable: "), "{both:?}");
    }
    assert!(
        both.iter()
            .any(|it| it.contains("terminating connection due to administrator command (57P01)")),
        "{both:?}"
    );
    assert!(
        both.iter().any(|it| it.contains("the connection to the server `127.0.0.1:")),
        "{both:?}"
    );
    let found = ann.fails("select 1", "null").await;
    assert!(found.contains("no server listens at this port"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_login_names_what_is_wrong() {
    let Some(server) = started::postgres(false) else { return };
    let with = |password: &str, database: &str| {
        Caller::of(server.address(password, "127.0.0.1", database, ""))
    };
    let found = with("wrong", "shop").fails("select 1", "null").await;
    assert_eq!(
        found,
        "denied: password authentication failed for user \"ann\" (28P01) | check the user and the password in the address"
    );
    let found = with("", "shop").fails("select 1", "null").await;
    assert!(found.starts_with("denied: "), "{found}");
    let found = with(ENCODED, "nothing").refuses("select 1", "null").await;
    assert!(
        found.starts_with("not_found: database \"nothing\" does not exist (3D000) | "),
        "{found}"
    );
    // The server repeats what it gets: a password in a statement is hidden, too.
    let found = with(ENCODED, "shop").fails(&format!("select \"{PASSWORD}\""), "null").await;
    assert!(found.contains("column \"***\" does not exist"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_is_as_safe_as_its_address_says() {
    let Some(server) = started::postgres(true) else { return };
    let encrypted = "select ssl::text as a from pg_stat_ssl where pid = pg_backend_pid()";
    let with = |host: &str, settings: &str, ca: Option<&str>| Caller {
        ca: ca.map(str::to_owned),
        ..Caller::of(server.address(ENCODED, host, "shop", settings))
    };
    for (settings, expected) in
        [("", "true"), ("?sslmode=require", "true"), ("?sslmode=disable", "false")]
    {
        let found = with("127.0.0.1", settings, None).rows(encrypted, "null").await.unwrap();
        assert_eq!(found, format!(r#"[{{"a":"{expected}"}}]"#), "{settings}");
    }
    let ca = Some(server.ca.as_str());
    for settings in ["", "?sslmode=verify-full"] {
        let found = with("localhost", settings, ca).rows(encrypted, "null").await.unwrap();
        assert_eq!(found, r#"[{"a":"true"}]"#);
    }
    let found = with("127.0.0.1", "", ca).fails("select 1", "null").await;
    assert!(found.contains("not valid for name \"127.0.0.1\""), "{found}");
    let found = with("localhost", "?sslmode=verify-full", None).fails("select 1", "null").await;
    assert!(
        found.starts_with("failed: cannot encrypt the connection to the server `localhost:"),
        "{found}"
    );
    assert!(found.contains("UnknownIssuer") && found.contains("`ca`"), "{found}");
    let found = with("localhost", "?sslmode=require", ca).fails("select 1", "null").await;
    assert!(found.contains("`ca` needs `sslmode=verify-full`"), "{found}");
    let found = with("localhost", "", Some("no certificate")).fails("select 1", "null").await;
    assert!(found.contains("invalid certificates in `ca`: found none"), "{found}");
    drop(server);
    let Some(plain) = started::postgres(false) else { return };
    let url = plain.url("?sslmode=require");
    let found = Caller::of(url).fails("select 1", "null").await;
    assert!(found.contains("server does not support TLS | with `?sslmode=disable`"), "{found}");
}

/// A port that accepts connections and says nothing does not hold a call.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_server_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let ann = Caller::of(format!("postgres://ann:{ENCODED}@127.0.0.1:{port}/shop"));
    let cancel = ann.cancel.clone();
    let waits = ann.clone();
    let call = tokio::spawn(async move { waits.rows("select 1", "null").await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    cancel.cancel();
    let begun = Instant::now();
    assert_eq!(call.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(1));
    let again = Caller { cancel: tokio_util::sync::CancellationToken::new(), ..ann };
    let found = again.fails("select 1", "null").await;
    assert!(found.contains("it did not answer within 10 seconds"), "{found}");
}
