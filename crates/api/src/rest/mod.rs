//! The REST interface without HTTP: one table of routes, and what each does with a service.
//!
//! A base reads requests as [`Input`], finds the [`Route`], and sends the [`Reply`]. Router, the
//! OpenAPI document and the tests are made of the same table.

mod approvals;
mod bias;
mod body;
mod clusters;
mod desk;
mod docs;
mod event;
mod fault;
mod hooks;
mod invoke;
mod once;
mod openai;
mod openapi;
mod pipeline;
mod route;
mod runs;
mod scripts;
mod socket;
mod state;
mod title;
mod tools;
mod workflow;

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    pin::Pin,
    str::FromStr,
    sync::Arc,
};

use svc_contract::value::{Value, json};
use svc_engine::CancellationToken;
use svc_service::{
    Fault, Live, Service, Turned, Visitor,
    access::rates::Window,
    desk::Desk,
    hooks::{Signed, SignedRequest},
    once::Once,
};
use tokio::sync::mpsc;

pub use bias::header_of;
pub use docs::page as docs_page;
pub use event::Following;
pub use fault::{WithRequest, answer as fault_answer};
pub use openapi::document;
pub use route::{Access, Body, Found, Method, Route, desktop_routes, find, routes};
pub use socket::{Conversation, MOST_QUEUED, Outgoing};
pub use tools::view as tool_view;
pub(crate) use tools::views_schema as tools_schema;

use crate::store::RunStore;

/// The kind of interface that a path belongs to, for the audit and the metrics.
pub fn surface(path: &str) -> &'static str {
    if openai::owns(path) { "openai" } else { "rest" }
}

/// The largest body of a request in bytes.
pub const LARGEST_BODY: usize = 1 << 20;

/// What the handlers work on. Cheap to clone.
#[derive(Clone)]
pub struct Rest {
    /// The service, for one caller.
    pub service: Service,
    /// The version of the program.
    pub version: &'static str,
    /// The calls with an `Idempotency-Key`.
    pub once: Once,
    /// The desktop, if it is served.
    pub desk: Option<Desk>,
}

impl Rest {
    /// The same for a visitor, or why they are not let in; and what is left of the tightest limit.
    pub async fn enter(&self, visitor: Visitor<'_>) -> Result<(Self, Option<Window>), Turned> {
        let (service, window) = self.service.enter(visitor).await?;
        Ok((Self { service, ..self.clone() }, window))
    }

    /// The same for the sender of a signed request, whose input is named by what was signed.
    pub async fn enter_signed(
        &self,
        mut input: Input,
        address: IpAddr,
    ) -> Result<(Self, Input, Option<Window>), Turned> {
        let hook = &input.hook;
        let request = SignedRequest {
            script: input.part(0),
            body: &input.body,
            id: hook.id.as_deref(),
            timestamp: hook.timestamp.as_deref(),
            signatures: hook.signatures.as_deref(),
            github: hook.github.as_deref(),
            address,
        };
        let Signed { service, window, once } = self.service.enter_signed(request).await?;
        input.once = Some(once);
        Ok((Self { service, ..self.clone() }, input, window))
    }

    /// The store of the caller's runs, if runs are recorded.
    pub(crate) fn store(&self) -> Option<RunStore> {
        self.service.store().map(RunStore::from)
    }
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
    /// The networks of proxies, whose word on the address of a caller is taken.
    pub proxies: Vec<ProxyNetwork>,
    /// The certificate, if callers begin with TLS.
    pub tls: Option<TlsFiles>,
    /// Whether strangers call: then only what is made for them is answered.
    pub is_hosted: bool,
    /// Whether the tools of the conformance suite of MCP are offered.
    pub has_fixtures: bool,
    /// The secret of the desktop, if it is served: every caller must show it.
    pub desktop: Option<DesktopSecret>,
    /// Receives the address, with the port that was chosen.
    pub announce: Box<dyn FnOnce(SocketAddr) + Send>,
}

/// What the browser and the programs of the desktop show.
#[derive(Clone)]
pub struct DesktopSecret {
    /// For a cookie or a header; none if everybody at this machine may call.
    pub token: Option<String>,
    /// Opens the page once, and becomes the cookie.
    pub ticket: String,
}

/// The files of a certificate and its key, both in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A network of addresses: `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork {
    first: IpAddr,
    bits: u32,
}

impl ProxyNetwork {
    /// Whether an address is in it.
    pub fn contains(&self, address: IpAddr) -> bool {
        let shared = |one: u128, two: u128, width: u32| {
            self.bits == 0 || (one ^ two) >> (width - self.bits) == 0
        };
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(one), IpAddr::V4(two)) => {
                shared(one.to_bits().into(), two.to_bits().into(), 32)
            }
            (IpAddr::V6(one), IpAddr::V6(two)) => shared(one.to_bits(), two.to_bits(), 128),
            _ => false,
        }
    }
}

impl FromStr for ProxyNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a network such as `10.0.0.0/8`, found `{text}`");
        let (first, bits) =
            text.split_once('/').map_or((text, None), |(it, bits)| (it, Some(bits)));
        let first: IpAddr = first.parse().map_err(|_| wrong())?;
        let width = if first.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(width), |it| it.parse().map_err(|_| wrong()))?;
        if bits > width { Err(wrong()) } else { Ok(Self { first, bits }) }
    }
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
    /// The `Idempotency-Key` of the caller.
    pub once: Option<String>,
    /// The headers of a webhook.
    pub hook: HookHeaders,
}

/// The headers of a webhook, as far as they were sent.
#[derive(Clone, Debug, Default)]
pub struct HookHeaders {
    pub id: Option<String>,
    pub timestamp: Option<String>,
    pub signatures: Option<String>,
    /// The signature of GitHub, its event, and the id of its delivery.
    pub github: Option<String>,
    pub github_event: Option<String>,
    pub github_delivery: Option<String>,
}

/// The answer to a request.
pub enum Reply {
    Json(u16, Value),
    /// Raw JSON text of a type that is not a value of the language.
    Text(u16, &'static str, String),
    /// A file to be kept.
    File(FileReply),
    /// The events of a run as they happen.
    Events(EventsOf),
    /// The status, the media type and the text of an answer that was given before.
    Repeated(u16, String, String),
    /// Server-sent events as text, as they come. Who drops it reads no more.
    Stream(mpsc::Receiver<String>),
}

/// A file as an answer.
pub struct FileReply {
    pub media_type: String,
    /// The name under which it is kept.
    pub name: Option<String>,
    pub content: Vec<u8>,
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

/// Looks something up on a thread that may wait for the store.
pub(crate) async fn blocking<T: Send + 'static>(
    rest: &Rest,
    look: impl FnOnce(&Rest) -> T + Send + 'static,
) -> Result<T, Fault> {
    let rest = rest.clone();
    tokio::task::spawn_blocking(move || look(&rest)).await.map_err(|err| bug(&err))
}

pub(crate) fn bug(err: &dyn std::error::Error) -> Fault {
    let kind = svc_contract::registry::ErrorKind::Bug;
    Fault::new(svc_service::Why::Op(kind), format!("cannot write the answer: {err}"))
}
