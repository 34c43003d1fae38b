//! The scripts that a command is given: files, and folders with scripts.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_contract::{host::Host, registry::OpError};

use super::exit::{Failure, NOT_FOUND, Result};

/// The extension of scripts.
const EXTENSION: &str = "svc";

/// The scripts of a command.
pub(super) struct Scripts {
    pub(super) files: Vec<PathBuf>,
    /// Whether some of them were found in a folder; then the command prints totals.
    pub(super) has_folder: bool,
}

/// How much a command prints.
#[derive(Args, Clone, Copy)]
pub(super) struct Quiet {
    /// Print only problems.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl Scripts {
    /// The given files, and the scripts in the given folders, sorted by path. Hidden files, and
    /// those that ignore files (`.gitignore`, `.ignore`) exclude, are left out.
    pub(super) fn find(host: &dyn Host, paths: &[PathBuf]) -> Result<Self> {
        let mut found = Self { files: Vec::new(), has_folder: false };
        for path in paths {
            if host.stat(path).is_ok_and(|it| it.is_dir) {
                found.has_folder = true;
                found.files.extend(in_folder(host, path)?);
            } else {
                found.files.push(path.clone());
            }
        }
        Ok(found)
    }
}

fn in_folder(host: &dyn Host, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in host.walk(folder) {
        let path = entry.map_err(|err| Failure::reading(OpError::io(err, folder)))?.path;
        if path.extension().is_some_and(|it| it == EXTENSION) {
            files.push(short(&path));
        }
    }
    if files.is_empty() {
        let failure = Failure::new(NOT_FOUND, format!("no scripts in `{}`", folder.display()));
        return Err(failure.help("scripts are files whose names end in `.svc`"));
    }
    Ok(files)
}

/// A path without a `./` at its beginning.
pub(super) fn short(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    #[test]
    fn folders_stand_for_their_scripts() {
        let host = TestHost::new().file("a/b.svc", "1").file("a/c.txt", "").file("d.svc", "2");
        let find = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            Scripts::find(&host, &paths)
        };
        let found = find(&["d.svc", "/home/a", "missing.svc"]).unwrap();
        assert_eq!(found.files, ["d.svc", "/home/a/b.svc", "missing.svc"].map(PathBuf::from));
        assert!(found.has_folder);
        assert!(!find(&["d.svc"]).unwrap().has_folder);
    }
}
