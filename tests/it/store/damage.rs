//! Damaged stores, newer versions, and other files: refused with a reason, never written.

use std::{fs, path::Path};

use rusqlite::Connection;
use svc_contract::store::{Blob, Entry, Hash, Node, Store as _, StoreErrorKind};
use svc_store::SqliteStore;

use super::{NOW, begun, done, noise, open};

#[test]
fn a_flipped_bit_in_the_log_loses_nothing_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    for idx in 0..20 {
        store.commit(done(&run, &format!("each[{idx}]"), "out").1).wait().unwrap();
    }
    let log = fs::read(folder.path().join("store.db-wal")).unwrap();
    let nodes = store.nodes(&run).unwrap();
    let mut refused = 0;
    for at in (0..log.len()).step_by(log.len() / 97) {
        let copy = copied(folder.path());
        flip(&copy.path().join("store.db-wal"), at);
        match SqliteStore::open(&copy.path().join("store.db"), NOW) {
            Ok(store) => assert_eq!(store.nodes(&run).unwrap(), nodes, "byte {at}"),
            Err(err) => {
                assert_eq!(err.kind, StoreErrorKind::Corrupt, "{err}");
                let kept = fs::read(copy.path().join("store.db-wal")).unwrap();
                assert!(kept.len() == log.len() && kept[at] != log[at], "the log is unchanged");
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_log_that_is_gone_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    begun(&store, NOW);
    let copy = copied(folder.path());
    fs::remove_file(copy.path().join("store.db-wal")).unwrap();
    let err = SqliteStore::open(&copy.path().join("store.db"), NOW).unwrap_err();
    assert!(err.message.ends_with("is damaged: its last 1 commits are missing"), "{err}");
    // Deleting a store means that a new one is wanted.
    fs::remove_file(copy.path().join("store.db")).unwrap();
    assert_eq!(open(copy.path()).size().unwrap().runs, 0);
}

#[test]
fn a_file_in_the_place_of_a_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    drop(open(folder.path()));
    Connection::open(folder.path().join("empty.db"))
        .unwrap()
        .execute_batch("CREATE TABLE it (it TEXT); DROP TABLE it")
        .unwrap();
    fs::rename(folder.path().join("empty.db"), &file).unwrap();
    let before = fs::read(&file).unwrap();
    let err = SqliteStore::open(&file, NOW).unwrap_err();
    assert!(err.message.ends_with("is damaged: its file has lost its content"), "{err}");
    assert!(err.message.contains(file.to_str().unwrap()), "{err}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn flipped_bytes_of_the_file_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    for idx in 0..50 {
        store.append(done(&run, &format!("each[{idx}]"), "out").1).unwrap();
    }
    drop(store);
    let len = fs::read(folder.path().join("store.db")).unwrap().len();
    let mut refused = 0;
    for at in (0..len).step_by(len / 150).chain(0..100) {
        let copy = copied(folder.path());
        let file = copy.path().join("store.db");
        flip(&file, at);
        let damaged = fs::read(&file).unwrap();
        match SqliteStore::open(&file, NOW) {
            Ok(store) => {
                let _ = store.nodes(&run);
                let _ = store.runs(&svc_contract::store::Filter::default());
                let _ = store.check();
            }
            Err(err) => {
                assert_ne!(err.kind, StoreErrorKind::Bug, "byte {at}: {err}");
                assert_eq!(fs::read(&file).unwrap(), damaged, "byte {at}: {err}");
                refused += 1;
            }
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn a_damaged_store_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let store = open(folder.path());
    begun(&store, NOW);
    drop(store);
    for at in 0..200 {
        flip(&file, at);
    }
    let damaged = fs::read(&file).unwrap();
    let err = SqliteStore::open(&file, NOW).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Corrupt, "{err}");
    assert_eq!(fs::read(&file).unwrap(), damaged);
    for runs in [1, 2] {
        let (store, recovered) = SqliteStore::recover(&file, 77).unwrap();
        let aside = recovered.aside;
        assert!(aside.to_str().unwrap().contains("store.db.corrupt-77"), "{aside:?}");
        begun(&store, NOW);
        assert_eq!(store.size().unwrap().runs, runs, "sound runs were recovered");
    }
    assert_eq!(fs::read(folder.path().join("store.db.corrupt-77")).unwrap(), damaged);
    assert!(folder.path().join("store.db.corrupt-77-again").is_file());
}

#[test]
fn a_cut_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    drop(open(folder.path()));
    let whole = fs::read(&file).unwrap();
    for len in [0, 10, 4096, whole.len() / 2, whole.len() - 4096] {
        fs::write(&file, &whole[..len]).unwrap();
        let err = SqliteStore::open(&file, NOW).unwrap_err();
        assert_eq!(err.kind, StoreErrorKind::Corrupt, "{len}: {err}");
        assert_eq!(fs::read(&file).unwrap(), whole[..len]);
    }
}

#[test]
fn a_newer_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    drop(open(folder.path()));
    let other = Connection::open(&file).unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    other.execute("UPDATE meta SET value = '9.0.0' WHERE name = 'svc'", []).unwrap();
    drop(other);
    let err = SqliteStore::open(&file, NOW).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Newer);
    assert!(err.message.ends_with("was made by a newer svc (9.0.0)"), "{err}");
    let err = SqliteStore::open_reading(&file, NOW).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Newer, "{err}");
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    fs::write(&file, "a letter to a friend, which is long enough to be one. ".repeat(20)).unwrap();
    for text in [None, Some("\"a\" >> upper")] {
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
        }
        let refused = [
            SqliteStore::open(&file, NOW).unwrap_err(),
            SqliteStore::open_reading(&file, NOW).unwrap_err(),
            SqliteStore::recover(&file, NOW).unwrap_err(),
        ];
        for err in refused {
            assert_eq!(err.kind, StoreErrorKind::Foreign, "{err}");
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "\"a\" >> upper");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the store is the only file");

    let theirs = folder.path().join("theirs.db");
    let other = Connection::open(&theirs).unwrap();
    other.execute_batch("PRAGMA user_version = 1; CREATE TABLE theirs (it TEXT)").unwrap();
    drop(other);
    let before = fs::read(&theirs).unwrap();
    let err = SqliteStore::open(&theirs, NOW).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Foreign, "{err}");
    assert_eq!(fs::read(&theirs).unwrap(), before);
}

