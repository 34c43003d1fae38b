//! The header is that of the sources, and a C program that uses it works.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "tests start compilers and write files")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The modules that export something, in the order of the header.
const MODULES: [&str; 6] = ["status", "text", "engine", "plan", "run", "call"];

#[test]
fn the_header_is_that_of_the_sources() {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let sources = MODULES.iter().map(|it| root().join(format!("src/{it}.rs")));
    let builder = sources.fold(cbindgen::Builder::new(), cbindgen::Builder::with_src);
    let mut made = Vec::new();
    builder.with_config(config).generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let file = root().join("include/svc.h");
    if env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&file, &made).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(made == kept, "include/svc.h is out of date: run this test with UPDATE_HEADER=1");
}

/// The folder of the libraries. Cargo does not build them for a test, which cannot use them.
fn libraries() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
        let done = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--lib", "--manifest-path"])
            .arg(root().join("Cargo.toml"))
            .arg("--target-dir")
            .arg(folder.parent().unwrap())
            .status()
            .unwrap();
        assert!(done.success(), "the libraries cannot be built");
        folder
    })
}

/// A folder for what a target makes.
fn out(target: &str) -> PathBuf {
    let out = libraries().join("svc-c-tests").join(target);
    fs::create_dir_all(&out).unwrap();
    out
}

/// Runs a target of the Makefile with the libraries.
fn make(target: &str) {
    let libraries = libraries();
    let out = out(target);
    let done = Command::new("make")
        .args(["--no-print-directory", "-C"])
        .arg(root())
        .arg(target)
        .arg(format!("LIB={}", libraries.display()))
        .arg(format!("OUT={}", out.display()))
        .output()
        .unwrap();
    let [printed, errors] = [done.stdout, done.stderr].map(|it| String::from_utf8(it).unwrap());
    assert!(done.status.success(), "{printed}{errors}");
}

/// Whether all these programs are there; says what is skipped otherwise.
fn has(programs: &[&str]) -> bool {
    let is_there = |it: &&&str| Command::new(it).arg("--version").output().is_ok();
    match programs.iter().find(|it| !is_there(it)) {
        Some(absent) => {
            eprintln!("skipped: {absent} is not installed");
            false
        }
        None => true,
    }
}

#[test]
fn a_c_program_checks_runs_and_cancels() {
    if has(&["make", "cc"]) {
        make("run");
    }
}

#[test]
fn a_c_program_with_the_static_library_does_the_same() {
    if has(&["make", "cc"]) {
        make("run-static");
    }
}

#[test]
fn a_cpp_program_can_use_the_header() {
    if has(&["make", "c++"]) {
        make("header-cpp");
    }
}

#[test]
fn a_c_program_leaks_nothing() {
    if has(&["make", "cc", "valgrind"]) {
        make("valgrind");
    }
}

#[test]
fn the_program_of_the_book_works() {
    if has(&["make", "cc"]) {
        let page = fs::read_to_string(root().join("../../docs/other-languages.md")).unwrap();
        let program = page.split("\n```c\n").nth(1).unwrap().split("\n```\n").next().unwrap();
        let out = out("book");
        fs::write(out.join("book.c"), format!("{program}\n")).unwrap();
        make("book");
    }
}

#[test]
fn wrong_pointers_and_text_are_errors() {
    if has(&["make", "cc"]) {
        make("misuse");
    }
}
