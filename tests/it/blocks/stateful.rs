//! Blocks that learn.

use svc::{
    blocks::{AIBlock, Learnable, Storable},
    host::TestHost,
    registry::ErrorKind,
    value::Value,
};

use super::registry_on;
use crate::learning::lessons;

fn rerank(registry: &svc::blocks::ComponentRegistry) -> AIBlock {
    registry.block("rerank").unwrap().arg("keep", 100)
}

#[tokio::test]
async fn what_is_learnt_is_saved_and_loaded() {
    let (registry, host) = registry_on(TestHost::new());
    for relevant in ["a", "b"] {
        let (judged, hits) = lessons(relevant);
        let mut rank = rerank(&registry).arg_of("learn", "hits", hits.clone());
        let untrained = rank.infer(hits.clone()).await.unwrap().value;
        let id = rank.learn(judged.clone()).await.unwrap().id();
        let trained = rank.infer(hits.clone()).await.unwrap().value;
        assert_eq!(rank.save("rank.svcm").await.unwrap(), "rank.svcm");

        let mut same = rerank(&registry);
        assert_eq!(same.infer(hits.clone()).await.unwrap().value, untrained);
        assert_eq!(same.load("rank.svcm").await.unwrap(), "rank.svcm");
        assert_eq!(same.state().unwrap().id(), id);
        assert_eq!(same.infer(hits.clone()).await.unwrap().value, trained);
        same.save("copy.svcm").await.unwrap();
        assert_eq!(host.content("copy.svcm"), host.content("rank.svcm"));
        if relevant == "a" {
            assert_ne!(trained, untrained, "the search prefers the other ones");
        }

        // The same through the protocols, in a pipeline, and without the state.
        let items = judged.as_list().unwrap().clone().into_vec();
        assert_eq!(Learnable::learn(&mut rank, items).await.unwrap().id(), id);
        assert_eq!(Storable::save(&rank, "again.svcm").await.unwrap(), "again.svcm");
        assert_eq!(host.content("again.svcm"), host.content("rank.svcm"));
        let pipeline = same.clone() >> registry.block("first").unwrap();
        let first = pipeline.process(hits.clone()).await.unwrap().value;
        assert_eq!(Some(&first), trained.as_list().unwrap().get(0));
        *same.state_mut() = None;
        assert_eq!(same.infer(hits).await.unwrap().value, untrained);
    }
}

#[tokio::test]
async fn a_failure_leaves_the_state_as_it_is() {
    let (registry, host) = registry_on(TestHost::new().file("damaged.svcm", "SVCM1\nnothing"));
    let (judged, hits) = lessons("a");
    let mut rank = rerank(&registry).arg_of("learn", "hits", hits.clone());
    let err = rank.save("rank.svcm").await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::InvalidInput, "{err}");
    assert_eq!(err.message, "`ctx_rerank` has no state to save");
    assert!(host.content("rank.svcm").is_none());
    let id = rank.learn(judged.clone()).await.unwrap().id();
    for (path, kind) in
        [("damaged.svcm", ErrorKind::InvalidInput), ("missing.svcm", ErrorKind::NotFound)]
    {
        let err = rank.load(path).await.unwrap_err();
        assert_eq!(err.kind, kind, "{err}");
    }
    let err = rank.learn(Vec::<Value>::new()).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::InvalidInput, "{err}");
    let err = rank.learn("not a list").await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::InvalidInput, "{err}");
    assert_eq!(rank.state().unwrap().id(), id);
    // A model of one component is not one of another.
    let model = Value::Model(rank.state().unwrap().clone());
    let err = registry.invoke("text", "upper", [("text", model)]).await.unwrap_err();
    assert_eq!(err.message, "expected string for `text`, found a model");
    let mut lacking = rerank(&registry);
    let err = lacking.learn(judged).await.unwrap_err();
    assert!(err.message.contains("missing argument `hits` of `ctx_rerank.learn`"), "{err}");
}

#[tokio::test]
async fn a_component_without_state_refuses_to_learn() {
    let (registry, host) = registry_on(TestHost::new());
    let mut upper = registry.block("upper").unwrap();
    let err = upper.learn(vec![Value::from("a")]).await.unwrap_err();
    assert_eq!(err.kind, ErrorKind::Unsupported, "{err}");
    assert!(upper.state().is_none());
    assert_eq!(upper.save("upper.json").await.unwrap(), "upper.json");
    assert!(host.content("upper.json").is_some());
    assert_eq!(upper.load("upper.json").await.unwrap(), "upper.json");
    assert!(upper.state().is_none());
    let mut lower = registry.block("math.abs").unwrap();
    assert_eq!(lower.load("upper.json").await.unwrap_err().kind, ErrorKind::InvalidInput);
}
