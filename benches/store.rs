//! The cost of keeping a journal: for writers, in rows and commits per second, and for readers.

use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use svc_contract::{
    registry::Usage,
    store::{Args, Blob, Entry, Filter, Hash, Node, NodeState, Run, RunId, RunState, Store as _},
};
use svc_store::SqliteStore;

const CHAIN: usize = 10_000;

/// A chain of pure nodes, from the first append until all of it is durable.
fn chain(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("store.db"), 0).expect("a store");
    let mut group = c.benchmark_group("store");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Elements(CHAIN as u64));
    group.bench_function("append a chain and flush", |b| {
        b.iter_batched(|| begun(&store), |run| append(&store, &run), BatchSize::PerIteration);
    });
    let run = begun(&store);
    append(&store, &run);
    group.bench_function("read a chain", |b| b.iter(|| store.nodes(&run)));
    group.finish();
    c.bench_function("store/list 50 runs", |b| {
        let filter = Filter { limit: Some(50), ..Filter::default() };
        b.iter(|| store.runs(&filter));
    });
    c.bench_function("store/history", |b| b.iter(|| store.history("ctx_search", "infer")));
}

/// Writes that each wait for their commit: one after another, and a hundred at once.
fn commits(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("store.db"), 0).expect("a store");
    let run = begun(&store);
    let mut group = c.benchmark_group("store");
    for peers in [1, 100_u32] {
        group.throughput(Throughput::Elements(u64::from(peers)));
        group.bench_function(format!("commit, at once: {peers}"), |b| {
            b.iter_custom(|rounds| {
                let start = Instant::now();
                for round in 0..rounds {
                    let receipts: Vec<_> = (0..peers)
                        .map(|peer| store.commit(node(&run, &format!("{round}/{peer}"))))
                        .collect();
                    for receipt in receipts {
                        receipt.wait().expect("the commit succeeds");
                    }
                }
                start.elapsed()
            });
        });
    }
}

fn append(store: &SqliteStore, run: &RunId) {
    for idx in 0..CHAIN {
        store.append(node(run, &format!("each[{idx}]/summary"))).expect("the node is accepted");
    }
    store.flush().wait().expect("the commit succeeds");
}

fn node(run: &RunId, path: &str) -> Entry {
    let output = Blob::new(format!("the output of {path}, as long as a sentence").into_bytes());
    let node = Node {
        run: run.clone(),
        path: path.to_owned(),
        key: Hash::of(format!("{run}{path}").as_bytes()).0,
        component: "ctx_search".to_owned(),
        op: "infer".to_owned(),
        version: 1,
        state: NodeState::Done,
        attempts: 1,
        started: 0,
        took: 12,
        used: Usage::default(),
        output: Some(output.hash()),
        error: None,
        args: Args::Here("{\"top_k\":3}".to_owned()),
        input: Some(output.hash()),
        born: 0,
        origin: None,
        about: "{}".to_owned(),
        cause: None,
    };
    Entry::Node { node: Box::new(node), blobs: vec![output], tries: Vec::new() }
}

fn begun(store: &SqliteStore) -> RunId {
    let text = Blob::new(*b"1 + 1");
    let run = Run {
        id: RunId::new(0),
        script: "sum.svc".to_owned(),
        text: text.hash(),
        folder: "/".to_owned(),
        params: "{}".to_owned(),
        bounds: "{}".to_owned(),
        version: "0.1.0".to_owned(),
        state: RunState::Running,
        started: 0,
        ended: None,
        used: Usage::default(),
        value: None,
        error: None,
        origin: None,
        about: "{}".to_owned(),
    };
    let id = run.id.clone();
    let entry = Entry::Run { run: Box::new(run), text, imports: Vec::new() };
    store.commit(entry).wait().expect("the commit succeeds");
    id
}

criterion_group!(benches, chain, commits);
criterion_main!(benches);
