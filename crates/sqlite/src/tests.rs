//! Databases as files of a folder of their own, with what may be wrong with them.
#![expect(clippy::disallowed_methods, reason = "the tests make, change and remove files")]
#![expect(clippy::needless_pass_by_value, reason = "values are written where they are passed")]

use std::{path::PathBuf, sync::Arc, time::Duration};

use rusqlite::Connection;
use svc_contract::{
    registry::{Cx, ErrorKind, Meter, Monitor, OpError},
    value::{List, Type, Value, json},
};
use svc_host_os::OsHost;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::{Session, typed};

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

struct Place {
    folder: TempDir,
    cancel: CancellationToken,
    cx: Cx,
}

impl Place {
    fn new() -> Self {
        let cancel = CancellationToken::new();
        let host = Arc::new(OsHost::default());
        let cx = Cx::new("database", host, cancel.clone(), Arc::new(Quiet), Meter::default());
        Self { folder: tempfile::tempdir().unwrap(), cancel, cx }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn execute(&self, sql: &str, params: Value) -> Result<i64, OpError> {
        Session::write(&self.cx, &self.path("x.db"), |it| it.execute(sql, &params))
    }

    fn query(&self, sql: &str, params: Value) -> Result<String, OpError> {
        self.query_as(sql, params, None)
    }

    fn query_as(&self, sql: &str, params: Value, ty: Option<&Type>) -> Result<String, OpError> {
        let session = Session::reading(&self.cx, &self.path("x.db"))?;
        Ok(json::write(&typed(&session.query(sql, &params, 100)?, ty)?))
    }

    fn import(&self, table: &str, rows: &str) -> Result<i64, OpError> {
        let rows = json::read(rows).unwrap();
        let rows = rows.as_list().unwrap().columns().unwrap();
        Session::write(&self.cx, &self.path("x.db"), |it| it.import(table, &rows))
    }

    fn put(&self, name: &str, content: &[u8]) {
        self.cx.host().write(&self.path(name), content).unwrap();
    }
}

fn list<const N: usize>(all: [Value; N]) -> Value {
    Value::List(List::from(all.to_vec()))
}

fn message(found: Result<impl std::fmt::Debug, OpError>) -> String {
    let err = found.unwrap_err();
    let help = err.help.map_or_else(String::new, |it| format!(" | {it}"));
    format!("{}{help}", err.message)
}

#[test]
fn values_come_back_as_they_went_in() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    for value in [
        Value::Int(i64::MIN),
        Value::Int(i64::MAX),
        Value::Float(-0.5),
        Value::Float(1e300),
        Value::from("it's \"é\" \u{0} 🙂"),
        Value::from(""),
        Value::Null,
    ] {
        place.execute("insert into t values (?)", list([value.clone()])).unwrap();
        let found = place.query("select a from t", Value::Null).unwrap();
        assert_eq!(
            found,
            json::write(&Value::from(vec![
                json::read(&format!("{{\"a\":{}}}", json::write(&value))).unwrap()
            ]))
        );
        assert_eq!(place.execute("delete from t", Value::Null).unwrap(), 1);
    }
}

