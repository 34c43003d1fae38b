//! A run that is killed in the middle of a write leaves no lasting files behind.
//!
//! `SVC_KILLS=100` sets the number of kills.
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant, SystemTime},
};

use fastrand::Rng;

use super::number;

const SCRIPT: &str = r#"let text = join((range(0, 2000) >> each { "some text" }), sep: " ")
range(0, 400) >> each {
  let n = it
  "${n} ${text}" >> write_file(to: path("out/${n}.txt"))
} >> len
"#;

fn start(place: &Path, script: &str, guarded: bool) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    command.args(["run", script, "--no-store"]).current_dir(place);
    if guarded {
        command.args(["--allow", "writes fs:out"]);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Whether anything was written after `then`.
fn wrote_after(place: &Path, then: &SystemTime) -> bool {
    let known = fs::metadata(place.join("out"));
    known.and_then(|it| it.modified()).is_ok_and(|it| it > *then)
}

fn parts(place: &Path) -> Vec<String> {
    let Ok(all) = fs::read_dir(place.join("out")) else { return Vec::new() };
    let names = all.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|it| it.contains(".part")).collect()
}

#[expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]
#[test]
fn what_killed_runs_left_is_removed_by_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("many.svc"), SCRIPT).unwrap();
    fs::write(place.join("one.svc"), r#""x" >> write_file(to: "out/one.txt")"#).unwrap();
    let mut rng = Rng::with_seed(number("SVC_SEED", 1));
    let (rounds, mut left) = (number("SVC_KILLS", 6), 0);
    for round in 0..rounds {
        // A write under a policy takes another path.
        let guarded = round % 2 == 0;
        let before = parts(place);
        let before_it = SystemTime::now();
        let mut child = start(place, "many.svc", guarded);
        // Once it writes, a kill hits it in the middle of a write.
        let begun = Instant::now();
        while !wrote_after(place, &before_it) && begun.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(rng.u64(0..20)));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = parts(place);
        left += now.iter().filter(|it| !before.contains(it)).count();
    }
    for guarded in [true, false] {
        assert!(start(place, "one.svc", guarded).wait().unwrap().success());
        assert_eq!(parts(place), Vec::<String>::new());
    }
    assert!(left > 0 || rounds < 6, "no kill hit a write");
    eprintln!("{rounds} kills left {left} parts, the next write 0");
}
