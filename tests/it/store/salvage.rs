//! The content recovered from a damaged store: whole runs, and contents with matching hashes.

use std::{fs, path::Path};

use svc_contract::store::{Args, Blob, End, Entry, Filter, Hash, Node, RunState, Store as _};
use svc_store::SqliteStore;

use super::{NOW, attempt, begun, done, noise, open, payment, usage};

/// Runs with all kinds of data: many calls, attempts, long arguments, contents of every size.
fn filled(folder: &Path) {
    let store = open(folder);
    for idx in 0..6 {
        let run = begun(&store, NOW + idx).id;
        for item in 0..40 {
            let text = format!("output {idx} {item} {}", "word ".repeat(item * 20));
            let (node, _) = done(&run, &format!("each[{item}]/infer"), &text);
            let mut blobs = vec![Blob::new(text.into_bytes())];
            let args = Args::of(format!("[{}]", "1,".repeat(item * 40)), &mut blobs);
            let node = Box::new(Node { args, ..node });
            store.append(Entry::Node { node, blobs, tries: vec![attempt(1)] }).unwrap();
            let paid = payment(&run, item.try_into().unwrap());
            store.append(Entry::Payment(Box::new(paid))).unwrap();
        }
        let large = Blob::new(noise((1 << 20) + 100_000 + usize::try_from(idx).unwrap()));
        let (node, _) = done(&run, "large", "");
        let node = Box::new(Node { output: Some(large.hash()), input: None, ..node });
        store.append(Entry::Node { node, blobs: vec![large], tries: vec![] }).unwrap();
        if idx % 2 == 0 {
            let (state, at) = (RunState::Ok, NOW + idx + 9);
            let value = Some(Blob::new(format!("value {idx}").into_bytes()));
            let end = End { run, state, at, used: usage(), value, error: None };
            store.append(Entry::End(Box::new(end))).unwrap();
        }
    }
    store.flush().wait().unwrap();
}

/// Copies everything below a folder, except files that processes use only for coordination.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copy = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copied(&path, &copy);
        } else if !path.to_str().unwrap().ends_with("-shm") {
            fs::copy(&path, copy).unwrap();
        }
    }
}

/// Checks that all recovered data can be read.
fn is_whole(store: &SqliteStore, what: &str) -> usize {
    assert_eq!(store.check().unwrap().problems, [""; 0], "{what}");
    let runs = store.runs(&Filter::default()).unwrap();
    for run in &runs {
        assert!(store.text(run.text).unwrap().is_some(), "{what}");
        assert_eq!(run.state == RunState::Ok, run.value.is_some(), "{what}: {run:?}");
        let read = |hash: Hash| assert!(store.blob(hash).unwrap().is_some(), "{what}");
        run.value.into_iter().for_each(read);
        for (_, text) in store.imports(&run.id).unwrap() {
            read(text);
        }
        for node in store.nodes(&run.id).unwrap() {
            node.output.into_iter().chain(node.input).for_each(read);
            if let Args::Blob(hash) = node.args {
                read(hash);
            }
            store.attempts(&run.id, &node.path).unwrap();
        }
    }
    runs.len()
}

