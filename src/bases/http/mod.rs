//! HTTP/1.1, with TLS or without: connections in, and the REST interface of `svc_api` behind them.
//!
//! Only the bytes are dealt with here: limits of size and time, the headers of every answer, and the
//! streams of events.

mod events;
mod guard;
mod opening;
mod packed;
mod reply;
mod request;
mod socket;
mod tls;

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    path::Path,
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use svc_api::rest::{
    Access, Found, LARGEST_BODY, Listening, Method, ProxyNetwork, Reply, Rest, Route, Serving,
    find, surface,
};
use svc_contract::registry::ErrorKind;
use svc_service::{Fault, Served, Turned, Visitor, Why, access::rates::Window};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

use guard::Guard;
use opening::{Half, Opened};
use reply::{Answer, Id, Page};
use socket::Opening;
use tls::Tls;

/// How long a caller may take for the handshake of TLS, and to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// The most connections at the same time that have sent a request, and that have not. Fewer if the
/// process may open fewer files: most of them are for runs.
const CONNECTIONS: usize = 10_000;
const HALF_OPEN: usize = 10_000;

/// The most connections that the system keeps until they are accepted. One more waits for a second.
const BACKLOG: u32 = 4096;

/// How long runs may go on after the server is asked to stop.
const DRAIN: Duration = Duration::from_secs(10);

/// A part of the server that another base answers.
pub(super) struct Mount {
    /// Its name in the metrics.
    pub(super) surface: &'static str,
    /// Whether a path is one of its own.
    pub(super) takes: fn(&str) -> bool,
    /// Answers a request with the key of its caller, from an address.
    pub(super) answer: Box<Answers>,
}

/// What every caller must show, besides for the parts of other bases. Who does is this machine's user.
pub(super) struct Lock {
    pub(super) admits: Box<dyn Fn(&hyper::HeaderMap) -> bool + Send + Sync>,
    pub(super) refusal: fn() -> Fault,
}

type Answers = dyn Fn(hyper::Request<Bytes>, Option<String>, IpAddr) -> Mounted + Send + Sync;

/// The answer of such a part, and what is left of the limits of its caller.
pub(super) type Mounted = Pin<Box<dyn Future<Output = (Answer, Option<Window>)> + Send>>;

/// A server that listens.
struct Server {
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    door: Arc<Door>,
}

/// What every request passes.
struct Door {
    rest: Rest,
    guard: Guard,
    proxies: Vec<ProxyNetwork>,
    is_hosted: bool,
    mounts: Vec<Mount>,
    lock: Option<Lock>,
    /// Cancelled when connections end.
    over: CancellationToken,
}

/// Listens at an address and answers until it is stopped; then runs may end for a while.
pub(super) fn listen(
    rest: Rest,
    listening: Listening,
    mounts: Vec<Mount>,
    lock: Option<Lock>,
    stop: CancellationToken,
) -> Serving {
    Box::pin(async move {
        let Listening { address, origins, proxies, tls, is_hosted, announce, .. } = listening;
        let host = rest.service.engine().shared_host();
        let tls = tls.map(|it| Tls::read(it, host)).transpose()?.map(Arc::new);
        let listener = bound(address)?;
        let address = listener.local_addr()?;
        let guard = Guard::new(address, origins, !proxies.is_empty(), tls.is_some());
        announce(address);
        let over = CancellationToken::new();
        let door = Arc::new(Door { rest, guard, proxies, is_hosted, mounts, lock, over });
        Server { listener, tls, door }.serve(stop).await;
        Ok(())
    })
}

