//! `svc keys`: issues, lists, rotates and revokes the keys of a service.

use core::net::IpAddr;

use clap::{Args, Subcommand};
use svc_api::access::{IssuedJson, KeyJson, LockJson, UnlockedJson, ends, key_row, lock_row};
use svc_service::access::{
    key::{ApiKey, KeyId},
    keys::{IssueError, KeyInfo, NewKey},
    lockout::Network,
};

use super::{
    Session,
    data_folder::DataArgs,
    exit::{Failure, OK, Result, USAGE, answered},
    keeping,
    run::print_rows,
    terminal,
};

/// Issue, list, rotate or revoke the keys of a service.
///
/// The first key turns keys on: from then on, the service answers no one without one. It keeps no
/// secret, so a key that is lost cannot be shown again: rotate it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Keys {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "Examples:
  KEY=$(svc keys issue --owner ann --role free)
  svc keys issue --owner ci --role builder --days 30
  svc keys list
  svc keys rotate abcdefghijkl
  svc keys revoke abcdefghijkl
  svc keys locks
  svc keys unlock --address 192.0.2.7";

#[derive(Subcommand)]
enum Task {
    Issue(Issue),
    List(List),
    Rotate(Rotate),
    Revoke(Revoke),
    Locks(Locks),
    Unlock(Unlock),
}

/// Issue a key. Standard output is the key alone.
#[derive(Args)]
struct Issue {
    /// Who it is for: lower-case letters, digits, `-`, `_` and `.`.
    #[arg(long, value_name = "OWNER")]
    owner: String,
    /// A role of the policy: free, researcher, builder, admin, or one of `access.toml`.
    #[arg(long, value_name = "ROLE")]
    role: String,
    /// Its life in days. The default is 365, or 90 for tests and operators, or 14 for a free
    /// key that may tune.
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// Allow the experimental tools that tune: for free keys in their first 14 days, and for
    /// researchers and builders.
    #[arg(long)]
    bias: bool,
    /// A key for tests, which begins with `svc_test_`.
    #[arg(long)]
    test: bool,
    /// Print the key and its properties as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// List all keys, the latest first.
#[derive(Args)]
struct List {
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Issue the successor of a key. The old key stays valid for 24 hours.
#[derive(Args)]
struct Rotate {
    /// The id of the key: the 12 letters after `svc_live_`.
    #[arg(value_name = "ID")]
    id: String,
    /// Print the key and its properties as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// End a key at once. A running service notices it within a second.
#[derive(Args)]
struct Revoke {
    /// The id of the key.
    #[arg(value_name = "ID")]
    id: String,
    /// Print the key as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// List the addresses that are locked out because of wrong keys.
#[derive(Args)]
struct Locks {
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Remove locks: those of a key, of an address, or all.
#[derive(Args)]
struct Unlock {
    /// The id of the key.
    #[arg(value_name = "ID", conflicts_with = "all")]
    id: Option<String>,
    /// The address, as `svc keys locks` shows it.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "all")]
    address: Option<String>,
    /// Remove all locks.
    #[arg(long)]
    all: bool,
    /// Print the number of removed entries as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

impl Keys {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            Task::Issue(it) => answered(it.json, it.execute(session)),
            Task::List(it) => answered(it.json, it.execute(session)),
            Task::Rotate(it) => answered(it.json, it.execute(session)),
            Task::Revoke(it) => answered(it.json, it.execute(session)),
            Task::Locks(it) => answered(it.json, it.execute(session)),
            Task::Unlock(it) => answered(it.json, it.execute(session)),
        }
    }
}

impl Issue {
    fn execute(&self, session: &Session) -> Result<u8> {
        let policy = self.data.roles(session, false)?.current();
        let access = self.data.opened(session)?;
        let wish = NewKey {
            owner: self.owner.clone(),
            role: self.role.clone(),
            days: self.days,
            bias: self.bias,
            test: self.test,
        };
        let issued = access.keys.issue(&wish, &policy, session.engine.host());
        let (key, info) = issued.map_err(refused)?;
        print_key(&key, &info, self.json, session)
    }
}

impl List {
    fn execute(&self, session: &Session) -> Result<u8> {
        let keys = self.data.existing(session)?.keys.list().map_err(keeping::failure)?;
        let now = session.engine.host().now();
        if self.json {
            let keys = keys.iter().map(|it| KeyJson::new(it, now)).collect::<Vec<_>>();
            terminal::print_json(&keys)?;
        } else {
            print_rows(keys.iter().map(|it| key_row(it, now)), session)?;
        }
        Ok(OK)
    }
}

impl Rotate {
    fn execute(&self, session: &Session) -> Result<u8> {
        let access = self.data.existing(session)?;
        let old = id(&self.id)?;
        let rotated = access.keys.rotate(old, session.engine.host());
        let (key, info) = rotated.map_err(refused)?;
        let old = access.keys.get(old).map_err(keeping::failure)?;
        session.terminal.note(&format!("key `{}` is valid until {}", old.id, ends(&old)));
        print_key(&key, &info, self.json, session)
    }
}

impl Revoke {
    fn execute(&self, session: &Session) -> Result<u8> {
        let access = self.data.existing(session)?;
        let (id, now) = (id(&self.id)?, session.engine.host().now());
        let was_valid = access.keys.revoke(id, now).map_err(keeping::failure)?;
        if self.json {
            let info = access.keys.get(id).map_err(keeping::failure)?;
            terminal::print_json(&KeyJson::new(&info, now))?;
        }
        let said = if was_valid { "is revoked" } else { "was revoked before" };
        session.terminal.note(&format!("key `{id}` {said}"));
        Ok(OK)
    }
}

impl Locks {
    fn execute(&self, session: &Session) -> Result<u8> {
        let access = self.data.existing(session)?;
        let locks = access.lockout.locks(session.engine.host().now()).map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&locks.iter().map(LockJson::new).collect::<Vec<_>>())?;
        } else {
            print_rows(locks.iter().map(lock_row), session)?;
        }
        Ok(OK)
    }
}

impl Unlock {
    fn execute(&self, session: &Session) -> Result<u8> {
        if self.id.is_none() && self.address.is_none() && !self.all {
            let help = "`svc keys locks` lists the addresses that are locked out";
            return Err(Failure::new(USAGE, "missing ID, `--address` or `--all`").help(help));
        }
        let key = self.id.as_deref().map(id).transpose()?;
        let network = self.address.as_deref().map(network).transpose()?;
        let access = self.data.existing(session)?;
        let removed = access.lockout.unlock(key, network.as_ref()).map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&UnlockedJson { removed })?;
        }
        session.terminal.note(&format!("removed {removed}"));
        Ok(OK)
    }
}