#[test]
fn what_can_be_read_comes_over_whole() {
    let rounds = std::env::var("SVC_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(25);
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let mut rng = fastrand::Rng::with_seed(4);
    let (mut saved, mut not_all) = (0, 0);
    for round in 0..rounds {
        let copy = tempfile::tempdir().unwrap();
        copied(folder.path(), copy.path());
        let file = copy.path().join("store.db");
        let mut bytes = fs::read(&file).unwrap();
        let flips = 1 << rng.u32(0..9);
        for _ in 0..flips {
            let at = rng.usize(0..bytes.len());
            bytes[at] ^= rng.u8(1..);
        }
        fs::write(&file, &bytes).unwrap();
        let (store, recovered) = SqliteStore::recover(&file, NOW).unwrap();
        let what = format!("round {round}, {flips} bytes: {recovered:?}");
        assert_eq!(fs::read(&recovered.aside).unwrap(), bytes, "{what}");
        let runs = is_whole(&store, &what);
        assert_eq!(runs, recovered.runs, "{what}");
        let size = store.size().unwrap();
        assert_eq!(size.nodes, recovered.nodes as u64, "{what}");
        for run in store.runs(&Filter::default()).unwrap() {
            let has_all = store.nodes(&run.id).unwrap().len() == 41;
            let has_all = has_all && store.payments(&run.id).unwrap().len() == 40;
            assert!(has_all || run.is_partial(), "{what}: {}", run.id);
            assert_eq!(run.is_partial(), recovered.partial.contains(&run.id), "{what}");
        }
        saved += runs;
        not_all += usize::from(recovered.nodes < 6 * 41);
        let litter = fs::read_dir(copy.path())
            .unwrap()
            .filter(|it| it.as_ref().unwrap().file_name().to_str().unwrap().contains(".part"));
        assert_eq!(litter.count(), 0, "{what}");
    }
    assert!(saved > rounds * 2 && not_all > 0, "{saved} of {} runs", rounds * 6);
}

#[test]
fn a_damaged_header_hides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let file = folder.path().join("store.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[..24].fill(0);
    fs::write(&file, &bytes).unwrap();
    assert!(SqliteStore::open(&file, NOW).is_err());
    let (store, recovered) = SqliteStore::recover(&file, NOW).unwrap();
    assert_eq!((recovered.runs, recovered.nodes), (6, 6 * 41), "{recovered:?}");
    assert_eq!((recovered.lost_runs, recovered.lost_nodes, recovered.lost_contents), (0, 0, 0));
    assert_eq!(recovered.partial, []);
    assert_eq!(is_whole(&store, "header"), 6);
    for run in store.runs(&Filter::default()).unwrap() {
        let payments = store.payments(&run.id).unwrap();
        assert_eq!(payments, (0..40).map(|it| payment(&run.id, it)).collect::<Vec<_>>());
    }
    let states = store.runs(&Filter::default()).unwrap().into_iter().map(|it| it.state);
    assert_eq!(states.filter(|it| *it == RunState::Ok).count(), 3);
}

#[test]
fn a_content_that_is_lost_makes_its_call_one_that_was_begun() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let file = folder.path().join("store.db");
    let before = SqliteStore::open(&file, NOW).unwrap();
    let run = before.run("last").unwrap().id;
    let output = before.node(&run, "large").unwrap().unwrap().output.unwrap().to_string();
    drop(before);
    fs::remove_file(folder.path().join("store.db-blobs").join(&output[..2]).join(&output[2..]))
        .unwrap();
    let (store, recovered) = SqliteStore::recover(&file, NOW).unwrap();
    assert_eq!((recovered.runs, recovered.lost_contents), (6, 1), "{recovered:?}");
    let node = store.node(&run, "large").unwrap().unwrap();
    assert_eq!((node.state, node.output), (svc_contract::store::NodeState::Intended, None));
    assert!(!store.run("last").unwrap().is_partial(), "every call is known");
    is_whole(&store, "content");
    // The old store keeps its large contents, whatever is removed from the new one.
    let aside = recovered.aside.to_str().unwrap().to_owned() + "-blobs";
    let kept = fs::read_dir(&aside).unwrap().count();
    store.prune(&svc_store::Old::default()).unwrap();
    assert_eq!(fs::read_dir(&aside).unwrap().count(), kept);
}

#[test]
fn commits_that_are_missing_make_runs_partial() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let ended = begun(&store, NOW).id;
    let end = End {
        run: ended.clone(),
        state: RunState::Ok,
        at: NOW,
        used: usage(),
        value: None,
        error: None,
    };
    store.commit(Entry::End(Box::new(end))).wait().unwrap();
    let run = begun(&store, NOW + 1).id;
    store.commit(done(&run, "first", "out").1).wait().unwrap();
    let whole = fs::metadata(folder.path().join("store.db-wal")).unwrap().len();
    store.commit(done(&run, "second", "out").1).wait().unwrap();
    let copy = tempfile::tempdir().unwrap();
    copied(folder.path(), copy.path());
    let log = copy.path().join("store.db-wal");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..usize::try_from(whole).unwrap() + 100]).unwrap();
    let file = copy.path().join("store.db");
    assert!(SqliteStore::open(&file, NOW).is_err());
    let (store, recovered) = SqliteStore::recover(&file, NOW).unwrap();
    assert_eq!((recovered.runs, recovered.nodes, recovered.lost_commits), (2, 1, 1));
    assert_eq!(recovered.partial, [run]);
    assert!(!store.run(ended.as_str()).unwrap().is_partial());
}
