#![expect(clippy::unwrap_used, reason = "tests of data that fits")]

use svc_contract::{
    registry::{Field as _, Params},
    value::{Value, json},
};

use super::{Evaluated, OptimizeStudy, Suggest, space::Named, study};
use crate::testing::cx;

fn study_of(text: &str) -> OptimizeStudy {
    OptimizeStudy::decode(json::read(text).unwrap()).unwrap()
}

/// The best value of a study after some rounds, in which each study is read from its JSON again.
fn best(text: &str, rounds: usize, n: usize, objective: impl Fn(&Value) -> f64) -> f64 {
    let mut study = study_of(text);
    for _ in 0..rounds {
        let points = study::suggest(&study, n, &cx()).unwrap();
        assert_eq!(points, study::suggest(&study, n, &cx()).unwrap());
        let observed: Vec<Evaluated> =
            points.into_iter().map(|at| Evaluated { value: Some(objective(&at)), at }).collect();
        let next = study::tell(study, observed).unwrap();
        study = study_of(&json::write(&next.encode()));
    }
    study.best.unwrap().value.unwrap()
}

fn number(at: &Value, name: &str) -> f64 {
    f64::decode(at.as_record().unwrap().get(name).unwrap().clone()).unwrap()
}

#[test]
fn a_study_converges_across_its_json() {
    let bowl = |at: &Value| (number(at, "x") - 1.0).powi(2) + (number(at, "y") + 2.0).powi(2);
    let text = r#"{"space":{"x":{"min":-5,"max":5},"y":{"min":-5,"max":5}},"seed":3}"#;
    assert!(best(text, 60, 1, bowl) < 1e-6);
    assert!(best(text, 15, 6, bowl) < 1e-2);
}

#[test]
fn a_study_with_choices_finds_the_right_one() {
    let text = r#"{"space":{"kind":{"choices":["a","b",null]},"x":{"min":0,"max":8,"int":true}}}"#;
    let found = best(text, 30, 2, |at| {
        let kind = at.as_record().unwrap().get("kind").unwrap();
        number(at, "x") + if kind.is_null() { 0.0 } else { 10.0 }
    });
    assert!(found < 0.5, "{found}");
}

#[test]
fn what_cannot_be_a_space_is_refused() {
    for (range, reason) in [
        ("{}", "missing `min` or `max`"),
        (r#"{"min":1,"max":2,"choices":[1]}"#, "it has `choices` and bounds"),
        (r#"{"choices":7}"#, "`choices` is not a list"),
        (r#"{"min":1.5,"max":2,"int":true}"#, "the bounds are not whole"),
        (r#"{"min":1,"max":1e300,"int":true}"#, "the ints are too large to be exact"),
        (r#"{"min":1,"max":2,"int":true,"log":true}"#, "`int` and `log` exclude each other"),
        (r#"{"min":2,"max":1}"#, "min is above max"),
    ] {
        let study = study_of(&format!(r#"{{"space":{{"x":{range}}}}}"#));
        let refused = Named::new(&study.space).unwrap_err();
        assert_eq!(refused.message, format!("invalid range of `x`: {reason}"));
    }
}

#[test]
fn values_of_other_params_are_refused() {
    let study =
        || study_of(r#"{"space":{"x":{"min":0,"max":8,"int":true},"k":{"choices":["a"]}}}"#);
    for (at, reason) in [
        (r#"{"x":1.5,"k":"a"}"#, "expected a whole number for `x`, found 1.5"),
        (r#"{"x":9,"k":"a"}"#, "expected 0 to 8 for `x`, found 9"),
        (r#"{"x":1,"k":"b"}"#, "expected one of the choices for `k`, found b"),
        (r#"{"x":1,"k":"a","y":1}"#, "unknown param `y`"),
        ("7", "expected a record of params, found int"),
    ] {
        let observed = vec![Evaluated { at: json::read(at).unwrap(), value: None }];
        assert_eq!(study::tell(study(), observed).unwrap_err().message, reason);
    }
}

#[test]
fn a_value_that_could_not_be_measured_is_the_worst() {
    let study = study_of(r#"{"space":{"x":{"min":0,"max":8}}}"#);
    let observed = ["2", "3"].map(|it| Evaluated {
        at: json::read(&format!(r#"{{"x":{it}}}"#)).unwrap(),
        value: (it == "3").then_some(7.0),
    });
    let study = study::tell(study, observed.into()).unwrap();
    assert_eq!(study.best.clone().unwrap().value, Some(7.0));
    assert_eq!(study::suggest(&study, 3, &cx()).unwrap().len(), 3);
    assert_eq!(Suggest::PARAMS.len(), 2);
}
