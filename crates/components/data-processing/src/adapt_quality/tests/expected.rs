//! Expectations and drift.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small made-up numbers"
)]

use svc_contract::value::Value;

use super::{super::drift::Drift, super::expect::Expect, cx, decoded, json, read};
use crate::adapt_quality::tests::Compute as _;

fn expect(rows: &str, more: &[(&str, Value)]) -> Result<serde_json::Value, String> {
    let mut args = vec![("rows", read(rows))];
    args.extend(more.iter().cloned());
    let found = decoded::<Expect>(&args).run(&cx()).map_err(|it| it.message)?;
    Ok(serde_json::from_str(&json::write(&found)).unwrap())
}

fn columns(rows: &str, columns: &str) -> Result<serde_json::Value, String> {
    expect(rows, &[("columns", read(columns))])
}

/// Whether the first rule holds, with its counts.
fn first(found: &serde_json::Value) -> (bool, u64, u64) {
    let it = &found["rules"][0];
    let count = |name: &str| it[name].as_u64().unwrap();
    (it["ok"].as_bool().unwrap(), count("checked"), count("failures"))
}

fn tests(all: &[&str]) -> Value {
    Value::from(all.iter().map(|it| Value::text(*it)).collect::<Vec<_>>())
}

const ROWS: &str = r#"[
    {"id":1,"age":41,"mail":"a@b.de","from":"2026-01-01","to":"2026-02-01","kind":"x"},
    {"id":2,"age":212,"mail":"nothing","from":"2026-03-01","to":"2026-02-01","kind":"y"},
    {"id":2,"age":null,"mail":null,"from":"2026-01-01","to":null,"kind":"x"},
    {"id":4,"age":"old","mail":"c@d.org","from":"not a day","to":"2026-02-01","kind":"z"}]"#;

