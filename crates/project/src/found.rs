//! The project of a folder.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_contract::{
    host::{self, Host},
    registry::ReadyComponent,
};

use crate::{LOCKS, SETTINGS, api, mcp, settings::Settings};

/// How many folders above are looked at.
const HIGHEST: usize = 32;
/// The largest settings and the largest lock, in bytes.
const LARGEST_SETTINGS: u64 = 1 << 20;
const LARGEST_LOCK: u64 = 256 << 20;

/// A folder with settings.
#[derive(Clone, Debug)]
pub struct Project {
    pub folder: PathBuf,
    pub settings: Settings,
}

/// The components of a project, and what is wrong with those that are missing.
#[derive(Debug, Default)]
pub struct Loaded {
    pub components: Vec<ReadyComponent>,
    pub problems: Vec<String>,
}

impl Project {
    /// The project of a folder: the settings in it, or in the nearest folder above up to the one
    /// with `.git`. An error if settings are there and wrong.
    pub fn find(host: &dyn Host, folder: &Path) -> Result<Option<Self>, String> {
        let Ok(folder) = host.real_path(folder) else { return Ok(None) };
        for folder in folder.ancestors().take(HIGHEST) {
            let file = folder.join(SETTINGS);
            match host::read(host, &file, LARGEST_SETTINGS) {
                Ok(bytes) => return Self::read(folder, &file, bytes).map(Some),
                Err(err) if err.kind() == io::ErrorKind::NotFound => {}
                Err(err) => return Err(format!("cannot read `{}`: {err}", file.display())),
            }
            if host.stat(&folder.join(".git")).is_ok() {
                break;
            }
        }
        Ok(None)
    }

    fn read(folder: &Path, file: &Path, bytes: Vec<u8>) -> Result<Self, String> {
        let file = file.display();
        let text = String::from_utf8(bytes).map_err(|_| format!("`{file}` is not valid UTF-8"))?;
        let settings = Settings::read(&text).map_err(|why| format!("invalid `{file}`: {why}"))?;
        Ok(Self { folder: folder.to_owned(), settings })
    }

    /// A folder without settings.
    pub fn new(host: &dyn Host, folder: &Path) -> Result<Self, String> {
        let real = host.real_path(folder);
        let folder = real.map_err(|err| format!("cannot read `{}`: {err}", folder.display()))?;
        Ok(Self { folder, settings: Settings::default() })
    }

    /// The lock of an API.
    pub fn lock_file(&self, name: &str) -> PathBuf {
        self.folder.join(LOCKS).join(format!("{name}.lock"))
    }

    /// The text of a lock; `None` if the API is not locked yet.
    pub fn lock(&self, host: &dyn Host, name: &str) -> Result<Option<String>, String> {
        let file = self.lock_file(name);
        match host::read(host, &file, LARGEST_LOCK) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(format!("`{}` is not valid UTF-8", file.display())),
            },
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(format!("cannot read `{}`: {err}", file.display())),
        }
    }

    /// The components of its APIs and MCP servers, as their locks describe them. The program of a server
    /// is started by a call, with the consents that the host has then.
    pub fn load(&self, shared: &Arc<dyn Host>) -> Loaded {
        let host = shared.as_ref();
        let mut loaded = Loaded::default();
        for (name, settings) in &self.settings.api {
            let made = match self.lock(host, name) {
                Ok(Some(lock)) => api::component(name, lock, settings),
                Ok(None) => Err(format!("it has no lock; run `svc api add {name}`")),
                Err(why) => Err(why),
            };
            match made {
                Ok(component) => loaded.components.push(component),
                Err(why) => {
                    loaded.problems.push(format!("the API `{name}` is not available: {why}"));
                }
            }
        }
        for (name, settings) in &self.settings.mcp {
            let made = match self.lock(host, name) {
                Ok(Some(lock)) => mcp::component(name, &lock, settings, &self.folder, shared),
                Ok(None) => Err(format!("it has no lock; run `svc mcp add {name}`")),
                Err(why) => Err(why),
            };
            match made {
                Ok(component) => loaded.components.push(component),
                Err(why) => {
                    loaded
                        .problems
                        .push(format!("the MCP server `{name}` is not available: {why}"));
                }
            }
        }
        loaded
    }
}