#[test]
fn a_damaged_content_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    let large = Blob::new(noise(2 << 20));
    let (node, _) = done(&run, "large", "");
    let node = Box::new(Node { output: Some(large.hash()), input: None, ..node });
    store.commit(Entry::Node { node, blobs: vec![large.clone()], tries: vec![] }).wait().unwrap();
    let name = large.hash().to_string();
    let path = folder.path().join("store.db-blobs").join(&name[..2]).join(&name[2..]);
    flip(&path, 5000);
    let err = store.blob(large.hash()).unwrap_err();
    assert_eq!(
        err.message,
        format!("the store is damaged: the content {name} does not match its hash")
    );
    fs::remove_file(&path).unwrap();
    let err = store.blob(large.hash()).unwrap_err();
    assert_eq!(err.message, format!("the store is damaged: the content {name} has lost its file"));
    fs::write(path.with_extension("12345678.part"), "half").unwrap();
    let health = store.check().unwrap();
    assert_eq!((health.problems, health.litter), (vec![err.message], 1));
    assert_eq!(store.blob(Hash::of(b"never")).unwrap(), None);
}

#[test]
fn a_damaged_or_missing_mark_is_created_again() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("store.db-mark");
    drop(open(folder.path()));
    for content in [&b""[..], b"nonsense", &[0xff; 64]] {
        fs::write(&mark, content).unwrap();
        let store = open(folder.path());
        begun(&store, NOW);
        assert_eq!(store.check().unwrap().problems, [""; 0]);
    }
    fs::remove_file(&mark).unwrap();
    drop(open(folder.path()));
    assert!(mark.is_file());
}

/// A copy of a folder in its current state, even if its files are open.
fn copied(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.to_str().unwrap().ends_with("-shm") {
            fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    copy
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 0x10;
    fs::write(file, bytes).unwrap();
}

/// Opening a store checks its pages, unless this was done before and only stores have changed it
/// since.
#[cfg(unix)]
#[test]
fn a_store_that_somebody_changed_is_looked_at_again() {
    use std::os::unix::fs::FileExt as _;
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let store = open(folder.path());
    let run = begun(&store, NOW).id;
    for idx in 0..50 {
        store.append(done(&run, &format!("each[{idx}]"), "out").1).unwrap();
    }
    drop(store);
    let mark = || fs::read(folder.path().join("store.db-mark")).unwrap();
    let signed = mark();
    assert_eq!(signed.len(), 96);
    drop(SqliteStore::open(&file, NOW + DAY - 1).unwrap());
    assert_eq!(mark(), signed, "the last check is still valid");
    drop(SqliteStore::open(&file, NOW + DAY).unwrap());
    assert_ne!(mark(), signed, "a day later it was checked again");
    // The same length, and the time of the last change restored: the change is detected by other
    // metadata.
    let root = index_of_nodes(&file);
    let open_file = fs::File::options().write(true).open(&file).unwrap();
    let changed = open_file.metadata().unwrap().modified().unwrap();
    open_file.write_all_at(&[0xff; 64], root).unwrap();
    open_file.set_modified(changed).unwrap();
    drop(open_file);
    let err = SqliteStore::open(&file, NOW + DAY).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Corrupt, "{err}");
}

/// The start of the index of nodes by key, which opening a store does not read.
#[cfg(unix)]
fn index_of_nodes(file: &Path) -> u64 {
    const PAGE: u64 = 4096;
    let database = Connection::open(file).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'nodes_by_short_key'";
    let root: u64 = database.query_row(sql, [], |it| it.get(0)).unwrap();
    (root - 1) * PAGE
}
