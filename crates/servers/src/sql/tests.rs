//! What other programs write as SQL.

use super::*;
use svc_contract::value::{Value, json};

fn split(sql: &str, system: System) -> Vec<String> {
    let all = statements(sql, system).unwrap();
    all.iter().map(|it| it.written(&Given::Nothing).unwrap().text).collect()
}

#[test]
fn statements_end_at_their_semicolons() {
    use System::{MySql, Postgres};
    for (sql, system, count) in [
        ("select 1", Postgres, 1),
        (";; select 1; ;select 2;", Postgres, 2),
        ("select ';'; select \"a;b\" from t", Postgres, 2),
        ("select 'it''s; one'", Postgres, 1),
        ("select 'a\\'; select 2", Postgres, 2),
        ("select E'a\\';b'", Postgres, 1),
        ("select e'a\\\\'; select 2", Postgres, 2),
        ("select 'a\\';b'", MySql, 1),
        ("select \"a\\\";b\"", MySql, 1),
        ("select `a;b` from t", MySql, 1),
        ("do $$ begin; perform 1; end $$; select 2", Postgres, 2),
        ("do $a$ $$ ; $b$ ; $a$", Postgres, 1),
        ("select $1; select $2", Postgres, 2),
        ("select a$b$c; select 1$b$", Postgres, 2),
        ("select 1 -- one; two\n; select 2", Postgres, 2),
        ("select 1--one;\n+1", MySql, 2),
        ("select 1 -- one;\n+1", MySql, 1),
        ("select 1 # one;\n+1", MySql, 1),
        ("select 1 # 2; select 3", Postgres, 2),
        ("select /* a; /* b; */ c; */ 1", Postgres, 1),
        ("select /* a; /* b; */ 1; select 2", MySql, 2),
        ("select 'open; ", Postgres, 1),
        ("select $x$ open; ", Postgres, 1),
        ("select /* open; ", Postgres, 1),
        ("select 'ü;', \"ö;\", ü;", Postgres, 1),
        ("create function f() returns int begin atomic select 1; select 2; end;", Postgres, 1),
        ("create table t (begin int); select 1", Postgres, 2),
        ("create definer = ann@`%` procedure p() begin select 1; select 2; end;", MySql, 1),
        ("create table t (a int); select 1", MySql, 2),
    ] {
        assert_eq!(split(sql, system).len(), count, "{sql}: {:?}", split(sql, system));
    }
    assert!(statements(" ; -- none", Postgres).is_err());
    let text = statements("select 1 /*!50000 into outfile 'x' */", MySql).err().unwrap().message;
    assert!(text.starts_with("column 10: `/*!"), "{text}");
    assert!(statements("select 1 /*M! ; drop table t */", MySql).is_err());
}

#[test]
fn params_with_names_are_written_as_the_system_has_them() {
    let value = json::read(r#"{"a":1,"b":2}"#).unwrap();
    let Value::Record(record) = &value else { panic!() };
    let given = Given::Named(record);
    let sql = "select :a::int, ':a', :b, :a, x[1 : 2] -- :c\n, \":d\", b := 1";
    let one = one(sql, System::Postgres).unwrap();
    let written = one.written(&given).unwrap();
    assert_eq!(written.text, "select $1::int, ':a', $2, $1, x[1 : 2] -- :c\n, \":d\", b := 1");
    assert_eq!(written.names, ["a", "b"]);
    let at = written.text.find("$2").unwrap();
    assert_eq!(one.place_in(&written, at + 2), "line 1, column 25: ");
    let one = super::one("select :a, :b, :a", System::MySql).unwrap();
    let written = one.written(&given).unwrap();
    assert_eq!((written.text.as_str(), written.names.len()), ("select ?, ?, ?", 3));
}

#[test]
fn only_what_reads_is_a_query() {
    let read = |sql: &str, system| one(sql, system).and_then(|it| it.test_read());
    for sql in ["(select 1)", "/* a */ with a as (select 1) select 1", "values (1)", "show x"] {
        read(sql, System::Postgres).unwrap();
    }
    for sql in [
        "insert into t values (1)",
        "copy t to program 'x'",
        "COPY (select 1) to stdout",
        "call p()",
        "do $$ $$",
        "set x = 1",
        "commit",
        "'select'",
        "1",
    ] {
        assert!(read(sql, System::Postgres).is_err(), "{sql}");
    }
    for sql in
        ["select 1 into outfile '/tmp/x'", "select 1 INTO DumpFile 'x'", "load data infile 'x'"]
    {
        assert!(read(sql, System::MySql).is_err(), "{sql}");
    }
    read("select 'into outfile'", System::MySql).unwrap();
}
