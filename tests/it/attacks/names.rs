//! Names that resolve to closed addresses, and pages that redirect to them.

use std::{
    io,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use svc::Engine;
use svc_contract::{
    host::http::{self, Request, Response},
    registry::ErrorKind,
};
use svc_host_os::{OsHost, test::TestHost};

use super::{failure, policy, web::Web};

const FETCH: &str = "param given: string\nfetch(url: given, max_size: 1MiB) within { max_retries: 0, timeout: 20s }";

/// The addresses of the names in these tests.
fn resolve(name: &str) -> io::Result<Vec<IpAddr>> {
    let addresses: &[&str] = match name {
        "loop.example" | "metrics.localhost.example" => &["127.0.0.1"],
        "six.example" => &["::1"],
        "mapped.example" => &["::ffff:127.0.0.1"],
        "cloud.example" => &["169.254.169.254"],
        "private.example" => &["192.168.1.1"],
        // One good address among bad ones does not help.
        "mixed.example" => &["93.184.215.14", "10.0.0.1"],
        "nat.example" => &["64:ff9b::a9fe:a9fe"],
        name => return Err(io::Error::other(format!("unknown name `{name}`"))),
    };
    Ok(addresses.iter().map(|it| it.parse().unwrap()).collect())
}

fn engine() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default().resolving(resolve)))
}

#[tokio::test]
async fn names_that_lead_to_closed_addresses_are_refused() {
    for (name, why) in [
        ("loop.example", "`127.0.0.1`, which is this machine"),
        ("metrics.localhost.example", "this machine"),
        ("six.example", "`::1`, which is this machine"),
        ("mapped.example", "`::ffff:127.0.0.1`, which is this machine"),
        ("cloud.example", "`169.254.169.254`, which is a link-local address"),
        ("private.example", "a private address"),
        ("mixed.example", "`10.0.0.1`, which is a private address"),
        ("nat.example", "a link-local address"),
    ] {
        for url in [format!("http://{name}:8080/"), format!("https://{name}./x")] {
            let (kind, message) = failure(&engine(), FETCH, &url).await;
            assert_eq!(kind, ErrorKind::Denied, "{url}: {message}");
            assert!(message.contains(&format!("`{name}` resolves to")), "{message}");
            assert!(message.contains(why), "{message}");
        }
    }
}

/// The system's own resolver follows the same rules.
#[tokio::test]
async fn the_systems_names_for_this_machine_are_refused() {
    let engine = svc::engine();
    for name in ["localhost", "ip6-localhost", "localhost.localdomain"] {
        let (kind, message) = failure(&engine, FETCH, &format!("http://{name}:1/")).await;
        let is_unknown = kind == ErrorKind::Unavailable && name != "localhost";
        assert!(kind == ErrorKind::Denied || is_unknown, "{message}");
    }
}

/// A name is resolved once, and the connection uses the checked address: the result of a second
/// resolution does not matter.
#[tokio::test]
async fn a_name_that_changes_gains_nothing() {
    let web = Web::start();
    let asked = Arc::new(Mutex::new(0));
    let counted = asked.clone();
    let changing = move |_: &str| {
        let mut asked = counted.lock().unwrap();
        *asked += 1;
        // Closed at first, so nothing may be sent; open from then on.
        let address = if *asked == 1 { "127.0.0.1" } else { "93.184.215.14" };
        Ok(vec![address.parse().unwrap()])
    };
    let engine = svc::engine().with_host(Arc::new(OsHost::default().resolving(changing)));
    let url = format!("http://changing.example:{}/ok", web.port);
    let (kind, _) = failure(&engine, FETCH, &url).await;
    assert_eq!((kind, *asked.lock().unwrap(), web.hits()), (ErrorKind::Denied, 1, 0));
}

/// An address that the operator wrote exactly, with its port, may be local.
#[tokio::test]
async fn what_the_operator_names_is_read() {
    let web = Web::start();
    let port = web.port;
    for host in ["127.0.0.1", "loop.example"] {
        let url = format!("http://{host}:{port}/ok");
        let named = engine().with_policy(policy(&[&format!("reads web:{host}:{port}")]));
        let read = named.run(FETCH).param_text("given", &url).await.unwrap().value;
        let field = |name: &str| read.as_record().and_then(|it| it.get(name)).cloned().unwrap();
        assert_eq!(field("text").as_str(), Some("a page"));
        assert_eq!(field("title").as_str(), Some("T"));
        assert_eq!(field("path").as_str(), Some(url.as_str()));
        let other = format!("http://{host}:{}/ok", port ^ 1);
        let (kind, message) = failure(&named, FETCH, &other).await;
        assert_eq!(kind, ErrorKind::Denied, "{message}");
    }
    assert_eq!(web.hits(), 2);
}

