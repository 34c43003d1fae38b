//! The columns that the check infers for a table op are those that the run gives.

use fastrand::Rng;
use svc::{Engine, Error};
use svc_contract::value::Type;
use svc_host_os::test::TestHost;

/// Rows of every kind of column; some columns have nulls, and `raw` is JSON.
const ROWS: &str = r#"type Row = {
  k: string, e: "a" | "b", i: int, j: int?, f: float, g: float?, m: money, p: money?, d: duration,
  t: time, y: date, s: string?, x: bool, z: size, w: [int], raw: json, amounts: string,
}
let rows: [Row] = [
  { k: "u", e: "a", i: 1, j: null, f: 0.5, g: 2.0, m: $5.00, p: null, d: 90s, t: "2026-03-01T10:00:00Z", y: "2026-03-01", s: "x", x: true, z: 5kB, w: [1], raw: parse_json("1"), amounts: "$1.00" },
  { k: "v", e: "b", i: 2, j: 7, f: -1.5, g: null, m: $9.50, p: $1.00, d: 2h, t: "2026-03-02T10:00:00Z", y: "2026-03-02", s: null, x: false, z: 6kB, w: [], raw: parse_json("\"r\""), amounts: "$2.50" },
  { k: "u", e: "b", i: 3, j: 9, f: 2.5, g: null, m: $0.10, p: null, d: 5m, t: "2026-03-03T10:00:00Z", y: "2026-03-03", s: "y", x: true, z: 7kB, w: [2], raw: parse_json("[2]"), amounts: "$0.50" },
]
"#;

const COLUMNS: [&str; 17] =
    ["k", "e", "i", "j", "f", "g", "m", "p", "d", "t", "y", "s", "x", "z", "w", "raw", "amounts"];

fn one<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[rng.usize(..of.len())]
}

/// An expression, mostly of kinds that go together.
fn expr(rng: &mut Rng, depth: u8) -> String {
    if depth == 0 || rng.u8(..4) == 0 {
        let plain = ["1", "0", "2.5", "$3.00", "'a'", "null", "true"];
        let of: &[&str] = if rng.u8(..5) == 0 { &plain } else { &COLUMNS };
        return one(rng, of).to_owned();
    }
    let part = |rng: &mut Rng| expr(rng, depth - 1);
    let (a, b) = (part(rng), part(rng));
    match rng.u8(..8) {
        0..3 => {
            format!("({a} {} {b})", one(rng, &["+", "-", "*", "/", "%", "??", "==", "<", "and"]))
        }
        3..6 => {
            let names =
                ["abs", "round", "sqrt", "int", "float", "string", "upper", "length", "is_null"];
            format!("{}({a})", one(rng, &names))
        }
        6 => format!("{}({a}, {b})", one(rng, &["least", "greatest", "coalesce", "contains"])),
        _ => format!("if(x, {a}, {b})"),
    }
}

fn measure(rng: &mut Rng) -> String {
    let names =
        ["sum", "avg", "min", "max", "first", "last", "median", "stddev", "count", "distinct"];
    match rng.u8(..5) {
        0 => "count()".to_owned(),
        1 => format!("{}({})", one(rng, &names), expr(rng, 1)),
        2 => {
            format!("{}({}) {} 2", one(rng, &names), one(rng, &COLUMNS), one(rng, &["*", "/", "+"]))
        }
        _ => format!("{}({})", one(rng, &names), one(rng, &COLUMNS)),
    }
}

fn stage(rng: &mut Rng) -> String {
    let (a, b) = (one(rng, &COLUMNS), one(rng, &COLUMNS));
    match rng.u8(..8) {
        0 | 1 => {
            let by = if rng.bool() { format!("\"{a}\"") } else { String::new() };
            let (one, two) = (measure(rng), measure(rng));
            format!("table(by: [{by}], measures: {{ one: \"{one}\", two: \"{two}\" }})")
        }
        2 | 3 => {
            let (one, two, only) = (expr(rng, 2), expr(rng, 1), rng.bool());
            format!("table.derive(columns: {{ new: \"{one}\", {a}: \"{two}\" }}, only: {only})")
        }
        4 => {
            let how = one(rng, &["inner", "left", "full", "semi", "anti", "asof"]);
            format!(
                "table.join(other: rows >> table.sort(by: [\"-i\"], limit: 2), on: [\"{a}\"], how: \"{how}\")"
            )
        }
        5 => {
            let of =
                ["lag", "lead", "running_sum", "sum", "avg", "max", "first", "count", "median"];
            let (one, two) = (one(rng, &of), one(rng, &of));
            format!(
                "table.window(partition: [\"{a}\"], order: [\"i\"], measures: {{ one: \"{one}({b})\", two: \"{two}({a})\", n: \"rank()\" }})"
            )
        }
        6 => format!("table.unpivot(columns: [\"{a}\", \"{b}\"])"),
        _ => format!("table.filter(test: \"{}\")", expr(rng, 2)),
    }
}

/// Whether the run may fail so: of what only the values show.
fn is_of_values(message: &str) -> bool {
    const OF_VALUES: [&str; 9] = [
        "does not take",
        "expected numbers for",
        "expected a number for",
        "expected a string for",
        "expected a condition",
        "expected a number, a string or a boolean",
        "overflow",
        "cannot compare",
        "not a finite number",
    ];
    OF_VALUES.iter().any(|it| message.contains(it))
}

#[tokio::test(start_paused = true)]
async fn inferred_columns_hold_in_the_run() {
    let engine = svc::engine().with_host(std::sync::Arc::new(TestHost::new()));
    let (mut ran, mut typed) = (0, 0);
    for seed in 0..600 {
        let rng = &mut Rng::with_seed(seed);
        let stages: Vec<String> = (0..rng.usize(1..3)).map(|_| stage(rng)).collect();
        // The block makes use of the type.
        let script = format!("{ROWS}rows\n  >> {}\n  >> each {{ it }}\n", stages.join("\n  >> "));
        let (is_ok, is_typed) = tried(&engine, &script, seed).await;
        (ran, typed) = (ran + usize::from(is_ok), typed + usize::from(is_ok && is_typed));
    }
    assert!(ran > 150 && typed > 140, "{ran} ran, {typed} of them with columns");
}

/// Whether a script ran, and whether the check knew its columns.
async fn tried(engine: &Engine, script: &str, seed: u64) -> (bool, bool) {
    let Ok(plan) = engine.plan(script) else { return (false, false) };
    let ty = plan.program().main.as_ref().map(|it| it.ty.clone());
    let is_typed =
        matches!(&ty, Some(Type::List(row, _)) if matches!(row.as_ref(), Type::Record(_)));
    match engine.run(script).await {
        Ok(response) => {
            let ty = ty.expect("it has a result");
            assert!(
                ty.is_exactly(&response.value),
                "seed {seed}: {ty}: {}\n{script}",
                response.value
            );
            (true, is_typed)
        }
        Err(Error::Run { error, .. }) if is_of_values(&error.to_string()) => (false, is_typed),
        Err(err) => panic!("seed {seed}: {err}\n{script}"),
    }
}
