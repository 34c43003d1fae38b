//! What tries to get out: of the folders and hosts that a run may touch. Each attack is
//! refused with a reason, and each table stands beside what is allowed, so that a guard that
//! refuses everything fails.

mod addresses;
mod names;
mod paths;
mod swaps;
mod web;

use svc::{Engine, Error, Policy, registry::ErrorKind};

fn policy(allow: &[&str]) -> Policy {
    allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap()
}

/// Runs a script that takes one text, and gives the kind and the message of its failure.
async fn failure(engine: &Engine, script: &str, given: &str) -> (ErrorKind, String) {
    match engine.run(script).param_text("given", given).await {
        Err(Error::Run { error, .. }) => (error.kind(), error.to_string()),
        Err(other) => panic!("`{given}`: {other}"),
        Ok(response) => panic!("`{given}` gives {}", response.value),
    }
}
