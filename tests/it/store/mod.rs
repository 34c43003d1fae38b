//! The store as its users see it: everything that is written can be read, whatever happens.

use std::path::Path;

use proptest::prelude::*;
use svc_contract::{
    registry::Usage,
    store::{
        Args, Attempt, Blob, End, Entry, Filter, Hash, Node, NodeState, Payment, Run, RunId,
        RunState, Store as _, StoreErrorKind,
    },
    value::Money,
};
use svc_store::{Old, SqliteStore};

mod damage;
mod processes;
mod salvage;
mod space;

const NOW: i64 = 1_700_000_000_000;

#[test]
fn a_run_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    for store in [open(folder.path()), SqliteStore::in_memory().unwrap()] {
        let run = begun(&store, NOW);
        let claim = store.claim(&run.id).unwrap();
        let (node, entry) = done(&run.id, "found/web", "an output");
        let Entry::Node { node: row, blobs, .. } = entry else { panic!("it is a node") };
        let tries = vec![attempt(1), attempt(2)];
        store.append(Entry::Node { node: row, blobs, tries: tries.clone() }).unwrap();
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

        let value = value.hash();
        let state = RunState::Ok;
        let ended = Run { state, ended: Some(NOW + 5), used: usage(), value: Some(value), ..run };
        assert_eq!(store.runs(&Filter::default()).unwrap(), std::slice::from_ref(&ended));
        assert_eq!(store.run("last").unwrap(), ended);
        assert_eq!(store.nodes(&ended.id).unwrap(), std::slice::from_ref(&node));
        assert_eq!(store.node(&ended.id, "found/web").unwrap(), Some(node.clone()));
        let other = RunId::new(NOW);
        assert_eq!(store.done(node.key, "elsewhere", &other).unwrap(), std::slice::from_ref(&node));
        assert_eq!(store.done(node.key, "found/web", &node.run).unwrap(), []);
        assert_eq!(store.node(&ended.id, "found").unwrap(), None);
        assert_eq!(store.attempts(&ended.id, "found/web").unwrap(), tries);
        assert_eq!(store.blob(value).unwrap().unwrap(), b"the value");
        assert_eq!(store.text(ended.text).unwrap().unwrap(), "1 + 1");
        let imports = store.imports(&ended.id).unwrap();
        assert_eq!(imports, [("lib.svc".to_owned(), Hash::of(b"flow f"))]);
    }
}

#[test]
fn what_was_appended_is_written_when_the_store_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW);
    for idx in 0..500 {
        store.append(done(&run.id, &format!("each[{idx}]"), "out").1).unwrap();
    }
    drop(store);
    let paths: Vec<String> =
        open(folder.path()).nodes(&run.id).unwrap().into_iter().map(|it| it.path).collect();
    let expected: Vec<String> = (0..500).map(|idx| format!("each[{idx}]")).collect();
    assert_eq!(paths, expected);
}

#[test]
fn a_node_is_replaced_by_what_is_known_later() {
    let store = SqliteStore::in_memory().unwrap();
    let run = begun(&store, NOW);
    let (node, entry) = done(&run.id, "write", "out");
    let intended = Node { state: NodeState::Intended, output: None, ..node.clone() };
    let intended = Entry::Node { node: Box::new(intended), blobs: vec![], tries: vec![] };
    store.commit(intended).wait().unwrap();
    assert_eq!(store.node(&run.id, "write").unwrap().unwrap().state, NodeState::Intended);
    assert_eq!(store.done(node.key, "a", &RunId::new(NOW)).unwrap(), []);
    store.commit(entry).wait().unwrap();
    assert_eq!(store.nodes(&run.id).unwrap(), [node]);
}

#[test]
fn many_share_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let receipts: Vec<_> =
            (0..100).map(|it| store.commit(done(&run.id, &it.to_string(), "out").1)).collect();
        for receipt in receipts {
            receipt.await.unwrap();
        }
        store.flush().await.unwrap();
    });
    assert_eq!(store.nodes(&run.id).unwrap().len(), 100);
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

#[tokio::test]
async fn who_waits_in_async_code_is_answered_all_the_same() {
    let store = SqliteStore::in_memory().unwrap();
    let run = begun(&store, NOW);
    store.commit(done(&run.id, "a", "out").1).wait().unwrap();
    assert_eq!(store.nodes(&run.id).unwrap().len(), 1);
}

