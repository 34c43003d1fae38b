//! The consent of the user to the programs that the settings of a project start.
//!
//! It is kept in the user's own folder of data, by a hash of everything that decides what is started:
//! the command, its environment, the names of the secrets that it gets, and the folder that it starts
//! in. A project can therefore not give it, and a changed command needs another one.

use std::path::{Path, PathBuf};

use svc_contract::host::Host;
use svc_openapi::fingerprint;

use super::McpSettings;

/// The folder of consents, in the user's folder of data.
const FOLDER: &str = "consents";

/// The consent that a command needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    key: String,
    text: String,
}

impl Consent {
    /// The consent that a server needs; `None` for one that is not started, but reached by its
    /// address.
    pub fn of(name: &str, settings: &McpSettings, folder: &Path) -> Option<Self> {
        let command = settings.command.as_ref()?;
        let folder = folder.display();
        let all = format!("{command:?} {:?} {:?} {folder}", settings.env, settings.secrets);
        let text = format!("{name}: {}\nin {folder}\n", settings.shown());
        Some(Self { key: fingerprint(all.as_bytes()), text })
    }

    fn file(&self, host: &dyn Host) -> Result<PathBuf, String> {
        let folder = host.data_dir();
        let folder = folder.map_err(|err| format!("cannot find the folder of data: {err}"))?;
        Ok(folder.join(FOLDER).join(&self.key))
    }

    /// Whether the user has agreed.
    pub fn is_given(&self, host: &dyn Host) -> bool {
        self.file(host).is_ok_and(|file| host.stat(&file).is_ok_and(|it| it.is_file))
    }

    /// Keeps that the user agrees.
    pub fn give(&self, host: &dyn Host) -> Result<(), String> {
        let file = self.file(host)?;
        let written = host.write(&file, self.text.as_bytes());
        written.map_err(|err| format!("cannot write `{}`: {err}", file.display()))
    }
}
