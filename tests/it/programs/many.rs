//! Many programs leave no process and no descriptor behind.

use std::{
    process::Child,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use super::{Place, alive, err, out};
use crate::types::rounds;

/// The most descriptors and children of a process until it ends.
fn watched(child: &mut Child) -> (usize, usize) {
    let (files, children) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let folder = format!("/proc/{}", child.id());
    while child.try_wait().unwrap().is_none() {
        let open = std::fs::read_dir(format!("{folder}/fd")).map_or(0, Iterator::count);
        files.fetch_max(open, Ordering::Relaxed);
        let tasks = std::fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten();
        let of_task = |it: std::fs::DirEntry| {
            let all = std::fs::read_to_string(it.path().join("children")).unwrap_or_default();
            all.split_whitespace().count()
        };
        children.fetch_max(tasks.map(of_task).sum(), Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
    }
    (files.into_inner(), children.into_inner())
}

/// The programs of an `each`, unless `SVC_PROGRAMS` says how many; 10,000 take half a minute.
const PROGRAMS: u64 = 1_000;

/// The most children at any time: those at work, and some that have just ended.
const MOST_CHILDREN: usize = 110;

/// The most descriptors of a program, while it starts: both ends of its three pipes and of the one
/// that reports a failed start, and the program itself. It keeps four of them.
const OF_A_PROGRAM: usize = 9;

/// The most descriptors at any time. With one that each program leaves behind, there are more.
const MOST_FILES: usize = OF_A_PROGRAM * MOST_CHILDREN + 60;

#[test]
fn many_programs_leave_nothing() {
    let count = rounds("SVC_PROGRAMS", PROGRAMS);
    let mark = format!("many{}mark", std::process::id());
    let place = Place::new(&format!(
        r#"range(0, {count}) >> each {{ exec("true", args: ["{mark}"]) >> .code }} within {{ max_parallel: 100 }} >> sum"#,
    ));
    let mut child = place.command(&["run", "a.svc"]).spawn().unwrap();
    let (files, children) = watched(&mut child);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(out(&ended), "0\n", "{}", err(&ended));
    assert!(files <= MOST_FILES, "{files} descriptors");
    assert!(children <= MOST_CHILDREN, "{children} children");
    assert!(alive(&mark).is_empty());
}

#[test]
fn a_hundred_run_at_once() {
    let place = Place::new(
        r#"range(0, 100) >> each { exec("sh", args: ["-c", "echo x >> all; while [ $(wc -l < all) -lt 100 ]; do sleep 0.1; done"]) >> .code } within { max_parallel: 100, timeout: 55s } >> sum"#,
    );
    let done = place.svc(&["run", "a.svc"]);
    assert_eq!(out(&done), "0\n", "{}", err(&done));
}
