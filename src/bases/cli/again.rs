//! `--watch`: repeats a command whenever a script changes.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::Args;
use svc_api::check::counted;
use svc_contract::host::{Host, Stat};
use svc_lang::diag::visible_line;

use super::{
    Session,
    exit::{Failure, INTERRUPTED, Result, USAGE},
    script, scripts,
    signals::Signals,
};

/// The files whose changes matter. Data is not watched, because a run that writes next to its
/// script would start itself again.
const WATCHED: [&str; 3] = ["svc", "rhai", "toml"];

/// The shortest time between two looks. Files are looked at instead of asking the system for
/// notices, which differ between systems and are missing on shared folders.
const PAUSE: Duration = Duration::from_millis(250);

/// A look may take at most one part in this many of the time.
const SHARE: u32 = 20;

/// The maximum number of files that one look reads the state of.
const MOST: usize = 20_000;

/// Whether a command is repeated.
#[derive(Args, Clone, Copy)]
pub(super) struct WatchArgs {
    /// Repeat when a script, template or policy in the same folder, or below it, changes; Ctrl-C
    /// ends.
    #[arg(long)]
    pub(super) watch: bool,
}

/// The states of the watched files.
type Look = BTreeMap<PathBuf, (u64, i128, u64)>;

/// Executes a command once, or after every change of the watched files until a signal arrives.
pub(super) async fn repeat(
    session: &Session,
    args: WatchArgs,
    paths: &[PathBuf],
    mut round: impl AsyncFnMut() -> Result<u8>,
) -> Result<u8> {
    if !args.watch {
        return round().await;
    }
    if paths.iter().any(|it| script::is_stdin(it)) {
        return Err(Failure::new(USAGE, "cannot watch standard input").help("pass a file"));
    }
    let host = session.engine.host();
    let mut signals = Signals::new();
    loop {
        // Before the round: a change while it runs counts.
        let before = look(host, paths);
        let code = round().await.unwrap_or_else(|failure| failure.report(session.terminal));
        if code == INTERRUPTED {
            return Ok(code);
        }
        session.terminal.note(&format!("watching {}; Ctrl-C ends", counted(before.len(), "file")));
        let Some(changed) = change(host, paths, &before, &mut signals).await else {
            return Ok(INTERRUPTED);
        };
        let name = changed.display().to_string();
        session.terminal.note(&format!("`{}` changed", visible_line(&name)));
    }
}

/// Executes a round that does not listen to signals itself, and ends the process at the first one.
pub(super) fn ended_by_signals<T>(round: impl FnOnce() -> Result<T>) -> Result<T> {
    let listening = tokio::spawn(async {
        if Signals::new().next().await.is_some() {
            svc_host_os::kill_programs();
            std::process::exit(INTERRUPTED.into());
        }
    });
    let done = round();
    listening.abort();
    done
}

/// Waits for the next change, and returns the changed file; `None` after a signal.
async fn change(
    host: &dyn Host,
    paths: &[PathBuf],
    before: &Look,
    signals: &mut Signals,
) -> Option<PathBuf> {
    let mut pause = PAUSE;
    loop {
        match tokio::time::timeout(pause, signals.next()).await {
            Ok(Some(_)) => return None,
            // No signal can come.
            Ok(None) => tokio::time::sleep(pause).await,
            Err(_) => {}
        }
        let started = Instant::now();
        let now = look(host, paths);
        if let Some(path) = difference(before, &now) {
            return Some(path);
        }
        pause = PAUSE.max(started.elapsed() * SHARE);
    }
}

fn look(host: &dyn Host, paths: &[PathBuf]) -> Look {
    let mut look = Look::new();
    for path in paths {
        let own = host.stat(path).ok();
        look.extend(
            own.as_ref().filter(|it| it.is_file).map(|it| (scripts::short(path), state(it))),
        );
        let folder = if own.is_some_and(|it| it.is_dir) { path } else { folder_of(path) };
        let near = host.walk(folder).take(MOST).flatten();
        let watched = near.filter(|it| {
            it.path.extension().is_some_and(|end| WATCHED.iter().any(|it| end == *it))
        });
        look.extend(watched.map(|it| (scripts::short(&it.path), state(&it.stat))));
    }
    look
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn state(it: &Stat) -> (u64, i128, u64) {
    (it.size, it.modified, it.inode)
}

/// The first file that was added, removed or changed.
fn difference(before: &Look, now: &Look) -> Option<PathBuf> {
    let changed = now.iter().find(|(path, state)| before.get(*path) != Some(*state));
    let removed = || before.keys().find(|it| !now.contains_key(*it));
    changed.map(|(path, _)| path).or_else(removed).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    #[test]
    fn scripts_and_policies_are_watched_and_data_is_not() {
        let host = TestHost::new()
            .file("a/b.svc", "1")
            .file("a/lib/c.rhai", "")
            .file("a/policy.toml", "")
            .file("a/out.json", "");
        let seen = look(&host, &["/home/a/b.svc".into()]);
        let names: Vec<String> = seen.keys().map(|it| it.display().to_string()).collect();
        assert_eq!(names, ["/home/a/b.svc", "/home/a/lib/c.rhai", "/home/a/policy.toml"]);
    }

    #[test]
    fn changes_additions_and_removals_are_differences() {
        let look = |files: &[(&str, u64)]| -> Look {
            files.iter().map(|(name, size)| (PathBuf::from(name), (*size, 0, 0))).collect()
        };
        let before = look(&[("a", 1), ("b", 1)]);
        assert_eq!(difference(&before, &before), None);
        assert_eq!(difference(&before, &look(&[("a", 1), ("b", 2)])), Some("b".into()));
        assert_eq!(difference(&before, &look(&[("a", 1)])), Some("b".into()));
        assert_eq!(difference(&look(&[("a", 1)]), &before), Some("b".into()));
    }
}
