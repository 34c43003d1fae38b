//! Connections to MySQL, and the requests that stop a statement.

use std::{io, net::SocketAddr};

use mysql_async::{Conn, DriverError, Error, Opts, OptsBuilder, SslOpts, prelude::Queryable as _};
use svc_contract::{
    host::Access,
    registry::{Cx, OpError},
};
use tokio::time::timeout;

use crate::{address::Address, connect::CONNECT, tls::Tls};

/// A connection that is open during one call.
pub(super) struct Session {
    pub(super) connection: Conn,
    opts: Opts,
}

impl Session {
    pub(super) async fn open(cx: &Cx, address: &Address, access: Access) -> Result<Self, OpError> {
        // The driver takes what is not PEM for another format.
        address.tls.client()?;
        let opened = async {
            let places = address.places(cx, access).await?;
            let opts = opts(address, &places);
            let login = timeout(CONNECT, login(address, opts)).await;
            let login = login.map_err(|_| address.unreachable(io::ErrorKind::TimedOut.into()))?;
            let (mut connection, opts) = login.map_err(|err| address.no_login(err))?;
            for setting in SETTINGS {
                let set = connection.query_drop(setting).await;
                set.map_err(|err| address.failed(&err))?;
            }
            Ok::<_, OpError>(Self { connection, opts })
        };
        cx.cancel.run_until_cancelled(opened).await.ok_or_else(OpError::cancelled)?
    }

    pub(super) fn stopper(&self) -> Stopper {
        Stopper { opts: self.opts.clone(), id: self.connection.id() }
    }
}

/// What this crate takes for granted: times are in UTC, and `\` escapes a sign of a string.
const SETTINGS: [&str; 2] =
    ["SET time_zone = '+00:00'", "SET sql_mode = REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')"];

/// Stops the statement of a session.
pub(super) struct Stopper {
    opts: Opts,
    id: u32,
}

impl Stopper {
    pub(super) async fn stop(self) {
        // There is nothing to stop at a server that is gone.
        if let Ok(mut other) = Conn::new(self.opts).await {
            let _ = other.query_drop(format!("KILL QUERY {}", self.id)).await;
            let _ = other.disconnect().await;
        }
    }
}

/// A connection, without encryption if the server has none and the address allows that.
async fn login(address: &Address, opts: OptsBuilder) -> Result<(Conn, Opts), Error> {
    let encrypted = Opts::from(opts.clone());
    match Conn::new(encrypted.clone()).await {
        Err(Error::Driver(DriverError::NoClientSslFlagFromServer))
            if address.tls == Tls::Prefer =>
        {
            let plain = Opts::from(opts.ssl_opts(None));
            Ok((Conn::new(plain.clone()).await?, plain))
        }
        login => Ok((login?, encrypted)),
    }
}

fn opts(address: &Address, places: &[SocketAddr]) -> OptsBuilder {
    OptsBuilder::default()
        .ip_or_hostname(address.host.clone())
        .tcp_port(address.port)
        .resolved_ips(Some(places.iter().map(SocketAddr::ip).collect::<Vec<_>>()))
        .user(Some(address.user.clone()))
        .pass(address.password.clone())
        .db_name(Some(address.database.clone()))
        // Never another way to the server than the one that the host allowed.
        .prefer_socket(false)
        .stmt_cache_size(0)
        .ssl_opts(encryption(&address.tls))
}

fn encryption(tls: &Tls) -> Option<SslOpts> {
    let opts = SslOpts::default();
    match tls {
        Tls::Disable => None,
        Tls::Prefer | Tls::Require => Some(opts.with_danger_accept_invalid_certs(true)),
        Tls::Verified(None) => Some(opts),
        Tls::Verified(Some(ca)) => {
            let ca = vec![ca.clone().into_bytes().into()];
            Some(opts.with_disable_built_in_roots(true).with_root_certs(ca))
        }
    }
}
