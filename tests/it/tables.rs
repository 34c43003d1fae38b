//! The component `table` gives what `SQLite` gives, for random tables and queries.

mod inferred;

use fastrand::Rng;
use rusqlite::{Connection, types::ValueRef};
use svc::Engine;
use svc_contract::value::{Record, Text, Value, json};
use svc_host_os::test::TestHost;

const QUERIES: u64 = 500;

/// A random table: a key, a small int, a larger int, a float, and a number of its own for each row.
struct Data(Vec<[Value; 5]>);

const NAMES: [&str; 5] = ["k", "g", "v", "x", "id"];

impl Data {
    fn random(rng: &mut Rng, rows: usize) -> Self {
        Self((0..rows).map(|id| Self::row(rng, id)).collect())
    }

    fn row(rng: &mut Rng, id: usize) -> [Value; 5] {
        let mut some = |of: &mut dyn FnMut(&mut Rng) -> Value| {
            if rng.u8(0..10) == 0 { Value::Null } else { of(rng) }
        };
        let k = some(&mut |rng| ["a", "b", "c", "Ab", ""][rng.usize(0..5)].into());
        let g = some(&mut |rng| Value::Int(rng.i64(-3..4)));
        let v = some(&mut |rng| Value::Int(rng.i64(-1000..1000)));
        // Halves have exact sums in any order.
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let x = some(&mut |rng| Value::Float(rng.i64(-20..20) as f64 / 2.0));
        [k, g, v, x, id.into()]
    }

    fn rows(&self) -> Value {
        let names: std::sync::Arc<[Text]> = NAMES.map(Text::from).into();
        let row = |it: &[Value; 5]| Value::Record(Record::new(names.clone(), it.to_vec()));
        Value::List(self.0.iter().map(row).collect())
    }

    fn insert(&self, db: &Connection, table: &str) {
        let create =
            format!("CREATE TABLE {table} (k TEXT, g INTEGER, v INTEGER, x REAL, id INTEGER)");
        db.execute(&create, []).unwrap();
        let mut insert =
            db.prepare(&format!("INSERT INTO {table} VALUES (?, ?, ?, ?, ?)")).unwrap();
        for row in &self.0 {
            let cells = row.iter().map(|it| match it {
                Value::Int(it) => rusqlite::types::Value::Integer(*it),
                Value::Float(it) => rusqlite::types::Value::Real(*it),
                Value::Text(it) => rusqlite::types::Value::Text(it.to_string()),
                _ => rusqlite::types::Value::Null,
            });
            insert.execute(rusqlite::params_from_iter(cells)).unwrap();
        }
    }
}

/// The rows that `SQLite` gives, each as text with numbers in one form.
fn of_sqlite(db: &Connection, sql: &str) -> Vec<String> {
    let mut query = db.prepare(sql).unwrap_or_else(|err| panic!("{sql}: {err}"));
    let width = query.column_count();
    let mut rows = query.query([]).unwrap();
    let mut all = vec![];
    while let Some(row) = rows.next().unwrap() {
        let cells: Vec<String> = (0..width)
            .map(|at| match row.get_ref(at).unwrap() {
                ValueRef::Null => "null".to_owned(),
                #[expect(clippy::cast_precision_loss, reason = "small")]
                ValueRef::Integer(it) => number(it as f64),
                ValueRef::Real(it) => number(it),
                ValueRef::Text(it) => format!("{:?}", std::str::from_utf8(it).unwrap()),
                ValueRef::Blob(_) => panic!("a blob"),
            })
            .collect();
        all.push(cells.join(" "));
    }
    all
}

fn of_svc(value: &Value) -> Vec<String> {
    let row = |it: &Value| {
        let cells = it.as_record().unwrap().iter().map(|(_, it)| match it {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            Value::Int(it) => number(*it as f64),
            Value::Float(it) => number(*it),
            Value::Bool(it) => number(f64::from(u8::from(*it))),
            other => json::write(other),
        });
        cells.collect::<Vec<_>>().join(" ")
    };
    value.as_list().unwrap().iter().map(row).collect()
}

