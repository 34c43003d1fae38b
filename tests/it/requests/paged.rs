//! Lists in pages.

use svc_contract::registry::ErrorKind;

use super::{engine, failure, value};
use crate::models::server::{Reply, Request, Server};

/// The number of the page that a request asks for.
fn page(request: &Request) -> usize {
    let (_, rest) = request.head.split_once("page=").unwrap_or(("", "1 "));
    rest.split([' ', '&']).next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn links_are_followed_to_their_end() {
    let server = Server::answering(|request| {
        let page = page(request);
        let reply = Reply::new(200, &format!("[{page}]"));
        match page {
            3 => reply.header("link: </items?page=1>; rel=\"first\""),
            page => reply.header(&format!(
                "link: </items?page={}>; rel=\"next\", <x>; rel=\"last\"",
                page + 1
            )),
        }
    });
    assert_eq!(value(&server, r#"http_pages<[int]>(url: "$URL/items")"#).await, "[1,2,3]");
    assert_eq!(
        value(&server, r#"http_pages<[int]>(url: "$URL/items", max_pages: 2)"#).await,
        "[1,2]"
    );
}

#[tokio::test]
async fn numbers_are_counted_until_a_page_is_empty() {
    let server = Server::answering(|request| {
        Reply::new(
            200,
            if page(request) < 4 {
                r#"{"data": {"rows": ["a"]}}"#
            } else {
                r#"{"data": {"rows": []}}"#
            },
        )
    });
    let script = r#"http_pages<[string]>(url: "$URL/", query: { q: "x" }, items: "data.rows", page_param: "page")"#;
    assert_eq!(value(&server, script).await, r#"["a","a","a"]"#);
    let heads: Vec<String> =
        server.requests().iter().map(|it| it.head.lines().next().unwrap().to_owned()).collect();
    assert_eq!(heads[0], "get /?q=x&page=1 http/1.1");
    assert_eq!((heads.len(), heads[3].as_str()), (4, "get /?q=x&page=4 http/1.1"));
}

#[tokio::test]
async fn a_chain_without_an_end_is_bounded() {
    let server = Server::answering(|request| {
        Reply::new(200, &format!(r#"{{"items": [0], "next": "?page={}"}}"#, page(request) + 1))
    });
    let script =
        r#"http_pages<[int]>(url: "$URL/", items: "items", next: "next", max_pages: 7) >> len"#;
    assert_eq!(value(&server, script).await, "7");
    assert_eq!(server.requests().len(), 7);
    let itself = Server::answering(|_| Reply::new(200, r#"{"items": [0], "next": "/"}"#));
    let script = r#"http_pages<[int]>(url: "$URL/", items: "items", next: "next") >> len"#;
    assert_eq!(value(&itself, script).await, "1");
}

/// The next address is checked like the first one.
#[tokio::test]
async fn a_page_cannot_lead_elsewhere() {
    for (next, kind) in [
        ("http://169.254.169.254/latest/", ErrorKind::Denied),
        ("http://localhost:1/", ErrorKind::Denied),
        ("file:///etc/passwd", ErrorKind::Failed),
    ] {
        let server = Server::answering(move |_| {
            Reply::new(200, &format!(r#"{{"items": [0], "next": "{next}"}}"#))
        });
        let script = format!(r#"http_pages(url: "{}/", items: "items", next: "next")"#, server.url);
        let (found, message) = failure(&engine(&server), &script).await;
        assert_eq!(found, kind, "{message}");
        assert_eq!(server.requests().len(), 1);
    }
}
