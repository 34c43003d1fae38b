//! HTTP over the machine's own network: HTTP/1.1, TLS where the address says `https`.

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

use crate::host::http::{Answer, Body, Request, Response};

/// How long it may take until a connection stands.
const CONNECT: Duration = Duration::from_secs(10);

/// A client that keeps its connections, made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Net(OnceLock<Client<HttpsConnector<HttpConnector>, Full<Bytes>>>);

impl Net {
    pub(super) fn send(&self, request: Request) -> Answer {
        let client = self.0.get_or_init(client).clone();
        Box::pin(async move {
            let answer = client.request(made(request)?).await.map_err(|err| failure(&err))?;
            let (head, body) = answer.into_parts();
            let headers = headers(&head.headers);
            Ok(Response { status: head.status.as_u16(), headers, body: pieces(body) })
        })
    }
}

fn client() -> Client<HttpsConnector<HttpConnector>, Full<Bytes>> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    let connector = HttpsConnectorBuilder::new()
        .with_webpki_roots()
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    Client::builder(TokioExecutor::new()).build(connector)
}

fn made(request: Request) -> io::Result<hyper::Request<Full<Bytes>>> {
    let wrong = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
    let uri = request.url.parse().ok().filter(|it: &Uri| it.scheme().is_some());
    let uri = uri.ok_or_else(|| wrong("an address begins with `http://` or `https://`"))?;
    let mut builder = hyper::Request::builder().method(request.method).uri(uri);
    for (name, value) in &request.headers {
        builder = builder.header(*name, value);
    }
    // A header's value may be a secret, so only this much is told.
    builder.body(Full::from(request.body)).map_err(|_| wrong("a header cannot be sent"))
}

fn headers(all: &HeaderMap) -> Vec<(String, String)> {
    all.iter()
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect()
}

fn pieces(body: Incoming) -> Body {
    let pieces = BodyDataStream::new(body);
    Box::pin(pieces.map(|it| it.map(Into::into).map_err(|err| caused(&err))))
}

/// A request that got no answer. Where no connection came about, the kind says so.
fn failure(err: &Error) -> io::Error {
    let cause = caused(err);
    match (err.is_connect(), cause.kind()) {
        (true, io::ErrorKind::ConnectionRefused | io::ErrorKind::NetworkUnreachable)
        | (false, _) => cause,
        (true, _) => io::Error::new(io::ErrorKind::HostUnreachable, cause.to_string()),
    }
}

/// The failure of the operating system below an error, or the innermost reason there is.
fn caused(err: &(dyn std::error::Error + 'static)) -> io::Error {
    let mut inner = err;
    loop {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return io::Error::new(io.kind(), io.to_string());
        }
        match inner.source() {
            Some(source) => inner = source,
            None => return io::Error::other(inner.to_string()),
        }
    }
}