pub(super) fn refused(err: IssueError) -> Failure {
    match err {
        IssueError::Mistake(it) => {
            let failure = Failure::new(USAGE, it.message);
            match it.help {
                Some(help) => failure.help(help),
                None => failure,
            }
        }
        IssueError::Store(err) => keeping::failure(err),
    }
}

/// Prints a new key to standard output, and what it is to standard error.
fn print_key(key: &ApiKey, info: &KeyInfo, json: bool, session: &Session) -> Result<u8> {
    let now = session.engine.host().now();
    if json {
        terminal::print_json(&IssuedJson::new(key, info, now))?;
    } else {
        terminal::print_data(&format!("{}\n", key.reveal()))?;
    }
    let KeyInfo { id, owner, role, .. } = info;
    let until = ends(info);
    session.terminal.note(&format!("key `{id}` of `{owner}`, role `{role}`, until {until}"));
    session.terminal.note("it is not shown again");
    Ok(OK)
}

/// The id of a key. A whole key is refused without being shown.
pub(super) fn id(text: &str) -> Result<KeyId> {
    KeyId::parse(text).ok_or_else(|| {
        let help = "use the 12 letters after `svc_live_`; `svc keys list` shows them";
        Failure::new(USAGE, "invalid id of a key").help(help)
    })
}

fn network(text: &str) -> Result<Network> {
    let address = text.strip_suffix("/64").unwrap_or(text);
    let address: IpAddr = address.parse().map_err(|_| {
        let help = "use an address such as `192.0.2.7` or `2001:db8::/64`";
        Failure::new(USAGE, format!("invalid address `{text}`")).help(help)
    })?;
    Ok(Network::of(address))
}
