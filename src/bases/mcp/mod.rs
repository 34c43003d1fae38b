//! The Model Context Protocol, on the standard streams and over HTTP: three revisions of it, by the
//! SDK `rmcp`.
//!
//! Messages become calls of `svc_api::mcp`, and its results become messages. Nothing here decides
//! what a caller may do.

#![expect(
    deprecated,
    reason = "clients of the older revisions use levels of messages and sampling"
)]

mod convert;
mod fixtures;
mod following;
mod handler;
mod http;
mod progress;
mod refusal;
mod sessions;
mod tasks;
mod watching;

use std::{io, sync::Arc};

use rmcp::{ServiceExt as _, transport::io::stdio};
use svc_api::rest::{McpOptions, Rest, Serving};
use tokio_util::sync::CancellationToken;

use handler::{Door, Handler, Shared};

pub(super) use http::Http;

/// Answers on the standard streams until they end or it is stopped.
pub(super) fn serve(rest: Rest, options: McpOptions, stop: CancellationToken) -> Serving {
    Box::pin(async move {
        let McpOptions { is_compact, has_fixtures, key } = options;
        let shared = Arc::new(Shared::new(rest, has_fixtures));
        let handler = Handler::new(shared, is_compact, Door::Streams { key });
        // A client may go away before it has said hello.
        let Ok(running) = handler.serve_with_ct(stdio(), stop).await else { return Ok(()) };
        running.waiting().await.map_err(io::Error::other)?;
        Ok(())
    })
}
