//! Components that the guide has never seen, with names that say nothing: whether their docs and
//! phrasings suffice to plan with them.
//!
//! The author of the goals saw neither the names nor the phrasings, but only
//! `tests/goals/newcomers/abilities.md`. Goals in lines with even numbers are frozen: only their
//! totals are printed.
#![expect(clippy::print_stdout, reason = "`--nocapture` shows the scores")]

mod figures;
mod goods;
mod letters;
mod papers;

use std::{fs, path::Path};

use svc::{Engine, diag::Source, host::MemoryFiles, registry::Component, value::Value};
use svc_api::guide;
use svc_contract::registry::{Catalog as _, Topic};

use crate::{
    examples::wrong_examples,
    guide::judge::{Goal, Outcome, Score, fault, score},
};

const CLUSTER: &str = "newcomers";

const GOALS: &str = include_str!("../../goals/newcomers/goals.jsonl");

/// The least number of goals that are reached, and the most for which a script gives another result:
/// of the lines with odd numbers, and of the frozen ones.
const BOUNDS: [(usize, usize); 2] = [(6, 0), (2, 0)];

fn components() -> Vec<&'static Component> {
    [letters::ALL, figures::ALL, goods::ALL, papers::ALL].concat()
}

fn engine() -> Engine {
    svc::engine().with(&components())
}

/// The data of the goals, which a script may change.
fn files() -> MemoryFiles {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goals/newcomers/data");
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap());
    entries.map(|it| (it.file_name(), fs::read(it.path()).unwrap())).collect()
}

/// Judges a goal by what the script of the guide does; also returns what came out.
async fn judged(goal: &Goal) -> (Outcome, String) {
    let files = files();
    let engine = engine().with_files(&files);
    let asked = guide::Goal { goal: goal.text.clone(), ..guide::Goal::default() };
    let workflow = match guide::workflow(&engine, asked, false).await {
        Ok(workflow) => workflow,
        Err(err) => return (Outcome::Fails, err.to_string()),
    };
    let field = |name: &str| guide::field(&workflow, name);
    let script = field("script");
    match field("verdict").as_str() {
        "script" => {}
        "sketch" => return (Outcome::Sketch, script),
        _ => {
            let question = guide::question(&workflow).map(ToOwned::to_owned);
            return (Outcome::Refused, question.unwrap_or_else(|| field("missing")));
        }
    }
    let value = match engine.run(Source::new("goal.svc", script.as_str())).await {
        Ok(response) => response.value,
        Err(err) => return (Outcome::Fails, format!("{script}\n{err}")),
    };
    match wrong(goal, &value, &files) {
        None => (Outcome::Right, format!("{script}\n{value}")),
        Some(why) => (Outcome::Wrong, format!("{script}\n{value}\n{why}")),
    }
}

/// What is wrong with a result, or with the files that were written.
fn wrong(goal: &Goal, value: &Value, files: &MemoryFiles) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    for path in files.paths() {
        let own = place.path().join(path.strip_prefix("/").unwrap());
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        fs::write(own, files.get(path).unwrap()).unwrap();
    }
    fault(goal, &serde_json::to_value(value).unwrap(), place.path())
}

#[tokio::test]
async fn newcomers_are_planned_with() {
    let goals: Vec<Goal> = GOALS.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    if goals.is_empty() {
        return crate::skipped("the newcomers have no goals yet");
    }
    assert_eq!(goals.len(), components().len());
    let mut outcomes = Vec::new();
    for (goal, number) in goals.iter().zip(1..) {
        let (outcome, shown) = judged(goal).await;
        if number % 2 == 1 {
            println!("== {number}, {outcome:?}: {}\n{shown}\n", goal.text);
        }
        outcomes.push((goal, outcome));
    }
    for (half, (right, most_wrong)) in BOUNDS.into_iter().enumerate() {
        let is: Score = score(outcomes.iter().skip(half).step_by(2).copied());
        println!("{}: {is:?}", if half == 0 { "to tune with" } else { "frozen" });
        assert!(is.right >= right && is.wrong <= most_wrong, "{is:?}");
    }
}

/// A goal is judged fairly only if the newcomers do what their documentation says.
#[tokio::test]
async fn examples_of_newcomers_hold() {
    let wrong = wrong_examples(&engine(), &components()).await;
    assert!(wrong.is_empty(), "{} examples do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each phrasing finds its newcomer among the first three of all that users ask for.
#[test]
fn newcomers_are_found_by_their_own_phrasings() {
    let engine = engine();
    let mut late = Vec::new();
    for component in components() {
        assert_eq!(component.ops.len(), 1, "{}", component.name);
        for op in component.ops {
            assert!((5..=8).contains(&op.says.len()), "{}", component.name);
            for phrase in op.says {
                let found = engine.topics().find(phrase);
                let is_it =
                    |it: &Topic| it.op().is_some_and(|it| it.component.name == component.name);
                if !found.iter().take(3).any(|it| is_it(it.topic)) {
                    late.push(format!("{}: {phrase}", component.name));
                }
            }
        }
    }
    assert!(late.is_empty(), "not among the first three:\n{}", late.join("\n"));
}
