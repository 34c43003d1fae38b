//! What is learnt from tables, and what hostile tables do.

use std::time::Duration;

use proptest::prelude::*;
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{Record, Text, Value, json},
};

use super::{Compare, Infer, Learn};
use crate::testing::{call, cancelled, cx, number, read, ticking};

fn compare(rows: Value, args: &[(&str, Value)]) -> Result<Value, OpError> {
    call::<Compare>(rows, args, &cx())
}

fn row(cells: Vec<(&str, Value)>) -> Value {
    Value::Record(cells.into_iter().map(|(name, it)| (Text::from(name), it)).collect::<Record>())
}

/// Rows of two clouds, with a category, cells that are missing, and a column that says nothing.
fn clouds(count: i64, seed: u64) -> Value {
    let mut rng = fastrand::Rng::with_seed(seed);
    let rows = (0..count).map(|it| {
        let is_high = it % 2 == 0;
        let middle = if is_high { 3.0 } else { 0.0 };
        let noise = rng.f64() + rng.f64() - 1.0;
        let height = if it % 7 == 0 { Value::Null } else { (middle + 2.0 * noise).into() };
        let colour = if rng.f64() < 0.8 { is_high } else { !is_high };
        row(vec![
            ("height", height),
            ("colour", if colour { "red" } else { "blue" }.into()),
            ("noise", rng.f64().into()),
            ("kind", if is_high { "high" } else { "low" }.into()),
        ])
    });
    Value::List(rows.collect())
}

fn target(name: &str) -> (&'static str, Value) {
    ("target", name.to_owned().into())
}

