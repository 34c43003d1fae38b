//! The REST interface without HTTP: one table of routes, and what each does with a service.
//!
//! A base reads requests as [`Input`], finds the [`Route`], and sends the [`Reply`]. Router, the
//! OpenAPI document and the tests are made of the same table.

mod approvals;
mod body;
mod clusters;
pub mod event;
mod fault;
mod invoke;
mod openapi;
mod pipeline;
mod route;
mod runs;
mod scripts;
mod state;
mod tools;

use std::{future::Future, io, net::SocketAddr, pin::Pin, sync::Arc};

use svc_contract::value::{Value, json};
use svc_engine::CancellationToken;
use svc_service::{Fault, Live, Service};

pub use fault::{WithRequest, body as fault_body};
pub use openapi::document;
pub use route::{Access, Body, Found, Method, Route, find, routes};
pub use tools::view as tool_view;
pub(crate) use tools::views_schema as tools_schema;

use crate::store::RunStore;

/// The largest body of a request in bytes.
pub const LARGEST_BODY: usize = 1 << 20;

/// What the handlers work on. Cheap to clone.
#[derive(Clone)]
pub struct Rest {
    pub service: Service,
    /// The store of runs, if runs are recorded.
    pub store: Option<RunStore>,
    /// The version of the program.
    pub version: &'static str,
}

/// A base that listens: it says at which address, and answers until it is stopped.
pub type Server = fn(Rest, Listening, CancellationToken) -> Serving;

/// The end of a server, or why it cannot listen.
pub type Serving = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// How a server listens.
pub struct Listening {
    pub address: SocketAddr,
    /// The pages of other origins that may call.
    pub origins: Vec<String>,
    /// Receives the address, with the port that was chosen.
    pub announce: Box<dyn FnOnce(SocketAddr) + Send>,
}

/// A request, as far as handlers need it.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The values of the path, in its order.
    pub path: Vec<String>,
    /// The decoded pairs of the query.
    pub query: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub content_type: Option<String>,
    /// Whether the caller wants events as they happen.
    pub wants_events: bool,
    /// Whether the caller does not want to wait for the result.
    pub is_async: bool,
    /// The number of the last event that the caller has.
    pub last_event: Option<u64>,
}

/// The answer to a request.
pub enum Reply {
    Json(u16, Value),
    /// Raw JSON text of a type that is not a value of the language.
    Text(u16, &'static str, String),
    /// The events of a run as they happen.
    Events(EventsOf),
}

/// The events of a run after a number.
pub struct EventsOf {
    pub run: Arc<Live>,
    pub after: u64,
    /// Whether the run is cancelled when the reader goes away.
    pub cancel_on_close: bool,
}

pub(crate) type Handled<'a> = Pin<Box<dyn Future<Output = Result<Reply, Fault>> + Send + 'a>>;

impl Reply {
    pub(crate) fn ok(value: Value) -> Self {
        Self::Json(200, value)
    }
}

/// A value with the field `ok: true` before its own fields.
pub(crate) fn with_ok(value: Value) -> Value {
    let ok = [("ok".into(), Value::Bool(true))];
    match value {
        Value::Record(of) => {
            let own = of.iter().filter(|(name, _)| name.as_ref() != "ok");
            let own = own.map(|(name, it)| (name.clone(), it.clone()));
            Value::Record(ok.into_iter().chain(own).collect())
        }
        other => Value::Record(ok.into_iter().chain([("result".into(), other)]).collect()),
    }
}

/// An object of these fields.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect())
}

/// Anything that serde can write, as a value.
pub(crate) fn value_of(it: &impl serde::Serialize) -> Result<Value, Fault> {
    let text = serde_json::to_string(it).map_err(|err| bug(&err))?;
    json::read(&text).map_err(|err| bug(&err))
}

pub(crate) fn bug(err: &dyn std::error::Error) -> Fault {
    let kind = svc_contract::registry::ErrorKind::Bug;
    Fault::new(svc_service::Why::Op(kind), format!("cannot write the answer: {err}"))
}
