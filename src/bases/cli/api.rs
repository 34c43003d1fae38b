//! `svc api`: the APIs of a project, by their OpenAPI documents.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use svc_api::apis::{self, Difference, Source};
use svc_lang::diag::visible_line;

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result},
    terminal,
};

/// Make components of OpenAPI documents.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Api {
    #[command(subcommand)]
    command: ApiCommand,
}

#[derive(Subcommand)]
enum ApiCommand {
    /// Lock a document: its operations become the ops of a component.
    Add {
        /// The name of the component.
        name: String,
        /// The document: a file, or an address with `http://` or `https://`; by default the one in
        /// `svc.toml`.
        #[arg(value_name = "FILE|URL")]
        document: Option<String>,
    },
    /// Read a document again, show what changed, and renew the lock.
    Update {
        /// The name of the component.
        name: String,
        /// Only show what changed.
        #[arg(long)]
        dry_run: bool,
    },
    /// List the APIs of the project, or the operations that did not become ops of one.
    List {
        /// The name of a component.
        name: Option<String>,
    },
    /// Remove an API from the project.
    Remove {
        /// The name of the component.
        name: String,
    },
}

const EXAMPLES: &str = "Examples:
  svc api add petstore petstore.json
  svc api add petstore https://petstore.example/openapi.json
  svc inspect petstore
  svc api update petstore --dry-run

`svc.toml` names the documents, and `.svc/NAME.lock` holds what they said when they were added.
Scripts are checked against the lock, without a network; a changed document has no effect until
`svc api update`.";

/// The most names of a list that are shown.
const MOST: usize = 40;

impl Api {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        match self.command {
            ApiCommand::Add { name, document } => add(session, &name, document).await,
            ApiCommand::Update { name, dry_run } => update(session, &name, dry_run).await,
            ApiCommand::List { name } => list(session, name.as_deref()),
            ApiCommand::Remove { name } => {
                apis::remove(session.engine.host(), here(), &name).map_err(failure)?;
                print(&format!("{name}: removed"))?;
                Ok(OK)
            }
        }
    }
}

/// The folder in which a project is looked for.
pub(super) fn here() -> &'static Path {
    Path::new(".")
}

pub(super) fn failure(why: String) -> Failure {
    Failure::new(FAILED, why)
}

/// Prints a line, with what a terminal would take for more than text escaped.
pub(super) fn print(line: &str) -> Result<()> {
    terminal::print(&format!("{}\n", visible_line(line)))
}

async fn add(session: &Session, name: &str, document: Option<String>) -> Result<u8> {
    let source = document.map(|it| source(session, it)).transpose()?;
    let added = apis::add(&session.engine, here(), name, source).await.map_err(failure)?;
    print(&format!("{name}: {}", count(added.ops, added.skipped.len())))?;
    for skipped in added.skipped.iter().take(MOST) {
        print(&format!("  not an op: {}: {}", skipped.operation, skipped.reason))?;
    }
    if let Some(problem) = added.problem {
        session.terminal.note(&format!("`{name}` is not available yet: {problem}"));
    }
    Ok(OK)
}

/// The document that a user names, relative to the settings of the project.
fn source(session: &Session, document: String) -> Result<Source> {
    if document.starts_with("http://") || document.starts_with("https://") {
        return Ok(Source::Url(document));
    }
    apis::source_of_file(session.engine.host(), here(), &PathBuf::from(document)).map_err(failure)
}

fn count(ops: usize, skipped: usize) -> String {
    let plural = if ops == 1 { "" } else { "s" };
    match skipped {
        0 => format!("{ops} op{plural}"),
        _ => format!("{ops} op{plural}, {skipped} not usable"),
    }
}

async fn update(session: &Session, name: &str, is_dry_run: bool) -> Result<u8> {
    let host = session.engine.host();
    let updated = apis::update(host, here(), name).await.map_err(failure)?;
    let difference = &updated.difference;
    print_difference(name, difference)?;
    if is_dry_run {
        let state = if difference.is_empty() { "unchanged" } else { "changed, not renewed" };
        print(&format!("{name}: {state}"))?;
        return Ok(OK);
    }
    updated.write(host, here(), name).map_err(failure)?;
    let state = if difference.is_empty() { "unchanged" } else { "renewed" };
    print(&format!("{name}: {state}"))?;
    Ok(OK)
}

/// Prints what changed of a component.
pub(super) fn print_difference(name: &str, difference: &Difference) -> Result<()> {
    for line in &difference.common {
        print(&format!("  {line}"))?;
    }
    for (sign, names) in [("+", &difference.added), ("-", &difference.removed)] {
        for op in names.iter().take(MOST) {
            print(&format!("{sign} {name}.{op}"))?;
        }
        if names.len() > MOST {
            print(&format!("{sign} .. and {} more", names.len() - MOST))?;
        }
    }
    for change in difference.changed.iter().take(MOST) {
        print(&format!("~ {name}.{}", change.name))?;
        for detail in &change.details {
            print(&format!("    {detail}"))?;
        }
    }
    if difference.changed.len() > MOST {
        print(&format!("~ .. and {} more", difference.changed.len() - MOST))?;
    }
    Ok(())
}

fn list(session: &Session, name: Option<&str>) -> Result<u8> {
    let all = apis::list(session.engine.host(), here()).map_err(failure)?;
    if let Some(name) = name {
        let Some(api) = all.into_iter().find(|it| it.name == name) else {
            return Err(failure(format!("the project has no API `{name}`")));
        };
        for skipped in api.lock.into_iter().flat_map(|it| it.skipped) {
            print(&format!("{}: {}", skipped.operation, skipped.reason))?;
        }
        return Ok(OK);
    }
    for api in &all {
        match &api.lock {
            Some(lock) => {
                let count = count(lock.ops, lock.skipped.len());
                print(&format!("{}: {}, {count}, from {}", api.name, lock.title, api.source))?;
            }
            None => print(&format!("{}: not locked, from {}", api.name, api.source))?,
        }
    }
    if all.is_empty() {
        session.terminal.note("the project has no API; `svc api add NAME FILE` adds one");
    }
    Ok(OK)
}
