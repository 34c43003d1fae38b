//! No space left during a run.

use std::{process::Command, sync::Arc};

use svc_contract::value::json;
use svc_host_os::test::TestHost;
use svc_store::{Options, SqliteStore};

use super::{Place, done, err, last};
use crate::{components, meter::Meter};

/// The number of limits that are tried; `SVC_ROUNDS=100` tries more.
pub(super) fn rounds(few: u64) -> u64 {
    std::env::var("SVC_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(few)
}

/// When files reach their size limit, writes fail, at a different place each time.
#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_ends_a_run_that_goes_on_later() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut halves = 0;
    for _ in 0..rounds(4) {
        let place = Place::new();
        // Blocks of 512 bytes; an empty store has about 200.
        let limit = format!("ulimit -f {}", rng.u32(180..900));
        let failed = place.after(&limit, &["run", "a.svc"]).output().unwrap();
        if failed.status.success() {
            continue;
        }
        let message = err(&failed);
        assert_eq!(failed.status.code(), Some(1), "{limit}: {message}");
        assert!(message.contains("runs.db` "), "{limit}: {message}");
        assert!(message.contains("help: check that the disk has space"), "{limit}: {message}");
        if last(&place.store()).is_none() {
            assert_eq!(place.asked(), 0, "a run that cannot be kept does not start");
            continue;
        }
        assert!(message.contains("` resumes it"), "{limit}: {message}");
        halves += 1;
        place.goes_on();
    }
    assert!(halves > 0, "no run reached its limit in the middle");
}

/// A separate file system that is too small, if one can be created.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_run_that_goes_on_later() {
    let place = Place::new();
    let small = place.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let mount = |option: &str| {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", option, "svc-test"]).arg(&small).output()
    };
    if !mount("size=240k").is_ok_and(|it| it.status.success()) {
        crate::skipped("no file system can be mounted here");
        return;
    }
    let _unmount = Unmount(small.clone());
    let store = small.join("runs.db");
    let store = store.to_str().unwrap();
    let run_in_a_new_store = || {
        for entry in std::fs::read_dir(&small).unwrap() {
            let path = entry.unwrap().path();
            // Claims of runs are files in a folder.
            if path.is_dir() {
                std::fs::remove_dir_all(path).unwrap();
            } else {
                std::fs::remove_file(path).unwrap();
            }
        }
        let failed = place.svc(&["run", "a.svc", "--store", store]);
        let message = err(&failed);
        assert_eq!(failed.status.code(), Some(1), "{message}");
        assert!(message.contains(&format!("the store `{store}` has no space left")), "{message}");
        assert!(message.contains("remove old runs with `svc runs prune`"), "{message}");
        done(store.as_ref())
    };
    // On a busy machine the disk can be full before the first call is recorded.
    let before = std::iter::repeat_with(run_in_a_new_store).take(10).find(|it| !it.is_empty());
    let (before, asked) = (before.expect("a call is recorded"), place.asked());
    assert!(!place.path().join("out.json").exists());
    let again = place.svc(&["resume", "last", "--store", store]);
    assert_eq!(again.status.code(), Some(1), "{}", err(&again));
    assert!(mount("remount,size=8m").unwrap().status.success());
    let resumed = place.svc(&["resume", "last", "--store", store]);
    assert!(resumed.status.success(), "{}", err(&resumed));
    let after = done(store.as_ref());
    assert!(before.iter().all(|it| after.contains(it)), "a call was repeated");
    let known = before.iter().filter(|(path, _)| path.ends_with("/ask")).count();
    assert!(place.asked() - asked <= 2 * (5 - known), "answered calls are not repeated");
    assert!(place.svc(&["doctor", "--store", store]).status.success());
}

/// Unmounts a file system, however a test ends.
struct Unmount(std::path::PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// A store with a page limit; many different limits end a run in many places.
#[tokio::test]
async fn a_limit_of_pages_ends_a_run_that_goes_on_later() {
    let script = format!(
        r#"range(0, 60) >> each {{ "${{it}} {}" >> quick }}
            >> take(n: 4) >> each {{ paid(max_tokens: 10) }} >> join(sep: "-")"#,
        "long ".repeat(600)
    );
    let mut halves = 0;
    for pages in (30..150).step_by(8) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs.db");
        let meter = Arc::new(Meter::default());
        let engine = |store: SqliteStore| {
            let engine = svc::engine().with(components::ALL).with_host(Arc::new(TestHost::new()));
            engine.with_observer(meter.clone()).with_store(Arc::new(store))
        };
        let options = Options { now: 1, page_limit: Some(pages) };
        let Ok(small) = SqliteStore::open_with(&file, options) else { continue };
        let Err(error) = engine(small).run(script.as_str()).await.map(|it| it.value) else {
            continue;
        };
        let message = error.to_string();
        assert!(message.contains("has no space left"), "{pages}: {message}");
        assert!(message.contains("runs.db"), "{pages}: {message}");
        if last(&file).is_none() {
            assert_eq!(meter.counted().attempts, 0, "a run that cannot be kept does not start");
            continue;
        }
        halves += 1;
        let known = done(&file).iter().filter(|(path, _)| path.ends_with("/paid")).count();
        let paid = meter.counted().attempts;
        let resumed = engine(SqliteStore::open(&file, 1).unwrap()).resume("last").unwrap().await;
        let answers = ["an answer"; 4].join("-");
        assert_eq!(json::write(&resumed.unwrap().value), format!("\"{answers}\""));
        assert_eq!(meter.counted().attempts - paid, 4 - known, "{pages}");
    }
    assert!(halves > 3, "{halves}");
}
