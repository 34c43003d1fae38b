//! The prompt: for a person at a terminal, and for a program that writes into a pipe.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

mod charts;
mod entered;
mod person;
mod piped;
mod pty;

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

/// A separate folder, with documents to search.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.file("docs/caps.md", "# Caps\nA cap bounds what a run may cost.\n");
        place.file("docs/plans.md", "# Plans\nA plan shows what a cap would fund.\n");
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The environment of the program.
    fn environment(&self) -> [(&'static str, String); 5] {
        crate::terminal::environment(self.path())
    }

    fn svc(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
        command.args(args).current_dir(self.path()).envs(self.environment());
        command
    }
}