#[test]
fn an_entry_that_is_wrong_spoils_no_other() {
    let store = SqliteStore::in_memory().unwrap();
    let run = begun(&store, NOW);
    let missing_run = RunId::new(5);
    store.append(done(&missing_run, "lost", "out").1).unwrap();
    store.append(done(&run.id, "kept", "out").1).unwrap();
    let err = store.flush().wait().unwrap_err();
    assert_eq!(err.message, format!("unknown run `{missing_run}`"));
    store.flush().wait().unwrap();
    let err = store.commit(done(&missing_run, "lost", "out").1).wait().unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::NotFound);
    assert_eq!(store.nodes(&run.id).unwrap().len(), 1);
}

#[test]
fn an_output_that_was_removed_is_not_named() {
    let store = SqliteStore::in_memory().unwrap();
    let run = begun(&store, NOW);
    let (node, _) = done(&run.id, "reused", "never written");
    let entry = Entry::Node { node: Box::new(node), blobs: vec![], tries: vec![] };
    let err = store.commit(entry).wait().unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::NotFound, "{err}");
}

#[test]
fn a_run_is_found_by_a_prefix_that_no_other_has() {
    let store = SqliteStore::in_memory().unwrap();
    assert_eq!(store.run("last").unwrap_err().message, "the store has no runs");
    let runs: Vec<Run> = [1, 2, NOW].into_iter().map(|now| begun(&store, now)).collect();
    let name = |idx: usize| runs[idx].id.as_str();
    assert_eq!(store.run("last").unwrap().id, runs[2].id);
    assert_eq!(store.run(&name(2)[..3]).unwrap().id, runs[2].id);
    assert_eq!(store.run(&name(0).to_uppercase()).unwrap().id, runs[0].id);
    let err = store.run("00").unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Ambiguous);
    assert_eq!(err.help, Some(format!("use a longer prefix, such as {}, {}", name(1), name(0))));
    for none in ["zz", "", "%", "0_", "'"] {
        assert_eq!(store.run(none).unwrap_err().kind, StoreErrorKind::NotFound, "{none}");
    }
}

#[test]
fn runs_are_listed_from_the_latest() {
    let store = SqliteStore::in_memory().unwrap();
    let runs: Vec<RunId> = (1..=5).map(|now| begun(&store, now).id).collect();
    let listed = |filter: Filter| -> Vec<RunId> {
        store.runs(&filter).unwrap().into_iter().map(|it| it.id).collect()
    };
    let latest = Filter { limit: Some(2), ..Filter::default() };
    assert_eq!(listed(latest), [runs[4].clone(), runs[3].clone()]);
    let before = Filter { before: Some(runs[1].clone()), ..Filter::default() };
    assert_eq!(listed(before), [runs[0].clone()]);
    let other = Filter { script: Some("other.svc".to_owned()), ..Filter::default() };
    assert_eq!(listed(other), []);
}

#[test]
fn a_history_is_of_what_was_done() {
    let store = SqliteStore::in_memory().unwrap();
    let run = begun(&store, NOW);
    for (version, tokens) in [(1, 10), (2, 90), (3, 20)] {
        let (node, _) = done(&run.id, &version.to_string(), "out");
        let used = Usage { tokens, cost: Money::from_nanos(7) };
        let state = if tokens == 90 { NodeState::Failed } else { NodeState::Done };
        let node = Box::new(Node { used, state, version, output: None, ..node });
        store.append(Entry::Node { node, blobs: vec![], tries: vec![] }).unwrap();
    }
    store.flush().wait().unwrap();
    let history = store.history("ctx_search", "infer").unwrap();
    assert_eq!((history.count, history.tokens.median, history.cost.median), (2, 20, 7));
    assert!((history.tokens.mean - 15.0).abs() < 1e-9);
    assert_eq!(
        store.history("ctx_search", "other").unwrap(),
        svc_contract::store::History::default()
    );
}

