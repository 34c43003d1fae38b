//! Entry points: one folder per protocol, each a thin layer over [`Engine`] and `svc_api`.
//!
//! **Invariant:** no base depends on another one, and none contains logic of its own.

use std::{process::ExitCode, sync::Arc};

use svc_api::rest::{DesktopSecret, Listening, Rest, Serving};
use svc_engine::Engine;
use tokio_util::sync::CancellationToken;

use crate::is_worker;

mod cli;
mod desktop;
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
    if let Some(secret) = listening.desktop.clone() {
        return listen_to_browser(rest, listening, secret, stop);
    }
    let mcp = Arc::new(mcp::Http::new(rest.clone(), listening.has_fixtures, &stop));
    let mounts = vec![http::Mount {
        surface: "mcp",
        takes: mcp::Http::takes,
        answer: Box::new(move |request, key, address| {
            let mcp = mcp.clone();
            Box::pin(async move { mcp.answer(request, key, address).await })
        }),
    }];
    http::listen(rest, listening, mounts, None, stop)
}

/// The HTTP server of the desktop, with its page. Everybody shows its secret first.
fn listen_to_browser(
    rest: Rest,
    listening: Listening,
    secret: DesktopSecret,
    stop: CancellationToken,
) -> Serving {
    let desktop = desktop::Desktop::new(rest.clone(), secret);
    let admits = desktop.clone();
    let mounts = vec![http::Mount {
        surface: "desktop",
        takes: desktop::Desktop::takes,
        answer: Box::new(move |request, _, _| {
            let answer = desktop.answer(&request);
            Box::pin(std::future::ready((answer, None)))
        }),
    }];
    let lock = http::Lock {
        admits: Box::new(move |headers| admits.admits(headers)),
        refusal: desktop::no_secret,
    };
    http::listen(rest, listening, mounts, Some(lock), stop)
}
