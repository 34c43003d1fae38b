//! How near filled values are to those that were there, on real texts.
#![expect(clippy::cast_precision_loss, reason = "counts of letters")]
#![expect(clippy::print_stderr, reason = "the measurement is for people")]

use std::{fs, path::Path};

use svc_contract::value::{List, Record, Text, Value};

/// What is measured of a text: numbers that depend on each other, and where it is from.
fn features(text: &str, from: &str) -> Value {
    let count = |it: usize| Value::Int(it.try_into().unwrap());
    let words: Vec<&str> = text.split_whitespace().collect();
    let long = words.iter().filter(|it| it.len() > 7).count();
    let mut distinct = words.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let letters = text.len();
    let vowels = text.bytes().filter(|it| b"aeiouAEIOU".contains(it)).count();
    let points = text.matches(['.', ',']).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let upper = text.bytes().filter(u8::is_ascii_uppercase).count();
    let fields = [
        ("letters", count(letters)),
        ("words", count(words.len())),
        ("long", count(long)),
        ("distinct", count(distinct.len())),
        ("vowels", count(vowels)),
        ("points", count(points)),
        ("digits", count(digits)),
        ("upper", count(upper)),
        ("from", from.into()),
    ];
    Value::Record(fields.into_iter().map(|(name, it)| (Text::from(name), it)).collect::<Record>())
}

/// The share of the cells that are taken out.
const HOLES: u64 = 15;

struct Errors {
    /// The error of numbers, in deviations of their column.
    numbers: f64,
    /// The share of words that are right.
    words: f64,
}

fn measured(rows: &[Value], method: &str) -> Errors {
    let mut state = 99_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut holes: Vec<(usize, usize)> = Vec::new();
    let hollow = |(at, row): (usize, &Value)| {
        let record = row.as_record().unwrap();
        let fields = record.iter().enumerate().map(|(column, (name, it))| {
            let is_hole = next() % 100 < HOLES;
            if is_hole {
                holes.push((at, column));
            }
            (name.clone(), if is_hole { Value::Null } else { it.clone() })
        });
        Value::Record(fields.collect::<Record>())
    };
    let hollowed: List = rows.iter().enumerate().map(hollow).collect();
    let script = format!("param rows: [json]\nrows >> profile.impute(method: \"{method}\")");
    let engine = svc::engine();
    let filled = engine.run(script.as_str()).param("rows", Value::List(hollowed)).blocking();
    let filled = filled.unwrap().value;
    let filled = filled.as_list().unwrap();
    let cell =
        |row: &Value, column: usize| row.as_record().unwrap().iter().nth(column).unwrap().1.clone();
    let number = |it: &Value| match it {
        Value::Int(it) => *it as f64,
        Value::Float(it) => *it,
        other => panic!("{other}"),
    };
    let deviation = |column: usize| {
        let all: Vec<f64> = rows.iter().map(|it| number(&cell(it, column))).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (all.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt()
    };
    let deviations: Vec<f64> = (0..8).map(deviation).collect();
    let (mut squares, mut count, mut right, mut words) = (0.0, 0.0, 0.0, 0.0);
    for (row, column) in holes {
        let (was, now) = (cell(&rows[row], column), cell(filled.get(row).unwrap(), column));
        if column == 8 {
            words += 1.0;
            right += if was == now { 1.0 } else { 0.0 };
        } else {
            squares += ((number(&was) - number(&now)) / deviations[column]).powi(2);
            count += 1.0;
        }
    }
    Errors { numbers: (squares / count).sqrt(), words: right / words }
}

#[test]
fn a_model_is_nearer_than_the_median_on_real_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ir");
    let mut rows = Vec::new();
    for name in ["cacm", "cisi", "cranfield"] {
        let Ok(text) = fs::read_to_string(folder.join(name).join("docs.jsonl")) else {
            eprintln!("skipped: the collections of documents are not here");
            return;
        };
        for line in text.lines().take(500) {
            let doc: serde_json::Value = serde_json::from_str(line).unwrap();
            rows.push(features(doc["text"].as_str().unwrap(), name));
        }
    }
    let [median, knn, model] = ["median", "knn", "model"].map(|it| measured(&rows, it));
    for (name, it) in [("median", &median), ("knn", &knn), ("model", &model)] {
        eprintln!("{name}: error {:.3} deviations, words right {:.3}", it.numbers, it.words);
    }
    assert!(model.numbers < 0.6 * median.numbers, "{} {}", model.numbers, median.numbers);
    assert!(model.numbers <= knn.numbers && model.words >= median.words + 0.2);
}
