//! Requests as the input of a handler.

use std::{net::IpAddr, time::Duration};

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::{
    HeaderMap,
    body::{Body as _, Incoming},
    header,
};
use svc_api::rest::{HookHeaders, Input, LARGEST_BODY, ProxyNetwork};
use svc_service::{Fault, Why, desk::LARGEST_FILE};

/// How long a caller may take to send a body.
const BODY: Duration = Duration::from_secs(30);

/// Reads a request whose path has these values.
pub(super) async fn read(
    request: hyper::Request<Incoming>,
    path: Vec<String>,
    largest_body: Option<usize>,
) -> Result<Input, Fault> {
    let (head, body) = request.into_parts();
    let text = |name| text(&head.headers, name);
    let accept = text(header::ACCEPT).unwrap_or_default();
    let prefer = text(header::HeaderName::from_static("prefer")).unwrap_or_default();
    let last = text(header::HeaderName::from_static("last-event-id"));
    let query = head.uri.query().unwrap_or_default();
    let body = match largest_body {
        Some(most) => body_of(&head.headers, body, most).await?,
        None => Vec::new(),
    };
    Ok(Input {
        path,
        query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        body,
        content_type: text(header::CONTENT_TYPE),
        wants_events: accept.split(',').any(|it| it.trim().starts_with("text/event-stream")),
        is_async: prefer.split([',', ';']).any(|it| it.trim() == "respond-async"),
        once: once(&head.headers),
        last_event: last.and_then(|it| it.trim().parse().ok()),
        hook: hook(&head.headers),
    })
}

/// Reads the body of a request with these headers whole, of at most so many bytes.
pub(super) async fn body_of(
    headers: &HeaderMap,
    mut body: Incoming,
    most: usize,
) -> Result<Vec<u8>, Fault> {
    if body.size_hint().lower() > most as u64 {
        // Who asks before it sends (`Expect: 100-continue`) sends nothing after this answer.
        if !headers.contains_key(header::EXPECT) {
            tokio::spawn(discarded(body));
        }
        return Err(too_large(most));
    }
    let read = whole(&mut body, most).await;
    if read.as_ref().is_err_and(|it| it.why == Why::TooLarge) {
        tokio::spawn(discarded(body));
    }
    read
}

async fn whole(body: &mut Incoming, most: usize) -> Result<Vec<u8>, Fault> {
    let collected = Limited::new(body, most).collect();
    match tokio::time::timeout(BODY, collected).await {
        Ok(Ok(it)) => Ok(it.to_bytes().to_vec()),
        Ok(Err(err)) if err.is::<LengthLimitError>() => Err(too_large(most)),
        Ok(Err(_)) => Err(Fault::new(Why::Malformed, "the body ends before it is complete")),
        Err(_) => {
            let message = format!("the body was not complete after {} s", BODY.as_secs());
            Err(Fault::new(Why::Slow, message))
        }
    }
}

/// Reads what a caller goes on to send. If its connection were closed at once, many a caller would
/// see a broken connection instead of the answer, which it reads when it has sent everything.
async fn discarded(mut body: Incoming) {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = tokio::time::timeout(BODY, rest).await;
}

fn too_large(most: usize) -> Fault {
    let fault = Fault::new(Why::TooLarge, format!("the body is larger than {} MiB", most >> 20));
    if most == LARGEST_BODY {
        return fault;
    }
    fault.help(format!("a file has at most {} MiB", LARGEST_FILE >> 20))
}

/// The headers of a webhook.
fn hook(headers: &HeaderMap) -> HookHeaders {
    let named = |name| text(headers, header::HeaderName::from_static(name));
    HookHeaders {
        id: named("webhook-id"),
        timestamp: named("webhook-timestamp"),
        signatures: named("webhook-signature"),
        github: named("x-hub-signature-256"),
        github_event: named("x-github-event"),
        github_delivery: named("x-github-delivery"),
    }
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

/// The key of a request; a header of another form is a key that is not accepted.
pub(super) fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    let (scheme, key) = value.split_once(' ').unwrap_or((value, ""));
    Some(if scheme.eq_ignore_ascii_case("bearer") { key.trim().to_owned() } else { String::new() })
}

/// The address of a caller: what the nearest proxy says, if it is one of ours; else the peer. Only
/// the last entry is its word, the others are the caller's.
pub(super) fn caller(headers: &HeaderMap, peer: IpAddr, proxies: &[ProxyNetwork]) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|it| it.contains(address));
    if !is_proxy(peer) {
        return peer;
    }
    let values = headers.get_all("x-forwarded-for").iter().filter_map(|it| it.to_str().ok());
    let all: Vec<&str> = values.flat_map(|it| it.split(',')).map(str::trim).collect();
    // Proxies of ours may stand in a row.
    let mut address = peer;
    for entry in all.iter().rev() {
        let Ok(named) = entry.parse::<IpAddr>() else { return address };
        address = named.to_canonical();
        if !is_proxy(address) {
            return address;
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_proxies_of_ours_are_believed() {
        let proxies: Vec<ProxyNetwork> =
            vec!["10.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()];
        let asked = |peer: &str, forwarded: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for it in forwarded {
                headers.append("x-forwarded-for", header::HeaderValue::from_static(it));
            }
            caller(&headers, peer.parse().unwrap(), &proxies).to_string()
        };
        assert_eq!(asked("192.0.2.1", &["198.51.100.1"]), "192.0.2.1");
        assert_eq!(asked("10.1.2.3", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(asked("::1", &["1.1.1.1, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(asked("10.1.2.3", &["1.1.1.1", "198.51.100.1, 10.9.9.9"]), "198.51.100.1");
        assert_eq!(asked("::ffff:10.1.2.3", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(asked("10.1.2.3", &[]), "10.1.2.3");
        assert_eq!(asked("10.1.2.3", &["unknown"]), "10.1.2.3");
        for text in ["10.0.0.0/33", "10.0.0/8", "", "::/129", "a/8", "10.0.0.0/-1"] {
            assert!(text.parse::<ProxyNetwork>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_comes_in_one_header() {
        let key = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, header::HeaderValue::from_static(value));
            bearer(&headers)
        };
        assert_eq!(bearer(&HeaderMap::new()), None);
        assert_eq!(key("Bearer a").as_deref(), Some("a"));
        assert_eq!(key("bearer  a ").as_deref(), Some("a"));
        for value in ["Basic YTpi", "a", ""] {
            assert_eq!(key(value).as_deref(), Some(""), "{value}");
        }
    }
}
