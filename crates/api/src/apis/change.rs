//! What `svc api` adds, renews, lists and removes.

use std::{io, path::Path};

use svc_contract::host::{self, Host};
use svc_engine::Engine;
use svc_lang::syntax::is_reserved;
use svc_openapi::{Difference, Lock, Skipped, is_name};
use svc_project::{Project, SETTINGS, Source, component, locked, with_api, without_api};

use super::project;

/// The largest settings, in bytes.
const LARGEST: u64 = 1 << 20;

/// An API that was locked.
#[derive(Clone, Debug)]
pub struct Added {
    pub ops: usize,
    pub skipped: Vec<Skipped>,
    /// Why the component is not available yet.
    pub problem: Option<String>,
}

/// A lock that was compared with its document.
#[derive(Clone, Debug)]
pub struct Updated {
    pub difference: Difference,
    pub skipped: Vec<Skipped>,
    /// The new lock, which is not written yet.
    text: String,
}

/// An API of a project.
#[derive(Clone, Debug)]
pub struct Listed {
    pub name: String,
    pub source: String,
    /// The title and version of the document, and its operations; `None` without a lock.
    pub lock: Option<ListedLock>,
}

/// What a lock holds.
#[derive(Clone, Debug)]
pub struct ListedLock {
    pub title: String,
    pub ops: usize,
    pub skipped: Vec<Skipped>,
}

/// Adds an API to the project of a folder: writes its lock, and its place into the settings. Without
/// a source, locks one that the settings name.
pub async fn add(
    engine: &Engine,
    folder: &Path,
    name: &str,
    source: Option<Source>,
) -> Result<Added, String> {
    let host = engine.host();
    let project = project(host, folder)?;
    let known = project.settings.api.get(name);
    let known_source = known.map(svc_project::ApiSettings::source).transpose()?;
    if known.is_some() && source.is_some() && source != known_source {
        return Err(format!(
            "the project has an API `{name}` already; `svc api remove {name}` removes it"
        ));
    }
    let taken = project.settings.mcp.contains_key(name).then_some("an MCP server");
    test_name(name, taken, known.is_some(), engine)?;
    let source = source.or_else(|| known_source.clone()).ok_or_else(|| {
        format!("the settings have no API `{name}`: name the file or address of its document")
    })?;
    let text = locked(host, &project.folder, &source).await?;
    let lock = Lock::read(&text).map_err(|err| err.to_string())?;
    let (ops, skipped) = (lock.entries.len(), lock.skipped.clone());
    write(host, &project.lock_file(name), &text)?;
    if known.is_none() {
        let settings = with_api(&settings_text(host, &project)?, name, &source)?;
        write(host, &project.folder.join(SETTINGS), &settings)?;
    }
    let project = super::project(host, folder)?;
    let made = project.settings.api.get(name).map(|it| component(name, text, it));
    Ok(Added { ops, skipped, problem: made.and_then(Result::err) })
}

/// Whether a component of a project may have a name. `taken` is what else of the project has it;
/// `is_known`: the component is there already.
pub(crate) fn test_name(
    name: &str,
    taken: Option<&str>,
    is_known: bool,
    engine: &Engine,
) -> Result<(), String> {
    if !is_name(name) || is_reserved(name) {
        return Err(format!(
            "invalid name `{name}`: expected lower case letters, digits and `_`, and no reserved word"
        ));
    }
    if let Some(what) = taken {
        return Err(format!("the project has {what} `{name}`"));
    }
    match engine.registry().find(name).filter(|_| !is_known) {
        Some(other) => {
            let other = other.component().name;
            Err(format!("cannot add `{name}`: it is a name of the component `{other}`"))
        }
        None => Ok(()),
    }
}

/// Compares the lock of an API with its document, which is read again.
pub async fn update(host: &dyn Host, folder: &Path, name: &str) -> Result<Updated, String> {
    let project = project(host, folder)?;
    let source = existing(&project, name)?;
    let text = locked(host, &project.folder, &source).await?;
    let new = Lock::read(&text).map_err(|err| err.to_string())?;
    let old_text = project.lock(host, name)?.unwrap_or_default();
    let difference = match Lock::read(&old_text).and_then(|old| Difference::between(&old, &new)) {
        Ok(difference) => difference,
        // A lock that is damaged, or of another version of this program, is replaced.
        Err(_) => Difference {
            added: new.entries.iter().map(|it| it.name.to_owned()).collect(),
            ..Difference::default()
        },
    };
    let skipped = new.skipped.clone();
    Ok(Updated { difference, skipped, text })
}

impl Updated {
    /// Writes the new lock.
    pub fn write(&self, host: &dyn Host, folder: &Path, name: &str) -> Result<(), String> {
        write(host, &project(host, folder)?.lock_file(name), &self.text)
    }
}

/// The APIs of the project of a folder.
pub fn list(host: &dyn Host, folder: &Path) -> Result<Vec<Listed>, String> {
    let project = project(host, folder)?;
    let mut all = Vec::new();
    for (name, settings) in &project.settings.api {
        let text = project.lock(host, name)?;
        let lock = text.as_deref().map(Lock::read).transpose();
        let lock = lock.map_err(|err| format!("the lock of `{name}` has an {err}"))?;
        all.push(Listed {
            name: name.clone(),
            source: settings.source()?.place().to_owned(),
            lock: lock.map(|it| ListedLock {
                title: format!("{} {}", it.head.title, it.head.version).trim().to_owned(),
                ops: it.entries.len(),
                skipped: it.skipped,
            }),
        });
    }
    Ok(all)
}

/// Removes an API from the settings, with its lock.
pub fn remove(host: &dyn Host, folder: &Path, name: &str) -> Result<(), String> {
    let project = project(host, folder)?;
    existing(&project, name)?;
    let settings = without_api(&settings_text(host, &project)?, name)?;
    write(host, &project.folder.join(SETTINGS), &settings)?;
    remove_lock(host, &project, name)
}

/// Removes a lock; one that is not there is gone already.
pub(crate) fn remove_lock(host: &dyn Host, project: &Project, name: &str) -> Result<(), String> {
    let lock = project.lock_file(name);
    match host.remove(&lock) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => {
            Err(format!("cannot remove `{}`: {err}", lock.display()))
        }
        _ => Ok(()),
    }
}

fn existing(project: &Project, name: &str) -> Result<Source, String> {
    match project.settings.api.get(name) {
        Some(settings) => settings.source(),
        None => {
            let names: Vec<&str> = project.settings.api.keys().map(String::as_str).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Err(format!("the project has no API `{name}`; its APIs are: {known}"))
        }
    }
}

pub(crate) fn settings_text(host: &dyn Host, project: &Project) -> Result<String, String> {
    let file = project.folder.join(SETTINGS);
    match host::read(host, &file, LARGEST) {
        Ok(bytes) => {
            String::from_utf8(bytes).map_err(|_| format!("`{}` is not valid UTF-8", file.display()))
        }
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(err) => Err(format!("cannot read `{}`: {err}", file.display())),
    }
}

pub(crate) fn write(host: &dyn Host, file: &Path, text: &str) -> Result<(), String> {
    let written = host.write(file, text.as_bytes());
    written.map_err(|err| format!("cannot write `{}`: {err}", file.display()))
}
