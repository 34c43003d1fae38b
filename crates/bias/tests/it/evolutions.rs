//! What evolutions find.

use svc_bias::Step;
use svc_contract::value::Value;

use super::{NAME, component::cases, config, evolved, field, work};

fn value_of(answer: &Value, name: &str) -> f64 {
    match field(answer, &format!("proposal.evolvable_params.{name}.value")) {
        Value::Float(it) => *it,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_strategy_finds_the_top_of_the_hill() {
    for strategy in ["debate", "successive_halving", "bandit_online"] {
        let folder = tempfile::tempdir().unwrap();
        let work = work(folder.path(), &cases(200, 0));
        let config = config(&format!(r#"{{"strategy": "{strategy}", "max_evaluations": 60}}"#));
        let answer = evolved(&work, &config).await;
        let honest = value_of(&answer, "honest");
        assert!((honest - 0.6).abs() < 0.12, "{strategy}: {honest}");
        assert_eq!(field(&answer, "version"), &Value::Int(2), "{strategy}");
        let frontier = field(&answer, "frontier");
        assert!(!frontier.as_list().unwrap().is_empty());
        // What is kept of it is the same.
        assert_eq!(frontier, &work.frontier(NAME).unwrap(), "{strategy}");
    }
}

#[tokio::test]
async fn an_evolution_is_the_same_each_time() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let config = config(r#"{"max_evaluations": 30, "seed": 4}"#);
    let mut found = Vec::new();
    for folder in &folders {
        let work = work(folder.path(), &cases(120, 0));
        found.push(field(&evolved(&work, &config).await, "proposal").clone());
    }
    assert_eq!(found[0], found[1]);
}

#[tokio::test]
async fn too_few_cases_and_wrong_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let work = work(folder.path(), &cases(8, 0));
    let report = &mut |_: &Step| {};
    let failed = work.evolve(NAME, None, &config("{}"), None, report).await.unwrap_err();
    assert!(failed.message.contains("too few cases"), "{failed:?}");
    assert!(failed.help.unwrap().contains("cases/trap.jsonl"));
    let failed = work.evolve("tarp", None, &config("{}"), None, report).await.unwrap_err();
    assert_eq!(failed.help.as_deref(), Some("did you mean `trap`?"));
}

#[tokio::test]
async fn a_wrong_case_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let work = work(folder.path(), "{\"input\": {}, \"expected\": 1}\n{\"inpt\": {}}\n");
    let failed = work.case_counts(NAME).unwrap_err();
    assert!(failed.message.starts_with("cases/trap.jsonl:2: unknown field `inpt`"), "{failed:?}");
}

#[tokio::test]
async fn cases_that_all_fail_are_reported_by_their_error() {
    let folder = tempfile::tempdir().unwrap();
    let line = |number| {
        format!("{{\"script\": \"trap({number}) >> mena\", \"input\": {{}}, \"expected\": 1}}\n")
    };
    let work = work(folder.path(), &(0..80).map(line).collect::<String>());
    let report = &mut |_: &Step| {};
    let failed = work.evolve(NAME, None, &config("{}"), None, report).await.unwrap_err();
    assert!(failed.message.starts_with("the first 10 cases all fail: "), "{failed:?}");
    assert!(failed.message.contains("mena"), "{failed:?}");
}

#[tokio::test]
async fn what_is_proposed_changes_only_what_matters() {
    let folder = tempfile::tempdir().unwrap();
    let work = work(folder.path(), &cases(300, 0));
    let answer = evolved(&work, &config(r#"{"max_evaluations": 60}"#)).await;
    assert_eq!(field(&answer, "proposal.evolvable_params.idle.value"), &Value::Bool(false));
}

#[tokio::test]
async fn a_candidate_changes_at_most_three_params() {
    let folder = tempfile::tempdir().unwrap();
    let work = work(folder.path(), &cases(120, 0));
    let mut most = 0;
    let report = &mut |it: &Step| most = most.max(it.candidate.matches(" = ").count());
    let config = config(r#"{"max_evaluations": 30}"#);
    work.evolve(NAME, None, &config, None, report).await.unwrap();
    assert_eq!(most, 3);
}