#[tokio::test]
async fn redirects_are_looked_at_like_the_first_address() {
    let (web, closed) = (Web::start(), Web::start());
    let (from, port) = (format!("http://127.0.0.1:{}", web.port), closed.port);
    let engine =
        engine().with_policy(policy(&["reads web", &format!("reads web:127.0.0.1:{}", web.port)]));
    for (to, kind, why) in [
        (format!("http://127.0.0.1:{port}/"), ErrorKind::Denied, "this machine"),
        (format!("//127.0.0.1:{port}/"), ErrorKind::Denied, "this machine"),
        (format!("http://localhost:{port}/"), ErrorKind::Denied, "this machine"),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), ErrorKind::Denied, "this machine"),
        (format!("http://loop.example:{port}/"), ErrorKind::Denied, "`loop.example` resolves to"),
        ("http://169.254.169.254/latest/".to_owned(), ErrorKind::Denied, "cloud metadata"),
        (format!("http://2130706433:{port}/"), ErrorKind::InvalidInput, "not an IP address"),
        (format!("http://a@127.0.0.1:{port}/"), ErrorKind::InvalidInput, "user name"),
        ("file:///etc/passwd".to_owned(), ErrorKind::InvalidInput, "not with `file:`"),
        ("javascript:alert(1)".to_owned(), ErrorKind::InvalidInput, "not with `javascript:`"),
        // Two steps: the first address is open, its redirect is not.
        (format!("{from}/to?http://[::1]:{port}/"), ErrorKind::Denied, "this machine"),
    ] {
        let (given, message) = failure(&engine, FETCH, &format!("{from}/to?{to}")).await;
        assert_eq!(given, kind, "{to}: {message}");
        assert!(message.contains(why), "{to}: {message}");
    }
    assert_eq!(closed.hits(), 0, "no redirect was followed");
    let read = |path: &str| engine.run(FETCH).param_text("given", &format!("{from}{path}"));
    for good in ["/times/5", "/to?/times/0", &format!("/to?{from}/times/4")] {
        let value = read(good).await.unwrap().value;
        let text = value.as_record().and_then(|it| it.get("text")).cloned().unwrap();
        assert_eq!(text.as_str(), Some("there at last"), "{good}");
    }
    let (kind, message) = failure(&engine, FETCH, &format!("{from}/times/6")).await;
    assert_eq!(kind, ErrorKind::Failed, "{message}");
    assert!(message.contains("too many redirects (limit 5)"), "{message}");
}

/// Headers for one server are not sent to another one after a redirect.
#[tokio::test]
async fn headers_stay_with_their_server() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let host = TestHost::new().answering(move |request| {
        let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_ref()).collect();
        kept.lock().unwrap().push(format!("{} {}", request.url, names.join(" ")));
        let mut answer = Response::whole(302, "");
        let to = match request.url.as_str() {
            "https://a.example/" => "/again",
            "https://a.example/again" => "https://b.example/",
            _ => return Box::pin(async { Ok(Response::whole(200, "there")) }),
        };
        answer.headers.push(("location".to_owned(), to.to_owned()));
        Box::pin(async move { Ok(answer) })
    });
    let request = Request::get("https://A.example").header("accept", "*/*");
    let request = request.header("authorization", "Bearer x");
    let (url, answer) = http::follow(&host, request.clone()).await.unwrap();
    assert_eq!((url.as_str(), answer.status), ("https://b.example/", 200));
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "https://a.example/ accept authorization",
            "https://a.example/again accept authorization",
            "https://b.example/ accept",
        ]
    );
    // Requests other than GET are not repeated elsewhere.
    let post = Request { method: "POST", ..request };
    assert_eq!(http::follow(&host, post).await.unwrap().1.status, 302);
}

#[tokio::test]
async fn an_encrypted_page_leads_to_no_plain_one() {
    let host = TestHost::new().answering(|request| {
        let mut answer = Response::whole(200, "there");
        if request.url.starts_with("https://a.example") {
            answer.status = 301;
            let to = request.url.rsplit('?').next().unwrap().to_owned();
            answer.headers.push(("location".to_owned(), to));
        }
        Box::pin(async move { Ok(answer) })
    });
    let engine = svc::engine().with_host(Arc::new(host));
    let (kind, message) = failure(&engine, FETCH, "https://a.example/?http://b.example/").await;
    assert_eq!(kind, ErrorKind::Denied, "{message}");
    assert!(message.contains("`http://b.example/`, which is not encrypted"), "{message}");
    let run = engine.run(FETCH).param_text("given", "https://a.example/?https://b.example/");
    assert!(run.await.is_ok());
}

#[tokio::test]
async fn servers_say_why_they_give_nothing() {
    let web = Web::start();
    let address = format!("127.0.0.1:{}", web.port);
    let engine = engine().with_policy(policy(&[&format!("reads web:{address}")]));
    for (path, kind, why) in [
        ("/status/404", ErrorKind::NotFound, "returned status 404"),
        ("/status/401", ErrorKind::Denied, "returned status 401"),
        ("/status/403", ErrorKind::Denied, "returned status 403"),
        ("/status/429", ErrorKind::RateLimit, "returned status 429"),
        ("/status/503", ErrorKind::Unavailable, "returned status 503"),
        ("/status/418", ErrorKind::InvalidInput, "returned status 418"),
        ("/status/304", ErrorKind::Failed, "returned status 304"),
        ("/image", ErrorKind::Unsupported, "`image/png`, which is not text"),
        ("/latin", ErrorKind::Unsupported, "unknown encoding `klingon`"),
        ("/large", ErrorKind::InvalidInput, "larger than 1MiB"),
    ] {
        let (given, message) = failure(&engine, FETCH, &format!("http://{address}{path}")).await;
        assert_eq!(given, kind, "{path}: {message}");
        assert!(message.contains(why) && message.contains(path), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_to_wait_is_waited_for() {
    let start = tokio::time::Instant::now();
    let turns = Mutex::new(0);
    let host = TestHost::new().answering(move |_| {
        let mut turns = turns.lock().unwrap();
        *turns += 1;
        let mut answer = Response::whole(if *turns == 1 { 429 } else { 200 }, "there");
        answer.headers.push(("retry-after".to_owned(), "7".to_owned()));
        Box::pin(async move { Ok(answer) })
    });
    let engine = svc::engine().with_host(Arc::new(host));
    engine.run(r#"fetch(url: "https://a.example")"#).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 7);
}
