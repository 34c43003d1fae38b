//! The store as its users see it: what is written is read back, whatever happens.

use std::path::Path;

use svc::{
    registry::Usage,
    store::{
        Args, Attempt, Blob, End, Entry, Filter, Hash, Node, NodeState, Run, RunId, RunState,
        Store, StoreErrorKind,
    },
    value::Money,
};

const NOW: i64 = 1_700_000_000_000;

#[test]
fn a_run_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    for store in [open(folder.path()), Store::in_memory().unwrap()] {
        let run = begun(&store, NOW);
        let claim = store.claim(&run.id).unwrap();
        let (node, entry) = done(&run.id, "found/web", "an output");
        store.append(entry).unwrap();
        let attempt = attempt(1);
        let tried = Box::new(attempt.clone());
        store
            .append(Entry::Attempt { run: run.id.clone(), path: node.path.clone(), attempt: tried })
            .unwrap();
        let value = Blob::new(*b"the value");
        let end = End {
            run: run.id.clone(),
            state: RunState::Ok,
            at: NOW + 5,
            used: usage(),
            value: Some(value.clone()),
            error: None,
        };
        store.commit(Entry::End(Box::new(end))).wait().unwrap();
        drop(claim);

        let value = Some(value.hash());
        let ended = Run { state: RunState::Ok, ended: Some(NOW + 5), used: usage(), value, ..run };
        assert_eq!(store.runs(&Filter::default()).unwrap(), [ended.clone()]);
        assert_eq!(store.run("last").unwrap(), ended);
        assert_eq!(store.nodes(&ended.id).unwrap(), [node.clone()]);
        assert_eq!(store.node(&ended.id, "found/web").unwrap(), Some(node.clone()));
        assert_eq!(store.done(node.key).unwrap(), Some(node));
        assert_eq!(store.node(&ended.id, "found").unwrap(), None);
        assert_eq!(store.attempts(&ended.id, "found/web").unwrap(), [attempt]);
        assert_eq!(store.blob(value.unwrap()).unwrap().unwrap(), b"the value");
        assert_eq!(store.text(ended.text).unwrap().unwrap(), "1 + 1");
        let imports = store.imports(&ended.id).unwrap();
        assert_eq!(imports, [("lib.svc".to_owned(), Hash::of(b"flow f"))]);
    }
}

fn open(folder: &Path) -> Store {
    Store::open(&folder.join("store.db"), NOW).unwrap()
}

fn usage() -> Usage {
    Usage { tokens: 12, cost: Money::from_nanos(345) }
}

/// A run that was begun, and is known to the store.
fn begun(store: &Store, now: i64) -> Run {
    let text = Blob::new(*b"1 + 1");
    let run = Run {
        id: RunId::new(now),
        script: "sum.svc".to_owned(),
        text: text.hash(),
        folder: "/home".to_owned(),
        params: "{}".to_owned(),
        bounds: "{}".to_owned(),
        version: "0.1.0".to_owned(),
        state: RunState::Running,
        started: now,
        ended: None,
        used: Usage::default(),
        value: None,
        error: None,
    };
    let imports = vec![("lib.svc".to_owned(), Blob::new(*b"flow f"))];
    let entry = Entry::Run { run: Box::new(run.clone()), text, imports };
    store.commit(entry).wait().unwrap();
    run
}

/// A node that is done, and its entry.
fn done(run: &RunId, path: &str, output: &str) -> (Node, Entry) {
    let output = Blob::new(output.as_bytes());
    let node = Node {
        run: run.clone(),
        path: path.to_owned(),
        key: Hash::of(path.as_bytes()).0,
        component: "ctx_search".to_owned(),
        op: "infer".to_owned(),
        version: 1,
        state: NodeState::Done,
        attempts: 1,
        started: NOW,
        took: 77,
        used: usage(),
        output: Some(output.hash()),
        error: None,
        args: Args::Here("{\"top_k\":3}".to_owned()),
        input: Some(output.hash()),
    };
    (node.clone(), Entry::Node { node: Box::new(node), blobs: vec![output] })
}

fn attempt(number: u32) -> Attempt {
    Attempt { number, started: NOW, took: 5, used: usage(), error: Some("{}".to_owned()) }
}
