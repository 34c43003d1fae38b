//! Processes that are killed: what is active, its version and the log always agree.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use svc_contract::value::Value;

use super::{NAME, candidate, component::cases, field, work};

/// The variable that makes a test the process that is killed.
const FOLDER: &str = "SVC_BIAS_FOLDER";

/// Applies and rolls back until it is killed. As a test of its own it does nothing.
#[test]
fn works_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let work = work(Path::new(&folder), &cases(130, 0));
        println!("begun");
        for turn in 0.. {
            let honest = if turn % 2 == 0 { 0.6 } else { 0.55 };
            let given = candidate(&work, &[("honest", Value::Float(honest))]);
            let bundle = work.export(NAME, false).unwrap();
            let bundle = super::with(&bundle, &["current_bias"], &given);
            let bundle = super::with(&bundle, &["hash"], &Value::Null);
            // Each may find that it is active already.
            let _ = work.import(&bundle, false).await;
            let _ = work.rollback(NAME, -1).await;
            work.redraw(NAME).unwrap();
        }
    });
}

#[test]
fn a_killed_process_leaves_no_part_of_a_change() {
    let rounds: u64 = std::env::var("SVC_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(8);
    let folder = tempfile::tempdir().unwrap();
    let mut versions = 0;
    for round in 0..rounds {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kills::works_until_it_is_killed", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("begun") {
            line.clear();
            assert!(
                std::io::BufRead::read_line(&mut out, &mut line).unwrap() > 0,
                "it did not begin"
            );
        }
        std::thread::sleep(Duration::from_millis(3 + round * 7 % 40));
        child.kill().unwrap();
        child.wait().unwrap();

        let work = work(folder.path(), &cases(130, 0));
        assert_eq!(field(&work.verify_log().unwrap(), "holds"), &Value::Bool(true));
        let log = work.audit_log(Some(NAME), usize::MAX, None).unwrap();
        let log = log.as_list().unwrap();
        let last = log.iter().find(|it| field(it, "op").as_str() != Some("cases"));
        let history = work.history(NAME, usize::MAX).unwrap();
        let latest = history.as_list().unwrap().len();
        let active = work.bias(NAME).unwrap();
        if let Some(last) = last {
            assert_eq!(field(last, "version"), field(&active, "version"), "round {round}");
        }
        let imports = log.iter().filter(|it| field(it, "op").as_str() == Some("import")).count();
        assert_eq!(imports + 1, latest.max(1), "round {round}: each version has its entry");
        versions = versions.max(latest);
    }
    assert!(versions > 2, "nothing was changed before the kills");
}
