//! Runs files of sqllogictest through `database.execute` and `query`: those in the folder of the
//! variable `SVC_SQLLOGICTEST`, for example a clone of github.com/gregrahn/sqllogictest.

use std::{fmt::Write as _, path::Path, sync::Arc};

use svc::Engine;
use svc_contract::value::{Value, json};
use svc_host_os::test::TestHost;

/// A statement or query of a file.
#[derive(Debug)]
struct Case {
    line: usize,
    sql: String,
    expects: Expects,
}

#[derive(Debug)]
enum Expects {
    Success,
    Failure,
    /// The kinds of columns, how rows are sorted, and what is found.
    Rows(String, String, Vec<String>),
}

/// The cases of a file for `SQLite`.
fn cases(text: &str) -> Vec<Case> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let block = |lines: &mut dyn Iterator<Item = (usize, &str)>| -> Vec<String> {
            lines.map(|it| it.1).take_while(|it| !it.trim().is_empty()).map(str::to_owned).collect()
        };
        match words.first().copied() {
            Some("halt") => break,
            Some("skipif") if words.get(1) == Some(&"sqlite") => {
                block(&mut lines);
            }
            Some("onlyif") if words.get(1) != Some(&"sqlite") => {
                block(&mut lines);
            }
            Some("statement") => {
                let expects = if words[1] == "ok" { Expects::Success } else { Expects::Failure };
                found.push(Case { line: at + 1, sql: block(&mut lines).join("\n"), expects });
            }
            Some("query") => {
                let block = block(&mut lines);
                let end = block.iter().position(|it| it == "----").unwrap_or(block.len());
                let rows = block.get(end + 1..).unwrap_or_default().to_vec();
                let sort = words.get(2).copied().unwrap_or("nosort").to_owned();
                let expects = Expects::Rows(words[1].to_owned(), sort, rows);
                found.push(Case { line: at + 1, sql: block[..end].join("\n"), expects });
            }
            _ => {}
        }
    }
    found
}

/// A cell as the suite writes it.
fn shown(cell: &Value, kind: char) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as in C")]
    match (cell, kind) {
        (Value::Null, _) => "NULL".to_owned(),
        (Value::Int(it), 'R') => format!("{:.3}", *it as f64),
        (Value::Float(it), 'R') => format!("{it:.3}"),
        (Value::Float(it), 'I') => (*it as i64).to_string(),
        (Value::Text(it), 'I') => it.parse::<i64>().unwrap_or(0).to_string(),
        (Value::Text(it), _) if it.is_empty() => "(empty)".to_owned(),
        (Value::Text(it), _) => {
            it.chars().map(|it| if (' '..='~').contains(&it) { it } else { '@' }).collect()
        }
        (other, _) => json::write(other),
    }
}

fn values(rows: &Value, kinds: &str, sort: &str) -> Vec<String> {
    let mut rows: Vec<Vec<String>> = rows
        .as_list()
        .unwrap()
        .iter()
        .map(|row| {
            let cells = row.as_record().unwrap().iter().zip(kinds.chars());
            cells.map(|((_, cell), kind)| shown(cell, kind)).collect()
        })
        .collect();
    if sort == "rowsort" {
        rows.sort();
    }
    let mut all: Vec<String> = rows.into_iter().flatten().collect();
    if sort == "valuesort" {
        all.sort();
    }
    all
}

/// Whether the values are those of the file, or have its hash.
fn agree(found: &[String], expected: &[String]) -> bool {
    let Some((count, hash)) = expected
        .first()
        .filter(|_| expected.len() == 1)
        .and_then(|it| it.split_once(" values hashing to "))
    else {
        return found == expected;
    };
    let mut text = String::new();
    for it in found {
        writeln!(text, "{it}").unwrap();
    }
    let digest = md5(text.as_bytes());
    found.len().to_string() == count && digest == hash
}

