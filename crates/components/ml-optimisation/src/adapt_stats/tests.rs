//! Tables that cannot be computed from, each with the error that names the place.

use svc_contract::{
    registry::{Compute, ErrorKind},
    value::Value,
};

use super::{
    curve::Fit, meta::Pool, regress::Regress, summary::Infer, survival::Survive, test::Test,
};
use crate::testing::{call, cancelled, cx, number, read};

fn fails<O: Compute>(rows: &str, args: &[(&str, Value)]) -> String {
    let err = call::<O>(read(rows), args, &cx()).expect_err("the call fails");
    assert_eq!(err.kind, ErrorKind::InvalidInput, "{err}");
    err.message
}

fn rows(all: &[(f64, f64)]) -> String {
    let row = |(x, y): &(f64, f64)| format!("{{\"x\":{x},\"y\":{y}}}");
    format!("[{}]", all.iter().map(row).collect::<Vec<_>>().join(","))
}

#[test]
fn what_is_missing_does_not_count() {
    let table =
        r#"[{"x":1,"y":2},{"x":null,"y":3},{"x":2,"y":""},{"x":3,"y":7},{"y":5},{"x":5,"y":9}]"#;
    let args = [("kind", "correlation".into()), ("columns", vec!["x", "y"].into())];
    let found = call::<Test>(read(table), &args, &cx()).unwrap();
    assert!((number(&found, "samples.0.n") - 3.0).abs() < f64::EPSILON, "{found}");
    let found = call::<Infer>(read(table), &[], &cx()).unwrap();
    assert!((number(&found, "0.missing") - 2.0).abs() < f64::EPSILON, "{found}");
}

#[test]
fn large_numbers_that_differ_are_tested() {
    let table = rows(&[(1e15, 1e15 + 3.0), (1e15 + 1.0, 1e15 + 5.0), (1e15 + 2.0, 1e15 + 10.0)]);
    let small = rows(&[(0.0, 3.0), (1.0, 5.0), (2.0, 10.0)]);
    for kind in ["t", "welch", "paired", "anova"] {
        let of = |table: &str| {
            let args = [("kind", kind.into()), ("columns", vec!["x", "y"].into())];
            number(&call::<Test>(read(table), &args, &cx()).unwrap(), "p")
        };
        assert!((of(&table) - of(&small)).abs() < 1e-9, "{kind}");
    }
}

#[test]
fn a_test_of_numbers_that_do_not_vary_says_which() {
    let test = |all: &[(f64, f64)], kind: &str| {
        fails::<Test>(&rows(all), &[("kind", kind.into()), ("columns", vec!["x", "y"].into())])
    };
    let apart = [(1.0, 2.0), (1.0, 2.0), (1.0, 2.0)];
    let why = "the numbers do not vary within the samples, so that nothing can be tested";
    assert_eq!(test(&apart, "t"), why);
    assert_eq!(test(&apart, "welch"), why);
    let same = [(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)];
    assert_eq!(test(&same, "t"), "all numbers are equal, so that nothing can be tested");
    let moved = [(1.0, 10.0), (2.0, 11.0), (3.0, 12.0), (4.0, 13.0)];
    let why = "the differences of the pairs are equal, so that nothing can be tested";
    assert_eq!(test(&moved, "paired"), why);
    let one = [(1.0, 10.0), (2.0, 10.0), (3.0, 10.0)];
    let why = "the numbers of the second column are equal, so that nothing can be tested";
    assert_eq!(test(&one, "correlation"), why);
}

#[test]
fn a_perfect_correlation_is_one() {
    let table = rows(&[(1.0, 2.0), (2.0, 4.0), (3.0, 9.0)]);
    let line = rows(&[(0.1, 0.3), (0.2, 0.5), (0.3, 0.7), (0.7, 1.5)]);
    let down = rows(&[(1.0, -0.1), (2.0, -0.2), (3.0, -0.3), (4.0, -0.4)]);
    for (table, kind, r) in
        [(&table, "spearman", 1.0), (&line, "correlation", 1.0), (&down, "correlation", -1.0)]
    {
        let args = [("kind", kind.into()), ("columns", vec!["x", "y"].into())];
        let found = call::<Test>(read(table), &args, &cx()).unwrap();
        assert_eq!(number(&found, "estimate").to_bits(), f64::to_bits(r), "{found}");
        assert_eq!(number(&found, "p").to_bits(), 0.0_f64.to_bits(), "{found}");
        assert!(found.as_record().unwrap().get("statistic").unwrap().is_null(), "{found}");
    }
}

