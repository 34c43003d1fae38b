//! The files that a script may import under a policy: nothing of a refused file is shown.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command, sync::Arc};

use svc::{Engine, Policy};
use svc_host_os::OsHost;
use svc_lang::diag::{Code, Source, Style};
use tempfile::TempDir;

const SECRET: &str = "hunter2";

/// `own/` is the folder of foreign scripts; files elsewhere do not belong to them.
fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let flow = "flow f(x: string) -> string { x }";
    write("own/lib.svc", flow);
    write("own/deep/lib.svc", flow);
    write("own/t.rhai", "/// template t(x: string) -> string\nfn t() { `upper` }");
    write("own/through.svc", "use \"../key.svc\" as k\nflow f(x: string) -> string { x }");
    write("key.svc", &format!("password = {SECRET}"));
    write("key.rhai", &format!("password = {SECRET}"));
    write("lib/good.svc", flow);
    symlink(folder.path().join("key.svc"), folder.path().join("own/link.svc")).unwrap();
    symlink(folder.path(), folder.path().join("own/up")).unwrap();
    symlink("lib.svc", folder.path().join("own/alias.svc")).unwrap();
    folder
}

fn engine() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default()))
}

fn uses(folder: &Path, file: &str) -> Source {
    let script = format!("use {file:?} as l\n\"x\" >> upper");
    Source::new("main.svc", script).in_folder(folder.join("own"))
}

fn outside(folder: &Path) -> Vec<String> {
    let absolute = folder.join("key.svc").to_string_lossy().into_owned();
    let names = [
        "../key.svc",
        "deep/../../key.svc",
        "link.svc",
        "up/key.svc",
        "../key.rhai",
        "through.svc",
        "../none.svc",
        "/proc/self/cwd/../none.svc",
        "../own/../key.svc",
    ];
    names.iter().map(|it| (*it).to_owned()).chain([absolute]).collect()
}

fn with(allow: &[&str], deny: &[String]) -> Policy {
    let policy = allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap();
    deny.iter().try_fold(policy, |it, rule| it.deny(rule)).unwrap()
}

#[test]
fn files_outside_of_the_scripts_folder_are_refused_where_there_are_rules() {
    let place = place();
    let folder = place.path();
    let engines = [
        engine().untrusted(),
        engine().with_policy(with(&["writes"], &[])),
        engine().untrusted().with_policy(with(&["spends"], &["writes".into()])),
        engine().with_policy(with(
            &["asks"],
            &[format!("reads fs:{}", folder.join("key.svc").display())],
        )),
    ];
    for engine in &engines {
        for file in outside(folder) {
            let report = engine.check(uses(folder, &file)).unwrap_err();
            let shown = format!("{} {report:?}", report.render(Style::Plain));
            assert!(!shown.contains(SECRET) && !shown.contains("password"), "{file}: {shown}");
            let refused = report.all().all(|(_, it)| !it.is_error() || it.code == Code::E315);
            assert!(refused, "{file}: {shown}");
            // An editor and a plan get no more than a check.
            let analysis = engine.analyse(uses(folder, &file));
            assert!(
                analysis.program.is_none() && !format!("{:?}", analysis.report).contains(SECRET)
            );
            assert!(engine.plan(uses(folder, &file)).is_err());
        }
        for file in
            ["lib.svc", "deep/lib.svc", "../own/lib.svc", "alias.svc", "t.rhai", "std:panel"]
        {
            let checked = engine.check(uses(folder, file));
            assert!(checked.is_ok(), "{file}: {}", checked.unwrap_err().render(Style::Plain));
        }
    }
}

#[test]
fn what_is_denied_is_not_used_and_what_is_allowed_is() {
    let place = place();
    let folder = place.path();
    for rule in
        ["reads".to_owned(), "reads fs".to_owned(), format!("reads fs:{}", folder.display())]
    {
        let engine = engine().with_policy(with(&[], &[rule]));
        for file in
            outside(folder).iter().map(String::as_str).chain(["lib.svc", "t.rhai", "alias.svc"])
        {
            if file.starts_with("/proc") {
                continue;
            }
            let report = engine.check(uses(folder, file)).unwrap_err();
            assert_eq!(report.problems[0].code, Code::E315, "{file}");
        }
        assert!(engine.check(uses(folder, "std:panel")).is_ok());
    }
    let good = format!("reads fs:{}", folder.join("lib").display());
    let engine = engine().untrusted().with_policy(with(&[&good], &[]));
    assert!(engine.check(uses(folder, "../lib/good.svc")).is_ok());
    assert!(engine.check(uses(folder, "../key.svc")).is_err());
}

/// A link that is swapped between check and use is tested in `attacks/swaps.rs`.
#[test]
fn commands_that_check_refuse_too() {
    let place = place();
    let own = place.path().join("own");
    fs::write(own.join("main.svc"), "use \"../key.svc\" as l\n\"x\" >> upper").unwrap();
    fs::write(own.join("reads.svc"), "read_text(path: \"lib.svc\")").unwrap();
    let svc = |args: &[&str]| {
        let done = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(args)
            .current_dir(&own)
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code().unwrap(), [text(&done.stdout), text(&done.stderr)].concat())
    };
    for args in [
        &["check", "main.svc", "--deny", "reads"][..],
        &["check", "main.svc", "--untrusted"],
        &["check", "main.svc", "--untrusted", "--json"],
        &["plan", "main.svc", "--deny", "reads"],
        &["plan", "main.svc", "--allow", "writes"],
        &["run", "main.svc", "--untrusted", "--no-store"],
        &["run", "main.svc", "--deny", "reads", "--no-store"],
        &["repl", "main.svc", "--deny", "reads"],
    ] {
        let (code, said) = svc(args);
        assert!(code != 0 && said.contains("E315") || args[0] == "repl", "{args:?}: {said}");
        assert!(!said.contains(SECRET), "{args:?}: {said}");
    }
    let (code, said) = svc(&["check", "reads.svc", "--deny", "reads"]);
    assert!(
        code == 7 && said.contains("E315"),
        "the effects of its plan are refused as well: {said}"
    );
    assert_eq!(svc(&["check", "reads.svc", "--untrusted"]).0, 0);
}
