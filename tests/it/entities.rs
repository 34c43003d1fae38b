//! Entities of texts in which people have marked them. The texts are not part of the repository:
//! `SVC_ENTITIES` names a file of them, a JSON list with `text`, `entities` (`start`, `end`, `type`) and `half`.
//! Without it, the test prints a message and passes.

use std::{collections::BTreeMap, fs};

use serde_json::{Value as Json, json};
use svc_contract::value::json as values;

/// Learns from one half, and finds the entities of the other: without a model, and with it.
const SCRIPT: &str = r"
param learnt: [{ text: string, entities: [{ start: int, end: int, type: string }] }]
param tested: [string]
let model = learnt >> ctx_entities.learn
{
  model: (tested >> each { entities(model: model) }),
  rules: (tested >> each { entities }),
}";

#[expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]
#[expect(clippy::cast_precision_loss, reason = "there are few entities")]
#[tokio::test]
async fn marked_entities_are_found() {
    let Some(path) = std::env::var_os("SVC_ENTITIES") else {
        eprintln!("skipped: no marked texts");
        return;
    };
    let texts: Vec<Json> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let half = |half: i64| texts.iter().filter(move |it| it["half"] == half);
    let learnt: Vec<Json> =
        half(1).map(|it| json!({ "text": it["text"], "entities": it["entities"] })).collect();
    let tested: Vec<&Json> = half(0).collect();
    let asked: Vec<&Json> = tested.iter().map(|it| &it["text"]).collect();
    let read = |it: &str| values::read(it).unwrap();
    let engine = svc::engine();
    let run = engine
        .run(SCRIPT)
        .param("learnt", read(&json!(learnt).to_string()))
        .param("tested", read(&json!(asked).to_string()));
    let found: Json = serde_json::from_str(&values::write(&run.await.unwrap().value)).unwrap();
    for by in ["rules", "model"] {
        // Of each type: what was found, what of it is right, and what is marked.
        let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        for (text, all) in tested.iter().zip(found[by].as_array().unwrap()) {
            let marked = text["entities"].as_array().unwrap();
            let key =
                |it: &Json| (it["start"].as_u64(), it["end"].as_u64(), it["type"].to_string());
            for it in marked {
                counts.entry(it["type"].as_str().unwrap()).or_default()[2] += 1;
            }
            for it in all.as_array().unwrap() {
                let counts = counts.entry(it["type"].as_str().unwrap()).or_default();
                counts[0] += 1;
                counts[1] += usize::from(marked.iter().any(|other| key(other) == key(it)));
            }
        }
        for (kind, [found, right, all]) in &counts {
            let f1 = 2.0 * *right as f64 / (found + all).max(1) as f64;
            eprintln!("{by}, {kind}: {found} found, {right} right of {all}: F1 {f1:.3}");
        }
        let sure = ["iban", "email", "url"].map(|it| counts.get(it).copied().unwrap_or_default());
        assert!(sure.iter().all(|[_, right, all]| right * 100 >= all * 95), "{counts:?}");
    }
}
