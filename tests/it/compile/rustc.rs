//! The compiler with the libraries of this build.
//!
//! `trybuild` would compile the package and all that it depends on a second time, in a folder of
//! its own. That takes minutes; this takes the time of the programs.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::Value as Json;

/// The beginnings of variables that Cargo sets for a package.
const PACKAGE: [&str; 4] = ["CARGO_BIN_EXE_", "CARGO_MANIFEST_", "CARGO_PKG_", "OUT_DIR"];

/// The libraries that this test is linked with, by name.
pub(super) struct Libraries {
    files: BTreeMap<String, PathBuf>,
    /// The folder with the libraries that those use.
    folder: PathBuf,
}

impl Libraries {
    /// Asks Cargo for the libraries; it has built them already.
    ///
    /// # Panics
    ///
    /// Panics if Cargo builds this program again, as it does if a source has changed since this
    /// test began: other tests that start the program would fail.
    pub(super) fn of_this_build() -> Self {
        let folder = env::current_exe().unwrap().parent().unwrap().to_owned();
        let target = folder.ancestors().nth(2).unwrap();
        let mut cargo = Command::new(program("CARGO", "cargo"));
        cargo.args(["test", "--no-run", "--test", "it", "--quiet", "--message-format=json"]);
        cargo.arg("--target-dir").arg(target);
        // Cargo describes this test by them; build scripts that read them would run again.
        let described = |it: &OsString| {
            it.to_str().is_some_and(|it| PACKAGE.iter().any(|start| it.starts_with(start)))
        };
        env::vars_os().map(|(name, _)| name).filter(described).for_each(|it| {
            cargo.env_remove(it);
        });
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        if cfg!(feature = "otlp") {
            cargo.args(["--features", "otlp"]);
        }
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages: Vec<Json> = lines(&output.stdout).collect();
        let built = messages.iter().filter(|it| it["fresh"] == false);
        let built: Vec<&str> = built.filter_map(|it| it["target"]["name"].as_str()).collect();
        assert!(built.is_empty(), "Cargo has built {built:?} again; was a source edited?");
        let files = messages.iter().filter_map(library).collect();
        Self { files, folder }
    }

    /// Compiles a program to a file.
    pub(super) fn compile(&self, source: &Path, to: &Path, emit: &[&str]) -> Output {
        let mut rustc = Command::new(program("RUSTC", "rustc"));
        rustc.args(["--edition", "2024", "--crate-type", "bin", "--error-format", "json"]);
        // The programs show one thing, and use nothing else of it.
        rustc.args(["-A", "unused", "-A", "dead_code", "-C", "debuginfo=0"]);
        rustc.arg(format!("--emit={}", emit.join(",")));
        rustc.arg("-L").arg(format!("dependency={}", self.folder.display()));
        for name in ["serde", "svc", "tokio"] {
            let file = self.files.get(name).unwrap_or_else(|| panic!("no library `{name}`"));
            rustc.arg("--extern").arg(format!("{name}={}", file.display()));
        }
        rustc.arg(source).arg("-o").arg(to).output().unwrap()
    }
}

fn program(variable: &str, name: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| name.into())
}

fn lines(output: &[u8]) -> impl Iterator<Item = Json> {
    String::from_utf8_lossy(output)
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok())
        .collect::<Vec<_>>()
        .into_iter()
}

/// The name and the file of a library that Cargo reports.
fn library(message: &Json) -> Option<(String, PathBuf)> {
    let name = message["target"]["name"].as_str()?.replace('-', "_");
    let mut files = message["filenames"].as_array()?.iter().filter_map(Json::as_str).map(Path::new);
    let file = files.find(|it| it.extension().is_some_and(|it| it == "rlib"))?;
    Some((name, file.to_owned()))
}

/// The errors that the compiler reported: the message, the labels at the source of the program
/// with what they point at, and the notes. Places outside of `folder` are left out.
pub(super) fn said(output: &Output, folder: &str) -> String {
    let mut text = String::new();
    for error in lines(&output.stderr).filter(|it| it["level"] == "error") {
        let code = error["code"]["code"].as_str();
        // "aborting due to ..."
        if error["spans"].as_array().is_some_and(Vec::is_empty) && code.is_none() {
            continue;
        }
        let code = code.map(|it| format!("[{it}]")).unwrap_or_default();
        let _ = writeln!(text, "error{code}: {}", message(&error));
        labels(&mut text, &error, folder);
        for note in error["children"].as_array().into_iter().flatten() {
            // The compiler's choice of a few, and their number.
            if message(note).starts_with("the following other types implement") {
                continue;
            }
            let _ = writeln!(text, "  {}: {}", note["level"].as_str().unwrap(), message(note));
            labels(&mut text, note, folder);
        }
        text.push('\n');
    }
    text
}

fn message(of: &Json) -> String {
    of["message"].as_str().unwrap_or_default().replace('\n', "\n      ")
}

fn labels(text: &mut String, of: &Json, folder: &str) {
    for mut span in of["spans"].as_array().into_iter().flatten() {
        // A place in a macro is that of its call.
        while !span["expansion"].is_null() && !is_below(span, folder) {
            span = &span["expansion"]["span"];
        }
        let file = span["file_name"].as_str().unwrap_or_default();
        let Some(file) = file.strip_prefix(folder) else { continue };
        let place = format!("{file}:{}:{}", span["line_start"], span["column_start"]);
        let label = span["label"].as_str().map(|it| format!(": {it}")).unwrap_or_default();
        let _ = writeln!(text, "    {place} `{}`{label}", pointed_at(span));
    }
}

fn is_below(span: &Json, folder: &str) -> bool {
    span["file_name"].as_str().is_some_and(|it| it.starts_with(folder))
}

/// The first line that a span covers.
fn pointed_at(span: &Json) -> String {
    let line = &span["text"][0];
    let offset = |name: &str| line[name].as_u64().and_then(|it| usize::try_from(it).ok());
    let range = offset("highlight_start").zip(offset("highlight_end"));
    let text: Vec<char> = line["text"].as_str().unwrap_or_default().chars().collect();
    range.and_then(|(start, end)| text.get(start - 1..end - 1)).unwrap_or_default().iter().collect()
}

/// Calls a function for each item, on as many threads as there are cores.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some((idx, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|it| Some((it, items.get(it)?)))
        {
            let result = f(item);
            done.lock().unwrap().insert(idx, result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap().into_values().collect()
}
