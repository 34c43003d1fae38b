//! Permissions of a store, and stores that are read-only.

use std::{path::Path, process::Command};

use svc_contract::store::{Store as _, StoreErrorKind};
use svc_store::SqliteStore;

use super::{Place, err, out, wait_for};

/// Every file and subfolder of a folder, with its mode.
#[cfg(unix)]
fn modes(folder: &Path) -> Vec<(String, u32)> {
    use std::os::unix::fs::PermissionsExt as _;

    let mut modes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(found) = path.metadata() else { continue };
        modes.push((path.display().to_string(), found.permissions().mode() & 0o777));
        if found.is_dir() {
            modes.extend(self::modes(&path));
        }
    }
    modes
}

#[cfg(unix)]
#[test]
fn only_its_owner_looks_into_a_store() {
    let place = Place::new();
    // Two incompressible megabytes are in a separate file.
    let mut random = fastrand::Rng::with_seed(1);
    let noise: String = (0..2 << 20).map(|_| random.char('\u{100}'..'\u{7ff}')).collect();
    std::fs::write(place.path().join("noise.txt"), noise).unwrap();
    let script = r#"read_text("noise.txt") >> wait(duration: 20s)"#;
    std::fs::write(place.path().join("b.svc"), script).unwrap();
    let first = "umask 022";
    let run = ["run", "b.svc", "--store", "new/folder/runs.db"];
    let mut child = place.after(first, &run).spawn().unwrap();
    wait_for(&place.path().join("new/folder/runs.db"), 1);
    let kept = modes(&place.path().join("new"));
    child.kill().unwrap();
    child.wait().unwrap();
    for part in ["runs.db", "runs.db-wal", "runs.db-shm", "runs.db-mark", "-claims/", "-blobs/"] {
        assert!(kept.iter().any(|(path, _)| path.contains(part)), "{part}: {kept:?}");
    }
    for (path, mode) in &kept {
        let expected = if Path::new(path).is_dir() { 0o700 } else { 0o600 };
        assert_eq!(*mode, expected, "{path}");
    }
    let to = ["store", "backup", "copy/runs.db", "--store", "new/folder/runs.db"];
    assert!(place.after(first, &to).output().unwrap().status.success());
    for (path, mode) in modes(&place.path().join("copy")) {
        let expected = if Path::new(&path).is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{path}");
    }
}

#[test]
fn reading_writes_nothing() {
    let place = Place::new();
    let none = place.svc(&["runs"]);
    assert_eq!(none.status.code(), Some(6), "{}", err(&none));
    assert!(err(&none).contains("store of runs `runs.db` not found"), "{}", err(&none));
    assert!(!place.store().exists());
    assert!(place.svc(&["run", "a.svc"]).status.success());
    let before = std::fs::read(place.store()).unwrap();
    for args in READING {
        let shown = place.svc(args);
        assert!(shown.status.success(), "{args:?}: {}", err(&shown));
    }
    assert_eq!(std::fs::read(place.store()).unwrap(), before);
    let store = SqliteStore::open_reading(&place.store(), 0).unwrap();
    let run = store.run("last").unwrap().id;
    assert_eq!(store.flush().wait().unwrap_err().kind, StoreErrorKind::ReadOnly);
    assert_eq!(store.new_id(0).as_str().len(), run.as_str().len());
}

const READING: [&[&str]; 6] = [
    &["runs"],
    &["runs", "--json"],
    &["show", "last"],
    &["tap", "last"],
    &["plan", "a.svc"],
    &["doctor"],
];

#[test]
fn looking_works_while_another_process_writes() {
    let place = Place::new();
    let mut child = place.command(&["run", "a.svc"]).spawn().unwrap();
    wait_for(&place.store(), 20);
    for args in READING {
        let shown = place.svc(args);
        let has_no_value = err(&shown).contains("no result recorded");
        assert!(shown.status.success() || has_no_value, "{args:?}: {}", err(&shown));
    }
    assert!(child.wait().unwrap().success());
}

/// As a user who may read but not write, if the tests can switch to one.
#[cfg(target_os = "linux")]
#[test]
fn a_store_of_somebody_else_can_be_read() {
    let place = Place::new();
    assert!(place.svc(&["run", "a.svc"]).status.success());
    let open = "chmod -R a+rX,a-w . && chmod a+rx .";
    Command::new("sh").args(["-c", open]).current_dir(place.path()).status().unwrap();
    let as_nobody = |args: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(assert_cmd::cargo::cargo_bin!("svc"));
        place.with(command, args).output()
    };
    if !as_nobody(&["--version"]).is_ok_and(|it| it.status.success()) {
        crate::skipped("the tests may not become somebody else");
        return;
    }
    for args in READING {
        let shown = as_nobody(args).unwrap();
        assert!(shown.status.success(), "{args:?}: {}", err(&shown));
    }
    let asked = place.asked();
    for args in [&["run", "a.svc"][..], &["resume", "last"]] {
        let refused = as_nobody(args).unwrap();
        assert_eq!(refused.status.code(), Some(1));
        let message = err(&refused);
        assert!(message.contains("the store `runs.db` cannot be written"), "{message}");
        assert!(message.contains("choose another store with `--store FILE`"), "{message}");
    }
    assert_eq!(place.asked(), asked, "no call was made");
}

/// On a read-only file system, if one can be created.
#[cfg(target_os = "linux")]
#[test]
fn a_store_on_a_disk_that_is_locked_can_be_read() {
    let place = Place::new();
    let disk = place.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let long = r#""a" >> wait(duration: 1ms) >> wait(duration: 60s)"#;
    std::fs::write(place.path().join("long.svc"), long).unwrap();
    let script = r#"
        mount -t tmpfs svc-test disk || exit 99
        set -e
        "$0" run a.svc --store disk/closed.db > closed.txt
        "$0" run long.svc --store disk/killed.db & sleep 0.5; kill -9 $!; wait $! || true
        cp disk/killed.db disk/copied.db; cp disk/killed.db-wal disk/copied.db-wal
        cp disk/killed.db-mark disk/copied.db-mark
        mount -o remount,ro disk
        for store in closed killed; do for read in runs "show last" doctor; do
            "$0" $read --store disk/$store.db
        done; done
        set +e
        for store in closed killed; do
            "$0" run a.svc --store disk/$store.db; echo "run: $?"
        done
        "$0" runs --store disk/copied.db; echo "copied: $?"
    "#;
    let mut shell = Command::new("unshare");
    shell.args(["-m", "sh", "-c", script]).arg(assert_cmd::cargo::cargo_bin!("svc"));
    let Ok(done) = place.with(shell, &[]).output() else {
        crate::skipped("`unshare` is not there");
        return;
    };
    let (said, message) = (out(&done), err(&done));
    if done.status.code() == Some(99) || message.contains("unshare failed") {
        crate::skipped("no file system can be mounted here");
        return;
    }
    assert_eq!(said.matches("sound\n").count(), 2, "{said}{message}");
    assert_eq!(said.matches("run: 1\n").count(), 2, "{said}{message}");
    assert!(said.contains("copied: 1\n"), "{said}{message}");
    assert!(message.contains("the store `disk/closed.db` cannot be written"), "{message}");
    assert!(message.contains("the store `disk/copied.db` was not closed"), "{message}");
    assert!(message.contains("copy `disk/copied.db` and `disk/copied.db-wal`"), "{message}");
}
