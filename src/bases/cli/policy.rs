//! The options that allow and deny the effects of a script.

use std::path::PathBuf;

use clap::Args;
use svc_lang::{
    diag::Report,
    plan::{Plan, Policy},
};

use super::{
    Session,
    exit::{Failure, Result, USAGE},
    script,
};

/// The rules that restrict a plan.
#[derive(Args)]
#[command(next_help_heading = "What the script may do")]
pub(super) struct Rules {
    /// Allow an effect and deny all effects that no rule allows: `reads fs:./docs`,
    /// `writes fs:./out`, `reads web:example.com`, `reads llm`, `spends`, `asks`.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Deny an effect, even if another rule allows it.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// A file with more rules: `allow = ["reads"]`, `deny = ["spends"]`, in TOML.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

impl Rules {
    /// The session, which refuses plans that violate the rules.
    pub(super) fn with_rules(&self, session: &Session) -> Result<Session> {
        let engine = session.engine.clone().with_policy(self.read(session)?);
        Ok(Session { engine, ..*session })
    }

    /// The session, which refuses scripts that import files against the rules.
    pub(super) fn using(&self, session: &Session) -> Result<Session> {
        let engine = session.engine.clone().with_import_policy(self.read(session)?);
        Ok(Session { engine, ..*session })
    }

    /// The effects of a plan that the rules refuse.
    pub(super) fn refused(&self, plan: &Plan, session: &Session) -> Result<Report> {
        let refused = plan.refusals(&self.read(session)?, session.engine.host());
        Ok(session.engine.hints().of_report(refused))
    }

    /// The rules as a policy.
    pub(super) fn read(&self, session: &Session) -> Result<Policy> {
        let wrong = |why| Failure::new(USAGE, why);
        let file = match &self.policy {
            Some(file) => {
                let source = script::read(session.engine.host(), file)?;
                Policy::read(&source).map_err(wrong)?
            }
            None => Policy::default(),
        };
        let policy = self.allow.iter().try_fold(file, |it, rule| it.allow(rule));
        let policy = policy.and_then(|it| self.deny.iter().try_fold(it, |it, rule| it.deny(rule)));
        let policy = policy.map_err(wrong)?;
        for rule in policy.idle(session.engine.registry()) {
            let note = format!("the rule `{rule}` matches no effect of any component");
            session.terminal.note(&note);
        }
        Ok(policy)
    }
}
