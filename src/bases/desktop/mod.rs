//! The page of the desktop, and who may open it: the browser that was given a ticket, which becomes a
//! cookie, and programs that can read the token.
//!
//! What the page shows comes from the endpoints of `svc_api`; here are only its files.

mod assets;

use std::{
    convert::Infallible,
    hash::{DefaultHasher, Hasher as _},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use subtle::ConstantTimeEq as _;
use svc_api::rest::{DesktopSecret, Rest, WithRequest, fault_answer};
use svc_contract::{host::secret, registry::ErrorKind, value::json};
use svc_service::{Fault, Why};

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The name of the cookie.
const COOKIE: &str = "svc_desktop";

/// Where a program that has the token gets another ticket.
const TICKET: &str = "/desktop/ticket";

/// The playground.
const PLAY: &str = "/play";

/// The most tickets that are not used yet.
const MOST_TICKETS: usize = 16;

/// The length of a ticket in bytes.
const TICKET_LEN: usize = 16;

/// What the page may load: its own files.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'self'";

/// The folder of the files in the addresses of a page. Another build with other files has another one, so
/// that browsers keep the files and still never show old ones.
static EDITION: LazyLock<String> = LazyLock::new(|| {
    let mut all = DefaultHasher::new();
    assets::contents().for_each(|it| all.write(it));
    format!("{:016x}", all.finish())
});

/// The page of the desktop.
pub(super) struct Desktop {
    rest: Rest,
    token: Option<String>,
    tickets: Mutex<Vec<String>>,
}

impl Desktop {
    pub(super) fn new(rest: Rest, secret: DesktopSecret) -> Arc<Self> {
        let DesktopSecret { token, ticket } = secret;
        Arc::new(Self { rest, token, tickets: Mutex::new(vec![ticket]) })
    }

    /// Whether a path is one of the page.
    pub(super) fn takes(path: &str) -> bool {
        matches!(path, "/" | PLAY | TICKET | "/favicon.ico") || path.starts_with("/assets/")
    }

    /// Whether the caller of a request has shown the secret.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let is_same = |given: &str| bool::from(given.as_bytes().ct_eq(token.as_bytes()));
        let bearer = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
        let bearer = bearer.and_then(|it| it.split_once(' '));
        if bearer
            .is_some_and(|(kind, it)| kind.eq_ignore_ascii_case("bearer") && is_same(it.trim()))
        {
            return true;
        }
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let mut pairs = cookies.flat_map(|it| it.split(';')).filter_map(|it| it.split_once('='));
        pairs.any(|(name, it)| name.trim() == COOKIE && is_same(it.trim()))
    }

    /// The answer to a request for the page.
    pub(super) fn answer(&self, request: &Request<Bytes>) -> Answer {
        let (method, path) = (request.method(), request.uri().path());
        match path {
            TICKET if method == Method::POST => self.ticket(request),
            "/" if method == Method::GET => self.page(request),
            _ if method != Method::GET => {
                refused(&Fault::new(Why::Method, format!("`{path}` is not called with {method}")))
            }
            PLAY if self.admits(request.headers()) => page("play.html"),
            PLAY => closed(),
            "/favicon.ico" => file("favicon.svg"),
            _ => asset(path.strip_prefix("/assets/").unwrap_or_default()),
        }
    }

    /// The page: with a ticket, the browser gets the cookie first.
    fn page(&self, request: &Request<Bytes>) -> Answer {
        let query = request.uri().query().unwrap_or_default();
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        if let Some((_, ticket)) = pairs.find(|it| it.0 == "ticket") {
            return match self.token.as_ref().filter(|_| self.use_ticket(&ticket)) {
                Some(token) => entered(token),
                // A browser that has the cookie may show a ticket that was used.
                None if self.admits(request.headers()) => moved("/"),
                None => closed(),
            };
        }
        if self.admits(request.headers()) { page("index.html") } else { closed() }
    }

    fn use_ticket(&self, given: &str) -> bool {
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |it: &String| bool::from(it.as_bytes().ct_eq(given.as_bytes()));
        let found = tickets.iter().position(is_same);
        found.map(|at| tickets.remove(at)).is_some()
    }

    /// Another ticket, for a program that has the token.
    fn ticket(&self, request: &Request<Bytes>) -> Answer {
        if !self.admits(request.headers()) {
            return refused(&no_secret());
        }
        let ticket = match secret(self.rest.service.engine().host(), TICKET_LEN) {
            Ok(ticket) => ticket,
            Err(err) => return refused(&Fault::new(Why::Op(ErrorKind::Failed), err.to_string())),
        };
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        if tickets.len() >= MOST_TICKETS {
            tickets.remove(0);
        }
        tickets.push(ticket.clone());
        drop(tickets);
        let body = format!("{{\"ok\":true,\"ticket\":\"{ticket}\"}}");
        made(StatusCode::OK, "application/json", body.into_bytes())
    }
}

