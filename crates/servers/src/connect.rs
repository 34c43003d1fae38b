//! Connections: only to addresses that the host gives.

use std::{io, net::SocketAddr, time::Duration};

use svc_contract::{
    host::{self, Access, Server, http::Trust},
    registry::{Cx, ErrorKind, HintId, OpError},
};
use tokio::{net::TcpStream, time::timeout};

use crate::address::Address;

/// The time for a connection, with the login.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);

impl Address {
    /// Where the server is, if the host allows this access to it.
    pub(crate) async fn places(&self, cx: &Cx, access: Access) -> Result<Vec<SocketAddr>, OpError> {
        // Only the user who runs the program can set a secret.
        let trust = Trust::Configured;
        let server = Server { host: self.host.clone(), port: self.port, access, trust };
        let found = match timeout(CONNECT, cx.host().library_server(server)).await {
            Ok(found) => found.map_err(|err| self.unreachable(err))?,
            Err(_) => return Err(self.unreachable(io::ErrorKind::TimedOut.into())),
        };
        if found.is_empty() {
            return Err(self.unreachable(io::Error::other("its name has no address")));
        }
        Ok(found)
    }

    /// A connection to one of the places.
    pub(crate) async fn connect(&self, places: &[SocketAddr]) -> Result<TcpStream, OpError> {
        let mut failed = io::Error::other("its name has no address");
        for place in places {
            let connected = timeout(CONNECT, TcpStream::connect(place)).await;
            match connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
                Ok(stream) => {
                    // A small delay matters less than the connection.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Err(err) => failed = err,
            }
        }
        Err(self.unreachable(failed))
    }

    /// The error of a server without a connection.
    pub(crate) fn unreachable(&self, err: io::Error) -> OpError {
        let server = self.shown();
        let new = |kind, why: &str| {
            OpError::new(kind, format!("cannot use the server `{server}`: {why}"))
        };
        let failed = match err.kind() {
            io::ErrorKind::PermissionDenied => {
                let why = host::refused(&err).unwrap_or("permission denied");
                new(ErrorKind::Denied, why).help(HintId::AllowAddress)
            }
            io::ErrorKind::Unsupported => new(ErrorKind::Unsupported, &err.to_string()),
            io::ErrorKind::TimedOut => new(
                ErrorKind::Unavailable,
                &format!("it did not answer within {} seconds", CONNECT.as_secs()),
            ),
            io::ErrorKind::ConnectionRefused => {
                new(ErrorKind::Unavailable, "no server listens at this port")
                    .help("start it, or correct the host and the port in the address")
            }
            _ => new(ErrorKind::Unavailable, &err.to_string()),
        };
        failed.because(err)
    }

    /// The error of a connection that cannot be encrypted as its address says.
    pub(crate) fn not_encrypted(&self, why: &str) -> OpError {
        let server = self.shown();
        let message = format!("cannot encrypt the connection to the server `{server}`: {why}");
        let help = if why.contains("does not support TLS") {
            "with `?sslmode=disable` in the address, the connection is not encrypted"
        } else {
            "pass the certificate of its authority as `ca`; `?sslmode=require` in the address accepts any certificate"
        };
        OpError::failed(message).help(help)
    }

    /// The error of a connection that ended during a call.
    pub(crate) fn lost(&self, why: &str) -> OpError {
        let message = format!("the connection to the server `{}` ended: {why}", self.shown());
        OpError::new(ErrorKind::Unavailable, message)
    }
}
