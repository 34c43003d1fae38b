//! The version with the commit that the program is built from: `0.1.0 (8058b7078 2026-11-23)`.
//!
//! Sources without git, such as an archive, have the version alone, or the commit of the variable
//! `SVC_COMMIT`.

#![expect(clippy::disallowed_methods, reason = "a build script asks git")]

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SVC_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").expect("cargo names the version");
    let commit = env::var("SVC_COMMIT").ok().filter(|it| !it.is_empty()).or_else(commit);
    let shown = match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=SVC_VERSION={shown}");
}

/// The commit that is checked out, if these sources are the root of a repository.
fn commit() -> Option<String> {
    let root = git(&["rev-parse", "--show-toplevel"])?;
    let own = env::var_os("CARGO_MANIFEST_DIR")?;
    // Another project may contain these sources; its commits say nothing about them.
    if Path::new(&root).canonicalize().ok()? != Path::new(&own).canonicalize().ok()? {
        return None;
    }
    // Changes with every commit and checkout. A missing file would build everything each time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["log", "-1", "--format=%h %cs", "--abbrev=9"])
}

fn git(args: &[&str]) -> Option<String> {
    let done = Command::new("git").args(args).output().ok().filter(|it| it.status.success())?;
    let text = String::from_utf8(done.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
