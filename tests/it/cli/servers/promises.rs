//! The promises of runs hold for the tools of servers: policies, consent, secrets, cancel, resume, replay.

use std::{fs, path::Path, process::Stdio};

use super::{Project, fails, said};
use crate::cli::Done;

const SUM: &str = "calc.add(a: 1, b: 2) >> .sum";
const KEY: &str = "key-of-the-test-4711";

#[test]
fn a_policy_decides_before_anything_starts() {
    let Some(project) = Project::with_calc("policy", &[("a.svc", SUM)]) else { return };
    project.forget();
    for rules in [
        &["--allow", "reads"][..],
        &["--deny", "runs"],
        &["--deny", "runs mcp:calc"],
        &["--deny", "writes mcp"],
        &["--allow", "runs mcp:calc"],
        &["--allow", "runs mcp:other", "--allow", "writes mcp"],
        &["--allow", "runs cmd", "--allow", "writes mcp:calc"],
    ] {
        let done = project.svc(&[&["run", "a.svc"][..], rules].concat());
        fails(&done, 7, "mcp:calc");
    }
    assert_eq!(project.log(), "");
    project
        .svc(&["run", "a.svc", "--allow", "runs mcp:calc", "--allow", "writes mcp:calc"])
        .gives("3\n");
    project.svc(&["run", "a.svc", "--allow", "runs mcp", "--allow", "writes mcp"]).gives("3\n");
}

#[test]
fn a_command_needs_consent_which_ends_with_the_command() {
    let scripts = [("a.svc", SUM), ("b.svc", "let sum = calc.add(a: 1, b: 2)\n1 / (sum.sum - 3)")];
    let Some(project) = Project::with_calc("consent", &scripts) else { return };
    project.svc(&["run", "a.svc"]).gives("3\n");
    fails(&project.svc(&["run", "b.svc"]), 1, "division by zero");
    // Another command, as a change of the project brings it.
    let file = project.0.path().join("svc.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, settings.replace("\"server.py\"", "\"./server.py\"")).unwrap();
    project.forget();
    let refused = project.svc(&["run", "a.svc"]);
    fails(
        &refused,
        1,
        "you have not agreed that the MCP server `calc` is started: `python3 ./server.py`",
    );
    assert!(said(&refused).contains("svc mcp allow calc"), "{}", refused.err);
    fails(&project.svc(&["resume", "last"]), 1, "svc mcp allow calc");
    let mut repl = project.command(&["repl"]);
    repl.stdin(fs::File::open(project.0.path().join("a.svc")).unwrap());
    fails(&Done::of(repl.output().unwrap()), 1, "svc mcp allow calc");
    fails(&project.svc(&["mcp", "update", "calc"]), 1, "svc mcp allow calc");
    let listed = project.svc(&["mcp", "list"]);
    assert!(listed.out.contains("not allowed to start"), "{}", listed.out);
    assert_eq!(project.log(), "");
    project.svc(&["mcp", "allow", "calc"]).gives("calc: may start `python3 ./server.py`\n");
    project.svc(&["run", "a.svc"]).gives("3\n");
    // Another user has not agreed.
    let mut command = project.command(&["run", "a.svc"]);
    command.env("XDG_DATA_HOME", project.0.path().join(".other"));
    fails(&Done::of(command.output().unwrap()), 1, "svc mcp allow calc");
    // Neither does a service start it.
    let mut command = project.command(&["call", "run_pipeline", "-p", &format!("pipeline={SUM}")]);
    command.env("XDG_DATA_HOME", project.0.path().join(".other"));
    let called = Done::of(command.output().unwrap());
    assert_ne!(called.code, Some(0), "{}", called.out);
}

