//! HTTP over the machine's network: HTTP/1.1, with TLS for `https`.

use std::{io, sync::OnceLock, time::Duration};

use futures_util::StreamExt as _;
use http_body_util::{BodyDataStream, Full};
use hyper::{
    Uri,
    body::{Bytes, Incoming},
    header::HeaderMap,
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, Error, connect::HttpConnector},
    rt::TokioExecutor,
};
use svc_contract::host::{
    Resolving, Server,
    http::{Answer, BodyStream, Request, Response, Trust},
    refusal, refused,
};

use super::names::{Names, Resolver};

/// The timeout for establishing a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The clients of a host, created when first needed. Each one keeps its connections, so there
/// are two: an open request must not reuse a connection to a closed address.
#[derive(Debug, Default)]
pub(super) struct Net {
    names: Names,
    configured: OnceLock<Connected>,
    open: OnceLock<Connected>,
}

type Connected = Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>;

impl Net {
    /// A network that uses `names` to resolve host names.
    pub(super) fn resolving(names: Names) -> Self {
        Self { names, ..Self::default() }
    }

    pub(super) fn send(&self, request: Request) -> Answer {
        let sent = made(request).map(|(trust, request)| {
            let kept = match trust {
                Trust::Configured => &self.configured,
                Trust::Open => &self.open,
            };
            let resolver = || Resolver { names: self.names.clone(), trust };
            kept.get_or_init(|| client(resolver())).request(request)
        });
        Box::pin(async move {
            let answer = sent?.await.map_err(|err| failure(&err))?;
            let (head, body) = answer.into_parts();
            let headers = headers(&head.headers);
            Ok(Response { status: head.status.as_u16(), headers, body: pieces(body) })
        })
    }
}

impl Net {
    /// The addresses of a server that a library connects to by itself.
    pub(super) fn addresses(&self, server: Server) -> Resolving {
        let resolver = Resolver { names: self.names.clone(), trust: server.trust };
        // The system's resolver blocks its thread.
        let looked = tokio::task::spawn_blocking(move || resolver.addresses(&server));
        Box::pin(async move { looked.await.map_err(io::Error::other)? })
    }
}

/// Proxies from the environment are not used: they would resolve names themselves.
fn client(resolver: Resolver) -> Connected {
    let mut tcp = HttpConnector::new_with_resolver(resolver);
    tcp.enforce_http(false);
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    // Named, because a program that embeds the engine may have another one, or two.
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
        .expect("ring supports the default versions of TLS")
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    Client::builder(TokioExecutor::new()).build(connector)
}

fn made(request: Request) -> io::Result<(Trust, hyper::Request<Full<Bytes>>)> {
    let wrong = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
    let url = match request.trust {
        Trust::Open => request.look()?.to_string(),
        Trust::Configured => request.url,
    };
    let uri = url.parse().ok().filter(|it: &Uri| it.scheme().is_some());
    let uri = uri.ok_or_else(|| wrong("an address begins with `http://` or `https://`"))?;
    let mut builder = hyper::Request::builder().method(request.method).uri(uri);
    for (name, value) in &request.headers {
        builder = builder.header(name.as_ref(), value);
    }
    // The value of a header may be a secret, so the message contains no details.
    let made = builder.body(Full::from(request.body));
    Ok((request.trust, made.map_err(|_| wrong("a header cannot be sent"))?))
}

fn headers(all: &HeaderMap) -> Vec<(String, String)> {
    all.iter()
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect()
}

fn pieces(body: Incoming) -> BodyStream {
    let pieces = BodyDataStream::new(body);
    Box::pin(pieces.map(|it| it.map(Into::into).map_err(|err| caused(&err))))
}

/// The error of a request without a response. If no connection was made, its kind shows that.
fn failure(err: &Error) -> io::Error {
    let cause = caused(err);
    match (err.is_connect(), cause.kind()) {
        (_, io::ErrorKind::PermissionDenied)
        | (true, io::ErrorKind::ConnectionRefused | io::ErrorKind::NetworkUnreachable)
        | (false, _) => cause,
        (true, _) => io::Error::new(io::ErrorKind::HostUnreachable, cause.to_string()),
    }
}

/// The operating system error below an error, or the innermost cause.
fn caused(err: &(dyn std::error::Error + 'static)) -> io::Error {
    let mut inner = err;
    loop {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return match refused(io) {
                Some(why) => refusal(why),
                None => io::Error::new(io.kind(), io.to_string()),
            };
        }
        match inner.source() {
            Some(source) => inner = source,
            None => return io::Error::other(inner.to_string()),
        }
    }
}
