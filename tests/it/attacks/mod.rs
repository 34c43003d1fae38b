//! Attempts to leave the folders and hosts that a run may access. Each attack is refused with a
//! reason, and each table also has allowed cases, so that a guard that refuses everything fails.

mod addresses;
mod names;
mod paths;
mod swaps;
mod web;

use svc::{Engine, Error, Policy};
use svc_contract::registry::ErrorKind;
use svc_lang::diag::Code;

fn policy(allow: &[&str]) -> Policy {
    allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap()
}

/// Runs a script that takes one text, and returns the kind and the message of its failure.
async fn failure(engine: &Engine, script: &str, given: &str) -> (ErrorKind, String) {
    match engine.run(script).param_text("given", given).await {
        Err(Error::Run { error, .. }) => (error.kind(), error.to_string()),
        Err(Error::Check(report)) if report.problems.iter().all(|it| it.code == Code::E315) => {
            (ErrorKind::Denied, report.to_string())
        }
        Err(other) => panic!("`{given}`: {other}"),
        Ok(response) => panic!("`{given}` gives {}", response.value),
    }
}
