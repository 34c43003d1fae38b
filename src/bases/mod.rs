//! Entry points: one folder per protocol, each a thin layer over [`Engine`] and `svc_api`.
//!
//! **Invariant:** no base depends on another one, and none contains logic of its own.

use std::{process::ExitCode, sync::Arc};

use svc_api::rest::{Listening, Rest, Serving};
use svc_engine::Engine;
use tokio_util::sync::CancellationToken;

use crate::is_worker;

mod cli;
mod http;
mod lsp;
mod mcp;

pub use cli::panics_are_brief;

/// Runs the command line with the arguments of the process and the components of `engine`.
///
/// A program with its own components becomes `svc` plus these components:
/// `main(svc::engine().with(&[..]))`.
pub async fn main(engine: Engine) -> ExitCode {
    if is_worker() {
        return ExitCode::SUCCESS;
    }
    let servers = cli::Servers { lsp: lsp::serve, http: listen, mcp: mcp::serve };
    let engine = engine.with(svc_service::components::ALL);
    cli::main(engine.with_hints(svc_engine::Hints::CommandLine), servers).await
}

/// The HTTP server with the bases that speak over it.
fn listen(rest: Rest, listening: Listening, stop: CancellationToken) -> Serving {
    let mcp = Arc::new(mcp::Http::new(rest.clone(), listening.has_fixtures, &stop));
    let mounts = vec![http::Mount {
        surface: "mcp",
        takes: mcp::Http::takes,
        answer: Box::new(move |request, key, address| {
            let mcp = mcp.clone();
            Box::pin(async move { mcp.answer(request, key, address).await })
        }),
    }];
    http::listen(rest, listening, mounts, stop)
}