#[test]
fn a_type_says_what_cells_are() {
    let place = Place::new();
    let ty = Type::record(vec![
        ("on".into(), Type::Bool),
        ("day".into(), Type::Date),
        ("price".into(), Type::Money.optional()),
        ("data".into(), Type::Bytes),
        ("note".into(), Type::Text.optional()),
    ]);
    place
        .execute(
            "create table t (\"on\", day, price, data); insert into t values (1, '2026-01-31', '$2.50', x'00ff'), (0, '2026-02-01', null, x'')",
            Value::Null,
        )
        .unwrap();
    assert_eq!(
        place.query_as("select * from t", Value::Null, Some(&ty)).unwrap(),
        r#"[{"on":true,"day":"2026-01-31","price":"$2.50","data":"00ff","note":null},{"on":false,"day":"2026-02-01","price":null,"data":"","note":null}]"#
    );
    let plain = place.query("select data from t", Value::Null).unwrap();
    assert_eq!(plain, r#"[{"data":"00ff"},{"data":""}]"#);
    let found = place.query_as(
        "select 2 as \"on\"",
        Value::Null,
        Some(&Type::record(vec![("on".into(), Type::Bool)])),
    );
    assert!(message(found).starts_with("row 1: column `on`: expected bool, found 2"));
    let found = place.query_as(
        "select 1 as prise",
        Value::Null,
        Some(&Type::record(vec![("price".into(), Type::INT)])),
    );
    assert_eq!(message(found), "missing column `price`, found `prise` | did you mean `prise`?");
}

#[test]
fn params_are_counted_and_named() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let fails = |sql: &str, params: Value| message(place.query(sql, params));
    let named = |text: &str| json::read(text).unwrap();
    assert!(fails("select ?", Value::Null).starts_with("expected 1 param, found none"));
    assert!(fails("select ?", list([1.into(), 2.into()])).starts_with("expected 1 param, found 2"));
    assert!(fails("select :a", list([1.into()])).starts_with("`:a` is a param with a name"));
    assert!(fails("select ?", named("{\"a\":1}")).contains("params without names"));
    assert!(fails("select :a", named("{\"b\":1}")).starts_with("missing param `:a`"));
    assert!(
        fails("select :name", named("{\"name\":1,\"nam\":2}")).ends_with("did you mean `name`?")
    );
    assert!(fails("select ?", list([Value::Float(f64::NAN)])).contains("no NaN"));
    assert!(fails("select ?", list([list([])])).contains("expected a plain value, found list"));
    assert!(fails("select 1", Value::Int(3)).contains("expected a list or a record, found int"));
    let found = place.query("select :a + @b + $c as sum", named("{\"a\":1,\"b\":2,\"c\":3}"));
    assert_eq!(found.unwrap(), r#"[{"sum":6}]"#);
}

#[test]
fn a_text_in_a_param_is_never_code() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let attack = "x'); drop table t; --";
    place.execute("insert into t values (?)", list([attack.into()])).unwrap();
    assert!(place.query("select a from t", Value::Null).unwrap().contains("drop table"));
}

#[test]
fn a_query_only_reads() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    for sql in [
        "insert into t values (1)",
        "update t set a = 1",
        "delete from t",
        "drop table t",
        "create table u (a)",
        "alter table t add column b",
        "with x as (select 1) insert into t select * from x",
        "insert into t values (1) returning a",
        "analyze",
    ] {
        let found = place.query(sql, Value::Null);
        let (kind, text) = (found.as_ref().unwrap_err().kind, message(found));
        assert_eq!(kind, ErrorKind::InvalidInput, "{sql}: {text}");
        assert!(text.contains("the statement writes"), "{sql}: {text}");
        assert!(text.ends_with("`database.execute` runs statements that write"), "{text}");
    }
    assert!(message(place.query("begin", Value::Null)).contains("one transaction already"));
    assert!(message(place.query("vacuum", Value::Null)).contains("the statement writes"));
    assert!(message(place.query("select 1; select 2", Value::Null)).contains("found several"));
    assert!(message(place.query(" -- nothing\n", Value::Null)).contains("an empty text"));
}

#[test]
fn no_statement_reaches_beyond_its_database() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let other = place.path("y.db");
    for sql in [
        format!("attach '{}' as y", other.display()),
        format!("vacuum into '{}'", other.display()),
        "select load_extension('x')".to_owned(),
        "detach main".to_owned(),
        "pragma journal_mode = wal".to_owned(),
        "pragma writable_schema = on".to_owned(),
        "pragma temp_store_directory = '/tmp'".to_owned(),
        "pragma user_version = 7".to_owned(),
        "pragma database_list".to_owned(),
        "select * from pragma_database_list".to_owned(),
        "commit".to_owned(),
        "rollback".to_owned(),
        "insert into t values (1); commit; insert into u values (2)".to_owned(),
        "update sqlite_schema set sql = 'x'".to_owned(),
    ] {
        let text = message(place.execute(&sql, Value::Null));
        assert!(!text.contains(&*place.folder.path().to_string_lossy()), "{sql}: {text}");
        assert!(!other.exists(), "{sql}");
    }
    assert_eq!(place.query("select count(*) as n from t", Value::Null).unwrap(), "[{\"n\":0}]");
    assert!(place.query("pragma table_info('t')", Value::Null).unwrap().contains("\"a\""));
}