fn number(it: f64) -> String {
    if it == 0.0 { "0".to_owned() } else { format!("{it:.9e}") }
}

/// An expression in both languages.
type Both = (String, String);

fn one<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(0..all.len())]
}

fn numeric(rng: &mut Rng, depth: u8) -> Both {
    let same = |it: String| (it.clone(), it);
    if depth == 0 || rng.u8(0..4) == 0 {
        return same(match rng.u8(0..6) {
            0 => rng.i64(1..9).to_string(),
            1 => format!("{}.5", rng.i64(0..9)),
            2 => "x".into(),
            3 => "g".into(),
            _ => "v".into(),
        });
    }
    let (a, b) = (numeric(rng, depth - 1), numeric(rng, depth - 1));
    match rng.u8(0..9) {
        0..4 => {
            let op = one(rng, &["+", "-", "*"]);
            (format!("({} {op} {})", a.0, b.0), format!("({} {op} {})", a.1, b.1))
        }
        4 => (format!("({} / {})", a.0, b.0), format!("({} * 1.0 / {})", a.1, b.1)),
        5 => {
            let n = rng.i64(-2..5);
            same(format!("(v % ({n}))"))
        }
        6 => (format!("({} ?? {})", a.0, b.0), format!("coalesce({}, {})", a.1, b.1)),
        7 => {
            let test = condition(rng, depth - 1);
            let ours = format!("if({}, {}, {})", test.0, a.0, b.0);
            (ours, format!("(CASE WHEN {} THEN {} ELSE {} END)", test.1, a.1, b.1))
        }
        _ => same_call("abs", &a),
    }
}

fn same_call(name: &str, it: &Both) -> Both {
    (format!("{name}({})", it.0), format!("{name}({})", it.1))
}

fn condition(rng: &mut Rng, depth: u8) -> Both {
    if depth > 0 && rng.bool() {
        let (a, b) = (condition(rng, depth - 1), condition(rng, depth - 1));
        return match rng.u8(0..3) {
            0 => (format!("({} and {})", a.0, b.0), format!("({} AND {})", a.1, b.1)),
            1 => (format!("({} or {})", a.0, b.0), format!("({} OR {})", a.1, b.1)),
            _ => (format!("(not {})", a.0), format!("(NOT {})", a.1)),
        };
    }
    match rng.u8(0..4) {
        0 => {
            let (word, op) = (one(rng, &["a", "b", ""]), one(rng, &["==", "!=", "<", ">="]));
            (format!("k {op} '{word}'"), format!("k {op} '{word}'"))
        }
        1 => {
            let name = one(rng, &NAMES[..4]);
            (format!("is_null({name})"), format!("({name} IS NULL)"))
        }
        _ => {
            let (a, b) = (numeric(rng, 1), numeric(rng, 1));
            let op = one(rng, &["==", "!=", "<", "<=", ">", ">="]);
            (format!("{} {op} {}", a.0, b.0), format!("{} {op} {}", a.1, b.1))
        }
    }
}

fn measure(rng: &mut Rng) -> Both {
    let of = numeric(rng, 2);
    match rng.u8(0..7) {
        0 => ("count()".into(), "count(*)".into()),
        1 => same_call("count", &of),
        2 => (format!("distinct({})", of.0), format!("count(DISTINCT {})", of.1)),
        3 => same_call(one(rng, &["min", "max"]), &("k".into(), "k".into())),
        4 => (format!("max({}) - min({})", of.0, of.0), format!("max({}) - min({})", of.1, of.1)),
        _ => same_call(one(rng, &["sum", "avg", "min", "max"]), &of),
    }
}

fn listed(names: &[&str]) -> String {
    json::write(&Value::from(names.to_vec()))
}

