//! `svc init`: makes a small project.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::project::{FILES, POLICY, SCRIPT};
use svc_contract::registry::OpError;
use svc_lang::diag::visible_line;

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result, USAGE},
    scripts, terminal,
};

/// Make a small project: a script with a test, data and a policy.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Init {
    /// The folder; it is created if it does not exist.
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    folder: PathBuf,
}

const EXAMPLES: &str = "Examples:
  svc init                     in this folder
  svc init reports

No file is overwritten: if one of them exists, nothing is written, and the exit code is 1.";

impl Init {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let host = session.engine.host();
        if host.stat(&self.folder).is_ok_and(|it| !it.is_dir) {
            let message = format!("`{}` is not a folder", self.folder.display());
            return Err(Failure::new(USAGE, message));
        }
        let files = FILES.map(|it| (self.folder.join(it.path), it.text));
        let there: Vec<&Path> =
            files.iter().map(|(path, _)| &**path).filter(|it| host.stat(it).is_ok()).collect();
        if !there.is_empty() {
            return Err(exist(&there));
        }
        for (path, text) in &files {
            let written = host.write(path, text.as_bytes());
            written.map_err(|err| Failure::reading(OpError::io(err, path)))?;
            let name = scripts::short(path).display().to_string();
            terminal::print(&format!("{}: written\n", visible_line(&name)))?;
        }
        terminal::print(&self.next_steps())?;
        Ok(OK)
    }

    fn next_steps(&self) -> String {
        let folder = self.folder.display().to_string();
        let folder = visible_line(&folder);
        let enter =
            if self.folder == Path::new(".") { String::new() } else { format!("  cd {folder}\n") };
        format!(
            "\nTry it:\n{enter}  svc check .\n  svc test .\n  svc run {SCRIPT} --policy {POLICY}\n"
        )
    }
}

fn exist(there: &[&Path]) -> Failure {
    let names: Vec<String> = there.iter().map(|it| format!("`{}`", it.display())).collect();
    let exist = if names.len() == 1 { "exists" } else { "exist" };
    let failure = Failure::new(FAILED, format!("{} already {exist}", names.join(", ")));
    failure.help("choose another folder: `svc init DIR`")
}