#[test]
fn a_run_is_worked_on_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = open(folder.path());
    let same = open(folder.path());
    let memory = SqliteStore::in_memory().unwrap();
    for (one, two) in [(&file, &same), (&memory, &memory)] {
        let run = begun(one, NOW).id;
        let state = || one.run(run.as_str()).unwrap().state;
        assert_eq!(state(), RunState::Died);
        let claim = one.claim(&run).unwrap();
        assert_eq!(state(), RunState::Running);
        let err = two.claim(&run).unwrap_err();
        assert_eq!(err.kind, StoreErrorKind::Claimed { pid: Some(std::process::id()) });
        drop(claim);
        assert_eq!(state(), RunState::Died);
        drop(two.claim(&run).unwrap());
    }
}

#[test]
fn old_runs_are_pruned_with_what_only_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let runs: Vec<RunId> = (1..=4).map(|now| begun(&store, now).id).collect();
    let noise = noise(3 << 20);
    for (idx, run) in runs.iter().enumerate() {
        let (node, _) = done(run, "own", &format!("output {idx}"));
        let blobs = vec![Blob::new(format!("output {idx}").into_bytes()), Blob::new(noise.clone())];
        let node = Node { input: Some(blobs[1].hash()), ..node };
        store.append(Entry::Node { node: Box::new(node), blobs, tries: vec![] }).unwrap();
    }
    store.flush().wait().unwrap();
    let claim = store.claim(&runs[0]).unwrap();
    let old = Old { before: Some(4), but_last: Some(2), ..Old::default() };
    let estimated = store.would_prune(&old).unwrap();
    assert_eq!(store.size().unwrap().runs, 4);
    let pruned = store.prune(&old).unwrap();
    assert_eq!(pruned, estimated);
    assert_eq!((pruned.runs, pruned.contents), (vec![runs[1].clone()], 1));
    assert_eq!(store.blob(Hash::of(b"output 1")).unwrap(), None);
    assert!(store.blob(Hash::of(&noise)).unwrap().is_some());
    assert_eq!(store.nodes(&runs[1]).unwrap(), []);
    drop(claim);
    let all = store.prune(&Old::default()).unwrap();
    assert_eq!(all.runs.len(), 3);
    assert!(all.bytes > 3 << 20);
    let size = store.size().unwrap();
    assert_eq!((size.runs, size.nodes, size.files), (0, 0, 0));
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

#[test]
fn a_backup_is_a_store_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    let large = Blob::new(noise(3 << 20));
    let (node, _) = done(&run, "large", "");
    let node = Box::new(Node { output: Some(large.hash()), input: None, ..node });
    store.commit(Entry::Node { node, blobs: vec![large.clone()], tries: vec![] }).wait().unwrap();
    let to = folder.path().join("copies/backup.db");
    store.backup(&to).unwrap();
    assert_eq!(store.backup(&to).unwrap_err().kind, StoreErrorKind::Exists);
    store.prune(&Old::default()).unwrap();

    let copy = SqliteStore::open(&to, NOW).unwrap();
    assert_eq!(copy.nodes(&run).unwrap().len(), 1);
    assert_eq!(copy.blob(large.hash()).unwrap().unwrap(), large.data());
    assert_eq!(copy.check().unwrap().problems, [""; 0]);
}

#[test]
fn contents_of_every_size_are_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    let contents =
        [vec![], vec![7; 5], vec![7; 5 << 20], noise(100_000), noise(2 << 20)].map(Blob::new);
    for path in ["a", "b"] {
        let (node, _) = done(&run, path, "");
        let node = Box::new(Node { input: None, ..node });
        store.commit(Entry::Node { node, blobs: contents.to_vec(), tries: vec![] }).wait().unwrap();
    }
    for content in &contents {
        assert_eq!(store.blob(content.hash()).unwrap().unwrap(), content.data());
    }
    let size = store.size().unwrap();
    assert_eq!(size.files, 2 << 20, "only the last one is in a file, without duplicates");
    assert!(size.database < 400_000, "{size:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Everything that is committed can be read, with the latest state of each node.
    #[test]
    fn what_is_committed_is_read_back(
        writes in prop::collection::vec((0..6_u8, any::<u64>(), ".{0,40}", any::<bool>()), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let run = begun(&store, NOW).id;
        let mut expected: Vec<Node> = Vec::new();
        for (path, tokens, text, is_committed) in writes {
            let mut blobs = vec![Blob::new(text.clone().into_bytes())];
            let args = Args::of(text.repeat(40), &mut blobs);
            let used = Usage { tokens: tokens >> 1, cost: Money::from_nanos(tokens.cast_signed()) };
            let (node, _) = done(&run, &format!("each[{path}]/{path}"), &text);
            let node = Node { args, used, error: Some(text), ..node };
            let entry = Entry::Node { node: Box::new(node.clone()), blobs, tries: vec![] };
            if is_committed { store.commit(entry).wait().unwrap() } else { store.append(entry).unwrap() }
            match expected.iter_mut().find(|it| it.path == node.path) {
                Some(known) => *known = node,
                None => expected.push(node),
            }
        }
        drop(store);
        let store = open(folder.path());
        prop_assert_eq!(store.nodes(&run).unwrap(), expected);
        prop_assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
    }
}

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(&folder.join("store.db"), NOW).unwrap()
}

