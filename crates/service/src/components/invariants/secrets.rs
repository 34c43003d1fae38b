//! Secrets: of keys, and of scripts.

use svc_contract::{registry::OpError, store::Store};

use super::{
    quiet::SECRET,
    system::{Depth, System, store},
    table::Looked,
};
use crate::access::key::KeyKind;

/// No text that was redacted contains the secret of a key.
pub(super) fn keys(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    const AROUND: [(&str, &str); 6] = [
        ("", ""),
        ("Authorization: Bearer ", "\r\n"),
        ("{\"key\":\"", "\"}"),
        ("svc_", "_svc"),
        ("é", "漢"),
        ("https://h/?k=", "&x=1"),
    ];
    let mut looked = Looked::new("texts with a key");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    for round in 0..depth.rounds.max(AROUND.len() * 3) {
        (depth.look)()?;
        let kind = KeyKind::ALL[round % KeyKind::ALL.len()];
        let (before, after) = AROUND[round % AROUND.len()];
        let secret: String = (0..38).map(|_| random.alphanumeric()).collect();
        let id: String = (0..12).map(|_| random.char('a'..='z')).collect();
        let text = format!("{before}svc_{}_{id}_{secret}{after}", kind.name());
        let hidden = (system.mechanisms.redact)(&text);
        let found = hidden
            .contains(&secret[..12])
            .then(|| format!("expected `***`, found a part of the secret of {id}"));
        looked.case(format!("{before}..{after}"), found);
    }
    Ok(looked)
}

/// No message of a run, and nothing that is kept of it, contains a secret that an op was given.
pub(super) fn messages(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    const SCRIPTS: [&str; 3] = [
        "secret token\n\"a\" >> invariant_probe.blab(key: token)",
        "secret token\n[\"a\", \"b\"] >> each { invariant_probe.blab(key: token) }",
        "secret token\n(\"a\" >> invariant_probe.blab(key: token)) fallback error.message",
    ];
    let mut looked = Looked::new("runs with a secret");
    for script in SCRIPTS {
        (depth.look)()?;
        let store = store()?;
        let engine = system.engine.clone().with_store(store.clone());
        let ran = system.run(&engine, script);
        let shown = match ran.result {
            Ok(value) => value.to_string(),
            Err(message) => message,
        };
        let found = [("message", shown), ("journal", kept(store.as_ref()))]
            .into_iter()
            .find(|(_, text)| text.contains(SECRET))
            .map(|(place, _)| format!("expected `***` in the {place}, found the secret"));
        looked.case(script, found);
    }
    Ok(looked)
}

/// Everything that a store of one run has.
fn kept(store: &dyn Store) -> String {
    let Ok(run) = store.run("last") else { return String::new() };
    let nodes = store.nodes(&run.id).unwrap_or_default();
    let texts = nodes.iter().filter_map(|it| it.output).chain(run.value);
    let texts: Vec<_> = texts.filter_map(|it| store.text(it).ok().flatten()).collect();
    format!("{run:?} {nodes:?} {texts:?}")
}