/// The fault of a request without the secret.
pub(super) fn no_secret() -> Fault {
    Fault::new(Why::Unauthorized, "this browser or program has not been let in")
        .help("open the desktop with `svc desktop`, or send the token of `desktop.token`")
}

/// The browser gets the cookie, and asks for the page without the ticket.
fn entered(token: &str) -> Answer {
    let mut answer = moved("/");
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        answer.headers_mut().insert(header::SET_COOKIE, value);
    }
    answer
}

fn moved(to: &'static str) -> Answer {
    let mut answer = made(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", Vec::new());
    answer.headers_mut().insert(header::LOCATION, HeaderValue::from_static(to));
    answer
}

/// The page for a browser that has no cookie.
fn closed() -> Answer {
    let page = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
        <title>svc</title><link rel=\"stylesheet\" href=\"/assets/style.css\">\
        <main><h1>This browser has not been let in</h1>\
        <p>Open the desktop with <code>svc desktop</code>: it opens a page with a ticket that \
        is valid once.</p></main></html>\n";
    made(StatusCode::UNAUTHORIZED, "text/html; charset=utf-8", page.into())
}

/// A page whose files are those of this build.
fn page(name: &str) -> Answer {
    let text = assets::find(name).map(|it| String::from_utf8_lossy(it.content)).unwrap_or_default();
    let text = text.replace("assets/", &format!("assets/{}/", *EDITION));
    made(StatusCode::OK, "text/html; charset=utf-8", text.into_bytes())
}

/// A file by what follows `/assets/`: its name, perhaps after the edition. A page of another build, which is
/// still open, gets the file of this one.
fn asset(path: &str) -> Answer {
    let Some((edition, name)) = path.split_once('/') else { return file(path) };
    let mut answer = file(name);
    if edition == *EDITION && answer.status() == StatusCode::OK {
        let value = HeaderValue::from_static("private, max-age=31536000, immutable");
        answer.headers_mut().insert(header::CACHE_CONTROL, value);
    }
    answer
}

/// A file of the page.
fn file(name: &str) -> Answer {
    match assets::find(name) {
        Some(it) => made(StatusCode::OK, it.media_type, it.content.to_vec()),
        None => {
            let kind = ErrorKind::NotFound;
            refused(&Fault::new(Why::Op(kind), format!("unknown path `/assets/{name}`")))
        }
    }
}

fn refused(fault: &Fault) -> Answer {
    let (status, body) = fault_answer("/", &WithRequest { fault, request_id: "page" });
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    made(status, "application/json", json::write(&body).into_bytes())
}

fn made(status: StatusCode, kind: &'static str, content: Vec<u8>) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(content)).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_service::{Options, Service, once::Once};

    const TOKEN: &str = "0123456789abcdef";

    fn desktop(token: Option<&str>) -> Arc<Desktop> {
        let engine = crate::engine();
        let once = Once::in_memory(engine.host());
        let service = Service::new(engine, None, Options::new("test")).unwrap();
        let rest = Rest { service, version: "test", once, desk: None };
        let token = token.map(str::to_owned);
        Desktop::new(rest, DesktopSecret { token, ticket: "once".to_owned() })
    }

    fn get(desktop: &Desktop, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        desktop.answer(&request.body(Bytes::new()).unwrap())
    }

    #[test]
    fn a_ticket_opens_the_page_once() {
        let desktop = desktop(Some(TOKEN));
        assert_eq!(get(&desktop, "/", &[]).status(), 401);
        assert_eq!(get(&desktop, "/?ticket=wrong", &[]).status(), 401);
        let answer = get(&desktop, "/?ticket=once", &[]);
        assert_eq!(answer.status(), 303);
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        assert_eq!(get(&desktop, "/?ticket=once", &[]).status(), 401);
        let cookie = cookie.split(';').next().unwrap().to_owned();
        assert_eq!(get(&desktop, "/", &[("cookie", &cookie)]).status(), 200);
        assert_eq!(get(&desktop, "/?ticket=once", &[("cookie", &cookie)]).status(), 303);
        assert_eq!(get(&desktop, "/", &[("cookie", "svc_desktop=0123")]).status(), 401);
    }

    #[test]
    fn a_program_gets_tickets_with_the_token() {
        let desktop = desktop(Some(TOKEN));
        let post = |headers: &[(&str, &str)]| {
            let mut request = Request::post(TICKET);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            desktop.answer(&request.body(Bytes::new()).unwrap()).status()
        };
        assert_eq!(post(&[]), 401);
        assert_eq!(post(&[("authorization", "Bearer 0123456789abcdee")]), 401);
        assert_eq!(post(&[("authorization", "Bearer 0123456789abcdef")]), 200);
        assert_eq!(post(&[("cookie", "a=b; svc_desktop=0123456789abcdef")]), 200);
    }

    #[test]
    fn an_open_desktop_asks_for_nothing() {
        let desktop = desktop(None);
        assert_eq!(get(&desktop, "/", &[]).status(), 200);
        assert!(desktop.admits(&HeaderMap::new()));
    }

    #[test]
    fn the_playground_asks_for_the_secret_too() {
        let closed = desktop(Some(TOKEN));
        assert_eq!(get(&closed, "/play", &[]).status(), 401);
        let cookie = format!("svc_desktop={TOKEN}");
        assert_eq!(get(&closed, "/play", &[("cookie", &cookie)]).status(), 200);
    }

    /// Between the backquotes of the script.
    #[test]
    fn the_examples_of_the_playground_are_what_they_say() {
        let script = std::str::from_utf8(assets::find("play.js").unwrap().content).unwrap();
        let (_, examples) = script.split_once("const EXAMPLES = {").unwrap();
        let (examples, _) = examples.split_once("\n};").unwrap();
        let texts: Vec<&str> = examples.split('`').skip(1).step_by(2).collect();
        let problems = |text: &str| {
            let text = text.replace(r"\\", r"\").replace(r"\$", "$");
            let report = crate::engine().check(text.as_str());
            report.err().map_or(0, |it| it.problems.len())
        };
        let found: Vec<usize> = texts.into_iter().map(problems).collect();
        assert_eq!(found, [0, 0, 0, 2]);
    }

    #[test]
    fn a_browser_keeps_the_files_of_this_build_only() {
        let desktop = desktop(None);
        let kept = |path: &str| {
            let answer = get(&desktop, path, &[]);
            assert_eq!(answer.status(), 200, "{path}");
            answer.headers().contains_key("cache-control")
        };
        assert!(kept(&format!("/assets/{}/app.js", *EDITION)));
        for path in ["/", "/play", "/assets/app.js", "/assets/0123456789abcdef/app.js"] {
            assert!(!kept(path), "{path}");
        }
        assert_eq!(EDITION.len(), 16);
    }

    #[test]
    fn only_files_of_the_page_are_served() {
        let desktop = desktop(None);
        for path in ["/assets/", "/assets/../mod.rs", "/assets/none.js", "/assets/%2e%2e/mod.rs"] {
            assert_eq!(get(&desktop, path, &[]).status(), 404, "{path}");
        }
        let page = get(&desktop, "/", &[]);
        assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("'self'"));
    }
}