#[test]
fn secrets_reach_only_the_declared_variable() {
    let Some(project) =
        Project::new("secrets", &[("a.svc", "calc.env(name: \"TOKEN\")"), ("b.svc", "calc.env()")])
    else {
        return;
    };
    let with_key = |args: &[&str]| {
        let mut command = project.command(args);
        command
            .env("SVC_SECRET_CALC_KEY", KEY)
            .env("SVC_SECRET_OTHER", "of another")
            .env("MY_VARIABLE", "x");
        Done::of(command.output().unwrap())
    };
    let add = ["mcp", "add", "calc", "--secret", "TOKEN=calc_key", "python3", "server.py"];
    fails(&project.svc(&add), 1, "the MCP server `calc` needs the secret `calc_key`");
    with_key(&add).gives("calc: scripted 1.0, 24 ops\n");
    project.svc(&["check", "a.svc"]).gives("a.svc: ok, result json\n");
    fails(&project.svc(&["run", "a.svc"]), 1, "set `SVC_SECRET_CALC_KEY`");
    // The server has it, and returned it.
    with_key(&["run", "a.svc"]).gives("***\n");
    let env = with_key(&["run", "b.svc"]);
    let names: Vec<&str> = env.out.split_whitespace().collect();
    assert!(names.contains(&"TOKEN") && names.contains(&"PATH"), "{names:?}");
    // A launcher of Python adds some of its own.
    let is_ours = |it: &&&str| it.starts_with("SVC_") || **it == "MY_VARIABLE";
    assert_eq!(names.iter().filter(is_ours).count(), 0, "{names:?}");
    let shown = [with_key(&["plan", "a.svc", "--json"]), with_key(&["show", "last", "--json"])];
    assert!(shown.iter().all(|it| !it.out.contains(KEY) && !it.err.contains(KEY)));
    files(project.0.path(), &mut |path, bytes| {
        let is_in = bytes.windows(KEY.len()).any(|it| it == KEY.as_bytes());
        assert!(!is_in, "{} has the secret", path.display());
    });
}

fn files(folder: &Path, look: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, look);
        } else {
            look(&path, &fs::read(&path).unwrap());
        }
    }
}

#[test]
fn a_killed_run_resumes_without_a_second_call_and_replays_without_the_server() {
    let script = "let one = calc.add(1, 2) >> .sum\ncalc.slow(n: one)";
    let Some(project) = Project::with_calc("resume", &[("a.svc", script)]) else { return };
    project.settings("[mcp.calc.ops.slow]\nidempotent = true\n");
    project.forget();
    let mut child = project.command(&["run", "a.svc"]).stderr(Stdio::null()).spawn().unwrap();
    project.wait_for("call slow", 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = project.svc(&["resume", "last"]);
    done.gives("slow 3\n");
    assert_eq!(project.count("call add"), 1, "{}", project.log());
    assert_eq!(project.count("call slow"), 2, "{}", project.log());
    project.forget();
    fs::remove_file(project.0.path().join("server.py")).unwrap();
    let replayed = project.svc(&["replay", "last"]);
    assert_eq!(replayed.code, Some(0), "{}{}", replayed.out, replayed.err);
    assert_eq!(project.log(), "");
}

#[test]
fn a_write_that_may_have_happened_is_not_repeated() {
    let script = "calc.slow(n: 1)";
    let Some(project) = Project::with_calc("no repeat", &[("a.svc", script)]) else { return };
    let mut child = project.command(&["run", "a.svc"]).stderr(Stdio::null()).spawn().unwrap();
    project.wait_for("call slow", 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = project.svc(&["resume", "last"]);
    assert_ne!(done.code, Some(0), "{}", done.out);
    assert_eq!(project.count("call slow"), 1, "{}", done.err);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_cancels_the_call_and_ends_the_server() {
    for start in ["well", "stubborn"] {
        let Some(project) = Project::new("cancel", &[("a.svc", "calc.slow(n: 1)")]) else { return };
        project.add("calc", &["python3", "server.py", start]);
        project.forget();
        let child = project.command(&["run", "a.svc"]).spawn().unwrap();
        project.wait_for("call slow", 1);
        let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let began = std::time::Instant::now();
        let done = Done::of(child.wait_with_output().unwrap());
        assert_eq!(done.code, Some(130), "{}", done.err);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert_eq!(project.survivors(), Vec::<String>::new(), "{start}");
    }
}
