//! The time of whole commands, from start to end.
#![expect(clippy::disallowed_methods, reason = "a benchmark may run other programs")]

use std::{
    path::Path,
    process::{Command, Stdio},
};

use svc_components as components;
use svc_contract::registry::{Component, OpDef};

use super::{
    table::{Table, say, tell},
    timing::{micros, millis},
};

const SVC: &str = env!("CARGO_BIN_EXE_svc");

pub(crate) fn start(table: &mut Table) {
    let folder = tempfile::tempdir().expect("a folder can be created");
    let script = folder.path().join("hello.svc");
    std::fs::write(&script, "\"hello\" >> upper\n").expect("the file can be written");
    let script = script.to_str().expect("a path in UTF-8");
    let (new, old) = (folder.path().join("new.db"), folder.path().join("old.db"));
    let [new, old] = [&new, &old].map(|it| it.to_str().expect("a path in UTF-8"));
    fill(table, old);
    let off = ["run", "--no-store", script];
    let (on, with_others) = (["run", "--store", new, script], ["run", "--store", old, script]);
    for (what, args, limit) in [
        ("`svc --version`", &["--version"][..], 5.0),
        ("`svc run hello.svc`, nothing kept", &off, 10.0),
        ("`svc run hello.svc`, kept", &on, 10.0),
        ("`svc run hello.svc`, kept in a store of 14 MB", &with_others, 10.0),
    ] {
        let took = table.best(40, || run(SVC, args));
        table.at_most(what, millis(took), limit, "ms");
    }
    match peak(&on) {
        Some(megabytes) => table.at_most("  its memory", megabytes, 25.0, "MB"),
        None => say("  its memory", "skipped: python3, which asks for it, is not here"),
    }
    registry(table);
    for (program, args) in [("jq", &["-n", "1"][..]), ("python3", &["-c", "pass"])] {
        let what = format!("  `{program} {}`", args.join(" "));
        match Command::new(program).args(args).output() {
            Ok(_) => tell(&what, millis(table.best(20, || run(program, args))), "ms"),
            Err(_) => say(&what, "skipped: not installed"),
        }
    }
}

/// Fills a store with a run of many calls.
fn fill(table: &Table, store: &str) {
    let calls = table.size(40_000, 10);
    let script = format!("range(0, {calls}) >> each {{ wait(duration: 0s) }} >> len");
    let file = Path::new(store).with_extension("svc");
    std::fs::write(&file, script).expect("the file can be written");
    run(SVC, &["run", "--store", store, file.to_str().expect("a path in UTF-8")]);
}

fn run(program: &str, args: &[&str]) {
    let done = Command::new(program).args(args).stdout(Stdio::null()).status();
    assert!(done.is_ok_and(|it| it.success()), "{program} {args:?}");
}

/// The peak memory of svc in megabytes.
fn peak(args: &[&str]) -> Option<f64> {
    const ASK: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3)";
    let asked = Command::new("python3").args(["-c", ASK, SVC]).args(args).output().ok()?;
    String::from_utf8(asked.stdout).ok()?.trim().parse().ok()
}

/// The built-in components, and more up to 300.
fn registry(table: &mut Table) {
    const MANY: usize = 300;
    let built_in: Vec<&'static Component> = components::ALL.concat();
    let more = (built_in.len()..MANY).map(|idx| {
        let name: &'static str = Box::leak(format!("more_{idx}").into_boxed_str());
        let like = built_in[idx % built_in.len()];
        // Names of tools are unique.
        let ops = like.ops.iter().map(|it| OpDef { tool: None, ..*it }).collect::<Vec<_>>();
        &*Box::leak(Box::new(Component { name, aliases: &[], ops: ops.leak(), ..*like }))
    });
    let more: Vec<&'static Component> = more.collect();
    let took = table.best(50, || drop(svc::engine().with(&more)));
    table.at_most("an engine with 300 components", micros(took) / 1e3, 1.0, "ms");
}

/// The size of the program on disk.
pub(crate) fn size(table: &mut Table) {
    let bytes = std::fs::metadata(SVC).map_or(0, |it| it.len());
    let megabytes = f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / 1e6;
    table.at_most("the release binary", megabytes, 40.0, "MB");
}