/// A script on `rows` and `other`, the same in SQL, and whether the order of the rows counts.
fn query(rng: &mut Rng) -> (String, String, bool) {
    let keys: Vec<&str> = NAMES[..2].iter().filter(|_| rng.bool()).copied().collect();
    match rng.u8(0..6) {
        0 | 1 => {
            let (a, b) = (measure(rng), measure(rng));
            let having = condition(rng, 0);
            let having = rng.bool().then(|| {
                let n = rng.i64(1..9);
                let _ = having;
                (format!(", having: \"count() >= {n}\""), format!(" HAVING count(*) >= {n}"))
            });
            let having = having.unwrap_or_default();
            let script = format!(
                "rows >> table(by: {}, measures: {{ m1: {:?}, m2: {:?} }}{})",
                listed(&keys),
                a.0,
                b.0,
                having.0
            );
            let columns: Vec<&str> = keys.iter().copied().chain([a.1.as_str(), &b.1]).collect();
            let group = if keys.is_empty() {
                String::new()
            } else {
                format!(" GROUP BY {}", keys.join(", "))
            };
            let sql = format!("SELECT {} FROM t{group}{}", columns.join(", "), having.1);
            (script, sql, false)
        }
        2 => {
            let (test, made) = (condition(rng, 2), numeric(rng, 2));
            let script = format!(
                "rows >> table.filter(test: {:?}) >> table.derive(columns: {{ y: {:?} }})",
                test.0, made.0
            );
            (script, format!("SELECT *, {} FROM t WHERE {} ORDER BY id", made.1, test.1), true)
        }
        3 => {
            let sign = |rng: &mut Rng| if rng.bool() { ("-", " DESC") } else { ("", "") };
            let (a, b) = (sign(rng), sign(rng));
            let first = one(rng, &NAMES[..4]);
            let limit = rng.usize(0..40);
            let script = format!(
                "rows >> table.sort(by: [\"{}{first}\", \"{}id\"], limit: {limit})",
                a.0, b.0
            );
            let sql = format!("SELECT * FROM t ORDER BY {first}{}, id{} LIMIT {limit}", a.1, b.1);
            (script, sql, true)
        }
        4 => {
            let on = if rng.bool() { vec!["k", "g"] } else { vec![one(rng, &["k", "g", "v"])] };
            let test: Vec<String> = on.iter().map(|it| format!("t.{it} = u.{it}")).collect();
            let test = test.join(" AND ");
            let how = one(rng, &["inner", "left", "semi", "anti"]);
            let rest: Vec<String> =
                NAMES.iter().filter(|it| !on.contains(it)).map(|it| format!("u.{it}")).collect();
            let sql = match how {
                "inner" => format!("SELECT t.*, {} FROM t JOIN u ON {test}", rest.join(", ")),
                "left" => format!("SELECT t.*, {} FROM t LEFT JOIN u ON {test}", rest.join(", ")),
                "semi" => format!("SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE {test})"),
                _ => format!("SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE {test})"),
            };
            let on = listed(&on);
            (format!("rows >> table.join(other: other, on: {on}, how: {how:?})"), sql, false)
        }
        _ => {
            let (ours, sql) = [
                ("row_number()", "row_number()"),
                ("lag(v)", "lag(v)"),
                ("lead(v, 2)", "lead(v, 2)"),
                ("running_sum(v)", "sum(v)"),
            ][rng.usize(0..4)];
            let script = format!(
                "rows >> table.window(partition: [\"k\"], order: [\"g\", \"-id\"], measures: {{ w: {ours:?} }})"
            );
            let over = "OVER (PARTITION BY k ORDER BY g, id DESC)";
            (script, format!("SELECT *, {sql} {over} FROM t ORDER BY id"), true)
        }
    }
}

