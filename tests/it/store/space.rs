//! Stores without space, without write permission, or removed during use.

use std::fs;

use svc_contract::{
    registry::HintId,
    store::{Store as _, StoreErrorKind},
};
use svc_store::{Old, Options, SqliteStore};

use super::{NOW, begun, done, open};

#[test]
fn a_full_store_says_so_and_goes_on_when_there_is_space() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { now: NOW, page_limit: Some(60) };
    let store = SqliteStore::open_with(&folder.path().join("store.db"), options).unwrap();
    let (old, run) = (begun(&store, 1).id, begun(&store, NOW).id);
    let output = |idx: usize| format!("{idx}{}", "long ".repeat(1_000));
    let mut written = 0;
    let err = loop {
        let entry = done(&old, &format!("each[{written}]"), &output(written)).1;
        match store.commit(entry).wait() {
            Ok(()) => written += 1,
            Err(err) => break err,
        }
    };
    assert_eq!(err.kind, StoreErrorKind::Full, "{err}");
    assert!(written > 5);
    // Entries that were appended before the failure was noticed are kept until there is space.
    assert_eq!(store.nodes(&old).unwrap().len(), written);
    let refused = store.append(done(&run, "refused", &output(1_000)).1).unwrap_err();
    assert_eq!(refused.kind, StoreErrorKind::Full);
    store.prune(&Old { before: Some(2), ..Old::default() }).unwrap();
    store.flush().wait().unwrap();
    store.append(done(&run, "later", &output(1_001)).1).unwrap();
    store.flush().wait().unwrap();
    let paths: Vec<_> = store.nodes(&run).unwrap().into_iter().map(|it| it.path).collect();
    assert_eq!(paths, ["later"]);
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

#[test]
fn what_was_appended_waits_for_space() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { now: NOW, page_limit: Some(100) };
    let store = SqliteStore::open_with(&folder.path().join("store.db"), options).unwrap();
    let (old, run) = (begun(&store, 1).id, begun(&store, NOW).id);
    for idx in 0..3 {
        let output = format!("{idx}{}", "old ".repeat(12_000));
        store.commit(done(&old, &idx.to_string(), &output).1).wait().unwrap();
    }
    for idx in 0..10 {
        let output = format!("{idx}{}", "long ".repeat(4_000));
        store.append(done(&run, &idx.to_string(), &output).1).unwrap();
    }
    assert_eq!(store.flush().wait().unwrap_err().kind, StoreErrorKind::Full);
    store.prune(&Old { before: Some(2), ..Old::default() }).unwrap();
    store.flush().wait().unwrap();
    assert_eq!(store.nodes(&run).unwrap().len(), 10);
}

#[test]
fn a_store_that_is_taken_away_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    fs::remove_file(folder.path().join("store.db")).unwrap();
    let err = store.commit(done(&run, "a", "out").1).wait().unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Gone, "{err}");
    let other = open(folder.path());
    assert_eq!(other.size().unwrap().runs, 0);
    let err = store.append(done(&run, "a", "out").1).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Gone, "{err}");
    drop(store);
    begun(&other, NOW);
    assert_eq!(other.check().unwrap().problems, [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_may_not_be_written_says_so() {
    let err = SqliteStore::open("/sys/svc/store.db".as_ref(), NOW).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::ReadOnly, "{err}");
    assert_eq!(err.hint, Some(HintId::StoreReadOnly.into()));
}