fn md5(bytes: &[u8]) -> String {
    use md5::{Digest as _, Md5};
    let mut text = String::new();
    for it in Md5::digest(bytes) {
        write!(text, "{it:02x}").unwrap();
    }
    text
}

/// The cases that hold, all cases, and the first ones that fail.
async fn run(text: &str) -> (usize, usize, Vec<String>) {
    let engine = svc::engine().with_host(Arc::new(TestHost::new()));
    let (mut held, mut count, mut wrong) = (0, 0, Vec::new());
    for case in cases(text) {
        count += 1;
        match judge(&engine, &case).await {
            Ok(()) => held += 1,
            Err(why) => wrong.push(format!("line {}: {why}\n{}", case.line, case.sql)),
        }
    }
    wrong.truncate(5);
    (held, count, wrong)
}

async fn judge(engine: &Engine, case: &Case) -> Result<(), String> {
    let (call, sql) = match &case.expects {
        Expects::Rows(kinds, ..) => {
            // Some results of the suite have several columns of one name.
            let names: Vec<String> = (0..kinds.len()).map(|it| format!("c{it}")).collect();
            let sql = format!("WITH r({}) AS ({}\n) SELECT * FROM r", names.join(", "), case.sql);
            ("sql >> query(database: \"x.db\", max_rows: 1000000)", sql)
        }
        _ => ("sql >> database.execute(database: \"x.db\")", case.sql.clone()),
    };
    let text = format!("param sql: string\n{call}");
    let done = engine.run(text).param("sql", sql).await;
    match (&case.expects, done) {
        (Expects::Success | Expects::Rows(..), Err(err)) => Err(err.to_string()),
        (Expects::Failure, Ok(it)) => Err(format!("it succeeds: {}", json::write(&it.value))),
        (Expects::Success, Ok(_)) | (Expects::Failure, Err(_)) => Ok(()),
        (Expects::Rows(kinds, sort, expected), Ok(it)) => {
            let found = values(&it.value, kinds, sort);
            if agree(&found, expected) {
                Ok(())
            } else {
                Err(format!("{found:?}, not {expected:?}"))
            }
        }
    }
}

const SAMPLE: &str = "\
statement ok
CREATE TABLE t1(a INTEGER, b VARCHAR(30))

statement ok
INSERT INTO t1 VALUES(2,'x')

statement ok
INSERT INTO t1 VALUES(1,NULL)

statement error
INSERT INTO t2 VALUES(1)

query IT nosort
SELECT a, b FROM t1 ORDER BY 1
----
1
NULL
2
x

skipif sqlite
query I nosort
SELECT nothing FROM t1
----
1

query R rowsort
SELECT a * 1.5 FROM t1
----
1.500
3.000

query II rowsort
SELECT a, a FROM t1
----
4 values hashing to 1d0a3a1cd9b25a6cc4d4d2ea40e6a0d6
";

#[tokio::test]
async fn the_runner_counts_what_holds() {
    let (held, count, wrong) = run(SAMPLE).await;
    assert_eq!((held, count), (6, 7), "{wrong:?}");
    assert!(
        wrong[0].contains("SELECT a, a FROM t1"),
        "the last hash is wrong on purpose: {wrong:?}"
    );
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "says that it is skipped, and the figures")]
async fn the_suite_holds() {
    let Ok(folder) = std::env::var("SVC_SQLLOGICTEST") else {
        eprintln!("skipped: SVC_SQLLOGICTEST names no folder with files of sqllogictest");
        return;
    };
    let mut all_wrong = Vec::new();
    let mut files: Vec<_> = walk(Path::new(&folder));
    files.sort();
    for file in files {
        let (held, count, wrong) = run(&std::fs::read_to_string(&file).unwrap()).await;
        eprintln!("{}: {held} of {count}", file.display());
        all_wrong.extend(wrong);
    }
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n\n"));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let found = entries.flat_map(|it| if it.is_dir() { walk(&it) } else { vec![it] });
    found.filter(|it| it.extension().is_some_and(|it| it == "test")).collect()
}
