//! Several processes with one store, and with one run.

use std::process::Output;

use svc_contract::store::{Filter, RunState, Store as _};
use svc_store::SqliteStore;

use super::{Place, SCRIPT, done, err, last, space::rounds, wait_for};

/// A run that was killed in the middle.
fn killed() -> Place {
    let place = Place::new();
    // It takes about two seconds, so that other processes start during it.
    let long = SCRIPT.replace("duration: 2ms", "duration: 150ms");
    std::fs::write(place.path().join("long.svc"), long).unwrap();
    let mut child = place.command(&["run", "long.svc"]).spawn().unwrap();
    wait_for(&place.store(), 30);
    child.kill().unwrap();
    child.wait().unwrap();
    place
}

#[test]
fn of_two_that_go_on_with_a_run_one_does() {
    let mut contested = 0;
    for _ in 0..rounds(4) {
        let place = killed();
        let (before, asked) = (done(&place.store()), place.asked());
        let known = before.iter().filter(|(path, _)| path.ends_with("/ask")).count();
        let both = [(); 2].map(|()| place.command(&["resume", "last"]).spawn().unwrap());
        let pids = both.each_ref().map(std::process::Child::id);
        let ended: [Output; 2] = both.map(|it| it.wait_with_output().unwrap());
        let won = ended.iter().filter(|it| it.status.success()).count();
        assert!(won > 0, "{}\n{}", err(&ended[0]), err(&ended[1]));
        assert_eq!(place.asked() - asked, 5 - known, "nothing is paid for twice");
        assert_eq!(last(&place.store()).unwrap().state, RunState::Ok);
        if won == 2 {
            // On a busy machine the second process may start after the first one has finished.
            continue;
        }
        contested += 1;
        let (winner, loser) = if ended[0].status.success() { (0, 1) } else { (1, 0) };
        let message = err(&ended[loser]);
        assert_eq!(ended[loser].status.code(), Some(1), "{message}");
        assert!(
            message.contains(&format!("process {} is already working on run", pids[winner])),
            "{message}"
        );
        assert!(message.contains("help: wait until it is done, or end it"), "{message}");
    }
    assert!(contested > 0, "no two met");
}

#[test]
fn maintenance_does_not_disturb_a_run() {
    let place = Place::new();
    for _ in 0..3 {
        assert!(place.svc(&["run", "a.svc"]).status.success());
    }
    let long = r#"range(0, 400) >> each { "${it}" >> wait(duration: 10ms) } within { max_parallel: 1 }
        >> take(n: 1)"#;
    std::fs::write(place.path().join("long.svc"), long).unwrap();
    let before = SqliteStore::open(&place.store(), 0).unwrap().size().unwrap().nodes;
    let child = place.command(&["run", "long.svc"]).spawn().unwrap();
    wait_for(&place.store(), before + 10);
    for round in 0..3 {
        let pruned = place.svc(&["runs", "prune", "--keep", "0"]);
        assert!(pruned.status.success(), "{}", err(&pruned));
        let doctor = place.svc(&["doctor"]);
        assert!(doctor.status.success(), "{}", err(&doctor));
        let copy = format!("copy{round}.db");
        let backup = place.svc(&["store", "backup", &copy]);
        assert!(backup.status.success(), "{}", err(&backup));
        let doctor = place.svc(&["doctor", "--store", &copy]);
        assert!(doctor.status.success(), "{}", err(&doctor));
    }
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", err(&ended));
    let store = SqliteStore::open(&place.store(), 0).unwrap();
    let runs = store.runs(&Filter::default()).unwrap();
    assert_eq!(runs.iter().map(|it| it.state).collect::<Vec<_>>(), [RunState::Ok]);
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

#[test]
fn a_run_that_is_removed_is_not_gone_on_with_from_nothing() {
    for _ in 0..rounds(4) {
        let place = killed();
        let asked = place.asked();
        let resume = place.command(&["resume", "last"]).spawn().unwrap();
        let prune = place.command(&["runs", "prune", "--keep", "0"]).spawn().unwrap();
        let (resumed, pruned) =
            (resume.wait_with_output().unwrap(), prune.wait_with_output().unwrap());
        assert!(pruned.status.success(), "{}", err(&pruned));
        let message = err(&resumed);
        if resumed.status.success() {
            assert_eq!(last(&place.store()).unwrap().state, RunState::Ok);
        } else {
            let gone = [
                "unknown run",
                "is already working on run",
                "is not in the store",
                "the store has no runs",
            ];
            assert!(gone.iter().any(|it| message.contains(it)), "{message}");
            assert_eq!(place.asked(), asked, "a removed run is not paid for again: {message}");
        }
    }
}

/// Claims are open files, and a process may open only a limited number of them.
#[cfg(unix)]
#[test]
fn many_runs_are_removed_with_few_open_files() {
    let place = Place::new();
    std::fs::write(place.path().join("b.svc"), "1 + 1").unwrap();
    assert!(place.svc(&["run", "b.svc"]).status.success());
    let sql = "WITH RECURSIVE many (it) AS (SELECT 1 UNION ALL SELECT it + 1 FROM many LIMIT 700)
        INSERT INTO runs (id, script, text, folder, params, bounds, version, state, started,
            tokens, cost)
        SELECT printf('0%025d', it), script, text, folder, params, bounds, version, state,
            started, tokens, cost FROM many JOIN runs";
    let connection = rusqlite::Connection::open(place.store()).unwrap();
    assert_eq!(connection.execute(sql, []).unwrap(), 700);
    drop(connection);
    let prune = ["runs", "prune", "--keep", "1"];
    let pruned = place.after("ulimit -n 200", &prune).output().unwrap();
    assert!(pruned.status.success(), "{}", err(&pruned));
    assert!(super::out(&pruned).contains("700 runs with 0 contents"), "{}", super::out(&pruned));
}
