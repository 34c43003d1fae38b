//! MCP servers as components: what `svc mcp add` and its neighbours add, renew, allow and remove.

use std::{path::Path, time::Duration};

use svc_contract::{host::Host, registry::OpError};
use svc_engine::Engine;
use svc_lang::plan::Plan;
use svc_mcp::{Lock, Server, describe};
use svc_openapi::Difference;
use svc_project::{Consent, Project, SETTINGS, mcp_component, with_server, without_server};

pub use svc_project::McpSettings;

use crate::apis::{project, remove_lock, settings_text, test_name, write};

/// How long a server may take to start and to list its tools: it may be installed first.
const LONGEST: Duration = Duration::from_mins(3);

/// A server that was locked.
#[derive(Clone, Debug)]
pub struct AddedServer {
    pub title: String,
    pub ops: Vec<String>,
    /// Why the component is not available yet.
    pub problem: Option<String>,
}

/// A lock that was compared with its server.
#[derive(Clone, Debug)]
pub struct UpdatedServer {
    pub difference: Difference,
    /// The new lock, which is not written yet.
    text: String,
}

/// A server of a project.
#[derive(Clone, Debug)]
pub struct ListedServer {
    pub name: String,
    /// Its command or its address.
    pub source: String,
    /// What it calls itself, and the number of its tools; `None` without a lock.
    pub lock: Option<(String, usize)>,
    /// Whether a call may start it.
    pub is_allowed: bool,
}

/// A server whose program the user has not agreed to.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub name: String,
    pub command: String,
    consent: Consent,
}

impl Waiting {
    /// Keeps that the user agrees.
    pub fn allow(&self, host: &dyn Host) -> Result<(), String> {
        self.consent.give(host)
    }
}

/// Adds a server to the project of a folder: connects to it once, writes its lock, and its place into
/// the settings. Without settings, locks one that the project has. The user agrees to its command.
pub async fn add(
    engine: &Engine,
    folder: &Path,
    name: &str,
    settings: Option<McpSettings>,
) -> Result<AddedServer, String> {
    let host = engine.host();
    let project = project(host, folder)?;
    let known = project.settings.mcp.get(name);
    if known.is_some() && settings.is_some() && settings.as_ref() != known {
        return Err(format!(
            "the project has an MCP server `{name}` already; `svc mcp remove {name}` removes it"
        ));
    }
    let taken = project.settings.api.contains_key(name).then_some("an API");
    test_name(name, taken, known.is_some(), engine)?;
    let settings = settings.or_else(|| known.cloned()).ok_or_else(|| {
        format!("the settings have no MCP server `{name}`: name its command or its address")
    })?;
    // Mistakes are found before anything starts.
    let text = match known {
        None => Some(with_server(&settings_text(host, &project)?, name, &settings)?),
        Some(_) => None,
    };
    let lock = locked(engine, &settings.server(name, &project.folder)).await?;
    write(host, &project.lock_file(name), &lock.text())?;
    if let Some(text) = text {
        write(host, &project.folder.join(SETTINGS), &text)?;
    }
    if let Some(consent) = Consent::of(name, &settings, &project.folder) {
        consent.give(host)?;
    }
    let shared = engine.shared_host();
    let made = mcp_component(name, &lock.text(), &settings, &project.folder, &shared);
    let ops = lock.tools.iter().map(|it| it.op.clone()).collect();
    Ok(AddedServer { title: lock.title(), ops, problem: made.err() })
}

/// Compares the lock of a server with what it says now.
pub async fn update(engine: &Engine, folder: &Path, name: &str) -> Result<UpdatedServer, String> {
    let host = engine.host();
    let project = project(host, folder)?;
    let settings = existing(&project, name)?;
    if let Some(waiting) = waiting_for(&project, name, settings, host) {
        return Err(format!(
            "you have not agreed that `{}` is started; `svc mcp allow {name}` agrees",
            waiting.command
        ));
    }
    let new = locked(engine, &settings.server(name, &project.folder)).await?;
    let old = project.lock(host, name)?.unwrap_or_default();
    // A lock that is damaged, or of another version of this program, is replaced.
    let empty = Lock::new(&svc_mcp::Listing::default());
    let difference = Lock::read(&old).unwrap_or(empty).difference(&new);
    Ok(UpdatedServer { difference, text: new.text() })
}

