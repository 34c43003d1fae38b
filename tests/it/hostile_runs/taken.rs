//! A store that is removed during a run.

use std::{fs, path::Path};

use svc_contract::store::{Filter, Store as _};
use svc_store::SqliteStore;

use super::{Place, SCRIPT, err, wait_for};

/// Changes the store in the middle of a run, and returns how the run ended and what it printed.
fn disturbed(place: &Place, disturb: impl FnOnce(&Path)) -> (Option<i32>, String) {
    let child = place.command(&["run", "a.svc"]).spawn().unwrap();
    wait_for(&place.store(), 30);
    disturb(&place.store());
    let ended = child.wait_with_output().unwrap();
    (ended.status.code(), err(&ended))
}

fn sibling(store: &Path, suffix: &str) -> std::path::PathBuf {
    format!("{}{suffix}", store.display()).into()
}

#[test]
fn a_store_that_is_deleted_ends_the_run() {
    let place = Place::new();
    let (code, message) = disturbed(&place, |it| fs::remove_file(it).unwrap());
    assert_eq!(code, Some(1), "{message}");
    assert!(
        message.contains("`runs.db` was deleted or replaced while the store was in use"),
        "{message}"
    );
    assert!(!message.contains("` resumes it"), "there is nothing left to resume: {message}");
    assert!(!place.path().join("out.json").exists(), "a write that cannot be recorded is not made");
}

#[test]
fn a_folder_that_is_deleted_ends_the_run() {
    let place = Place::new();
    fs::create_dir(place.path().join("kept")).unwrap();
    let store = place.path().join("kept/runs.db");
    let run = ["run", "a.svc", "--store", "kept/runs.db"];
    let child = place.command(&run).spawn().unwrap();
    wait_for(&store, 30);
    fs::remove_dir_all(place.path().join("kept")).unwrap();
    let ended = child.wait_with_output().unwrap();
    let message = err(&ended);
    assert_eq!(ended.status.code(), Some(1), "{message}");
    assert!(message.contains("`kept/runs.db` was deleted or replaced"), "{message}");
    assert!(!place.path().join("kept").exists(), "a deleted folder is not created again");
}

#[test]
fn a_store_that_is_replaced_is_left_alone() {
    let (place, other) = (Place::new(), Place::new());
    assert!(other.svc(&["run", "a.svc"]).status.success());
    let (code, message) = disturbed(&place, |it| {
        fs::rename(it, sibling(it, ".old")).unwrap();
        fs::copy(other.store(), it).unwrap();
        let _ = fs::remove_file(sibling(it, "-mark"));
        for suffix in ["-wal", "-shm"] {
            fs::rename(sibling(it, suffix), sibling(it, &format!(".old{suffix}"))).unwrap();
        }
    });
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("was deleted or replaced"), "{message}");
    let ids = |store: &Path| {
        let store = SqliteStore::open(store, 0).unwrap();
        assert_eq!(store.check().unwrap().problems, [""; 0]);
        let runs = store.runs(&Filter::default()).unwrap();
        runs.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&place.store()), ids(&other.store()), "the other store is unchanged");
    // Restoring the first store loses nothing that was acknowledged.
    for suffix in ["", "-wal", "-shm"] {
        let (old, new) = (format!(".old{suffix}"), suffix);
        let _ = fs::remove_file(sibling(&place.store(), new));
        let _ = fs::rename(sibling(&place.store(), &old), sibling(&place.store(), new));
    }
    place.goes_on();
}

#[test]
fn a_store_that_is_cut_short_ends_the_run() {
    let place = Place::new();
    let (code, message) = disturbed(&place, |it| fs::write(it, "").unwrap());
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("is damaged: its file was cut short while in use"), "{message}");
    assert!(message.contains("svc doctor"), "{message}");
    assert!(fs::metadata(sibling(&place.store(), "-wal")).unwrap().len() > 0, "the log is kept");
    let again = place.svc(&["run", "a.svc"]);
    assert!(err(&again).contains("is damaged: its file is too short"), "{}", err(&again));
}

#[test]
fn a_log_that_is_deleted_loses_nothing() {
    for suffix in ["-wal", "-shm"] {
        let place = Place::new();
        let (code, message) = disturbed(&place, |it| fs::remove_file(sibling(it, suffix)).unwrap());
        assert_eq!(code, Some(1), "{message}");
        assert!(
            message.contains(&format!("`runs.db{suffix}` was deleted or replaced")),
            "{message}"
        );
        place.goes_on();
    }
}

#[test]
fn a_damaged_store_is_recovered() {
    let place = Place::new();
    let (code, message) = disturbed(&place, |_| ());
    assert_eq!(code, Some(0), "{message}");
    let sound = place.svc(&["doctor", "--recover"]);
    assert_eq!(super::out(&sound), "sound: there is nothing to recover\n");
    let mut bytes = fs::read(place.store()).unwrap();
    bytes[..16].fill(7);
    fs::write(place.store(), &bytes).unwrap();
    let damaged = place.svc(&["doctor"]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(err(&damaged).contains("the store `runs.db` is damaged"), "{}", err(&damaged));
    let recovered = place.svc(&["doctor", "--recover"]);
    let said = super::out(&recovered);
    assert!(recovered.status.success(), "{}", err(&recovered));
    assert!(said.starts_with("the damaged store is now `runs.db.corrupt-"), "{said}");
    assert!(said.contains("\n1 run and "), "{said}");
    let aside = said.split('`').nth(1).unwrap();
    assert_eq!(fs::read(place.path().join(aside)).unwrap(), bytes, "it is unchanged");
    place.goes_on();
}

/// A run that may lack a call is not resumed: it is unknown what it would repeat.
#[test]
fn a_run_that_is_not_whole_does_not_go_on() {
    let place = Place::new();
    let long = SCRIPT.replace("duration: 2ms", "duration: 20ms");
    fs::write(place.path().join("long.svc"), long).unwrap();
    let mut child = place.command(&["run", "long.svc"]).spawn().unwrap();
    wait_for(&place.store(), 120);
    child.kill().unwrap();
    child.wait().unwrap();
    let asked = place.asked();
    let log = sibling(&place.store(), "-wal");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 5000]).unwrap();
    let damaged = place.svc(&["resume", "last"]);
    assert!(err(&damaged).contains("commits are missing"), "{}", err(&damaged));
    let recovered = place.svc(&["doctor", "--recover"]);
    let said = super::out(&recovered);
    assert!(said.contains("incomplete, cannot be resumed: "), "{said}{}", err(&recovered));
    let refused = place.svc(&["resume", "last"]);
    assert_eq!(refused.status.code(), Some(6));
    assert!(err(&refused).contains("resuming it could repeat calls"), "{}", err(&refused));
    assert!(place.svc(&["show", "last"]).status.success());
    assert_eq!(place.asked(), asked, "no call was made");
}
