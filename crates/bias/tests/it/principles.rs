//! Each principle holds for some candidates and fails for others.

use svc_contract::value::Value;

use super::{NAME, candidate, component::cases, field, with, work};

#[tokio::test]
async fn each_principle_can_pass_and_fail() {
    let folder = tempfile::tempdir().unwrap();
    let work = work(folder.path(), &cases(160, 0));
    let own = candidate(&work, &[]);
    let good = candidate(&work, &[("honest", Value::Float(0.6))]);
    let none = Value::Int(3);
    let widened = with(&own, &["evolvable_params", "honest", "value"], &Value::Float(7.0));
    let table = [
        ("compression_conjecture", good.clone(), true),
        ("compression_conjecture", own.clone(), true),
        ("compression_conjecture", candidate(&work, &[("honest", Value::Float(0.1))]), false),
        ("compression_conjecture", candidate(&work, &[("idle", Value::Bool(true))]), false),
        ("physical_symbol_system", good.clone(), true),
        ("physical_symbol_system", widened.clone(), false),
        ("physical_symbol_system", none.clone(), false),
        ("category_theory", good.clone(), true),
        ("category_theory", candidate(&work, &[("risk", Value::Int(9))]), false),
        ("autopoiesis", good.clone(), true),
        ("autopoiesis", none, false),
        ("human_controllability", good.clone(), true),
        ("human_controllability", candidate(&work, &[("honest", Value::Float(0.612_345))]), false),
        ("human_controllability", candidate(&work, &[("idle", Value::Bool(true))]), false),
        ("antifragility", good, true),
        ("antifragility", candidate(&work, &[("brittle", Value::Float(0.9))]), false),
    ];
    for (principle, given, wanted) in table {
        let found = work.check_principle(principle, NAME, &given).await.unwrap();
        assert_eq!(field(&found, "passed"), &Value::Bool(wanted), "{found:?}");
        assert!(!field(&found, "explanation").as_str().unwrap().is_empty());
    }
    let failed = work.check_principle("beauty", NAME, &own).await.unwrap_err();
    assert!(failed.help.unwrap().contains("antifragility"));
}

#[tokio::test]
async fn what_gains_the_same_on_every_case_holds_and_another_version_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // Each case scores the same: the gain has no variance.
    let line = |no| {
        format!(
            "{{\"script\": \"param no: int param text: string text >> trap\", \
             \"input\": {{\"no\": {no}, \"text\": \"question number one\"}}, \"score\": \"value\"}}\n"
        )
    };
    let lines: String = (0..80).map(line).collect();
    let work = work(folder.path(), &lines);
    let good = candidate(&work, &[("honest", Value::Float(0.6))]);
    let found = work.check_principle("compression_conjecture", NAME, &good).await.unwrap();
    assert_eq!(field(&found, "passed"), &Value::Bool(true), "{found:?}");
    let worse = candidate(&work, &[("honest", Value::Float(0.0))]);
    let found = work.check_principle("compression_conjecture", NAME, &worse).await.unwrap();
    assert_eq!(field(&found, "passed"), &Value::Bool(false), "{found:?}");
    let old = with(&good, &["version"], &Value::Int(99));
    let report = work.ground_check(NAME, &old).await.unwrap();
    let warnings = format!("{:?}", field(&report, "warnings"));
    assert!(warnings.contains("the candidate is of version 99"), "{warnings}");
}