impl Server {
    /// Answers until it is stopped, then lets runs end for a while.
    async fn serve(self, stop: CancellationToken) {
        let Self { listener, tls, door } = self;
        let files = files(&door.rest);
        let most = CONNECTIONS.min(files / 4);
        let connections = Arc::new(Semaphore::new(most));
        let mut half = Half::new(HALF_OPEN.min(files / 4));
        let service = door.rest.service.clone();
        let working = tokio::spawn(async move { service.work().await });
        let following = tls.clone().map(|tls| tokio::spawn(async move { tls.follow().await }));
        // While runs end, health and results are still answered; new calls are refused.
        let over = door.over.clone();
        let (service, ended) = (door.rest.service.clone(), over.clone());
        tokio::spawn(async move {
            stop.cancelled().await;
            service.stop(DRAIN).await;
            ended.cancel();
        });
        loop {
            let Some(accepted) = over.run_until_cancelled(listener.accept()).await else { break };
            let Ok((stream, peer)) = accepted else {
                // Too many open files, for example: the next attempt waits a moment.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let (tls, door, peer) = (tls.clone(), door.clone(), peer.ip());
            let places = connections.clone();
            let task = tokio::spawn(async move {
                let opened = tokio::time::timeout(HEAD, opening::opened(stream)).await;
                let (Ok(Ok(opened)), Ok(place)) = (opened, places.try_acquire_owned()) else {
                    return;
                };
                // A task of its own: only the wait for the request may be cut off.
                let caller = Connection { peer, tls, door, place: Arc::new(place) };
                tokio::spawn(caller.answered(opened));
            });
            half.add(task.abort_handle());
        }
        if let Some(following) = following {
            following.abort();
        }
        drop(listener);
        let _ = tokio::time::timeout(Duration::from_secs(1), working).await;
        half.close();
        // All connections have ended when all places are free.
        let all = connections.acquire_many(u32::try_from(most).unwrap_or(u32::MAX));
        let _ = tokio::time::timeout(Duration::from_secs(1), all).await;
    }
}

/// Listens at an address, also if connections of a server before still end there.
fn bound(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(cfg!(unix))?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The most files that the process may open.
fn files(rest: &Rest) -> usize {
    let machine = rest.service.engine().host().machine(Path::new("/"));
    machine.open_files.map_or(usize::MAX, |(_, most)| usize::try_from(most).unwrap_or(usize::MAX))
}

/// A caller's connection.
struct Connection {
    peer: IpAddr,
    tls: Option<Arc<Tls>>,
    door: Arc<Door>,
    /// Its place among the connections, which a socket keeps.
    place: Arc<OwnedSemaphorePermit>,
}

impl Connection {
    /// Answers the requests of a connection until it ends.
    async fn answered(self, stream: Opened) {
        match self.tls.clone() {
            None => self.served(stream).await,
            // A caller that cannot begin has no request to answer.
            Some(tls) => {
                if let Ok(stream) = tls.accept(stream, HEAD).await {
                    self.served(stream).await;
                }
            }
        }
    }

    async fn served(self, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        let Self { peer, door, place, .. } = self;
        let over = door.over.clone();
        let answering = service_fn(move |request| {
            let (door, place) = (door.clone(), place.clone());
            // On the heap: a connection without a request stays small.
            Box::pin(async move { Ok::<_, Infallible>(door.answer(request, peer, place).await) })
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(stream), answering)
            .with_upgrades();
        let mut connection = pin!(connection);
        // An error is the caller's end of the connection.
        if over.run_until_cancelled(connection.as_mut()).await.is_none() {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

impl Door {
    async fn answer(
        &self,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        place: Arc<OwnedSemaphorePermit>,
    ) -> Answer {
        let begun = Instant::now();
        let is_gzip = packed::is_wanted(request.headers());
        let id = Id::of(request.headers(), self.rest.service.engine().host());
        let origin = self.guard.origin(request.headers());
        if let Some(preflight) = self.guard.preflight(&request, origin.as_deref()) {
            return reply::with_warning(preflight, request.uri().path());
        }
        let path = request.uri().path().to_owned();
        let mount = self.mounts.iter().find(|it| (it.takes)(&path));
        let is_open = path.starts_with("/health");
        let answered = match (self.guard.test(&request), mount) {
            (Err(fault), _) => Err(fault.into()),
            (Ok(()), None) if !is_open && !self.unlocks(request.headers()) => {
                Err(self.locked().into())
            }
            (Ok(()), Some(mount)) => self.mounted(mount, request, peer, &id).await,
            (Ok(()), None) if path == socket::PATH && !self.is_hosted => {
                self.opened(request, peer, (&id, place)).await
            }
            (Ok(()), None) => {
                let handled = self.handled(request, peer, &id).await;
                handled.map(|(reply, window)| (reply::of(reply, &id), window))
            }
        };
        let answer = match answered {
            Ok((answer, window)) => reply::with_limits(answer, window.as_ref()),
            Err(Turned { fault, pause, window }) => {
                // No thread waits, and how long the check of a key took does not show.
                tokio::time::sleep(pause.saturating_sub(begun.elapsed())).await;
                reply::with_limits(reply::fault(&path, &fault, &id), window.as_ref())
            }
        };
        let answer = reply::with_warning(packed::packed(answer, is_gzip).await, &path);
        let (metrics, status) = (self.rest.service.metrics(), answer.status().as_u16());
        let surface = mount.map_or_else(|| surface(&path), |it| it.surface);
        metrics.answered(surface, status, begun.elapsed());
        let answer = match self.lock {
            Some(_) => reply::framed_by_itself(answer),
            None => answer,
        };
        self.guard.allowing(answer, origin.as_deref())
    }

    /// Whether the caller of a request has shown what it must.
    fn unlocks(&self, headers: &hyper::HeaderMap) -> bool {
        self.lock.as_ref().is_none_or(|it| (it.admits)(headers))
    }

    fn locked(&self) -> Fault {
        let unknown = || Fault::new(Why::Unauthorized, "not let in");
        self.lock.as_ref().map_or_else(unknown, |it| (it.refusal)())
    }

    /// The answer of another base.
    async fn mounted(
        &self,
        mount: &Mount,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        id: &Id,
    ) -> Result<(Answer, Option<Window>), Turned> {
        let (head, body) = request.into_parts();
        let key = request::bearer(&head.headers);
        let address = request::caller(&head.headers, peer, &self.proxies);
        let body = Bytes::from(request::body_of(&head.headers, body, LARGEST_BODY).await?);
        let (answer, window) =
            (mount.answer)(hyper::Request::from_parts(head, body), key, address).await;
        Ok((reply::with_headers(answer, id), window))
    }

    async fn handled(
        &self,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        id: &Id,
    ) -> Result<(Reply, Option<Window>), Turned> {
        let path = request.uri().path().to_owned();
        let is_for_all = path.starts_with("/health") || path.starts_with("/.well-known/");
        if self.is_hosted && !is_for_all {
            return Err(unknown(&path).into());
        }
        if let Some(page) = Page::of(request.method().as_str(), &path) {
            let host = request::text(request.headers(), hyper::header::HOST).unwrap_or_default();
            let scripts = self.scripts(&request, peer).await?;
            return Ok((page.made(&self.rest, &scripts, &host), None));
        }
        match find(request.method().as_str(), &path, self.rest.desk.is_some()) {
            Found::Route(route, parts) if route.access == Access::Signed => {
                self.signed(route, parts, request, peer, id).await
            }
            Found::Route(route, parts) => {
                let (rest, window) = self.entered(route, &request, peer).await?;
                let most = route.body.map(|_| route.largest_body());
                let input = request::read(request, parts, most).await;
                match input {
                    Ok(input) => match route.answer_once(&rest, input, id.as_str()).await {
                        Ok(reply) => Ok((reply, window)),
                        Err(fault) => Err(Turned { window, ..fault.into() }),
                    },
                    Err(fault) => Err(Turned { window, ..fault.into() }),
                }
            }
            Found::OtherMethods(others) => {
                let names: Vec<&str> = others.into_iter().map(Method::name).collect();
                let message = format!("`{path}` is not called with {}", request.method());
                let fault = Fault::new(Why::Method, message);
                Err(fault.help(format!("use {}", names.join(" or "))).into())
            }
            Found::Nothing => {
                Err(unknown(&path).help("GET /openapi.json lists every endpoint").into())
            }
        }
    }

    /// Opens a connection for messages, if its caller is let in.
    async fn opened(
        &self,
        mut request: hyper::Request<Incoming>,
        peer: IpAddr,
        (id, place): (&Id, Arc<OwnedSemaphorePermit>),
    ) -> Result<(Answer, Option<Window>), Turned> {
        self.rest.service.accepts()?;
        let opening = Opening::of(&mut request)?;
        let address = request::caller(request.headers(), peer, &self.proxies);
        let visitor = Visitor { key: opening.key(), address, surface: "websocket" };
        let window = match &self.lock {
            Some(_) => None,
            None => self.rest.enter(visitor).await?.1,
        };
        let answer = opening.answer();
        let caller = (address, id.as_str().to_owned());
        tokio::spawn(opening.carry(self.rest.clone(), caller, self.over.clone(), place));
        Ok((answer, window))
    }

    /// Answers a request whose body shows who sent it.
    async fn signed(
        &self,
        route: &'static Route,
        parts: Vec<String>,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        id: &Id,
    ) -> Result<(Reply, Option<Window>), Turned> {
        let address = request::caller(request.headers(), peer, &self.proxies);
        let input = request::read(request, parts, Some(route.largest_body())).await?;
        let (rest, input, window) = self.rest.enter_signed(input, address).await?;
        match route.answer_once(&rest, input, id.as_str()).await {
            Ok(reply) => Ok((reply, window)),
            Err(fault) => Err(Turned { window, ..fault.into() }),
        }
    }

    /// The scripts that a caller may run. Who has no key, and needs one, sees none.
    async fn scripts(
        &self,
        request: &hyper::Request<Incoming>,
        peer: IpAddr,
    ) -> Result<Vec<Arc<Served>>, Turned> {
        let has_key = request.headers().contains_key(hyper::header::AUTHORIZATION);
        if !has_key && self.rest.service.needs_keys()? {
            return Ok(Vec::new());
        }
        let (rest, _) = self.let_in(request, peer).await?;
        Ok(rest.service.scripts())
    }

    /// The interface for the caller of a request, if it may use the route.
    async fn entered(
        &self,
        route: &'static Route,
        request: &hyper::Request<Incoming>,
        peer: IpAddr,
    ) -> Result<(Rest, Option<Window>), Turned> {
        if route.access == Access::Open {
            return Ok((self.rest.clone(), None));
        }
        let (rest, window) = self.let_in(request, peer).await?;
        match route.admits(rest.service.caller()) {
            Ok(()) => Ok((rest, window)),
            Err(fault) => Err(Turned { window, ..fault.into() }),
        }
    }

    /// The interface for the caller of a request.
    async fn let_in(
        &self,
        request: &hyper::Request<Incoming>,
        peer: IpAddr,
    ) -> Result<(Rest, Option<Window>), Turned> {
        if self.lock.is_some() {
            return Ok((self.rest.clone(), None));
        }
        let key = request::bearer(request.headers());
        let address = request::caller(request.headers(), peer, &self.proxies);
        let surface = surface(request.uri().path());
        self.rest.enter(Visitor { key: key.as_deref(), address, surface }).await
    }
}

fn unknown(path: &str) -> Fault {
    Fault::new(Why::Op(ErrorKind::NotFound), format!("unknown path `{path}`"))
}
