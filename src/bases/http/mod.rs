//! HTTP/1.1: connections in, and the REST interface of `svc_api` behind them.
//!
//! Only the bytes are dealt with here: limits of size and time, the headers of every answer, and the
//! streams of events.

mod events;
mod guard;
mod reply;
mod request;

use std::{sync::Arc, time::Duration};

use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use svc_api::rest::{Found, Listening, Rest, Serving, find};
use svc_contract::registry::ErrorKind;
use svc_service::{Fault, Why};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::CancellationToken;

use guard::Guard;
use reply::{Answer, Id};

/// How long a caller may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// The most connections at the same time.
const CONNECTIONS: usize = 10_000;

/// How long runs may go on after the server is asked to stop.
const DRAIN: Duration = Duration::from_secs(10);

/// A server that listens.
struct Server {
    listener: TcpListener,
    rest: Arc<Rest>,
    guard: Arc<Guard>,
}

/// Listens at an address and answers until it is stopped; then runs may end for a while.
pub(super) fn listen(rest: Rest, listening: Listening, stop: CancellationToken) -> Serving {
    Box::pin(async move {
        let Listening { address, origins, announce } = listening;
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let guard = Arc::new(Guard::new(address, origins));
        announce(address);
        Server { listener, rest: Arc::new(rest), guard }.serve(stop).await;
        Ok(())
    })
}

impl Server {
    /// Answers until it is stopped, then lets runs end for a while.
    async fn serve(self, stop: CancellationToken) {
        let Self { listener, rest, guard, .. } = self;
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        let service = rest.service.clone();
        let working = tokio::spawn(async move { service.work().await });
        loop {
            let Some(accepted) = stop.run_until_cancelled(listener.accept()).await else { break };
            let Ok((stream, _)) = accepted else {
                // Too many open files, for example: the next attempt waits a moment.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(place) = connections.clone().try_acquire_owned() else { continue };
            let _ = stream.set_nodelay(true);
            let (rest, guard) = (rest.clone(), guard.clone());
            let answering = service_fn(move |request| {
                let (rest, guard) = (rest.clone(), guard.clone());
                async move { Ok::<_, std::convert::Infallible>(answer(&rest, &guard, request).await) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), answering);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // An error is the caller's end of the connection.
                let _ = connection.await;
                drop(place);
            });
        }
        drop(listener);
        rest.service.stop(DRAIN).await;
        let _ = tokio::time::timeout(Duration::from_secs(1), working).await;
        let _ = tokio::time::timeout(Duration::from_secs(1), graceful.shutdown()).await;
    }
}

async fn answer(rest: &Arc<Rest>, guard: &Guard, request: hyper::Request<Incoming>) -> Answer {
    let id = Id::of(request.headers(), rest.service.engine().host());
    let origin = guard.origin(request.headers());
    if let Some(preflight) = guard.preflight(&request, origin.as_deref()) {
        return preflight;
    }
    let answered = match guard.test(&request) {
        Ok(()) => handled(rest, request).await,
        Err(fault) => Err(fault),
    };
    let answer = match answered {
        Ok(reply) => reply::of(reply, &id),
        Err(fault) => reply::fault(&fault, &id),
    };
    guard.allowing(answer, origin.as_deref())
}

async fn handled(
    rest: &Arc<Rest>,
    request: hyper::Request<Incoming>,
) -> Result<svc_api::rest::Reply, Fault> {
    let path = request.uri().path().to_owned();
    if let Some(page) = reply::page(request.method().as_str(), &path, rest) {
        return Ok(page);
    }
    match find(request.method().as_str(), &path) {
        Found::Route(route, parts) => {
            let input = request::read(request, parts, route.body.is_some()).await?;
            route.answer(rest, input).await
        }
        Found::OtherMethods(others) => {
            let names: Vec<&str> = others.into_iter().map(svc_api::rest::Method::name).collect();
            let message = format!("`{path}` is not called with {}", request.method());
            Err(Fault::new(Why::Method, message).help(format!("use {}", names.join(" or "))))
        }
        Found::Nothing => {
            let fault = Fault::new(Why::Op(ErrorKind::NotFound), format!("unknown path `{path}`"));
            Err(fault.help("GET /openapi.json lists every endpoint"))
        }
    }
}
