//! The HTTP client that sends spans to a collector.

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use svc_contract::host::{Host, http};
use svc_host_os::OsHost;
use tokio::{runtime::Handle, time::timeout};

/// The maximum length of a response, in bytes. Collectors respond briefly.
const LONGEST: usize = 1 << 16;

/// The timeout of a response, unless the environment sets another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client for threads outside of the async runtime.
pub(super) struct Client {
    host: Arc<OsHost>,
    runtime: Handle,
    patience: Duration,
}

impl Client {
    /// Creates a client that uses the runtime of the caller.
    pub(super) fn new(host: &dyn Host) -> Self {
        let millis = host.env("OTEL_EXPORTER_OTLP_TIMEOUT").and_then(|it| it.parse().ok());
        let patience = millis.map_or(PATIENCE, Duration::from_millis);
        Self { host: Arc::default(), runtime: Handle::current(), patience }
    }
}

impl HttpClient for Client {
    // The signature into which the trait's macro expands an `async fn`.
    fn send_bytes<'a, 'f>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        'a: 'f,
        Self: 'f,
    {
        let (patience, exchange) = (self.patience, exchange(self.host.clone(), request));
        let sent = self.runtime.spawn(async move { timeout(patience, exchange).await });
        Box::pin(async move { sent.await?? })
    }
}

async fn exchange(
    host: Arc<OsHost>,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let (head, body) = request.into_parts();
    let mut post = http::Request::get(head.uri.to_string()).configured();
    (post.method, post.body) = ("POST", body.to_vec());
    for (name, value) in &head.headers {
        post = post.header(name.to_string(), value.to_str()?);
    }
    let mut answer = host.http(post).await?;
    let mut body = Vec::new();
    while let Some(piece) = answer.body.next().await {
        body.extend(piece?);
        if body.len() > LONGEST {
            return Err("the response of the collector is too long".into());
        }
    }
    let named = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let head = Response::builder().status(answer.status);
    let head = named.fold(head, |head, (name, value)| head.header(name, value));
    Ok(head.body(body.into())?)
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("patience", &self.patience).finish_non_exhaustive()
    }
}
