//! The command `svc` with additional components: a help desk and GitHub.
//!
//! `cargo run --example helpdesk -- test examples/triage.svc`
//!
//! This program can do everything that `svc` can, with its own components as well: check, test and
//! run the scripts that use them, and show their documentation.

use std::process::ExitCode;

use svc::bases;

mod desk;
mod github;

#[tokio::main]
async fn main() -> ExitCode {
    bases::main(svc::engine().with(&[&desk::COMPONENT, &github::COMPONENT])).await
}