fn usage() -> Usage {
    Usage { tokens: 12, cost: Money::from_nanos(345) }
}

/// A started run that the store knows.
fn begun(store: &SqliteStore, now: i64) -> Run {
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
        origin: None,
        about: "{}".to_owned(),
    };
    let imports = vec![("lib.svc".to_owned(), Blob::new(*b"flow f"))];
    let entry = Entry::Run { run: Box::new(run.clone()), text, imports };
    store.commit(entry).wait().unwrap();
    run
}

/// A finished node, and its entry.
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
        born: NOW,
        origin: None,
        about: "{}".to_owned(),
        cause: None,
    };
    let row = Box::new(node.clone());
    (node, Entry::Node { node: row, blobs: vec![output], tries: vec![] })
}

fn attempt(number: u32) -> Attempt {
    Attempt { number, started: NOW, took: 5, used: usage(), error: Some("{}".to_owned()) }
}

/// Incompressible bytes.
fn noise(len: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(len as u64);
    (0..len).map(|_| random.u8(..)).collect()
}

/// A payment; the actual amount is known for every second one.
fn payment(run: &RunId, number: u64) -> Payment {
    Payment {
        run: run.clone(),
        number,
        path: format!("each[{number}]/infer"),
        op: "llm_router.ask".to_owned(),
        scopes: Some(vec!["each[]/within".to_owned(), "!within".to_owned()]),
        at: NOW,
        most: Usage { tokens: 100, cost: Money::cents(2) },
        used: number.is_multiple_of(2).then(usage),
        origin: None,
    }
}

#[test]
fn what_is_not_settled_counts_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    for number in 0..3 {
        store.append(Entry::Payment(Box::new(payment(&run, number)))).unwrap();
    }
    let used = Usage { tokens: 7, cost: Money::cents(1) };
    store.append(Entry::Settled { run: run.clone(), number: 1, used }).unwrap();
    store.append(Entry::Payment(Box::new(payment(&run, 3)))).unwrap();
    store.flush().wait().unwrap();
    let payments = store.payments(&run).unwrap();
    let settled = Payment { used: Some(used), ..payment(&run, 1) };
    let all = [payment(&run, 0), settled, payment(&run, 2), payment(&run, 3)];
    assert_eq!(payments, all);
    let whole = all.iter().fold(Usage::default(), |sum, it| sum.plus(it.counts()));
    assert_eq!(whole, usage().plus(used).plus(usage()).plus(payment(&run, 3).most));
    assert_eq!(store.run("last").unwrap().used, whole, "a run without an end counts them, too");
    let calls = store.calls(&run).unwrap();
    assert_eq!(calls.iter().fold(Usage::default(), |sum, it| sum.plus(it.used)), whole);

    // Entries that a run reuses replace those that it reused before.
    let other = begun(&store, NOW + 1).id;
    let taken = |count: u64| -> Vec<Payment> {
        let taken = |it| Payment { origin: Some(run.clone()), ..payment(&other, it) };
        (0..count).map(taken).collect()
    };
    for count in [3, 2] {
        let payments = taken(count);
        store.commit(Entry::TakenOver { run: other.clone(), payments }).wait().unwrap();
        assert_eq!(store.payments(&other).unwrap(), taken(count));
    }
    let unknown = Entry::Settled { run, number: 99, used };
    assert!(store.commit(unknown).wait().unwrap_err().message.contains("no payment 99"));
}
