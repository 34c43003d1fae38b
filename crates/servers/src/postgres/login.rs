//! Connections to PostgreSQL, and the requests that stop a statement.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use rustls::{ClientConfig, pki_types::ServerName};
use svc_contract::{
    host::Access,
    registry::{Cx, OpError},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    runtime::Handle,
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres::{
    CancelToken, Client, Config,
    config::SslMode,
    tls::{ChannelBinding, TlsConnect, TlsStream},
};

use crate::{address::Address, connect::CONNECT, tls::Tls};

/// A connection that is open during one call.
pub(super) struct Session {
    pub(super) client: Client,
    place: SocketAddr,
    connector: Connector,
    /// Moves the bytes; ends with the session.
    moved: JoinHandle<()>,
}

impl Session {
    pub(super) async fn open(cx: &Cx, address: &Address, access: Access) -> Result<Self, OpError> {
        let connector = Connector::of(address)?;
        let opened = async {
            let places = address.places(cx, access).await?;
            let stream = address.connect(&places).await?;
            let place = stream.peer_addr().map_err(|err| address.unreachable(err))?;
            let config = config(address);
            let login = timeout(CONNECT, config.connect_raw(stream, connector.clone())).await;
            let login = login.map_err(|_| address.unreachable(io::ErrorKind::TimedOut.into()))?;
            let (client, connection) = login.map_err(|err| address.failure(&err))?;
            let moved = tokio::spawn(async move {
                // An error reaches the call through the client.
                let _ = connection.await;
            });
            Ok::<_, OpError>(Self { client, place, connector, moved })
        };
        let session = cx.cancel.run_until_cancelled(opened).await;
        let session = session.ok_or_else(OpError::cancelled)??;
        session.settle().await;
        Ok(session)
    }

    /// What a program that is killed cannot do: the server notices that the connection has ended,
    /// and stops the statement.
    async fn settle(&self) {
        // Servers before version 14, and those on other systems than Linux, do not have it.
        let _ = self.client.batch_execute("SET client_connection_check_interval = '1s'").await;
        // What this crate takes for granted of strings. It is the default.
        let _ = self.client.batch_execute("SET standard_conforming_strings = on").await;
    }

    pub(super) fn stopper(&self) -> Stopper {
        Stopper {
            token: self.client.cancel_token(),
            place: self.place,
            connector: self.connector.clone(),
        }
    }
}

/// How long a connection may take to end.
const LATE: Duration = Duration::from_secs(1);

impl Drop for Session {
    fn drop(&mut self) {
        // The client ends the connection in an orderly way, unless the server hangs; then this does.
        if self.moved.is_finished() {
            return;
        }
        let moved = self.moved.abort_handle();
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                tokio::time::sleep(LATE).await;
                moved.abort();
            })),
            Err(_) => moved.abort(),
        }
    }
}

/// Stops the statement of a session.
pub(super) struct Stopper {
    token: CancelToken,
    place: SocketAddr,
    connector: Connector,
}

impl Stopper {
    pub(super) async fn stop(self) {
        // The server ends the statement itself when the connection ends, if this fails.
        if let Ok(stream) = TcpStream::connect(self.place).await {
            let _ = self.token.cancel_query_raw(stream, self.connector).await;
        }
    }
}

fn config(address: &Address) -> Config {
    let mut config = Config::new();
    config.user(&address.user).dbname(&address.database).application_name("svc").ssl_mode(
        match address.tls {
            Tls::Disable => SslMode::Disable,
            Tls::Prefer => SslMode::Prefer,
            Tls::Require | Tls::Verified(_) => SslMode::Require,
        },
    );
    if let Some(password) = &address.password {
        config.password(password);
    }
    config
}

/// Encrypts a connection with rustls.
#[derive(Clone)]
pub(super) struct Connector {
    client: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Connector {
    fn of(address: &Address) -> Result<Self, OpError> {
        let name = ServerName::try_from(address.host.clone()).map_err(|_| {
            OpError::invalid_input("the host of the server cannot be the name in a certificate")
        })?;
        Ok(Self { client: address.tls.client()?, name })
    }
}

impl TlsConnect<TcpStream> for Connector {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, stream: TcpStream) -> Self::Future {
        let connecting = tokio_rustls::TlsConnector::from(self.client).connect(self.name, stream);
        Box::pin(async move { Ok(Encrypted(connecting.await?)) })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted(tokio_rustls::client::TlsStream<TcpStream>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
