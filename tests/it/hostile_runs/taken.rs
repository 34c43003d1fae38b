//! A store that is taken away while a run goes on.

use std::{fs, path::Path};

use super::{Place, err, wait_for};

/// Does something to the store in the middle of a run, and gives how that ended and what it
/// said.
fn disturbed(place: &Place, disturb: impl FnOnce(&Path)) -> (Option<i32>, String) {
    let child = place.command(&["run", "a.svc"]).spawn().unwrap();
    wait_for(&place.store(), 30);
    disturb(&place.store());
    let ended = child.wait_with_output().unwrap();
    (ended.status.code(), err(&ended))
}

fn beside(store: &Path, suffix: &str) -> std::path::PathBuf {
    format!("{}{suffix}", store.display()).into()
}

#[test]
fn a_store_that_is_deleted_ends_the_run() {
    let place = Place::new();
    let (code, told) = disturbed(&place, |it| fs::remove_file(it).unwrap());
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.contains("`runs.db` was deleted or replaced while the store was in use"),
        "{told}"
    );
    assert!(!told.contains("goes on where it was"), "nothing is left to go on from: {told}");
    assert!(!place.path().join("out.json").exists(), "what cannot be kept is not written");
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
    let told = err(&ended);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains("`kept/runs.db` was deleted or replaced"), "{told}");
    assert!(!place.path().join("kept").exists(), "a folder that is deleted is not made again");
}

#[test]
fn a_store_that_is_replaced_is_left_alone() {
    let (place, other) = (Place::new(), Place::new());
    assert!(other.svc(&["run", "a.svc"]).status.success());
    let (code, told) = disturbed(&place, |it| {
        fs::rename(it, beside(it, ".old")).unwrap();
        fs::copy(other.store(), it).unwrap();
        let _ = fs::remove_file(beside(it, "-mark"));
        for suffix in ["-wal", "-shm"] {
            fs::rename(beside(it, suffix), beside(it, &format!(".old{suffix}"))).unwrap();
        }
    });
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("was deleted or replaced"), "{told}");
    let ids = |store: &Path| {
        let store = svc::store::Store::open(store, 0).unwrap();
        assert_eq!(store.check().unwrap().problems, [""; 0]);
        let runs = store.runs(&svc::store::Filter::default()).unwrap();
        runs.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&place.store()), ids(&other.store()), "the other store is as it was");
    // Whoever puts the first one back loses nothing that was acknowledged.
    for suffix in ["", "-wal", "-shm"] {
        let (old, new) = (format!(".old{suffix}"), suffix);
        let _ = fs::remove_file(beside(&place.store(), new));
        let _ = fs::rename(beside(&place.store(), &old), beside(&place.store(), new));
    }
    place.goes_on();
}

#[test]
fn a_store_that_is_cut_short_ends_the_run() {
    let place = Place::new();
    let (code, told) = disturbed(&place, |it| fs::write(it, "").unwrap());
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("is damaged: its file was cut short while in use"), "{told}");
    assert!(told.contains("svc doctor"), "{told}");
    assert!(fs::metadata(beside(&place.store(), "-wal")).unwrap().len() > 0, "the log is kept");
    let again = place.svc(&["run", "a.svc"]);
    assert!(err(&again).contains("is damaged: its file is too short"), "{}", err(&again));
}

#[test]
fn a_log_that_is_deleted_loses_nothing() {
    for suffix in ["-wal", "-shm"] {
        let place = Place::new();
        let (code, told) = disturbed(&place, |it| fs::remove_file(beside(it, suffix)).unwrap());
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains(&format!("`runs.db{suffix}` was deleted or replaced")), "{told}");
        place.goes_on();
    }
}
