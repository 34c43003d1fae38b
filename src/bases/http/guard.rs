//! Which callers are answered: a page of another site must not reach a server on this machine.

use std::net::{IpAddr, SocketAddr};

use http_body_util::{BodyExt as _, Empty};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::Incoming,
    header::{self, HeaderValue},
};
use svc_contract::registry::ErrorKind;
use svc_service::{Fault, Why};

use super::{reply::Answer, request::text};

/// The headers that pages of an allowed origin may read.
const EXPOSED: &str = "idempotent-replayed, ratelimit-limit, ratelimit-remaining, \
    ratelimit-reset, retry-after, x-request-id";

/// The names by which a server at an address is called.
pub(super) struct Guard {
    address: SocketAddr,
    origins: Vec<String>,
    /// Whether a proxy is before it: then callers use the name of the proxy.
    is_behind: bool,
    has_tls: bool,
}

impl Guard {
    pub(super) fn new(
        address: SocketAddr,
        origins: Vec<String>,
        is_behind: bool,
        has_tls: bool,
    ) -> Self {
        Self { address, origins, is_behind, has_tls }
    }

    /// Refuses a request for another host, and one from a page of another origin.
    pub(super) fn test(&self, request: &Request<Incoming>) -> Result<(), Fault> {
        let headers = request.headers();
        let host = text(headers, header::HOST)
            .or_else(|| request.uri().authority().map(ToString::to_string));
        let host = host.ok_or_else(|| Fault::new(Why::Malformed, "missing header `Host`"))?;
        if headers.get_all(header::HOST).iter().count() > 1 || !self.is_known(&host) {
            return Err(denied(format!("this server does not answer for the host `{host}`")));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default();
        if self.is_allowed(origin) || self.is_same(origin, &host) {
            return Ok(());
        }
        let fault = denied(format!("pages of the origin `{origin}` may not call this server"));
        Err(fault.help("start the server with `--cors` and that origin"))
    }

    /// The allowed origin of a request.
    pub(super) fn origin(&self, headers: &HeaderMap) -> Option<String> {
        text(headers, header::ORIGIN).filter(|it| self.is_allowed(it))
    }

    /// The answer to a browser that asks whether a page may call.
    pub(super) fn preflight(
        &self,
        request: &Request<Incoming>,
        origin: Option<&str>,
    ) -> Option<Answer> {
        if request.method() != Method::OPTIONS || self.test(request).is_err() {
            return None;
        }
        origin?;
        let mut answer = Response::new(Empty::new().boxed());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        let headers = answer.headers_mut();
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET, POST, PUT"),
        );
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static(
                "authorization, content-type, idempotency-key, last-event-id, prefer, x-request-id",
            ),
        );
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        Some(self.allowing(answer, origin))
    }

    /// The answer, which a page of an allowed origin may read.
    pub(super) fn allowing(&self, mut answer: Answer, origin: Option<&str>) -> Answer {
        if let Some(value) = origin.and_then(|it| HeaderValue::from_str(it).ok()) {
            let headers = answer.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value);
            headers
                .insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        }
        if !self.origins.is_empty() {
            answer.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
        }
        answer
    }

    fn is_allowed(&self, origin: &str) -> bool {
        self.origins.iter().any(|it| it == origin)
    }

    /// Whether a page comes from this server itself.
    fn is_same(&self, origin: &str, host: &str) -> bool {
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let is_secure = self.has_tls || self.is_behind;
        if scheme != "http" && !(scheme == "https" && is_secure) {
            return false;
        }
        if self.has_other_names() {
            authority.eq_ignore_ascii_case(host)
        } else {
            self.is_own(authority)
        }
    }

    /// Whether a name may be that of this server.
    fn is_known(&self, authority: &str) -> bool {
        self.has_other_names() || self.is_own(authority)
    }

    /// Behind a proxy, and at an address that others reach, the server has names that only they
    /// know; keys keep the pages of others out there.
    fn has_other_names(&self) -> bool {
        self.is_behind || !self.address.ip().is_loopback()
    }

    /// Whether a name and port mean this server.
    fn is_own(&self, authority: &str) -> bool {
        let (name, port) = match authority.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (authority, Some(if self.has_tls { 443 } else { 80 })),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let is_name = match name.parse::<IpAddr>() {
            Ok(ip) => {
                ip == self.address.ip() || (ip.is_loopback() && self.address.ip().is_loopback())
            }
            Err(_) => name.eq_ignore_ascii_case("localhost") && self.address.ip().is_loopback(),
        };
        is_name && port == Some(self.address.port())
    }
}

fn denied(message: String) -> Fault {
    Fault::new(Why::Op(ErrorKind::Denied), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let guard = Guard::new("127.0.0.1:8010".parse().unwrap(), Vec::new(), false, false);
        for host in ["127.0.0.1:8010", "localhost:8010", "LOCALHOST:8010", "[::1]:8010"] {
            assert!(guard.is_own(host), "{host}");
        }
        for host in [
            "example.com:8010",
            "127.0.0.1",
            "127.0.0.1:8011",
            "localhost",
            "localhost.evil.com:8010",
            "127.0.0.1.evil.com:8010",
            "10.0.0.1:8010",
            "0.0.0.0:8010",
            "",
            ":8010",
            "localhost:8010x",
            "localhost:+8010 ",
            "[::ffff:10.0.0.1]:8010",
        ] {
            assert!(!guard.is_own(host), "{host}");
        }
        assert!(guard.is_same("http://localhost:8010", ""));
        for origin in
            ["null", "http://evil.com", "https://localhost:8010", "file://", "http://localhost:80"]
        {
            assert!(!guard.is_same(origin, ""), "{origin}");
        }
    }

    #[test]
    fn a_server_that_others_reach_answers_its_own_pages_by_any_name() {
        let guard = Guard::new("10.0.0.1:443".parse().unwrap(), Vec::new(), false, true);
        assert!(guard.is_known("svc.example.com"));
        assert!(guard.is_same("https://svc.example.com", "svc.example.com"));
        for origin in ["https://evil.com", "ftp://svc.example.com", "svc.example.com", "null"] {
            assert!(!guard.is_same(origin, "svc.example.com"), "{origin}");
        }
    }
}
