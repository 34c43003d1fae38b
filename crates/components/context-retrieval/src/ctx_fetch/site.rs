//! One host of a crawl: what it allows, and the time between two requests.

use std::time::Duration;

use svc_contract::{
    host::{address::Address, http},
    registry::{Cx, ErrorKind, OpError, Size, documents::Doc},
};
use svc_documents::{Robots, sitemap};

use super::{
    links::{Links, links},
    page::{ACCEPT, Loaded, doc, load, request, unreachable},
};

/// The name in `robots.txt`.
const AGENT: &str = "svc";

/// The least time between two requests to one host.
const PAUSE: Duration = Duration::from_millis(250);

/// The longest wait for a server that asks to come back later.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The size limits of `robots.txt` and of a map of the site.
const ROBOTS_SIZE: Size = Size(2 << 20);
const MAP_SIZE: Size = Size(50 << 20);

/// The most maps of a site that are read.
const MOST_MAPS: usize = 10;

pub(super) struct Site {
    robots: Robots,
    /// Why nothing of it may be read: its `robots.txt` is not known.
    closed: Option<OpError>,
    pause: Duration,
    /// When the last request ended, in milliseconds since 1970.
    last: i64,
}

/// What became of an address.
pub(super) enum Outcome {
    Page(Box<Page>),
    /// It redirects to another one.
    Moved(Address),
    /// `robots.txt` does not allow it.
    Disallowed,
    Failed(OpError),
}

pub(super) struct Page {
    pub(super) doc: Doc,
    pub(super) links: Links,
}

impl Site {
    /// Reads the rules of a host.
    pub(super) async fn open(cx: &Cx, at: &Address) -> Self {
        let mut site =
            Self { robots: Robots::default(), closed: None, pause: PAUSE, last: i64::MIN };
        let url = at.join("/robots.txt").map_or_else(|_| String::new(), |it| it.to_string());
        match http::follow(cx.host(), request(&url, "text/plain, */*;q=0.5")).await {
            Err(err) => site.closed = Some(unreachable(&url, err)),
            // RFC 9309: without the file all is allowed, and with a server that fails nothing.
            Ok((_, answer)) if (400..500).contains(&answer.status) && answer.status != 429 => {}
            Ok((url, answer)) => match load(cx, &url, answer, ROBOTS_SIZE).await {
                Ok(loaded) => {
                    site.robots = Robots::read(&String::from_utf8_lossy(&loaded.content));
                }
                Err(err) => site.closed = Some(err),
            },
        }
        site.pause = site.robots.delay(AGENT).map_or(PAUSE, |it| it.max(PAUSE));
        site.last = cx.host().now();
        site
    }

    /// The pages that the maps of the site name, at most `most`.
    pub(super) async fn mapped(&mut self, cx: &Cx, at: &Address, most: usize) -> Vec<Address> {
        let named = self.robots.sitemaps().iter().filter_map(|it| at.join(it).ok());
        let mut maps: Vec<Address> = named.collect();
        let is_usual = maps.is_empty();
        if is_usual {
            maps.extend(at.join("/sitemap.xml"));
        }
        let mut pages = Vec::new();
        let mut next = 0;
        while next < maps.len().min(MOST_MAPS) && pages.len() < most {
            let map = maps[next].clone();
            next += 1;
            match self.map(cx, &map, most - pages.len()).await {
                Ok((found, more)) => {
                    pages.extend(found);
                    maps.extend(
                        more.into_iter().filter(|it| !maps.contains(it)).collect::<Vec<_>>(),
                    );
                }
                // No one said that the usual one exists.
                Err(_) if is_usual && next == 1 => {}
                Err(err) => cx.notice(format!("the map of the site is left out: {err}")),
            }
        }
        pages
    }

