//! Every example in the registry is correct: what users see is what runs.

use std::sync::{Arc, Mutex};

use svc::Engine;
use svc_contract::{
    host::http::Response,
    registry::{Component, Example, OpRef},
    value::json,
};
use svc_host_os::test::TestHost;

#[tokio::test]
async fn examples_hold() {
    let engine = crate::helpdesk::engine().with(svc_service::components::ALL);
    let wrong = wrong_examples(&engine, engine.registry().components()).await;
    assert!(wrong.is_empty(), "{} examples do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

/// The examples of components that do not hold.
pub(crate) async fn wrong_examples(
    engine: &Engine,
    components: &[&'static Component],
) -> Vec<String> {
    let mut wrong = Vec::new();
    for component in components {
        for op in component.ops {
            let name = OpRef { component, op }.to_string();
            assert!(!op.examples.is_empty(), "{name} has no example");
            assert!(!op.summary().is_empty(), "{name} has no documentation");
            assert!(
                !op.errors.is_empty() || op.examples.iter().any(|it| it.yields.is_ok()),
                "{name}"
            );
            if let Some(feature) = op.lacks() {
                crate::foreign::skipped(
                    &format!("the examples of {name}"),
                    &format!("no feature `{feature}`"),
                );
                continue;
            }
            for example in op.examples {
                if let Err(why) = holds(engine, example).await {
                    wrong.push(format!("{name}: {}: {why}", example.title));
                }
            }
        }
    }
    wrong
}

/// The host of an example.
fn host(example: &Example) -> TestHost {
    let host = TestHost::new().working_in(assert_cmd::cargo::cargo_bin!("svc"));
    let host = example.files.iter().fold(host, |it, (path, text)| it.file(path, *text));
    let host = example.env.iter().fold(host, |it, (name, value)| it.env(name, *value));
    if example.answers.is_empty() {
        return host;
    }
    let answers = Mutex::new(example.answers.iter());
    host.answering(move |_| {
        let body = *answers.lock().unwrap().next().expect("an answer for every request");
        Box::pin(async move { Ok(Response::whole(200, body)) })
    })
}

async fn holds(engine: &Engine, example: &Example) -> Result<(), String> {
    let host = host(example);
    let engine = engine.clone().with_host(Arc::new(host));
    match (engine.run(example.script).await, example.yields) {
        (Ok(got), Ok(want)) => {
            let want = json::read(want).map_err(|err| format!("not JSON: {err}"))?;
            // Through JSON, because the example is written in JSON.
            let got = json::read(&json::write(&got.value)).map_err(|err| err.to_string())?;
            if got == want { Ok(()) } else { Err(format!("got {}", json::write(&got))) }
        }
        (Err(got), Err(want)) if got.to_string().contains(want) => Ok(()),
        (Ok(got), Err(want)) => Err(format!("got {} instead of the error {want:?}", got.value)),
        (Err(got), _) => Err(format!("failed: {got}")),
    }
}
