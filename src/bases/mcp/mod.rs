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
mod direct;
mod fixtures;
mod following;
mod handler;
mod http;
mod progress;
mod refusal;
mod sessions;
mod streams;
mod tasks;
mod watching;

use std::{io, sync::Arc, time::Duration};

use rmcp::ServiceExt as _;
use svc_api::{
    mcp::StreamOptions,
    rest::{Rest, Serving},
};
use tokio_util::sync::CancellationToken;

use direct::Direct;
use handler::{Door, Handler, Shared};
use streams::Streams;

pub(super) use http::Http;

/// How long a client may take to read what is left.
const FLUSH: Duration = Duration::from_secs(2);

/// Answers on the standard streams until they end or it is stopped.
pub(super) fn serve(rest: Rest, options: StreamOptions, stop: CancellationToken) -> Serving {
    Box::pin(async move {
        let StreamOptions { is_compact, has_fixtures, key } = options;
        let shared = Arc::new(Shared::new(rest, has_fixtures));
        let direct = Direct::new(shared.clone(), is_compact, key.clone());
        let (streams, written) = Streams::new(direct);
        let handler = Handler::new(shared, is_compact, Door::Streams { key });
        // A client may go away before it has said hello.
        if let Ok(running) = handler.serve_with_ct(streams, stop).await {
            running.waiting().await.map_err(io::Error::other)?;
        }
        let writing = tokio::task::spawn_blocking(move || written.wait());
        let _ = tokio::time::timeout(FLUSH, writing).await;
        Ok(())
    })
}