#[tokio::test]
async fn random_queries_give_what_sqlite_gives() {
    let engine = svc::engine();
    for seed in 0..QUERIES {
        let mut rng = Rng::with_seed(seed);
        let rows = [0, 1, 7, 60, 200][rng.usize(0..5)];
        let (rows, other) = (Data::random(&mut rng, rows), Data::random(&mut rng, 25));
        let db = Connection::open_in_memory().unwrap();
        rows.insert(&db, "t");
        other.insert(&db, "u");
        let (script, sql, is_ordered) = query(&mut rng);
        // An empty list has no columns, and so no types.
        if rows.0.is_empty() && !script.contains("join") {
            continue;
        }
        let text = format!(
            "type Row = {{ k: string?, g: int?, v: int?, x: float?, id: int }}\nparam rows: [Row]\nparam other: [Row]\n{script}"
        );
        let run = engine.run(text).param("rows", rows.rows()).param("other", other.rows());
        let found = run.await.unwrap_or_else(|err| panic!("{seed}: {script}\n{err}")).value;
        let (mut found, mut expected) = (of_svc(&found), of_sqlite(&db, &sql));
        if !is_ordered {
            found.sort();
            expected.sort();
        }
        assert_eq!(found, expected, "seed {seed}\n{script}\n{sql}");
        if rows.0.is_empty() {
            continue;
        }
        // The same statement over the same tables, without a database.
        let text = format!(
            "param rows: [json]\nparam other: [json]\nrows >> table.sql(query: {}, with: {{ u: other }})",
            json::write(&Value::from(named(&sql, &db)))
        );
        let run = engine.run(text.clone()).param("rows", rows.rows()).param("other", other.rows());
        let found = run.await.unwrap_or_else(|err| panic!("{seed}: {text}\n{err}")).value;
        let mut found = of_svc(&found);
        if !is_ordered {
            found.sort();
        }
        assert_eq!(found, expected, "seed {seed}\n{text}");
    }
}

/// A statement over `input` instead of `t`, whose result has a name for each column.
fn named(sql: &str, db: &Connection) -> String {
    let width = db.prepare(sql).unwrap().column_count();
    let names: Vec<String> = (0..width).map(|it| format!("c{it}")).collect();
    format!("WITH t AS (SELECT * FROM input), r({}) AS ({sql}) SELECT * FROM r", names.join(", "))
}

fn with_file(name: &str, text: impl Into<Vec<u8>>) -> Engine {
    svc::engine().with_host(std::sync::Arc::new(TestHost::new().file(name, text)))
}

async fn result(engine: &Engine, script: &str) -> String {
    match engine.run(script.to_owned()).await {
        Ok(it) => json::write(&it.value),
        Err(err) => err.to_string(),
    }
}

/// A file of many pieces, with a column that changes its kind near the end.
#[tokio::test]
async fn a_scan_is_the_group_of_the_whole_file() {
    use std::fmt::Write as _;
    let mut text = "k,v,note\n".to_owned();
    let mut rng = Rng::with_seed(7);
    for row in 0..700_000 {
        let v =
            if row > 690_000 { format!("{}.5", rng.i64(0..9)) } else { rng.i64(0..9).to_string() };
        let v = if rng.u8(0..20) == 0 { String::new() } else { v };
        writeln!(text, "k{},{v},\"a \"\"line\"\"\nand, more\"", rng.u16(0..500)).unwrap();
    }
    let engine = with_file("x.csv", text);
    let measures = "measures: { n: \"count()\", s: \"sum(v)\", a: \"avg(v) + 1\", low: \"min(v)\", last: \"last(v)\" }";
    let scanned = result(
        &engine,
        &format!("table.scan(path: \"x.csv\", test: \"v != 3\", by: [\"k\"], {measures})"),
    )
    .await;
    let grouped = result(&engine, &format!("table.read(path: \"x.csv\") >> table.filter(test: \"v != 3\") >> table(by: [\"k\"], {measures})")).await;
    assert!(scanned.starts_with("[{\"k\":\"k"), "{}", &scanned[..200]);
    assert_eq!(scanned, grouped);
}

#[tokio::test]
async fn bad_files_are_errors_with_their_place() {
    let read = "table.read(path: \"x.csv\")";
    for (bytes, expected) in [
        (&b"\n"[..], "the table is empty, so it has no header"),
        (b"a,b\n1,2\n1\n", "line 3: expected 2 cells, found 1"),
        (b"a\n\"x\n", "line 2: unclosed quote"),
        (b"a\n\xff\n", "line 2 of `x.csv` is not valid UTF-8"),
        (b"\x1f\x8b\x08\x00broken", "cannot unpack `x.csv`"),
        (b"a,a\n1,2\n", "duplicate column `a`"),
    ] {
        let engine = with_file("x.csv", bytes);
        let scan = "table.scan(path: \"x.csv\", by: [\"a\"])";
        for script in [read, scan] {
            let found = result(&engine, script).await;
            assert!(found.contains(expected), "{script}: {found}");
        }
    }
    let found =
        result(&with_file("x.jsonl", "{\"a\":1}\n[1]\n"), "table.read(path: \"x.jsonl\")").await;
    assert!(found.contains("line 2: expected an object, found list"), "{found}");
    let rows = format!("a\n{}", "1\n".repeat(10_000_001));
    let found = result(&with_file("x.csv", rows), &format!("{read} >> len")).await;
    assert!(found.contains("more than 10000000 rows") && found.contains("table.scan"), "{found}");
}