    async fn map(
        &mut self,
        cx: &Cx,
        url: &Address,
        most: usize,
    ) -> Result<(Vec<Address>, Vec<Address>), OpError> {
        self.wait(cx).await;
        let sent = http::follow(cx.host(), request(&url.to_string(), "*/*")).await;
        self.last = cx.host().now();
        let (final_url, answer) = sent.map_err(|err| unreachable(&url.to_string(), err))?;
        let content = load(cx, &final_url, answer, MAP_SIZE).await?.content;
        let watch = cx.clone();
        let reading = tokio::task::spawn_blocking(move || {
            sitemap(&content, most, &|| watch.cancel.is_cancelled())
        });
        let read =
            reading.await.map_err(|err| OpError::bug("reading a map panicked").because(err))?;
        let map = read.map_err(|why| OpError::failed(format!("cannot read `{url}`: {why}")))?;
        let addresses = |all: Vec<String>| -> Vec<Address> {
            all.iter().filter_map(|it| Address::read(it).ok()).collect()
        };
        Ok((addresses(map.pages), addresses(map.maps)))
    }

    /// Reads a page when it is time to.
    pub(super) async fn read(&mut self, cx: &Cx, at: &Address, max_size: Size) -> Outcome {
        if let Some(why) = &self.closed {
            return Outcome::Failed(why.clone());
        }
        if !self.robots.allows(AGENT, &path(at)) {
            return Outcome::Disallowed;
        }
        let first = self.attempt(cx, at, max_size).await;
        match first {
            Err(err) if matches!(err.kind, ErrorKind::RateLimit | ErrorKind::Unavailable) => {
                match err.retry_after {
                    Some(wait) if wait <= LONGEST_WAIT => {
                        cx.host().sleep(wait).await;
                        self.attempt(cx, at, max_size).await.unwrap_or_else(Outcome::Failed)
                    }
                    _ => Outcome::Failed(err),
                }
            }
            first => first.unwrap_or_else(Outcome::Failed),
        }
    }

    async fn attempt(&mut self, cx: &Cx, at: &Address, max_size: Size) -> Result<Outcome, OpError> {
        self.wait(cx).await;
        let url = at.to_string();
        let answer = cx.host().http(request(&url, ACCEPT)).await;
        self.last = cx.host().now();
        let answer = answer.map_err(|err| unreachable(&url, err))?;
        if matches!(answer.status, 301..=303 | 307 | 308)
            && let Some(to) = answer.header("location")
        {
            return moved(at, to).map(Outcome::Moved);
        }
        let Loaded { media_type, content } = load(cx, &url, answer, max_size).await?;
        let (watch, at) = (cx.clone(), at.clone());
        let reading = tokio::task::spawn_blocking(move || page(&watch, &at, &media_type, content));
        let page =
            reading.await.map_err(|err| OpError::bug("reading a page panicked").because(err))?;
        page.map(|it| Outcome::Page(Box::new(it)))
    }

    async fn wait(&self, cx: &Cx) {
        let since = cx.host().now().saturating_sub(self.last);
        let since = Duration::from_millis(u64::try_from(since).unwrap_or(0));
        if let Some(rest) = self.pause.checked_sub(since).filter(|it| !it.is_zero()) {
            cx.host().sleep(rest).await;
        }
    }
}

fn moved(at: &Address, to: &str) -> Result<Address, OpError> {
    let message = |why: &str| format!("cannot read `{at}`: it redirects to `{to}`{why}");
    let target = at.join(to).map_err(|why| OpError::failed(message(&format!(": {why}"))))?;
    if at.is_secure() && !target.is_secure() {
        return Err(OpError::new(ErrorKind::Denied, message(", which is not encrypted")));
    }
    Ok(target)
}

fn page(cx: &Cx, at: &Address, media_type: &str, content: Vec<u8>) -> Result<Page, OpError> {
    let html = String::from_utf8_lossy(&content);
    let is_html = media_type.contains("html")
        || (media_type.is_empty() && html.trim_start().starts_with('<'));
    let links = if is_html { links(cx, at, &html) } else { Links::default() };
    Ok(Page { doc: doc(cx, &at.to_string(), media_type, content)?, links })
}

/// The path of an address with its query.
pub(super) fn path(address: &Address) -> String {
    let text = address.to_string();
    let start = text.find("://").and_then(|it| Some(it + 3 + text[it + 3..].find('/')?));
    start.map_or_else(|| "/".to_owned(), |it| text[it..].to_owned())
}