impl UpdatedServer {
    /// Writes the new lock.
    pub fn write(&self, host: &dyn Host, folder: &Path, name: &str) -> Result<(), String> {
        write(host, &project(host, folder)?.lock_file(name), &self.text)
    }
}

/// The servers of the project of a folder.
pub fn list(host: &dyn Host, folder: &Path) -> Result<Vec<ListedServer>, String> {
    let project = project(host, folder)?;
    let mut all = Vec::new();
    for (name, settings) in &project.settings.mcp {
        let text = project.lock(host, name)?;
        let lock = text.as_deref().map(Lock::read).transpose();
        let lock = lock.map_err(|err| format!("the lock of `{name}` has an {err}"))?;
        all.push(ListedServer {
            name: name.clone(),
            source: settings.shown(),
            lock: lock.map(|it| (it.title(), it.tools.len())),
            is_allowed: waiting_for(&project, name, settings, host).is_none(),
        });
    }
    Ok(all)
}

/// Keeps that the user agrees to the command of a server; returns the command.
pub fn allow(host: &dyn Host, folder: &Path, name: &str) -> Result<String, String> {
    let project = project(host, folder)?;
    let settings = existing(&project, name)?;
    match Consent::of(name, settings, &project.folder) {
        Some(consent) => consent.give(host).map(|()| settings.shown()),
        None => Err(format!(
            "`{name}` starts nothing: it is at `{}`, and a policy decides about calls",
            settings.shown()
        )),
    }
}

/// Removes a server from the settings, with its lock.
pub fn remove(host: &dyn Host, folder: &Path, name: &str) -> Result<(), String> {
    let project = project(host, folder)?;
    existing(&project, name)?;
    let settings = without_server(&settings_text(host, &project)?, name)?;
    write(host, &project.folder.join(SETTINGS), &settings)?;
    remove_lock(host, &project, name)
}

/// The servers that a plan may start, and that the user has not agreed to.
pub fn waiting(host: &dyn Host, folder: &Path, plan: &Plan) -> Result<Vec<Waiting>, String> {
    let places = plan.effects().iter().filter_map(|it| it.place.as_ref());
    let names: Vec<String> =
        places.filter_map(|it| it.to_string().strip_prefix("mcp:").map(str::to_owned)).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let Some(project) = Project::find(host, folder)? else { return Ok(Vec::new()) };
    let used = project.settings.mcp.iter().filter(|it| names.contains(it.0));
    Ok(used.filter_map(|(name, settings)| waiting_for(&project, name, settings, host)).collect())
}

fn waiting_for(
    project: &Project,
    name: &str,
    settings: &McpSettings,
    host: &dyn Host,
) -> Option<Waiting> {
    let consent = Consent::of(name, settings, &project.folder)?;
    let waiting = Waiting { name: name.to_owned(), command: settings.shown(), consent };
    (!waiting.consent.is_given(host)).then_some(waiting)
}

fn existing<'p>(project: &'p Project, name: &str) -> Result<&'p McpSettings, String> {
    project.settings.mcp.get(name).ok_or_else(|| {
        let names: Vec<&str> = project.settings.mcp.keys().map(String::as_str).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("the project has no MCP server `{name}`; its servers are: {known}")
    })
}

/// Asks a server for its tools.
async fn locked(engine: &Engine, server: &Server) -> Result<Lock, String> {
    let described = describe(server, engine.shared_host());
    let listing = match tokio::time::timeout(LONGEST, described).await {
        Ok(listing) => listing.map_err(explained)?,
        Err(_) => {
            let seconds = LONGEST.as_secs();
            return Err(format!(
                "the MCP server `{}` did not list its tools within {seconds} s",
                server.name
            ));
        }
    };
    if listing.tools.is_empty() {
        return Err(format!("the MCP server `{}` has no tools", server.name));
    }
    Ok(Lock::new(&listing))
}

fn explained(err: OpError) -> String {
    match &err.help {
        Some(help) => format!("{} ({help})", err.message),
        _ => err.message,
    }
}
