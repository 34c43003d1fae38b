//! The requests of a search, and their answers as bytes.

use std::{fmt::Write as _, io, time::Duration};

use futures_util::{
    StreamExt as _,
    future::{self, Either},
};
use serde_json::{Map, Value as Json, json};
use svc_contract::{
    host::http::{Request, Response},
    registry::{Cx, OpError, Usage},
};

use super::{
    Question, Recent, failure,
    provider::{Kind, Provider},
};

/// After this much silence the connection counts as lost.
const SILENCE: Duration = Duration::from_mins(1);

/// The size limits of an answer, and of an error page, in bytes.
const LARGEST: usize = 4 << 20;
const LARGEST_ERROR: usize = 64 << 10;

/// The request for a page of results, counted from 1.
pub(super) fn of(provider: &Provider, question: &Question, page: usize) -> Request {
    let request = match provider.kind {
        Kind::Brave => brave(provider, question),
        Kind::Tavily => tavily(provider, question),
        Kind::Serper => serper(provider, question),
        Kind::Searxng => searxng(provider, question, page),
    };
    let agent = concat!("svc/", env!("CARGO_PKG_VERSION"));
    request.configured().header("accept", "application/json").header("user-agent", agent)
}

fn brave(provider: &Provider, question: &Question) -> Request {
    let age = question.recent.map(|it| match it {
        Recent::Day => "pd",
        Recent::Week => "pw",
        Recent::Month => "pm",
        Recent::Year => "py",
    });
    // It names three languages in its own way.
    let language = question.language.as_deref().map(|it| match it {
        "ja" => "jp",
        "zh" => "zh-hans",
        "pt" => "pt-pt",
        other => other,
    });
    let pairs = [
        ("q", Some(within(question))),
        ("count", Some(question.top_k.to_string())),
        ("search_lang", language.map(str::to_owned)),
        ("freshness", age.map(str::to_owned)),
        ("result_filter", Some("web".to_owned())),
    ];
    let request = Request::get(format!("{}/web/search?{}", provider.base, query(pairs)));
    with_key(provider, request, "x-subscription-token", "")
}

fn tavily(provider: &Provider, question: &Question) -> Request {
    let mut body = Map::new();
    body.insert("query".into(), json!(question.query.as_ref()));
    body.insert("max_results".into(), json!(question.top_k));
    body.insert("search_depth".into(), json!("basic"));
    if let Some(recent) = question.recent {
        body.insert("time_range".into(), json!(word(recent)));
    }
    if let Some(site) = &question.site {
        body.insert("include_domains".into(), json!([site]));
    }
    let request = post(provider, body);
    with_key(provider, request, "authorization", "Bearer ")
}

fn serper(provider: &Provider, question: &Question) -> Request {
    let mut body = Map::new();
    body.insert("q".into(), json!(within(question)));
    body.insert("num".into(), json!(question.top_k));
    if let Some(language) = &question.language {
        body.insert("hl".into(), json!(language));
        body.insert("lr".into(), json!(format!("lang_{language}")));
    }
    if let Some(recent) = question.recent {
        let age = &word(recent)[..1];
        body.insert("tbs".into(), json!(format!("qdr:{age}")));
    }
    let request = post(provider, body);
    with_key(provider, request, "x-api-key", "")
}

fn searxng(provider: &Provider, question: &Question, page: usize) -> Request {
    let pairs = [
        ("q", Some(within(question))),
        ("format", Some("json".to_owned())),
        ("pageno", (page > 1).then(|| page.to_string())),
        ("language", question.language.clone()),
        ("time_range", question.recent.map(|it| word(it).to_owned())),
    ];
    Request::get(format!("{}/search?{}", provider.base, query(pairs)))
}

fn post(provider: &Provider, body: Map<String, Json>) -> Request {
    let body = Json::Object(body).to_string();
    Request::post_json(format!("{}/search", provider.base), body.into_bytes())
}

fn with_key(provider: &Provider, request: Request, header: &'static str, before: &str) -> Request {
    match &provider.key {
        Some(key) => request.header(header, format!("{before}{}", key.reveal())),
        None => request,
    }
}

fn word(recent: Recent) -> &'static str {
    match recent {
        Recent::Day => "day",
        Recent::Week => "week",
        Recent::Month => "month",
        Recent::Year => "year",
    }
}

/// The query with the operator for a site.
fn within(question: &Question) -> String {
    match &question.site {
        Some(site) => format!("{} site:{site}", question.query),
        None => question.query.to_string(),
    }
}

/// The params of an address that have a value.
fn query<const N: usize>(pairs: [(&str, Option<String>); N]) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        let Some(value) = value else { continue };
        let mark = if out.is_empty() { "" } else { "&" };
        let _ = write!(out, "{mark}{name}=");
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    out.push(char::from(byte));
                }
                other => {
                    let _ = write!(out, "%{other:02X}");
                }
            }
        }
    }
    out
}

/// Returns the body of a successful answer. What costs nothing is reported as such.
pub(super) async fn send(
    provider: &Provider,
    request: Request,
    cx: &Cx,
) -> Result<Vec<u8>, OpError> {
    let mut head = match awake(cx, cx.host().http(request)).await {
        Ok(head) => head,
        Err(err) => {
            if never_sent(&err) {
                cx.used(Usage::default());
            }
            return Err(failure::of_connection(provider, err));
        }
    };
    if head.status != 200 {
        // Providers charge for answers only; a gateway may have lost one.
        if !matches!(head.status, 200..=299 | 502 | 504 | 520..=527) {
            cx.used(Usage::default());
        }
        let body = beginning(&mut head, cx).await;
        return Err(failure::of_status(provider, &head, &String::from_utf8_lossy(&body)));
    }
    if let Some(packed) = head.header("content-encoding").filter(|it| *it != "identity") {
        let what = format!("an unsupported content encoding `{packed}`");
        return Err(failure::of_protocol(provider, &what, ""));
    }
    let mut body = Vec::new();
    loop {
        let piece = awake(cx, Box::pin(next(&mut head))).await;
        let Some(piece) = piece.map_err(|it| failure::of_connection(provider, it))? else {
            return Ok(body);
        };
        body.extend(piece);
        if body.len() > LARGEST {
            return Err(failure::of_protocol(provider, "more than 4MiB", ""));
        }
        cx.progress("bytes", body.len() as u64, None);
    }
}

/// The beginning of the page of an error; the status is enough if it breaks off.
async fn beginning(head: &mut Response, cx: &Cx) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < LARGEST_ERROR {
        match awake(cx, Box::pin(next(head))).await {
            Ok(Some(piece)) => body.extend(piece),
            Ok(None) | Err(_) => break,
        }
    }
    body
}

async fn next(head: &mut Response) -> io::Result<Option<Vec<u8>>> {
    head.body.next().await.transpose()
}

/// Waits for the other side, but not longer than [`SILENCE`].
async fn awake<T>(cx: &Cx, coming: impl Future<Output = io::Result<T>> + Unpin) -> io::Result<T> {
    match future::select(coming, cx.host().sleep(SILENCE)).await {
        Either::Left((came, _)) => came,
        Either::Right(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no data for one minute")),
    }
}

/// Whether the connection failed before anything was sent.
fn never_sent(err: &io::Error) -> bool {
    use io::ErrorKind as Io;
    matches!(
        err.kind(),
        Io::InvalidInput | Io::ConnectionRefused | Io::HostUnreachable | Io::NetworkUnreachable
    )
}
