//! Times in time zones, compared with Python's `zoneinfo`: offsets, floors, skipped and repeated
//! local times, months, and counted units.
//!
//! `cases.json` has 200 cases, most of them near a change of a clock. `cases.py` creates more;
//! `SVC_ZONES=cases.json` names the file to compare with instead.

use std::{env, fs};

use svc_contract::value::{Value, json};

#[tokio::test]
async fn times_are_those_of_zoneinfo() {
    let cases = match env::var("SVC_ZONES") {
        Ok(path) => fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("cases.json").to_owned(),
    };
    let cases = json::read(&cases).unwrap();
    assert!(cases.as_list().unwrap().len() >= 200);
    let wrong = svc::engine().run(include_str!("compare.svc")).param("cases", cases).await.unwrap();
    let wrong = wrong.value.as_list().unwrap().clone();
    let some: Vec<String> = wrong.iter().take(5).map(Value::to_string).collect();
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), some.join("\n"));
}