#[test]
fn several_statements_are_all_or_nothing() {
    let place = Place::new();
    place.execute("create table t (a primary key)", Value::Null).unwrap();
    let text = message(
        place.execute("insert into t values (1), (2); insert into t values (2)", Value::Null),
    );
    assert_eq!(text, "UNIQUE constraint failed: t.a | nothing of this call was kept");
    let rows = || place.query("select count(*) as n from t", Value::Null).unwrap();
    assert_eq!(rows(), "[{\"n\":0}]");
    let text = message(place.execute("insert into t values (1); selec", Value::Null));
    assert!(text.contains("near \"selec\": syntax error"), "{text}");
    assert_eq!(rows(), "[{\"n\":0}]");
    let sql =
        ";; insert into t values (:a); ; update t set a = :b where a = :a; create table u (b);";
    let params = json::read("{\"a\":1,\"b\":5}").unwrap();
    assert_eq!(place.execute(sql, params).unwrap(), 2);
    assert_eq!(place.query("select a from t", Value::Null).unwrap(), "[{\"a\":5}]");
    let text = message(place.execute("select 1; select ?", list([1.into()])));
    assert!(text.contains("expected 0 params, found 1"), "{text}");
}

#[test]
fn references_are_enforced() {
    let place = Place::new();
    place
        .execute(
            "create table a (id integer primary key); create table b (a references a)",
            Value::Null,
        )
        .unwrap();
    let text = message(place.execute("insert into b values (7)", Value::Null));
    assert!(text.starts_with("FOREIGN KEY constraint failed"), "{text}");
}

#[test]
fn names_that_are_wrong_have_a_near_one() {
    let place = Place::new();
    place.import("orders", r#"[{"region":"n","units":1}]"#).unwrap();
    let fails = |sql: &str| message(place.query(sql, Value::Null));
    assert_eq!(fails("select * from order_s"), "no such table: order_s | did you mean `orders`?");
    assert_eq!(
        fails("select *\nfrom orders\nwhere regoin = 1"),
        "line 3, column 7: no such column: regoin | did you mean `region`?"
    );
    assert!(fails("select * from zzz").ends_with("| there are `orders`"));
    assert!(fails("select * from orders where region = \"n\"").contains("single quotes"));
    assert!(fails("select units, units from orders").starts_with("duplicate column `units`"));
    let text = message(place.import("orders", r#"[{"regoin":"n"}]"#));
    assert_eq!(text, "the table `orders` has no column `regoin` | did you mean `region`?");
}

#[test]
fn columns_are_limited() {
    let place = Place::new();
    let row = |width: usize| {
        let fields: Vec<String> = (0..width).map(|it| format!("\"c{it}\": 1")).collect();
        format!("[{{{}}}]", fields.join(", "))
    };
    place.import("wide", &row(2000)).unwrap();
    let text = message(place.import("wider", &row(2001)));
    assert!(text.starts_with("too many columns: 2001 (limit 2000) | keep the columns"), "{text}");
    let text = message(place.query("select *, 1 as one from wide", Value::Null));
    assert_eq!(text, "too many columns in result set (limit 2000)");
}

#[test]
fn numbers_are_rounded_as_the_documentation_says() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let rounded = place.query("select round(2.675, 2) as a", Value::Null).unwrap();
    assert_eq!(rounded, r#"[{"a":2.67}]"#);
}

#[test]
fn rows_are_limited() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let count = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200) select i from n";
    assert_eq!(
        message(place.query(count, Value::Null)),
        "more than 100 rows (limit `max_rows`) | add `LIMIT` to the statement, or raise `max_rows`"
    );
    assert!(place.query(&format!("{count} limit 100"), Value::Null).is_ok());
}

#[test]
fn files_that_are_not_databases_are_named() {
    let place = Place::new();
    let fails = || message(place.query("select 1", Value::Null));
    assert!(fails().contains("it does not exist"), "{}", fails());
    place.put("x.db", &b"a,b\n1,2\n".repeat(200));
    assert!(fails().contains("x.db` is not a database of SQLite"), "{}", fails());
    assert!(message(place.execute("select 1", Value::Null)).contains("is not a database"));
    place.put("x.db", b"");
    assert_eq!(place.query("select 1 as a", Value::Null).unwrap(), "[{\"a\":1}]");
    std::fs::remove_file(place.path("x.db")).unwrap();
    std::fs::create_dir(place.path("x.db")).unwrap();
    assert!(fails().contains("it is a folder"), "{}", fails());
    assert!(message(place.execute("select 1", Value::Null)).contains("it is a folder"));
}

#[test]
fn a_damaged_database_is_an_error() {
    let place = Place::new();
    let rows: Vec<String> =
        (0..2000).map(|it| format!("{{\"a\":{it},\"b\":\"text {it}\"}}")).collect();
    place.import("t", &format!("[{}]", rows.join(","))).unwrap();
    let mut bytes = std::fs::read(place.path("x.db")).unwrap();
    bytes[4096 + 20..12_000].fill(0xA5);
    place.put("x.db", &bytes);
    let text = message(place.query("select count(*), sum(length(b)) from t", Value::Null));
    assert!(text.contains("is damaged"), "{text}");
    bytes.truncate(5000);
    place.put("x.db", &bytes);
    assert!(message(place.query("select * from t", Value::Null)).contains("is damaged"));
}

#[test]
fn a_locked_database_is_unavailable_and_a_cancelled_wait_ends() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let other = Connection::open(place.path("x.db")).unwrap();
    other.execute_batch("begin exclusive").unwrap();
    let cancel = place.cancel.clone();
    let started = std::time::Instant::now();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        cancel.cancel();
    });
    let found = place.execute("insert into t values (1)", Value::Null);
    assert_eq!(found.unwrap_err().kind, ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let place = Place { cancel: CancellationToken::new(), ..place };
    let cx = Cx::new(
        "database",
        Arc::new(OsHost::default()),
        place.cancel.clone(),
        Arc::new(Quiet),
        Meter::default(),
    );
    let found = Session::reading(&cx, &place.path("x.db")).err().unwrap();
    assert_eq!(found.kind, ErrorKind::Unavailable);
    assert!(found.message.ends_with("is locked: another program writes to it"), "{found}");
    other.execute_batch("commit").unwrap();
}

