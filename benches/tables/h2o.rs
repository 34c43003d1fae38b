//! The queries of h2o's benchmark of databases, by the ops of `table`: a process of its own, so that
//! `benches/tables/h2o.py` can compare it with others.
//!
//! `cargo bench -p svc-data-processing --bench h2o -- GROUPS.csv [SMALL.csv MEDIUM.csv BIG.csv]` prints a
//! line for each: its name, the seconds of the best of three calls, the rows and a checksum.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::{sync::Arc, time::Instant};

use svc_contract::{
    registry::{Body, Cx, Meter, Monitor, OpDef, ParamDefault},
    value::{Value, json},
};
use svc_host_os::OsHost;

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

fn op(name: &str) -> &'static OpDef {
    let table = svc_data_processing::ALL.iter().find(|it| it.name == "adapt_dataframe");
    table.and_then(|it| it.op(name)).expect("an op of `table`")
}

/// Calls an op with some of its arguments; the others have their defaults.
fn call(cx: &Cx, name: &str, given: &[(&str, Value)]) -> Value {
    let op = op(name);
    let mut args: Vec<Value> = op
        .params
        .iter()
        .map(|param| {
            let found = given.iter().find(|(name, _)| *name == param.name);
            let default = || param.default.map(ParamDefault::value).unwrap_or_default();
            found.map_or_else(default, |(_, value)| value.clone())
        })
        .collect();
    let Body::Compute(run) = op.body else { panic!("`{name}` computes") };
    run(cx, &mut args).unwrap_or_else(|err| panic!("{name}: {err}"))
}

/// The best of three times, and the result.
fn timed(name: &str, mut run: impl FnMut() -> Value) {
    let mut best = f64::MAX;
    let mut result = Value::Null;
    for _ in 0..3 {
        let start = Instant::now();
        result = run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let list = result.as_list().expect("a table");
    println!("{name} {best:.4} {} {:.3}", list.len(), checksum(&result));
}

/// The sum of the numbers of the last column.
fn checksum(rows: &Value) -> f64 {
    let table = rows.as_list().expect("a table").columns().expect("a table");
    let Some(column) = table.columns.last() else { return 0.0 };
    let number = |cell| match cell {
        #[expect(clippy::cast_precision_loss, reason = "a checksum")]
        svc_columns::Cell::Int(it) => it as f64,
        svc_columns::Cell::Float(it) => it,
        _ => 0.0,
    };
    column.cells().map(number).sum()
}

fn measures(text: &str) -> Value {
    json::read(text).expect("measures")
}

fn names(all: &[&str]) -> Value {
    Value::from(all.to_vec())
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let Some(groups) = files.first() else { return println!("expected the file of the groups") };
    let host = Arc::new(OsHost::default());
    let cancel = tokio_util::sync::CancellationToken::new();
    let cx = Cx::new("bench", host, cancel, Arc::new(Quiet), Meter::default());
    let read = |path: &str| call(&cx, "read", &[("path", Value::Path(path.into()))]);
    timed("read", || read(groups));
    let rows = read(groups);
    let group = |by: &[&str], of: &str| {
        call(&cx, "infer", &[("rows", rows.clone()), ("by", names(by)), ("measures", measures(of))])
    };
    timed("q1", || group(&["id1"], r#"{"v1":"sum(v1)"}"#));
    timed("q2", || group(&["id1", "id2"], r#"{"v1":"sum(v1)"}"#));
    timed("q3", || group(&["id3"], r#"{"v1":"sum(v1)","v3":"avg(v3)"}"#));
    timed("q4", || group(&["id4"], r#"{"v1":"avg(v1)","v2":"avg(v2)","v3":"avg(v3)"}"#));
    timed("q5", || group(&["id6"], r#"{"v1":"sum(v1)","v2":"sum(v2)","v3":"sum(v3)"}"#));
    timed("q6", || group(&["id4", "id5"], r#"{"median":"median(v3)","sd":"stddev(v3)"}"#));
    timed("q7", || group(&["id3"], r#"{"range":"max(v1) - min(v2)"}"#));
    timed("q8", || {
        let top = call(
            &cx,
            "window",
            &[
                ("rows", rows.clone()),
                ("partition", names(&["id6"])),
                ("order", names(&["-v3"])),
                ("measures", measures(r#"{"n":"row_number()"}"#)),
                ("keep", 2.into()),
            ],
        );
        let columns = measures(r#"{"id6":"id6","n":"n","v3":"v3"}"#);
        call(&cx, "derive", &[("rows", top), ("columns", columns), ("only", true.into())])
    });
    timed("q9", || group(&["id2", "id4"], r#"{"r2":"corr(v1, v2) * corr(v1, v2)"}"#));
    timed("q10", || {
        let by = ["id1", "id2", "id3", "id4", "id5", "id6"];
        group(&by, r#"{"v3":"sum(v3)","count":"count()"}"#)
    });
    for (idx, (file, on, how)) in [
        (1, "id1", "inner"),
        (2, "id2", "inner"),
        (2, "id2", "left"),
        (2, "id5", "inner"),
        (3, "id3", "inner"),
    ]
    .into_iter()
    .enumerate()
    {
        let Some(file) = files.get(file) else { break };
        let other = read(file);
        let join = || {
            let on = names(&[on]);
            let args =
                [("rows", rows.clone()), ("other", other.clone()), ("on", on), ("how", how.into())];
            call(&cx, "join", &args)
        };
        timed(&format!("j{}", idx + 1), join);
    }
}
