//! Entry points: one folder per protocol, each a thin layer over [`Engine`] and `svc_api`.
//!
//! **Invariant:** no base depends on another one, and none contains logic of its own.

use std::process::ExitCode;

use svc_engine::Engine;

use crate::is_worker;

mod cli;
mod http;
mod lsp;

pub use cli::panics_are_brief;

/// Runs the command line with the arguments of the process and the components of `engine`.
///
/// A program with its own components becomes `svc` plus these components:
/// `main(svc::engine().with(&[..]))`.
pub async fn main(engine: Engine) -> ExitCode {
    if is_worker() {
        return ExitCode::SUCCESS;
    }
    let servers = cli::Servers { lsp: lsp::serve, http: http::listen };
    let engine = engine.with(svc_service::components::ALL);
    cli::main(engine.with_hints(svc_engine::Hints::CommandLine), servers).await
}