#[tokio::test]
async fn compressed_files_are_read() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all("\u{feff}a;b\n1;x\n".as_bytes()).unwrap();
    let engine = with_file("x.csv.gz", packed.finish().unwrap());
    assert_eq!(result(&engine, "table.read(path: \"x.csv.gz\")").await, r#"[{"a":1,"b":"x"}]"#);
}

async fn value_of(script: &str) -> String {
    json::write(&svc::engine().run(script).await.unwrap().value)
}

/// The rows of an op without a type are JSON, which has no money, durations and dates: what they
/// are is not lost for the next op.
#[tokio::test]
async fn amounts_stay_amounts_from_op_to_op() {
    for (script, expected) in [
        (
            r#"[{shop: "a", paid: $10}, {shop: "b", paid: $9}, {shop: "c", paid: $100}]
  >> table(by: ["shop"], measures: {total: "sum(paid)"}) >> table.sort(by: ["-total"], limit: 1)"#,
            r#"[{"shop":"c","total":"$100.00"}]"#,
        ),
        (
            r#"[{a: $10}] >> table.derive(columns: {net: "a * 0.5", fee: "a * 0.5"})
  >> table.derive(columns: {back: "net + fee"}, only: true)"#,
            r#"[{"back":"$10.00"}]"#,
        ),
        (
            r#"[{who: "a", t: 90s}, {who: "b", t: 2h}, {who: "c", t: 5m}]
  >> table(by: ["who"], measures: {t: "max(t)"}) >> table(measures: {longest: "max(t)"})"#,
            r#"[{"longest":"2h"}]"#,
        ),
        // They are still texts for what works on texts.
        (
            r#"[{a: $10}] >> table.derive(columns: {b: "a"})
  >> table.derive(columns: {c: "b + ' net'", d: "length(b)", e: "starts_with(b, '$1')"}, only: true)"#,
            r#"[{"c":"$10.00 net","d":6,"e":true}]"#,
        ),
        // Declared strings stay strings.
        (
            r#"let t: [{size: string, n: int}] = [{size: "5m", n: 2}, {size: "10m", n: 1}]
t >> table.sort(by: ["size"]) >> table<{size: string, most: string}>(by: ["size"], measures: {most: "max(size)"})
  >> each { "${upper(.size)} ${.most}" }"#,
            r#"["5M 5m","10M 10m"]"#,
        ),
        (
            r#"'[{"a":1},{"a":1.5}]' >> parse_json >> table(measures: {s: "sum(a)"})"#,
            r#"[{"s":2.5}]"#,
        ),
    ] {
        assert_eq!(value_of(script).await, expected, "{script}");
    }
}

