//! Resolves host names and checks the result: an open request connects to exactly the address
//! that was checked, so a name that resolves differently the second time gains nothing.

use std::{
    fmt,
    future::Future,
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    vec,
};

use hyper_util::client::legacy::connect::dns::Name;
use svc_contract::host::{Server, address, http::Trust, refusal};
use tower_service::Service;

/// The resolver of names: the system, or a replacement in tests.
#[derive(Clone)]
pub(super) struct Names(Arc<Resolve>);

type Resolve = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

impl Names {
    pub(super) fn of(
        resolve: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(resolve))
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::of(|name| Ok((name, 0).to_socket_addrs()?.map(|it| it.ip()).collect()))
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Names")
    }
}

/// Resolves names for requests of one kind.
#[derive(Clone, Debug)]
pub(super) struct Resolver {
    pub(super) names: Names,
    pub(super) trust: Trust,
}

impl Resolver {
    /// The addresses of a name. For an open request all of them must be open.
    fn resolved(&self, name: &str) -> io::Result<vec::IntoIter<SocketAddr>> {
        let found = (self.names.0)(name)?;
        for ip in found.iter().filter(|_| self.trust == Trust::Open) {
            if let Some(why) = address::closed(*ip) {
                return Err(refusal(format!("`{name}` resolves to `{ip}`, which is {why}")));
            }
        }
        // The connector replaces this port by that of the request.
        Ok(found.into_iter().map(|it| SocketAddr::new(it, 0)).collect::<Vec<_>>().into_iter())
    }
}

impl Resolver {
    /// The addresses of a server, which may also be an IP address.
    pub(super) fn addresses(&self, server: &Server) -> io::Result<Vec<SocketAddr>> {
        let found = self.resolved(&server.host)?;
        Ok(found.map(|it| SocketAddr::new(it.ip(), server.port)).collect())
    }
}

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolver = self.clone();
        // The system's resolver blocks its thread.
        let looked = tokio::task::spawn_blocking(move || resolver.resolved(name.as_str()));
        Box::pin(async move { looked.await.map_err(io::Error::other)? })
    }
}