#[test]
fn a_long_query_ends_when_the_call_is_cancelled() {
    let place = Place::new();
    place.execute("create table t (a)", Value::Null).unwrap();
    let cancel = place.cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        cancel.cancel();
    });
    let started = std::time::Instant::now();
    let endless =
        "with recursive n(i) as (select 1 union all select i + 1 from n) select sum(i) from n";
    let found = place.query(endless, Value::Null);
    assert_eq!(found.unwrap_err().kind, ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn a_link_is_not_followed_when_it_is_written() {
    #[cfg(unix)]
    {
        let place = Place::new();
        place.execute("create table t (a)", Value::Null).unwrap();
        std::fs::rename(place.path("x.db"), place.path("real.db")).unwrap();
        std::os::unix::fs::symlink(place.path("real.db"), place.path("x.db")).unwrap();
        assert!(
            message(place.execute("insert into t values (1)", Value::Null)).contains("not a link")
        );
        // Reading resolves the link first, so that rules see the real path.
        assert_eq!(place.query("select * from t", Value::Null).unwrap(), "[]");
    }
}

#[test]
fn a_failed_first_write_leaves_no_file() {
    let place = Place::new();
    place.execute("insert into missing values (1)", Value::Null).unwrap_err();
    assert!(!place.path("x.db").exists());
    place.execute("create table t (a)", Value::Null).unwrap();
    place.execute("insert into missing values (1)", Value::Null).unwrap_err();
    assert!(place.path("x.db").exists());
}

#[test]
fn steps_run_once() {
    let place = Place::new();
    let migrate = |steps: &[&str]| {
        let steps: Vec<_> = steps.iter().map(|it| (*it).into()).collect();
        Session::write(&place.cx, &place.path("x.db"), |it| it.migrate(&steps))
    };
    let first = "create table t (a); insert into t values (1)";
    assert_eq!(migrate(&[first]).unwrap(), 1);
    assert_eq!(migrate(&[first]).unwrap(), 1);
    let text =
        message(migrate(&[first, "alter table t add column b; insert into nothing values (1)"]));
    assert!(text.starts_with("step 2: "), "{text}");
    assert_eq!(place.query("select * from t", Value::Null).unwrap(), "[{\"a\":1}]");
    assert_eq!(migrate(&[first, "alter table t add column b"]).unwrap(), 2);
    assert!(message(migrate(&[first])).starts_with("the database has 2 steps"));
}

#[test]
fn the_schema_is_described() {
    let place = Place::new();
    place
        .execute(
            "create table a (id integer primary key, name text not null default 'x'); create unique index a_name on a(name);
             create table b (a references a(id)); create view v as select name from a; create virtual table f using fts5(body)",
            Value::Null,
        )
        .unwrap();
    let schema = Session::reading(&place.cx, &place.path("x.db")).unwrap().schema().unwrap();
    let shown: Vec<String> = schema
        .tables
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it.kind,
                it.name,
                it.columns.iter().map(|it| it.name.to_string()).collect::<Vec<_>>().join(",")
            )
        })
        .collect();
    assert_eq!(shown, ["table a id,name", "table b a", "virtual f body", "view v name"]);
    let a = &schema.tables[0];
    assert_eq!(
        (a.columns[0].key, a.columns[1].nullable, a.columns[1].default.as_deref()),
        (1, false, Some("'x'"))
    );
    assert!(a.indexes[0].unique && *a.indexes[0].columns[0] == *"name");
    assert_eq!(schema.tables[1].references[0].to.as_deref(), Some("id"));
}