#[tokio::test]
async fn joins_find_dates_times_and_durations() {
    for (values, expected) in [
        (r#""2026-01-01" as date"#, 2),
        (r#""2026-01-01T08:00:00Z" as time"#, 2),
        ("90m", 2),
        ("$5", 2),
    ] {
        let script = format!(
            r#"let t = [{{d: {values}, v: 1}}, {{d: {values}, v: 2}}]
let g = t >> table(by: ["d"], measures: {{s: "sum(v)"}})
t >> table.join(other: g, on: ["d"]) >> len"#
        );
        assert_eq!(value_of(&script).await, expected.to_string(), "{script}");
    }
}

#[tokio::test]
async fn dates_are_compared_with_texts() {
    let days = r#"[{day: "2026-03-01" as date}, {day: "2026-03-09" as date}]"#;
    for (test, expected) in [
        ("day >= '2026-03-05'", r#"["2026-03-09"]"#),
        ("day == '2026-03-01'", r#"["2026-03-01"]"#),
        ("'2026-03-05' > day", r#"["2026-03-01"]"#),
        ("day < '1000-01-01'", "[]"),
    ] {
        let script = format!("{days} >> table.filter(test: \"{test}\") >> each {{ show(.day) }}");
        assert_eq!(value_of(&script).await, expected, "{test}");
    }
    let wrong = format!("{days} >> table.filter(test: \"day < 'soon'\")");
    let err = svc::engine().run(wrong.as_str()).await.unwrap_err().to_string();
    assert!(err.contains("cannot compare \"soon\" with date"), "{err}");
}

#[tokio::test]
async fn sql_counts_with_money_and_orders_times() {
    for (script, expected) in [
        (
            r#"[{b: $10}, {b: $9}, {b: $100}]
  >> table.sql(query: "select max(b) as m, min(b) as n, typeof(b) as t from input where b < 50")"#,
            r#"[{"m":10.0,"n":9.0,"t":"real"}]"#,
        ),
        (
            r#"[{b: 90s}, {b: 1m}, {b: 2h}] >> table.sql(query: "select max(b) as m from input")"#,
            r#"[{"m":7200.0}]"#,
        ),
        (
            r#"[{b: "2026-01-01T00:00:00.5Z" as time, n: 2}, {b: "2026-01-01T00:00:00Z" as time, n: 1}]
  >> table.sql(query: "select n from input order by b")"#,
            r#"[{"n":1},{"n":2}]"#,
        ),
        // Times of two tables are equal whatever fractions of a second the others have.
        (
            r#"let other = [{t: "2026-01-01T00:00:00Z" as time}]
[{t: "2026-01-01T00:00:00Z" as time}, {t: "2026-01-01T00:00:00.25Z" as time}]
  >> table.sql(query: "select t from input join o using (t)", with: {o: other})"#,
            r#"[{"t":"2026-01-01T00:00:00Z"}]"#,
        ),
    ] {
        assert_eq!(value_of(script).await, expected, "{script}");
    }
}

#[tokio::test]
async fn times_of_texts_are_in_the_order_of_time() {
    const TIMES: &str = r#"'[{"t":"2026-01-01T00:00:00Z","n":1},{"t":"2026-01-01T00:00:00.5Z","n":2}]' >> parse_json<[json]>()"#;
    for (stages, expected) in [
        (
            r#"table(measures: {a: "min(t)", b: "max(t)"})"#,
            r#"[{"a":"2026-01-01T00:00:00Z","b":"2026-01-01T00:00:00.5Z"}]"#,
        ),
        (
            r#"table.sort(by: ["-t"]) >> table.derive(columns: {n: "n"}, only: true)"#,
            r#"[{"n":2},{"n":1}]"#,
        ),
        (
            r#"table.filter(test: "t > '2026-01-01T00:00:00Z'") >> table(measures: {n: "sum(n)"})"#,
            r#"[{"n":2}]"#,
        ),
        (
            r#"table.filter(test: "t == '2026-01-01T01:00:00+01:00'") >> table(measures: {n: "sum(n)"})"#,
            r#"[{"n":1}]"#,
        ),
        (
            r#"table.derive(columns: {day: "starts_with(t, '2026-01-01')"}) >> table(measures: {n: "first(day)"})"#,
            r#"[{"n":true}]"#,
        ),
    ] {
        assert_eq!(value_of(&format!("{TIMES} >> {stages}")).await, expected, "{stages}");
    }
}

#[tokio::test]
async fn the_first_of_a_window_is_that_of_its_order() {
    let script = r#"[{k: "a", v: 1}, {k: "a", v: 3}, {k: "a", v: 2}, {k: "b", v: 5}]
  >> table.window(partition: ["k"], order: ["-v"], measures: {top: "first(v)", low: "last(v)"})
  >> each { [.top, .low] }"#;
    assert_eq!(value_of(script).await, "[[3,1],[3,1],[3,1],[5,5]]");
}
