//! MCP servers as a client sees them: connections, tools with their schemas, and the lock of a
//! server.
//!
//! [`Server`] says how a server is reached: a program that is started, or an address. [`Pool`] has
//! the connections of one run; [`Pool::call`] calls a tool, and compares it with its lock before.
//! [`Lock`] is what a server said of its tools, as a file.
//!
//! **Invariants:** nothing is started and nothing is sent but by [`Pool::call`] and [`describe`]. Whatever
//! a server sends, a call ends: with a value, or with an error that names the server. No message
//! contains a secret of the server.

mod client;
mod connection;
mod health;
mod http;
mod lock;
mod pool;
mod server;
mod stdio;
mod tools;
mod watched;

pub use lock::{Lock, LockedTool};
pub use pool::{Called, Pool};
pub use server::{Launch, Server};
pub use tools::{Listing, Tool};

use std::sync::Arc;

use svc_contract::{
    host::{Host, http::Trust},
    registry::OpError,
};

/// Connects to a server that the user of a command named, and returns what it says of itself and its
/// tools. The address of a server may be anywhere.
pub async fn describe(server: &Server, host: Arc<dyn Host>) -> Result<Listing, OpError> {
    let connection = connection::Connection::open(server, host, Trust::Configured).await?;
    let listing = connection.listing().await;
    connection.end().await;
    listing.map_err(|err| server.redacted(err))
}
