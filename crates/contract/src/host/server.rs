//! Servers that a library connects to by itself, such as those of databases.

use core::net::SocketAddr;
use std::{fmt, future::Future, io, pin::Pin};

use super::{Access, address, http::Trust};

/// A server, and what is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Normalised by [`address::host_and_port`].
    pub host: String,
    pub port: u16,
    pub access: Access,
    pub trust: Trust,
}

/// The future addresses of a server. The library connects to one of them, and to no other: a name may
/// resolve to another address the next time.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", address::authority(&self.host), self.port)
    }
}