#[test]
fn each_test_counts_what_breaks_it() {
    for (text, wanted) in [
        (r#"{"age":{"not_null":true}}"#, (false, 4, 1)),
        (r#"{"id":{"unique":true}}"#, (false, 4, 1)),
        (r#"{"kind":{"in":["x","y"]}}"#, (false, 4, 1)),
        (r#"{"kind":{"not_in":["q"]}}"#, (true, 4, 0)),
        // What cannot be compared is not inside, and null says nothing.
        (r#"{"age":{"between":[0,120]}}"#, (false, 3, 2)),
        (r#"{"id":{"between":[null,4]}}"#, (true, 4, 0)),
        (r#"{"mail":{"matches":"^[^@]+@[^@]+$"}}"#, (false, 3, 1)),
        (r#"{"mail":{"matches":"@","share":0.6}}"#, (true, 3, 1)),
        (r#"{"from":{"type":"date"}}"#, (false, 4, 1)),
        (r#"{"age":{"type":"int"}}"#, (false, 3, 1)),
        (r#"{"kind":{"length":[1,1]}}"#, (true, 4, 0)),
        (r#"{"id":{"mean":[2,2.5]}}"#, (true, 0, 0)),
        (r#"{"id":{"sum":[10,null]}}"#, (false, 0, 0)),
        (r#"{"id":{"distinct":[3,3]}}"#, (true, 0, 0)),
        (r#"{"x":{"distinct":[3,3]}}"#, (false, 0, 0)),
    ] {
        assert_eq!(first(&columns(ROWS, text).unwrap()), wanted, "{text}");
    }
    let row = |test: &str| first(&expect(ROWS, &[("tests", tests(&[test]))]).unwrap());
    assert_eq!(row("id < 4"), (false, 4, 1));
    // A condition that is null says nothing.
    assert_eq!(row("from <= to"), (false, 3, 2));
    let size = |more: &[(&str, Value)]| expect(ROWS, more).unwrap()["rules"][0].clone();
    assert_eq!(size(&[("fewest", 1.into())])["rule"], "at least 1 rows");
    let few = size(&[("fewest", 5.into()), ("most", 9.into())]);
    assert_eq!((&few["ok"], &few["found"]), (&false.into(), &"found 4".into()), "{few}");
}

#[test]
fn examples_show_rows_that_break_a_rule() {
    let found = expect(
        ROWS,
        &[
            ("columns", read(r#"{"age":{"between":[0,120]},"idd":{"unique":true}}"#)),
            ("tests", tests(&["id < 4"])),
            ("only", true.into()),
        ],
    );
    let found = found.unwrap();
    assert_eq!(found["failed"], 4);
    let rules = &found["rules"];
    assert_eq!(rules[0]["examples"][0], serde_json::json!({ "row": 1, "value": 212 }));
    assert_eq!(rules[0]["examples"][1], serde_json::json!({ "row": 3, "value": "old" }));
    assert_eq!(rules[1]["found"], "the column is missing; there is `id`");
    assert_eq!(rules[2]["examples"][0]["value"]["kind"], "z");
    assert_eq!(rules[2]["rule"], "id < 4");
    assert_eq!(rules[3]["found"], "found `id`, `mail`, `from`, `to`, `kind`");
}

#[test]
fn wrong_rules_are_named() {
    for (rules, why) in [
        ("7", "expected a record for `columns`, found int"),
        (r#"{"id":7}"#, "column `id`: expected a record of tests, found 7"),
        (r#"{"id":{}}"#, "column `id`: missing test"),
        (r#"{"id":{"share":0.5}}"#, "column `id`: missing test"),
        (r#"{"id":{"uniqe":true}}"#, "column `id`: unknown test `uniqe`"),
        (r#"{"id":{"between":[1]}}"#, "expected two values for `between`, found [1]"),
        (r#"{"id":{"between":[2,1]}}"#, "`between` goes from 2 down to 1"),
        (r#"{"id":{"matches":"("}}"#, "invalid regular expression `(`"),
        (r#"{"id":{"matches":"a{9999}{9999}"}}"#, "invalid regular expression"),
        (r#"{"id":{"type":"integer"}}"#, "unknown `type` `integer`"),
        (r#"{"id":{"unique":"yes"}}"#, "expected true for `unique`, found `yes`"),
        (r#"{"id":{"unique":true,"share":2}}"#, "expected a number from 0 to 1 for `share`"),
    ] {
        let found = columns(ROWS, rules).unwrap_err();
        assert!(found.contains(why), "{rules}: {found}");
    }
    for (test, why) in [("id <", "test `id <`: "), ("nothing > 1", "missing column `nothing`")] {
        let found = expect(ROWS, &[("tests", tests(&[test]))]).unwrap_err();
        assert!(found.contains(why), "{found}");
    }
    assert_eq!(expect(ROWS, &[]).unwrap_err(), "nothing is expected");
    assert_eq!(expect("[]", &[("fewest", 1.into())]).unwrap()["ok"], false);
    assert_eq!(expect("[]", &[("tests", tests(&["a > 1"]))]).unwrap()["ok"], true);
    assert_eq!(columns("[]", r#"{"a":{"unique":true}}"#).unwrap()["ok"], true);
}

/// A table of a number and a word, by a small generator.
fn table(rows: u64, number: impl Fn(f64) -> f64, words: &[&str]) -> String {
    let mut state = 12_345_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let row = |_| {
        let (a, b) = (next(), next());
        let word = words[(b * words.len() as f64) as usize % words.len()];
        format!(r#"{{"n":{},"w":"{word}"}}"#, number(a))
    };
    format!("[{}]", (0..rows).map(row).collect::<Vec<_>>().join(","))
}

fn drift(before: &str, now: &str) -> Vec<(String, String)> {
    let args = [("rows", read(now)), ("reference", read(before))];
    let found = decoded::<Drift>(&args).run(&cx()).unwrap();
    let found: serde_json::Value = serde_json::from_str(&json::write(&found)).unwrap();
    let text = |it: &serde_json::Value, name: &str| it[name].as_str().unwrap().to_owned();
    found.as_array().unwrap().iter().map(|it| (text(it, "drift"), it.to_string())).collect()
}

#[test]
fn drift_is_found_where_it_is() {
    let before = table(2000, |it| it, &["a", "b", "c"]);
    let verdicts = |now: &str| drift(&before, now).into_iter().map(|it| it.0).collect::<Vec<_>>();
    // Other rows of the same distribution: the generator starts elsewhere.
    let same = table(1700, |it| 1.0 - it, &["c", "a", "b"]);
    assert_eq!(verdicts(&same), ["none", "none"]);
    assert_eq!(verdicts(&table(2000, |it| it + 0.5, &["a", "b", "c"])), ["large", "none"]);
    assert_eq!(verdicts(&table(2000, |it| it.powf(1.5), &["a", "b", "b"])), ["small", "large"]);
    // As different, but so few that it can be chance.
    assert_eq!(verdicts(&table(6, |it| it.powf(1.5), &["a", "b", "b"])), ["none", "none"]);
    let gone = drift(&before, r#"[{"n":1,"x":1},{"n":"a","x":2}]"#);
    assert_eq!(gone.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["unknown"; 3]);
    assert!(gone[1].1.contains("the column is gone") && gone[2].1.contains("the column is new"));
    let words = drift(&before, &table(500, |it| it, &["a", "new word"]));
    assert!(
        words[1].1.contains("new: `new word`") && words[1].1.contains("gone: `b`, `c`"),
        "{words:?}"
    );
    let mixed = before.replace(r#""n":0."#, r#""n":"x","y":0."#);
    assert!(drift(&before, &mixed)[0].1.contains("numbers are now words"));
}

#[test]
fn missing_values_are_drift() {
    let before = table(1000, |it| it, &["a", "b"]);
    let now = before.replace(r#""w":"b""#, r#""w":null"#);
    let found = drift(&before, &now);
    assert_eq!(found[1].0, "large", "{found:?}");
    assert!(found[1].1.contains("the share of missing values changed"), "{found:?}");
    assert_eq!(drift("[]", &before)[0].0, "unknown");
    assert!(drift("[]", "[]").is_empty());
}
