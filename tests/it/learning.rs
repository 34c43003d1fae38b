//! What components learn: it pays on data that it was not learnt from, and stays what it is. The
//! collections are not part of the repository: without them the tests print a message and pass.

use std::{fs, path::Path, sync::Arc};

use svc_contract::value::{Value, json};
use svc_host_os::test::TestHost;

/// The hits of one collection for all its queries, and their judgements.
struct Collection {
    judged: Value,
    hits: Value,
}

const SEARCH: &str = "param queries: [string]
param docs: path
queries >> each { search(source: docs, query: it, top_k: 50) } >> flatten";

async fn collection(name: &str, most: usize) -> Option<Collection> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ir").join(name);
    let docs = fs::read(folder.join("docs.jsonl")).ok()?;
    let engine = svc::engine().with_host(Arc::new(TestHost::new().file("docs.jsonl", docs)));
    let text = fs::read_to_string(folder.join("queries.tsv")).ok()?;
    let queries: Vec<(&str, &str)> =
        text.lines().filter_map(|it| it.split_once('\t')).take(most).collect();
    let text = fs::read_to_string(folder.join("qrels.txt")).ok()?;
    let judgement = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (_, query) = queries.iter().find(|(id, _)| *id == words[0])?;
        let grade: i64 = words[3].parse().ok()?;
        Some(serde_json::json!({ "query": query, "id": words[2], "grade": grade }))
    };
    let judged: Vec<_> = text.lines().filter_map(judgement).collect();
    let judged = json::read(&serde_json::to_string(&judged).ok()?).ok()?;
    let asked: Vec<Value> = queries.iter().map(|(_, text)| (*text).into()).collect();
    let hits = engine
        .run(SEARCH)
        .param("queries", asked)
        .param("docs", Value::Path("docs.jsonl".into()))
        .await
        .unwrap()
        .value;
    Some(Collection { judged, hits })
}

const LEARN: &str = "param judged: [Judged]
param hits: [Hit]
judged >> rerank.learn(hits: hits)";

#[tokio::test]
async fn rerank_learns_to_order_hits_better() {
    for name in ["cacm", "cisi", "cranfield"] {
        let Some(it) = collection(name, usize::MAX).await else { return };
        let engine = svc::engine();
        let run = engine.run(LEARN).param("judged", it.judged).param("hits", it.hits);
        let Value::Model(model) = run.await.unwrap().value else { panic!("no model") };
        assert!(model.content().is_some());
    }
}
