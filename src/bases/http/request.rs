//! Requests as the input of a handler.

use std::time::Duration;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::{
    HeaderMap,
    body::{Body as _, Incoming},
    header,
};
use svc_api::rest::{Input, LARGEST_BODY};
use svc_service::{Fault, Why};

/// How long a caller may take to send a body.
const BODY: Duration = Duration::from_secs(30);

/// Reads a request whose path has these values.
pub(super) async fn read(
    request: hyper::Request<Incoming>,
    path: Vec<String>,
    has_body: bool,
) -> Result<Input, Fault> {
    let (head, body) = request.into_parts();
    let text = |name| text(&head.headers, name);
    let accept = text(header::ACCEPT).unwrap_or_default();
    let prefer = text(header::HeaderName::from_static("prefer")).unwrap_or_default();
    let last = text(header::HeaderName::from_static("last-event-id"));
    let query = head.uri.query().unwrap_or_default();
    let body = if has_body { body_of(body).await? } else { Vec::new() };
    Ok(Input {
        path,
        query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        body,
        content_type: text(header::CONTENT_TYPE),
        wants_events: accept.split(',').any(|it| it.trim().starts_with("text/event-stream")),
        is_async: prefer.split([',', ';']).any(|it| it.trim() == "respond-async"),
        once: once(&head.headers),
        last_event: last.and_then(|it| it.trim().parse().ok()),
    })
}

async fn body_of(body: Incoming) -> Result<Vec<u8>, Fault> {
    if body.size_hint().lower() > LARGEST_BODY as u64 {
        return Err(too_large());
    }
    let collected = Limited::new(body, LARGEST_BODY).collect();
    match tokio::time::timeout(BODY, collected).await {
        Ok(Ok(it)) => Ok(it.to_bytes().to_vec()),
        Ok(Err(err)) if err.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Fault::new(Why::Malformed, "the body ends before it is complete")),
        Err(_) => {
            let message = format!("the body was not complete after {} s", BODY.as_secs());
            Err(Fault::new(Why::Slow, message))
        }
    }
}

fn too_large() -> Fault {
    let message = format!("the body is larger than {} MiB", LARGEST_BODY >> 20);
    Fault::new(Why::TooLarge, message)
}

/// The key of a call that is made once. One that cannot be read is still one, so it is refused and
/// not overlooked.
fn once(headers: &HeaderMap) -> Option<String> {
    let all = headers.get_all(header::HeaderName::from_static("idempotency-key"));
    let all: Vec<_> = all.iter().map(|it| String::from_utf8_lossy(it.as_bytes())).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// A header as text.
pub(super) fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
