//! Answers with their headers.

use std::sync::Arc;

use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{
    HeaderMap, Response, StatusCode,
    body::Bytes,
    header::{self, HeaderValue},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use svc_api::rest::{
    FileReply, Reply, Rest, WithRequest, docs_page, document, fault_answer, header_of,
};
use svc_contract::{host::Host, value::json};
use svc_service::{Fault, Served, Why, access::rates::Window};

use super::{events, request::text};

/// What is sent.
pub(super) type Answer = Response<BoxBody<Bytes, std::convert::Infallible>>;

const REQUEST_ID: header::HeaderName = header::HeaderName::from_static("x-request-id");

/// The id of a request, for logs and errors.
pub(super) struct Id(String);

impl Id {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The caller's own id, if it is a plain word; else a new one.
    pub(super) fn of(headers: &HeaderMap, host: &dyn Host) -> Self {
        let is_sign = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.');
        let given = text(headers, REQUEST_ID);
        let given = given.filter(|it| (1..=64).contains(&it.len()) && it.bytes().all(is_sign));
        Self(given.unwrap_or_else(|| {
            let mut bytes = [0; 16];
            // Without randomness the ids repeat, and nothing depends on that.
            let _ = host.random(&mut bytes);
            u128::from_le_bytes(bytes).to_string()
        }))
    }
}

/// The answer of a handler.
pub(super) fn of(reply: Reply, id: &Id) -> Answer {
    match reply {
        Reply::Json(status, value) => made(status, "application/json", json::write(&value), id),
        Reply::Text(status, kind, text) => made(status, kind, text, id),
        Reply::File(it) => file(it, id),
        Reply::Repeated(status, kind, text) => {
            let mut answer = made(status, "", text, id);
            let headers = answer.headers_mut();
            // What was kept once was a header then.
            if let Ok(kind) = HeaderValue::from_str(&kind) {
                headers.insert(header::CONTENT_TYPE, kind);
            }
            headers.insert("idempotent-replayed", HeaderValue::from_static("true"));
            answer
        }
        Reply::Events(of) => stream(events::body(of), id),
        Reply::Stream(parts) => stream(events::stream(parts), id),
    }
}

/// A file, which a browser keeps and never shows as a page of this server.
fn file(it: FileReply, id: &Id) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(it.content)).boxed());
    let headers = answer.headers_mut();
    let kind = HeaderValue::from_str(&it.media_type);
    let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, kind);
    if let Some(name) = it.name {
        // RFC 6266: any name, in the form that every browser reads.
        let name = utf8_percent_encode(&name, NON_ALPHANUMERIC);
        let value = format!("attachment; filename*=UTF-8''{name}");
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    with_headers(answer, id)
}

fn stream(body: BoxBody<Bytes, std::convert::Infallible>, id: &Id) -> Answer {
    let mut answer = Response::new(body);
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // A proxy that waits for more would hold the events up.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    with_headers(answer, id)
}

/// The answer for a request of a path that failed.
pub(super) fn fault(path: &str, fault: &Fault, id: &Id) -> Answer {
    let (status, body) = fault_answer(path, &WithRequest { fault, request_id: &id.0 });
    let mut answer = made(status, "application/json", json::write(&body), id);
    if let Some(wait) = fault.retry_after {
        let seconds = wait.as_secs().max(1);
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(value) = fault.authenticate().and_then(|it| HeaderValue::from_str(it).ok()) {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    if let (Why::Method, Some(help)) = (fault.why, &fault.help)
        && let Ok(allow) =
            HeaderValue::from_str(&help.trim_start_matches("use ").replace(" or ", ", "))
    {
        answer.headers_mut().insert(header::ALLOW, allow);
    }
    answer
}

/// The answer with what is left of the limits of its caller.
pub(super) fn with_limits(mut answer: Answer, window: Option<&Window>) -> Answer {
    for (name, value) in window.into_iter().flat_map(Window::headers) {
        if let (Ok(name), Ok(value)) =
            (header::HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value))
        {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// The pages that are not in the table: the document itself, for programs and for people.
#[derive(Clone, Copy)]
pub(super) enum Page {
    Document,
    Docs,
}

impl Page {
    pub(super) fn of(method: &str, path: &str) -> Option<Self> {
        match (method, path) {
            ("GET", "/openapi.json") => Some(Self::Document),
            ("GET", "/docs") => Some(Self::Docs),
            _ => None,
        }
    }

    /// The page with these scripts, on a server that is called by this name.
    pub(super) fn made(self, rest: &Rest, scripts: &[Arc<Served>], host: &str) -> Reply {
        let (registry, is_desktop) = (rest.service.engine().registry(), rest.desk.is_some());
        match self {
            Self::Document => Reply::Text(
                200,
                "application/json",
                document(rest.version, registry, scripts, is_desktop),
            ),
            Self::Docs => {
                let page = docs_page(rest.version, registry, scripts, is_desktop, host);
                Reply::Text(200, "text/html; charset=utf-8", page)
            }
        }
    }
}

fn made(status: u16, kind: &'static str, text: String, id: &Id) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    with_headers(answer, id)
}

/// The answer with what its path says of all answers.
pub(super) fn with_warning(mut answer: Answer, path: &str) -> Answer {
    if let Some((name, value)) = header_of(path) {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// The answer of a server whose own page shows others in frames.
pub(super) fn framed_by_itself(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    answer
}

/// The answer with the headers that every one has. Only files of a page say that they may be kept.
pub(super) fn with_headers(mut answer: Answer, id: &Id) -> Answer {
    let headers = answer.headers_mut();
    let kept = headers.entry(header::CACHE_CONTROL);
    kept.or_insert(HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(id) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID, id);
    }
    answer
}
