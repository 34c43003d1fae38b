//! Crawls of sites of the test host.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use svc_contract::{
    host::http::{Request, Response},
    registry::{ErrorKind, Io as _, OpError},
    value::Value,
};
use svc_host_os::test::TestHost;

use super::{crawl::Crawl, feed::ReadFeed};
use crate::testing::{WORKER, decode, noticed};

/// What a crawl returned, asked for and reported.
struct Crawled {
    result: Result<Vec<String>, OpError>,
    asked: Vec<String>,
    notices: Vec<String>,
}

type Answer = (u16, &'static [(&'static str, &'static str)], String);

fn page(html: &str) -> Answer {
    (200, &[("content-type", "text/html")], html.to_owned())
}

const MISSING: Answer = (404, &[], String::new());

async fn crawl(
    url: &str,
    args: &[(&str, Value)],
    site: impl Fn(&str) -> Answer + Send + Sync + 'static,
) -> Crawled {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let host = TestHost::new().working_in_test(WORKER).answering(move |request: Request| {
        log.lock().unwrap().push(request.url.clone());
        let (status, headers, body) = site(&request.url);
        let headers = headers.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned()));
        let response = Response { headers: headers.collect(), ..Response::whole(status, body) };
        Box::pin(async move { Ok(response) })
    });
    let (cx, notices) = noticed(host);
    let result = decode::<Crawl>(url.into(), args).run(&cx).await;
    let result = result.map(|it| {
        let Value::List(docs) = it else { panic!("{it}") };
        let path = |doc: &Value| doc.as_record()?.get("path")?.as_str().map(str::to_owned);
        docs.iter().filter_map(path).collect()
    });
    let asked = asked.lock().unwrap().clone();
    Crawled { result, asked, notices: notices.all() }
}

#[tokio::test(start_paused = true)]
async fn each_page_is_read_once() {
    let crawled = crawl("https://a.example/", &[("depth", 5.into())], |url| match url {
        "https://a.example/robots.txt" => MISSING,
        "https://a.example/" => page("<p>start<a href='b'>b</a><a href='/b#top'></a><a href='/b?utm_source=x'></a><a href='/'></a><a href=c></a><a href='https://other.example/'></a><a href='mailto:x@y'></a><a href=i.png></a>"),
        "https://a.example/b" => page("<title>B</title><p>b<a href=/c></a><a href=/d></a><a href=/e></a>"),
        "https://a.example/c" => (301, &[("location", "/b")], String::new()),
        "https://a.example/e" => page("<title>B</title><p>b"),
        "https://a.example/d" => page("<link rel=canonical href=/b><p>b again"),
        _ => MISSING,
    })
    .await;
    assert_eq!(crawled.result.unwrap(), ["https://a.example/", "https://a.example/b"]);
    let asked = ["robots.txt", "", "sitemap.xml", "b", "c", "d", "e"];
    assert_eq!(crawled.asked, asked.map(|it| format!("https://a.example/{it}")));
    assert_eq!(crawled.notices, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_rules_and_maps_of_a_site_are_kept() {
    let started = tokio::time::Instant::now();
    let crawled = crawl("https://a.example/x", &[], |url| match url {
        "https://a.example/robots.txt" => (200, &[], "User-agent: svc\nDisallow: /private\nCrawl-delay: 3\nSitemap: /index.xml".to_owned()),
        "https://a.example/x" => page("<p>x<a href=/private/1></a><a href=/gone></a><a href=/y></a>"),
        "https://a.example/y" => page("<p>y<a href=/too-far></a>"),
        "https://a.example/index.xml" => (200, &[], "<sitemapindex><sitemap><loc>https://a.example/index.xml</loc></sitemap><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>".to_owned()),
        "https://a.example/1.xml" => (200, &[], "<urlset><url><loc>https://a.example/z</loc></url><url><loc>https://other.example/</loc></url></urlset>".to_owned()),
        "https://a.example/z" => page("<p>z"),
        _ => MISSING,
    })
    .await;
    let wanted = ["x", "y", "z"].map(|it| format!("https://a.example/{it}"));
    assert_eq!(crawled.result.unwrap(), wanted);
    assert!(!crawled.asked.iter().any(|it| it.contains("private") || it.contains("other")));
    assert!(
        crawled
            .notices
            .iter()
            .any(|it| it.contains("`https://a.example/gone`") && it.contains("404")),
        "{:?}",
        crawled.notices
    );
    assert!(crawled.notices.iter().any(|it| it.contains("private/1`, which `robots.txt`")));
    // The clock of the host stands still, so each request waits for the whole delay.
    assert!(started.elapsed() >= Duration::from_secs(3 * 5), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_site_without_end_is_bounded() {
    let endless = |url: &str| {
        if url.ends_with("/robots.txt") || url.ends_with("/sitemap.xml") {
            return MISSING;
        }
        page(&format!("<p>{url}<a href='{url}/a'></a><a href='{url}/b'></a>"))
    };
    let args = [("depth", 5.into()), ("max_pages", 7.into())];
    let crawled = crawl("https://a.example/s", &args, endless).await;
    assert_eq!(crawled.result.unwrap().len(), 7);
    assert!(crawled.notices.iter().any(|it| it.contains("there may be more pages")));
    let around = |url: &str| -> Answer {
        match url.strip_prefix("https://a.example/") {
            Some("robots.txt") | None => MISSING,
            Some(_) => (302, &[("location", "https://a.example/b")], String::new()),
        }
    };
    let looped = crawl("https://a.example/a", &[], around).await;
    assert!(looped.asked.len() <= 4, "{:?}", looped.asked);
    assert!(looped.result.unwrap_err().message.contains("redirect"));
}

#[tokio::test(start_paused = true)]
async fn no_link_and_no_redirect_leads_to_this_machine() {
    let args = [("same_host", false.into()), ("depth", 2.into())];
    let crawled = crawl("https://a.example/", &args, |url| match url {
        "https://a.example/" => page("<p>x<a href='http://127.0.0.1/x'></a><a href='http://169.254.169.254/'></a><a href='/r'></a><a href='https://b.example/'></a>"),
        "https://a.example/r" => (302, &[("location", "https://localhost/admin")], String::new()),
        "https://b.example/" => page("<p>b"),
        _ => MISSING,
    })
    .await;
    assert_eq!(crawled.result.unwrap(), ["https://a.example/", "https://b.example/"]);
    assert!(crawled.asked.iter().all(|it| it.contains(".example/")), "{:?}", crawled.asked);
    for closed in ["127.0.0.1", "169.254.169.254", "localhost"] {
        assert!(crawled.notices.iter().any(|it| it.contains(closed)), "{:?}", crawled.notices);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_allows_nothing() {
    let crawled = crawl("https://a.example/", &[], |_| (503, &[], String::new())).await;
    let error = crawled.result.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("robots.txt"), "{}", error.message);
    assert_eq!(crawled.asked.len(), 1);
}

#[tokio::test]
async fn a_damaged_feed_has_a_notice() {
    let host = TestHost::new().answering(|_| {
        let body = "<rss><channel><item><title>one</title></item><item><ti";
        Box::pin(async move { Ok(Response::whole(200, body)) })
    });
    let (cx, notices) = noticed(host);
    let read = decode::<ReadFeed>("https://a.example/f".into(), &[]).run(&cx).await.unwrap();
    assert!(matches!(&read, Value::List(docs) if docs.len() == 1), "{read}");
    assert!(notices.all()[0].contains("the rest of the feed is missing"));
}
