//! `/mcp` and `/mcp/compact`: who may call at all is decided before the protocol begins, so that
//! refusals have the statuses of HTTP.

use std::{
    convert::Infallible,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use rmcp::{
    ErrorData, RoleServer,
    model::{JsonRpcError, RequestId},
    service::RxJsonRpcMessage,
    transport::streamable_http_server::{
        SessionManager as _, StreamableHttpServerConfig, StreamableHttpService,
        session::local::{LocalSessionManager, SessionConfig},
    },
};
use serde::Deserialize;
use svc_api::{
    mcp::CALL_TOOL,
    rest::{LARGEST_BODY, Rest},
};
use svc_contract::registry::ErrorKind;
use svc_service::{Fault, Visitor, Why, access::rates::Window};
use tokio_util::sync::CancellationToken;

use super::{
    handler::{Door, Handler, Shared},
    refusal,
    sessions::{Full as Crowded, IDLE, Sessions},
    streams,
};

/// The paths of the two lists.
const FULL: &str = "/mcp";
const COMPACT: &str = "/mcp/compact";

const SESSION: header::HeaderName = header::HeaderName::from_static("mcp-session-id");

/// A comment keeps proxies and clients from giving up.
const PING: Duration = Duration::from_secs(15);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The protocol over HTTP.
pub(in crate::bases) struct Http {
    rest: Rest,
    full: Endpoint,
    compact: Endpoint,
}

struct Endpoint {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    sessions: Sessions,
}

/// As much of a message as is needed before it is handled.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Peeked {
    id: Option<RequestId>,
    method: String,
    params: Called,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Called {
    name: Option<String>,
    arguments: Named,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    name: Option<serde_json::Value>,
}

impl Http {
    pub(in crate::bases) fn new(rest: Rest, has_fixtures: bool, stop: &CancellationToken) -> Self {
        let shared = Arc::new(Shared::new(rest.clone(), has_fixtures));
        let endpoint = |is_compact| Endpoint::new(shared.clone(), is_compact, stop);
        Self { rest, full: endpoint(false), compact: endpoint(true) }
    }

    /// Whether a path is one of the protocol.
    pub(in crate::bases) fn takes(path: &str) -> bool {
        path == FULL || path == COMPACT
    }

    /// The answer to a request with this key, and what is left of the limits of its caller.
    pub(in crate::bases) async fn answer(
        &self,
        request: Request<Bytes>,
        key: Option<String>,
        address: IpAddr,
    ) -> (Answer, Option<Window>) {
        let begun = Instant::now();
        let peeked = Peeked::of(request.body());
        let visitor = Visitor { key: key.as_deref(), address, surface: "mcp" };
        let (rest, window) = match self.rest.enter(visitor).await {
            Ok(entered) => entered,
            Err(turned) => {
                // No thread waits, and how long the check of a key took does not show.
                tokio::time::sleep(turned.pause.saturating_sub(begun.elapsed())).await;
                return (refused(&turned.fault, peeked.id), turned.window);
            }
        };
        if let Err(fault) = peeked.test(&rest) {
            return (refused(&fault, peeked.id), window);
        }
        let endpoint = if request.uri().path() == COMPACT { &self.compact } else { &self.full };
        let is_json = request.headers().get(header::CONTENT_TYPE).is_some_and(is_json);
        let sent = is_json.then(|| request.body().clone());
        let answer = match endpoint.answer(request, rest, &peeked).await {
            Ok(answer) => worded(answer, sent, peeked.id).await,
            Err(fault) => refused(&fault, peeked.id),
        };
        (answer, window)
    }
}

impl Endpoint {
    fn new(shared: Arc<Shared>, is_compact: bool, stop: &CancellationToken) -> Self {
        let mut session = SessionConfig::default();
        session.keep_alive = Some(IDLE);
        let mut manager = LocalSessionManager::default();
        manager.session_config = session;
        let manager = Arc::new(manager);
        // The hosts and origins were tested before, by the server.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_sse_keep_alive(Some(PING))
            .with_max_request_body_bytes(LARGEST_BODY)
            .with_cancellation_token(stop.child_token());
        let handler = move || Ok(Handler::new(shared.clone(), is_compact, Door::Http));
        let service = StreamableHttpService::new(handler, manager.clone(), config);
        Self { service, manager, sessions: Sessions::default() }
    }

    async fn answer(
        &self,
        mut request: Request<Bytes>,
        rest: Rest,
        peeked: &Peeked,
    ) -> Result<Answer, Fault> {
        let caller = rest.service.caller();
        let of = caller.key.map_or_else(|| caller.owner.to_string(), |it| it.to_string());
        let given = request.headers().get(SESSION).and_then(|it| it.to_str().ok());
        let given = given.map(str::to_owned);
        if let Some(id) = &given
            && !self.sessions.is_of(id, &of)
        {
            return Err(Fault::not_found("unknown session; begin one with `initialize`"));
        }
        let begins = given.is_none() && peeked.method == "initialize";
        if begins {
            let closed = self.sessions.make_room(&of, caller.is_local());
            let closed = closed.map_err(|Crowded| {
                Fault::new(Why::Busy, "too many sessions").retry_after(Duration::from_mins(1))
            })?;
            for id in closed {
                let _ = self.manager.close_session(&id.as_str().into()).await;
            }
        }
        let ends = request.method() == Method::DELETE;
        request.extensions_mut().insert(rest);
        let mut answer = self.service.handle(request.map(Full::new)).await;
        if ends && answer.status() == StatusCode::ACCEPTED {
            // The session has ended; clients report anything else than this as a failure.
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        match answer.headers().get(SESSION).and_then(|it| it.to_str().ok()) {
            Some(id) if begins => self.sessions.begin(id, &of),
            _ => {}
        }
        if let (true, Some(id)) = (ends, &given) {
            self.sessions.end(id);
        }
        Ok(answer)
    }
}

impl Peeked {
    /// What can be read of a message; nothing of one that is wrong, which the protocol refuses.
    fn of(body: &Bytes) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// Refuses a call of a tool that the caller may not call.
    fn test(&self, rest: &Rest) -> Result<(), Fault> {
        if self.method != "tools/call" {
            return Ok(());
        }
        let inner = self.params.arguments.name.as_ref().and_then(|it| it.as_str());
        let name = match self.params.name.as_deref() {
            Some(CALL_TOOL) => inner,
            other => other,
        };
        match name.map(|it| rest.service.test_tool(it)) {
            // To others, what they may not know of does not exist.
            Some(Err(fault)) if fault.why != Why::Op(ErrorKind::NotFound) => Err(fault),
            _ => Ok(()),
        }
    }
}

fn is_json(media_type: &HeaderValue) -> bool {
    media_type.as_bytes().starts_with(b"application/json")
}

/// The answer, whose error is one of JSON-RPC. The SDK writes a plain text, and takes what is not a message
/// for another media type.
async fn worded(answer: Answer, sent: Option<Bytes>, id: Option<RequestId>) -> Answer {
    let status = answer.status();
    let is_worded = answer.headers().get(header::CONTENT_TYPE).is_some_and(is_json);
    if is_worded || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    let (mut parts, text) = answer.into_parts();
    let text = text.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let sent = sent.filter(|_| status == StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let misread = sent.and_then(|it| {
        let read = serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(&it);
        read.err().map(|err| streams::wrong(&it, &err))
    });
    let error = match misread {
        Some(error) => {
            parts.status = StatusCode::BAD_REQUEST;
            error
        }
        None => ErrorData::invalid_request(String::from_utf8_lossy(&text).into_owned(), None),
    };
    let body = serde_json::to_vec(&JsonRpcError::new(id, error)).unwrap_or_default();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Full::new(Bytes::from(body)).boxed())
}

/// A refusal with the status of HTTP and an error of JSON-RPC.
fn refused(fault: &Fault, id: Option<RequestId>) -> Answer {
    let error = JsonRpcError::new(id, refusal::error(fault));
    let body = serde_json::to_vec(&error).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() =
        StatusCode::from_u16(fault.why.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(value) = fault.authenticate().and_then(|it| HeaderValue::from_str(it).ok()) {
        headers.insert(header::WWW_AUTHENTICATE, value);
    }
    if let Some(wait) = fault.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
    }
    answer
}
