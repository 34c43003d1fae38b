//! `svc access`: checks a policy file, and explains decisions.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use svc_api::access::{DecisionJson, PolicyJson, role_row};
use svc_contract::registry::nearest;
use svc_service::access::{
    decide::{Outcome, Rights, Verdict},
    keys::{KeyInfo, KeyState},
    roles::AccessPolicy,
};

use super::{
    Session,
    data_folder::{self, DataArgs},
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    keeping, keys,
    run::print_rows,
    terminal,
};

/// Check the roles of a service, or explain what a key may call.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AccessArgs {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "Examples:
  svc access check
  svc access check access.toml --hosted
  svc access explain --key abcdefghijkl --tool guide_ask
  svc access explain --key abcdefghijkl --op text.upper";

#[derive(Subcommand)]
enum Task {
    Check(Check),
    Explain(Explain),
}

/// Find every mistake of a policy file, and print its roles with their limits.
#[derive(Args)]
struct Check {
    /// The file. The default is `access.toml` in the folder of the service, or else the
    /// built-in roles.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// As a service for others has them: its free role may not write, run, spend or ask.
    #[arg(long)]
    hosted: bool,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Explain whether a key may call a tool, a served script or an op, and which rule decides.
#[derive(Args)]
struct Explain {
    /// The id of the key.
    #[arg(long, value_name = "ID")]
    key: String,
    #[command(flatten)]
    subject: Subject,
    /// As a service for others decides.
    #[arg(long)]
    hosted: bool,
    /// Print the decision as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// What is called.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Subject {
    /// A tool.
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// A script that the service publishes.
    #[arg(long, value_name = "NAME")]
    script: Option<String>,
    /// An op in a script that a caller sends: `text.upper`.
    #[arg(long, value_name = "OP")]
    op: Option<String>,
}

impl AccessArgs {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            Task::Check(it) => answered(it.json, it.execute(session)),
            Task::Explain(it) => answered(it.json, it.execute(session)),
        }
    }
}

impl Check {
    fn execute(&self, session: &Session) -> Result<u8> {
        let host = session.engine.host();
        let policy = match &self.file {
            Some(file) => {
                AccessPolicy::load(file, self.hosted, host).map_err(|it| data_folder::wrong(&it))?
            }
            None => self.data.roles(session, self.hosted)?.current(),
        };
        let notes = policy.notes(session.engine.registry(), &[]);
        if self.json {
            terminal::print_json(&PolicyJson::new(&policy, &notes))?;
            return Ok(OK);
        }
        print_rows(policy.roles().iter().map(role_row), session)?;
        for note in notes {
            let help = note.help.map_or_else(String::new, |it| format!("; {it}"));
            session.terminal.note(&format!("{}{help}", note.message));
        }
        session.terminal.note(&policy.to_string());
        Ok(OK)
    }
}

impl Explain {
    fn execute(&self, session: &Session) -> Result<u8> {
        let id = keys::id(&self.key)?;
        let access = self.data.existing(session)?;
        let policy = self.data.roles(session, self.hosted)?.current();
        let (key, now) =
            (access.keys.get(id).map_err(keeping::failure)?, session.engine.host().now());
        let verdict = self.verdict(&key, &policy, now, session)?;
        if self.json {
            terminal::print_json(&DecisionJson::new(&key, &verdict, &policy, now))?;
            return Ok(OK);
        }
        let KeyInfo { owner, role, .. } = &key;
        let state = key.state(now).name();
        terminal::print(&format!(
            "{}\nkey `{id}` of `{owner}`, role `{role}`, {state}; policy {}\n",
            shown(&verdict),
            policy.version()
        ))?;
        Ok(OK)
    }

    fn verdict(
        &self,
        key: &KeyInfo,
        policy: &AccessPolicy,
        now: i64,
        session: &Session,
    ) -> Result<Verdict> {
        let registry = session.engine.registry();
        let Subject { tool, script, op } = &self.subject;
        let subject = [tool, script, op].into_iter().flatten().next().cloned().unwrap_or_default();
        let refused = |rule: String| {
            let outcome = Outcome::Refused;
            Ok(Verdict { outcome, rule, subject: subject.clone(), needs: None, pricing: None })
        };
        if matches!(key.state(now), KeyState::Expired | KeyState::Revoked) {
            return refused(format!("the key is {}", key.state(now).name()));
        }
        let Some(role) = policy.role(&key.role) else {
            return refused(format!("the policy has no role `{}`", key.role));
        };
        let rights = Rights { role, may_tune: key.may_tune(role.tier, now) };
        if let Some(name) = script {
            return Ok(rights.of_script(name));
        }
        if let Some(name) = op {
            let found = registry.resolve(name).ok_or_else(|| {
                let failure = Failure::new(NOT_FOUND, format!("unknown op `{name}`"));
                match nearest(name, registry.names()) {
                    Some(near) => failure.help(format!("did you mean `{near}`?")),
                    None => failure.help("`svc components` lists all components"),
                }
            })?;
            return Ok(rights.of_op(found));
        }
        if registry.find_tool(&subject).is_some() {
            return Ok(rights.of_tool(&subject, registry));
        }
        let failure = Failure::new(NOT_FOUND, format!("unknown tool `{subject}`"));
        Err(match rights.nearest_tool(&subject, registry) {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help("name a script with `--script`, and an op with `--op`"),
        })
    }
}

/// The caller only learns that such a tool is unknown.
fn shown(verdict: &Verdict) -> String {
    match verdict.outcome {
        Outcome::Unknown => format!("`{}` is unknown to all but operators", verdict.subject),
        _ => verdict.to_string(),
    }
}