#[test]
fn a_test_says_what_it_cannot_use() {
    let test = |rows: &str, kind: &str, columns: &[&str]| {
        fails::<Test>(rows, &[("kind", kind.into()), ("columns", columns.to_vec().into())])
    };
    let constant = rows(&[(1.0, 5.0), (1.0, 5.0), (1.0, 5.0)]);
    for kind in ["t", "welch", "anova", "paired", "correlation", "spearman", "kruskal"] {
        let message = test(&constant.replace('5', "1"), kind, &["x", "y"]);
        let is_said = message.contains("equal") || message.contains("do not vary");
        assert!(is_said, "{kind}: {message}");
    }
    assert_eq!(test(&constant, "t", &["x", "z"]), "missing column `z`");
    assert_eq!(
        test(&constant, "shapiro", &["x", "y"]),
        "expected one column for this test, found 2"
    );
    assert_eq!(
        test(r#"[{"x":1},{"x":"two"}]"#, "shapiro", &["x"]),
        "expected numbers in column `x`, found `two` in row 2"
    );
    assert_eq!(
        test(r#"[{"x":1},{"x":2e70}]"#, "shapiro", &["x"]),
        "expected a number, a text or a boolean for `x` in row 2, found a number beyond 1e70"
    );
    assert_eq!(test(r#"[{"x":1},2]"#, "shapiro", &["x"]), "expected a record as row 2, found int");
    assert_eq!(
        test(r#"[{"x":1,"g":"a"},{"x":2,"g":"b"},{"x":3,"g":"c"}]"#, "t", &["x", "g"]),
        "expected two samples, found 3: a, b, c"
    );
    assert_eq!(
        test(r#"[{"x":"a","y":"b"},{"x":"a","y":"c"}]"#, "fisher", &["x", "y"]),
        "expected two different values in each column, found 1 and 2"
    );
    assert_eq!(
        test(&rows(&[(1.0, 2.0)]), "welch", &["x", "y"]),
        "expected at least 2 numbers in the first sample, found 1"
    );
}

#[test]
fn a_regression_names_the_term_that_is_wrong() {
    let fit = |rows: &str, formula: &str, family: &str| {
        fails::<Regress>(rows, &[("formula", formula.into()), ("family", family.into())])
    };
    let line = rows(&[(1.0, 0.0), (2.0, 0.0), (3.0, 1.0), (4.0, 1.0), (5.0, 1.0)]);
    let separated = fit(&line, "y ~ x", "binomial");
    assert_eq!(
        separated,
        "`x` separates the responses perfectly, so that its coefficient has no finite estimate"
    );
    assert!(
        fit(&line, "y ~ x + I(2 * x + 1)", "gaussian")
            .starts_with("`I(2 * x + 1)` is a combination")
    );
    assert_eq!(fit(&line, "y ~ q", "gaussian"), "missing column `q`");
    assert_eq!(
        fit(&line, "y x", "gaussian"),
        "`formula`: expected `~` between the response and the terms"
    );
    assert_eq!(
        fit(&line, "y ~ x +* z", "gaussian"),
        "`formula`: expected a number or a name, found `*` at letter 8"
    );
    assert_eq!(
        fit(&line, "y ~ lag(x)", "gaussian"),
        "`formula`: unknown function `lag` at letter 5"
    );
    assert_eq!(fit(&line, "y ~ log(x - 1)", "gaussian"), "`log(x - 1)` is -inf in row 1");
    assert_eq!(
        fit(&rows(&[(1.0, 2.0), (3.0, 4.0)]), "y ~ x", "gaussian"),
        "expected more rows than coefficients: 2 rows, 2 coefficients"
    );
    assert_eq!(
        fit(&rows(&[(1.0, 2.5), (2.0, 1.0), (3.0, 1.0)]), "y ~ x", "poisson"),
        "expected a count from 0 as the response, found 2.5 in row 1"
    );
    assert_eq!(
        fit(&rows(&[(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)]), "y ~ x", "gaussian"),
        "the response is the same in all rows"
    );
}

#[test]
fn a_curve_says_why_it_cannot_be_fitted() {
    let start = |text: &str| read(text);
    let fit = |formula: &str, from: &str| {
        let table = rows(&[(0.0, 1.0), (1.0, 2.0), (2.0, 4.0), (3.0, 8.0)]);
        let args = [
            ("formula", formula.into()),
            ("x", "x".into()),
            ("y", "y".into()),
            ("start", start(from)),
        ];
        fails::<Fit>(&table, &args)
    };
    assert_eq!(fit("a * x", r#"{"a":1,"b":2}"#), "the parameter `b` does not occur in `formula`");
    assert_eq!(fit("a * 2", r#"{"a":1}"#), "the column `x` of `x` does not occur in `formula`");
    assert_eq!(fit("a / x", r#"{"a":1}"#), "the curve is not a number at the start, in row 1");
    assert_eq!(fit("(a + b) * x", r#"{"a":1,"b":1}"#), "the rows do not determine `b`");
    assert_eq!(fit("a * x", r"{}"), "expected 1 to 50 parameters in `start`, found 0");
}

#[test]
fn times_and_studies_are_tested() {
    let survive =
        |rows: &str| fails::<Survive>(rows, &[("time", "t".into()), ("event", "e".into())]);
    assert_eq!(
        survive(r#"[{"t":1,"e":2}]"#),
        "expected true, false, 1 or 0 for `e`, found 2 in row 1"
    );
    assert_eq!(survive(r#"[{"t":null,"e":1}]"#), "every row lacks a time or an event");
    let cox = fails::<Survive>(
        r#"[{"t":1,"e":1,"x":1},{"t":2,"e":1,"x":1},{"t":3,"e":1,"x":1}]"#,
        &[("time", "t".into()), ("event", "e".into()), ("covariates", vec!["x"].into())],
    );
    assert_eq!(cox, "`x` is the same in all rows");
    let pool = |rows: &str| fails::<Pool>(rows, &[("effect", "d".into()), ("error", "s".into())]);
    assert_eq!(pool(r#"[{"d":1,"s":1}]"#), "expected at least two studies, found 1");
}

#[test]
fn a_cancelled_call_stops() {
    let err = call::<Infer>(read(r#"[{"x":1}]"#), &[], &cancelled()).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Cancelled);
}
