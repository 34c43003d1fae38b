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