#[test]
fn plans_suggest_the_index_that_would_be_used() {
    let place = Place::new();
    place
        .execute(
            "create table t (id integer primary key, a, b); create table u (t, c)",
            Value::Null,
        )
        .unwrap();
    let explain =
        |sql: &str| Session::reading(&place.cx, &place.path("x.db")).unwrap().explain(sql).unwrap();
    let of = explain("select b from t where a = ?");
    assert_eq!(of.plan, "SCAN t");
    assert_eq!(of.suggestions, vec!["CREATE INDEX \"t_a\" ON \"t\"(\"a\")".into()]);
    assert!(explain("select b from t where id = 1").suggestions.is_empty());
    assert_eq!(
        explain("select b from t order by b").suggestions,
        vec!["CREATE INDEX \"t_b\" ON \"t\"(\"b\")".into()]
    );
    let joined = explain("select * from t join u on u.t = t.id where c = 3");
    assert!(joined.suggestions.iter().any(|it| it.contains("\"u\"")), "{:?}", joined.suggestions);
    assert_eq!(explain("delete from t where a = 1").suggestions.len(), 1);
    for it in &of.suggestions {
        place.execute(it, Value::Null).unwrap();
    }
    assert!(explain("select b from t where a = ?").suggestions.is_empty());
}

/// What one connection sees while another one writes is what was committed.
#[test]
fn a_database_in_wal_mode_is_read() {
    let place = Place::new();
    let other = Connection::open(place.path("x.db")).unwrap();
    other.execute_batch("pragma journal_mode = wal; create table t (a); insert into t values (1); begin; insert into t values (2)").unwrap();
    assert_eq!(place.query("select a from t", Value::Null).unwrap(), "[{\"a\":1}]");
    other.execute_batch("commit").unwrap();
    assert_eq!(place.query("select a from t", Value::Null).unwrap(), "[{\"a\":1},{\"a\":2}]");
}

#[test]
fn imported_values_keep_their_meaning() {
    let place = Place::new();
    assert_eq!(
        place
            .import("t", r#"[{"a":true,"b":[1,{"c":null}],"d":1.5},{"a":false,"b":null,"d":2}]"#)
            .unwrap(),
        2
    );
    assert_eq!(
        place.query("select * from t", Value::Null).unwrap(),
        r#"[{"a":1,"b":"[1,{\"c\":null}]","d":1.5},{"a":0,"b":null,"d":2}]"#
    );
    let text = message(place.import("sqlite_x", r#"[{"a":1}]"#));
    assert!(text.contains("reserved for SQLite"), "{text}");
    assert!(message(place.import("u", "[]")).contains("at least one field"));
    place.import("we \"ird", r#"[{"x y":1,"z\"w":2}]"#).unwrap();
    assert_eq!(
        place.query("select * from \"we \"\"ird\"", Value::Null).unwrap(),
        "[{\"x y\":1,\"z\\\"w\":2}]"
    );
}
