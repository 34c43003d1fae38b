//! The commands that verify candidates, and change what is active.

use std::path::PathBuf;

use clap::Args;
use svc_contract::value::Value;

use super::{Common, Result, Session, read_candidate, read_json, warn, write_json};
use crate::bases::cli::exit::{FAILED, OK};

/// Show what applying a candidate would find, without effect.
#[derive(Args)]
pub(super) struct Validate {
    /// The component.
    component: String,
    /// A file with the candidate as JSON, as `svc bias evolve -o` writes it.
    candidate: PathBuf,
    #[command(flatten)]
    common: Common,
}

impl Validate {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let candidate = read_candidate(&self.candidate, session)?;
        let work = self.common.work(session)?;
        let found = work.validate(&self.component, &candidate).await;
        let is_valid = found.as_ref().is_ok_and(|it| is_true(it, "valid"));
        let code = self.common.print(found, session)?;
        Ok(if is_valid { code } else { FAILED })
    }
}

/// Measure the principles for a candidate: all of them, or one.
#[derive(Args)]
pub(super) struct Check {
    /// The component.
    component: String,
    /// A file with the candidate as JSON.
    candidate: PathBuf,
    /// Only this principle: `svc bias principles` lists them.
    #[arg(long, value_name = "NAME")]
    principle: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Check {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let candidate = read_candidate(&self.candidate, session)?;
        let work = self.common.work(session)?;
        let (found, field) = match &self.principle {
            Some(name) => (work.check_principle(name, &self.component, &candidate).await, "passed"),
            None => (work.ground_check(&self.component, &candidate).await, "overall_passed"),
        };
        let holds = found.as_ref().is_ok_and(|it| is_true(it, field));
        let code = self.common.print(found, session)?;
        Ok(if holds { code } else { FAILED })
    }
}

/// Verify a candidate with four safety layers, and use it from now on if it passes them.
///
/// Exits with 1 if a layer refuses it.
#[derive(Args)]
pub(super) struct Apply {
    /// The component.
    component: String,
    /// A file with the candidate as JSON, as `svc bias evolve -o` writes it.
    candidate: PathBuf,
    #[command(flatten)]
    common: Common,
}

impl Apply {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let candidate = read_candidate(&self.candidate, session)?;
        let work = self.common.work(session)?;
        warn(session);
        let found = work.apply(&self.component, &candidate).await;
        let is_applied = found.as_ref().is_ok_and(|it| is_true(it, "applied"));
        let code = self.common.print(found, session)?;
        Ok(if is_applied { code } else { FAILED })
    }
}

/// Return to an earlier version.
#[derive(Args)]
pub(super) struct Rollback {
    /// The component.
    component: String,
    /// The version; -1 is the one that was active before, and 1 are the defaults.
    #[arg(default_value_t = -1, allow_hyphen_values = true)]
    version: i64,
    #[command(flatten)]
    common: Common,
}

impl Rollback {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let work = self.common.work(session)?;
        self.common.print(work.rollback(&self.component, self.version).await, session)
    }
}

/// Compare applied versions with those before, and take back what turned out to be worse.
#[derive(Args)]
pub(super) struct Heal {
    /// Only one component.
    component: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Heal {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let work = self.common.work(session)?;
        self.common.print(work.self_heal(self.component.as_deref()).await, session)
    }
}

/// Write the active bias of a component as a bundle for another service.
#[derive(Args)]
pub(super) struct Export {
    /// The component.
    component: String,
    /// With all versions.
    #[arg(long)]
    history: bool,
    /// The file to write; without it, standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Export {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let found = self.common.work(session)?.export(&self.component, self.history);
        match (&self.output, found) {
            (Some(file), Ok(bundle)) => write_json(file, &bundle, session).map(|()| OK),
            (_, found) => Common { json: true, ..self.common }.print(found, session),
        }
    }
}

/// Use the bias of a bundle from now on, after the safety layers.
#[derive(Args)]
pub(super) struct Import {
    /// A file that `svc bias export` wrote.
    bundle: PathBuf,
    /// Skip the safety layers; `svc bias heal` compares it with the version before.
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    common: Common,
}

impl Import {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let bundle = read_json(&self.bundle, session)?;
        let work = self.common.work(session)?;
        warn(session);
        let found = work.import(&bundle, !self.no_validate).await;
        let is_imported = found.as_ref().is_ok_and(|it| is_true(it, "imported"));
        let code = self.common.print(found, session)?;
        Ok(if is_imported { code } else { FAILED })
    }
}

fn is_true(value: &Value, name: &str) -> bool {
    matches!(value.as_record().and_then(|it| it.get(name)), Some(Value::Bool(true)))
}