#[test]
fn the_best_one_beats_the_baseline_and_predicts_new_rows() {
    let found = compare(clouds(200, 1), &[target("kind")]).unwrap();
    let text = json::write(&found);
    assert!(text.contains(r#""task":"classification","metric":"accuracy""#), "{text}");
    let score = number(&found, "best.score");
    assert!(score > 0.9, "{text}");
    // The correction for the choice takes something away, but not much.
    let expected = number(&found, "expected.score");
    assert!(expected <= score + 0.005 && expected > score - 0.1, "{text}");
    assert!(text.contains(r#"{"algo":"baseline","params":{},"score":0.5"#), "{text}");
    let model = found.as_record().unwrap().get("model_id").cloned().unwrap();
    let new = clouds(400, 2);
    let predicted = call::<Infer>(new.clone(), &[("model", model)], &cx()).unwrap();
    let right = predicted.as_list().unwrap().iter().zip(new.as_list().unwrap().iter());
    let is_right = |(a, b): &(&Value, &Value)| {
        let field = |it: &Value, name: &str| it.as_record().unwrap().get(name).cloned().unwrap();
        field(a, "prediction") == field(b, "kind")
    };
    let share = right.filter(is_right).count();
    assert!(share > 350, "{share} of 400");
}

#[test]
fn equal_calls_give_equal_results_and_another_seed_another_split() {
    let run = |seed: i64| {
        let args = [target("kind"), ("seed", seed.into()), ("max_models", 8.into())];
        json::write(&compare(clouds(120, 3), &args).unwrap())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// Every look at the clock takes 100 ms, so 10 s end after some algorithms.
#[test]
fn what_does_not_fit_the_budget_is_skipped_and_said() {
    let budget = |seconds: u64| ("budget", Value::Duration(Duration::from_secs(seconds)));
    for rows in [100, 1_200] {
        let args = [target("kind"), budget(10)];
        let found = call::<Compare>(clouds(rows, 4), &args, &ticking(100)).unwrap();
        let list =
            |name: &str| found.as_record().unwrap().get(name).unwrap().as_list().unwrap().len();
        assert!(list("skipped") > 8 && list("leaderboard") > 1, "{found}");
        assert!(json::write(&found).contains("the time was up: it needs about"), "{found}");
    }
    // The baseline is there even if the time is up at once.
    let args = [target("kind"), budget(1)];
    let found = call::<Compare>(clouds(100, 4), &args, &ticking(2_000)).unwrap();
    let text = json::write(&found);
    assert!(text.contains(r#""leaderboard":[{"algo":"baseline""#), "{text}");
}

/// The best of many guesses looks better than guessing; what is expected does not.
#[test]
fn on_noise_the_luck_of_the_choice_is_taken_away() {
    let (mut best, mut expected) = (0.0, 0.0);
    for seed in 0..20 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rows = (0..60).map(|it| {
            let noise = || Value::from(rng.f64());
            let cells: Vec<Value> = std::iter::repeat_with(noise).take(4).collect();
            let mut named: Vec<(&str, Value)> =
                ["a", "b", "c", "d"].into_iter().zip(cells).collect();
            named.push(("y", if it % 2 == 0 { "p" } else { "q" }.into()));
            row(named)
        });
        let args = [target("y"), ("max_models", 5.into())];
        let found = compare(Value::List(rows.collect()), &args).unwrap();
        best += number(&found, "best.score") / 20.0;
        expected += number(&found, "expected.score") / 20.0;
    }
    assert!(best > 0.53 && expected < best - 0.02, "{expected} of {best}");
    assert!((expected - 0.5).abs() < 0.04, "{expected} of {best}");
}

#[test]
fn numbers_and_classes_are_distinguished() {
    let mut rng = fastrand::Rng::with_seed(5);
    let rows = (0..150).map(|_| {
        let (a, b) = (rng.f64(), rng.f64());
        row(vec![("a", a.into()), ("b", b.into()), ("y", (3.0 * a - 2.0 * b).into())])
    });
    let found = compare(Value::List(rows.collect()), &[target("y")]).unwrap();
    let text = json::write(&found);
    assert!(text.contains(r#""metric":"r2","best":{"algo":"ridge_regression""#), "{text}");
    assert!(number(&found, "best.score") > 0.999, "{text}");

    let digits = |count: i64, of: i64| {
        let rows = (0..count).map(|it| row(vec![("x", it.into()), ("y", (it % of).into())]));
        let args = [target("y"), ("max_models", 4.into())];
        json::write(&compare(Value::List(rows.collect()), &args).unwrap())
    };
    assert!(digits(60, 3).contains(r#""task":"classification""#));
    assert!(digits(60, 30).contains(r#""task":"regression""#));
}

#[test]
fn what_cannot_be_learnt_from_is_named() {
    let cases = [
        ("[]", "y", "expected a table with rows, found an empty one"),
        ("[1]", "y", "expected a record as row 1, found int"),
        (r#"[{"x":1,"y":1}]"#, "y", "expected at least 10 rows with a `y`, found 1"),
        (r#"[{"x":[1],"y":1}]"#, "x", "expected at least 10 rows"),
    ];
    for (rows, of, wanted) in cases {
        let err = compare(read(rows), &[target(of)]).unwrap_err();
        assert!(err.message.contains(wanted), "{rows}: {}", err.message);
    }
    let same = (0..20).map(|it| row(vec![("x", it.into()), ("y", "a".into())])).collect();
    let err = compare(Value::List(same), &[target("y")]).unwrap_err();
    assert!(err.message.contains("all rows have the same `y`"), "{}", err.message);
    let lists = (0..20).map(|it| row(vec![("x", read("[1]")), ("y", (it % 2).into())])).collect();
    let err = compare(Value::List(lists), &[target("y")]).unwrap_err();
    assert!(err.message.contains("for `x` in row 1, found list"), "{}", err.message);
    let texts =
        || Value::List((0..300).map(|it: i64| row(vec![("y", it.to_string().into())])).collect());
    let err = compare(texts(), &[target("y")]).unwrap_err();
    assert!(err.message.contains("too many classes: 300 (limit 100)"), "{}", err.message);
    let err = compare(texts(), &[target("y"), ("task", "regression".into())]).unwrap_err();
    assert!(err.message.contains("expected only numbers for `y`"), "{}", err.message);
    let short = [target("kind"), ("budget", Value::Duration(Duration::from_millis(10)))];
    let err = compare(clouds(20, 1), &short).unwrap_err();
    assert!(err.message.contains("expected 1s to 50s for `budget`"), "{}", err.message);
    let err = call::<Learn>(clouds(50, 1), &[target("kind")], &cancelled()).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Cancelled);
}

/// Makes a row of a table from its number.
type MakeRow = Box<dyn Fn(i64) -> Value>;

/// Nothing in these tables can be learnt from, so that the baseline is as good as anything.
#[test]
fn tables_without_knowledge_give_results() {
    let few = [target("y"), ("max_models", 24.into())];
    let is_odd = |it: i64| if it % 2 == 0 { "a" } else { "b" };
    let make: [(&str, MakeRow); 6] = [
        ("no columns", Box::new(move |it| row(vec![("y", is_odd(it).into())]))),
        (
            "constant",
            Box::new(move |it| {
                row(vec![("x", 5.into()), ("z", "k".into()), ("y", is_odd(it).into())])
            }),
        ),
        (
            "all distinct",
            Box::new(move |it| {
                row(vec![("x", format!("id{it}").into()), ("y", is_odd(it).into())])
            }),
        ),
        ("missing", Box::new(move |it| row(vec![("x", Value::Null), ("y", is_odd(it).into())]))),
        (
            "mixed",
            Box::new(move |it| {
                let cell = match it % 4 {
                    0 => Value::Null,
                    1 => true.into(),
                    2 => 1e300.into(),
                    _ => "text".into(),
                };
                row(vec![("x", cell), ("y", is_odd(it).into())])
            }),
        ),
        (
            "huge",
            Box::new(move |it| {
                row(vec![
                    ("x", (1e300 * f64::from(u8::from(it % 3 == 0))).into()),
                    ("y", is_odd(it).into()),
                ])
            }),
        ),
    ];
    for (name, of) in make {
        let rows = Value::List((0..40).map(of).collect());
        let found = compare(rows.clone(), &few).unwrap_or_else(|err| panic!("{name}: {err}"));
        let model = found.as_record().unwrap().get("model_id").cloned().unwrap();
        let back = call::<Infer>(rows, &[("model", model)], &cx()).unwrap();
        assert_eq!(back.as_list().unwrap().len(), 40, "{name}");
    }
}

#[test]
fn many_distinct_texts_and_a_rare_class_are_survived() {
    let rows = (0..20_000).map(|it: i64| {
        let kind = if it == 7 {
            "rare"
        } else if it % 2 == 0 {
            "a"
        } else {
            "b"
        };
        row(vec![("x", format!("text {it}").into()), ("n", (it % 11).into()), ("y", kind.into())])
    });
    let args = [target("y"), ("max_models", 4.into()), ("folds", 3.into())];
    let found = compare(Value::List(rows.collect()), &args).unwrap();
    assert!((number(&found, "rows") - 20_000.0).abs() < 0.5);
}

#[test]
fn a_damaged_model_is_an_error() {
    use super::state::{Fitted, LEAF, Tree};
    let x = super::encode::Matrix { width: 1, cells: vec![1.0, 2.0] };
    let scales = [(0.0, 1.0)];
    let tree = |features: Vec<u16>, links: Vec<u32>| Tree {
        thresholds: vec![0.0; features.len()],
        features,
        links,
        values: vec![1.0],
    };
    let all = [
        Fitted::Constant { scores: vec![] },
        Fitted::Linear { weights: vec![], biases: vec![0.0] },
        Fitted::Neighbours { k: 0, is_scaled: true, rows: vec![1.0], targets: vec![], outputs: 1 },
        Fitted::Forest { trees: vec![tree(vec![0, 0], vec![0, 0])], outputs: 1 },
        Fitted::Forest { trees: vec![tree(vec![9], vec![1])], outputs: 1 },
        Fitted::Forest { trees: vec![tree(vec![LEAF], vec![7])], outputs: 1 },
        Fitted::Boosted { start: vec![], rate: 1.0, trees: vec![] },
        Fitted::Bayes { priors: vec![0.0], means: vec![], variances: vec![] },
    ];
    for it in all {
        let err = it.scores(&x, &scales, 1, &cx()).expect_err(&format!("{it:?}"));
        assert!(err.message.contains("the model is damaged"), "{}", err.message);
    }
}

fn cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("json has no others", |it| it.is_finite()).prop_map(Value::from),
        "[a-c\u{e4} ]{0,2}".prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_table_is_an_error_or_a_result(
        rows in prop::collection::vec((cell(), cell(), cell(), 0..6_u8), 0..40),
        is_class in any::<bool>(),
    ) {
        let all = rows.into_iter().map(|(a, b, c, y)| {
            let y: Value = if is_class { format!("k{}", y % 3).into() } else { (f64::from(y) * 1.5).into() };
            row(vec![("a", a), ("b", b), ("c", c), ("y", y)])
        });
        let rows = Value::List(all.collect());
        for of in ["y", "a"] {
            if let Ok(found) = compare(rows.clone(), &[target(of), ("folds", 3.into())]) {
                let model = found.as_record().unwrap().get("model_id").cloned().unwrap();
                // Rows without a target were left out, and may have other types.
                if let Err(err) = call::<Infer>(rows.clone(), &[("model", model)], &cx()) {
                    prop_assert!(err.message.contains("expected a number for"), "{}", err.message);
                }
            }
        }
    }
}
