//! `svc mcp add` and its neighbours: the MCP servers of a project, as components.

use std::{collections::BTreeMap, path::Path};

use clap::Subcommand;
use svc_api::servers::{self, McpSettings, UpdatedServer};
use svc_contract::registry::ErrorKind;
use svc_lang::{diag::visible_line, plan::Plan};

use super::{
    Session,
    api::{failure, here, print, print_difference},
    exit::{Failure, INTERRUPTED, OK, Result, USAGE},
    signals::Signals,
};

#[derive(Subcommand)]
pub(super) enum ServerCommand {
    /// Lock a server: its tools become the ops of a component, and calls may start its command.
    #[command(after_help = EXAMPLES)]
    Add {
        /// The name of the component.
        name: String,
        /// A variable of the environment of the program.
        #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
        env: Vec<(String, String)>,
        /// A header of each request to an address.
        #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
        header: Vec<(String, String)>,
        /// A variable or header that carries the secret of this name.
        #[arg(long, value_name = "NAME=SECRET", value_parser = pair)]
        secret: Vec<(String, String)>,
        /// The command of the server, or its address; by default the one in `svc.toml`.
        #[arg(value_name = "COMMAND|URL", trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Ask a server for its tools again, show what changed, and renew the lock.
    Update {
        /// The name of the component.
        name: String,
        /// Only show what changed.
        #[arg(long)]
        dry_run: bool,
    },
    /// List the MCP servers of the project.
    List,
    /// Agree that calls start the command that `svc.toml` states for a server.
    Allow {
        /// The name of the component.
        name: String,
    },
    /// Remove a server from the project.
    Remove {
        /// The name of the component.
        name: String,
    },
}

const EXAMPLES: &str = "Examples:
  svc mcp add memory npx -y @modelcontextprotocol/server-memory
  svc mcp add disk npx -y @modelcontextprotocol/server-filesystem ./docs
  svc mcp add github --secret GITHUB_TOKEN=github_token -- npx -y some-github-server
  svc mcp add lookup https://mcp.example/mcp --secret authorization=lookup_key
  svc inspect memory

`svc.toml` names the servers, and `.svc/NAME.lock` holds what they said of their tools when they were
added. Scripts are checked against the lock, and nothing is started for that.";

/// `NAME=VALUE`
fn pair(text: &str) -> std::result::Result<(String, String), String> {
    let pair = text.split_once('=').filter(|it| !it.0.is_empty());
    let (name, value) = pair.ok_or("expected `NAME=VALUE`")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl ServerCommand {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let host = session.engine.host();
        match self {
            Self::Add { name, env, header, secret, command } => {
                let settings = settings(env, header, secret, command)?;
                interruptible(add(session, &name, settings)).await
            }
            Self::Update { name, dry_run } => interruptible(update(session, &name, dry_run)).await,
            Self::List => list(session),
            Self::Allow { name } => {
                let command = servers::allow(host, here(), &name).map_err(failure)?;
                print(&format!("{name}: may start `{command}`"))?;
                Ok(OK)
            }
            Self::Remove { name } => {
                servers::remove(host, here(), &name).map_err(failure)?;
                print(&format!("{name}: removed"))?;
                Ok(OK)
            }
        }
    }
}

/// Ends the work when a signal asks for it: a server that was started ends with it.
async fn interruptible(work: impl Future<Output = Result<u8>>) -> Result<u8> {
    let mut signals = Signals::new();
    tokio::select! {
        done = work => done,
        _ = signals.next() => Err(Failure::new(INTERRUPTED, "interrupted")),
    }
}

/// The settings that the words of a command state; `None` without any.
fn settings(
    env: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    secrets: Vec<(String, String)>,
    command: Vec<String>,
) -> Result<Option<McpSettings>> {
    let Some(first) = command.first() else {
        if env.is_empty() && headers.is_empty() && secrets.is_empty() {
            return Ok(None);
        }
        let why = "expected a command or an address besides the options";
        return Err(Failure::new(USAGE, why));
    };
    let is_address = first.starts_with("http://") || first.starts_with("https://");
    if is_address && command.len() > 1 {
        let why = format!("unexpected `{}` after an address", command[1]);
        return Err(Failure::new(USAGE, why).help("state options before the address"));
    }
    let map = |all: Vec<(String, String)>| all.into_iter().collect::<BTreeMap<_, _>>();
    Ok(Some(McpSettings {
        url: is_address.then(|| first.clone()),
        command: (!is_address).then_some(command),
        env: map(env),
        headers: map(headers),
        secrets: map(secrets),
        ..McpSettings::default()
    }))
}

/// A server may install itself first, which takes a while.
fn note_wait(session: &Session, name: &str) {
    session.terminal.note(&format!("waiting for the tools of `{name}`"));
}

async fn add(session: &Session, name: &str, settings: Option<McpSettings>) -> Result<u8> {
    note_wait(session, name);
    let added = servers::add(&session.engine, here(), name, settings).await.map_err(failure)?;
    let plural = if added.ops.len() == 1 { "" } else { "s" };
    print(&format!("{name}: {}, {} op{plural}", added.title, added.ops.len()))?;
    if let Some(problem) = added.problem {
        session.terminal.note(&format!("`{name}` is not available yet: {problem}"));
    }
    Ok(OK)
}

async fn update(session: &Session, name: &str, is_dry_run: bool) -> Result<u8> {
    note_wait(session, name);
    let updated: UpdatedServer =
        servers::update(&session.engine, here(), name).await.map_err(failure)?;
    print_difference(name, &updated.difference)?;
    let is_same = updated.difference.is_empty();
    let state = match (is_same, is_dry_run) {
        (true, _) => "unchanged",
        (false, true) => "changed, not renewed",
        (false, false) => "renewed",
    };
    if !is_dry_run {
        updated.write(session.engine.host(), here(), name).map_err(failure)?;
    }
    print(&format!("{name}: {state}"))?;
    Ok(OK)
}

fn list(session: &Session) -> Result<u8> {
    let all = servers::list(session.engine.host(), here()).map_err(failure)?;
    for it in &all {
        let lock = match &it.lock {
            Some((title, 1)) => format!("{title}, 1 op"),
            Some((title, ops)) => format!("{title}, {ops} ops"),
            None => "not locked".to_owned(),
        };
        let may = if it.is_allowed { "" } else { ", not allowed to start" };
        print(&format!("{}: {lock}{may}, from {}", it.name, it.source))?;
    }
    if all.is_empty() {
        session.terminal.note("the project has no MCP server; `svc mcp add NAME COMMAND` adds one");
    }
    Ok(OK)
}

/// Asks for the consent to the servers that a plan may start, if it is not given yet.
pub(super) async fn agreed(plan: &Plan, file: &Path, session: &Session) -> Result<()> {
    let host = session.engine.host();
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(here());
    for waiting in servers::waiting(host, folder, plan).map_err(failure)? {
        let (name, command) = (&waiting.name, visible_line(&waiting.command));
        let details =
            format!("This script starts the MCP server `{name}` of its project:\n  {command}");
        match host.ask_person("Start it, now and later?", &details).await {
            Ok(true) => waiting.allow(host).map_err(failure)?,
            Ok(false) => {
                let why = format!("the MCP server `{name}` was not started: not allowed");
                return Err(Failure::new(ErrorKind::Denied.exit_code(), why));
            }
            Err(_) => {
                let why = format!(
                    "you have not agreed that the MCP server `{name}` is started: `{command}`"
                );
                let failure = Failure::new(ErrorKind::Denied.exit_code(), why);
                return Err(failure.help(format!("run `svc mcp allow {name}` in its project")));
            }
        }
    }
    Ok(())
}
