//! The network of a program that was compiled without the feature `http`.

use std::io;

use svc_contract::host::{
    Resolving, Server,
    http::{Answer, Request},
};

#[derive(Debug, Default)]
pub(super) struct Net;

impl Net {
    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(super) fn send(&self, _: Request) -> Answer {
        let message =
            "this program cannot send requests: it was compiled without the feature `http`";
        Box::pin(std::future::ready(Err(io::Error::new(io::ErrorKind::Unsupported, message))))
    }

    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(super) fn addresses(&self, _: Server) -> Resolving {
        let message =
            "this program connects to no servers: it was compiled without the feature `http`";
        Box::pin(std::future::ready(Err(io::Error::new(io::ErrorKind::Unsupported, message))))
    }
}
