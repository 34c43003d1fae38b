//! The ways in: one folder a protocol, each a thin layer over [`svc_engine::Engine`].
//!
//! **Invariant:** no base knows another one, and none has logic of its own.

use std::process::ExitCode;

use svc_engine::Engine;

use crate::is_worker;

pub mod cli;
pub mod lsp;

/// Runs the command line with the arguments of the process, and the components of this
/// engine.
///
/// A program with components of its own becomes `svc` with these components:
/// `main(svc::engine().with(&[..]))`.
pub async fn main(engine: Engine) -> ExitCode {
    if is_worker() {
        return ExitCode::SUCCESS;
    }
    cli::main(engine, cli::Servers { lsp: lsp::serve }).await
}
