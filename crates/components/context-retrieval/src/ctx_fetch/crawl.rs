//! `crawl`: the pages of a site, from one page along its links.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use svc_contract::{
    host::address::Address,
    registry::{
        Cx, Effect, ErrorKind, Example, Field as _, Io, Limits, Max, Op, OpError, Scheme, Scope,
        Size, documents::Doc, params,
    },
    value::{Text, Value},
};

use super::{
    links::plain,
    page::ERRORS,
    site::{Outcome, Site},
};

/// The hosts that are read at the same time, and the pages that are asked for between two looks at
/// the whole.
const HOSTS: usize = 8;
const BATCH: usize = 32;

/// The addresses that are remembered for each page that is wanted.
const ADDRESSES: usize = 50;

/// The requests for each page that is wanted: others may fail, or be the same page.
const REQUESTS: usize = 4;

/// The text of all pages together, in bytes.
const MOST_TEXT: usize = 256 << 20;

/// The most redirects from one address, and the failures that are named.
const MOST_REDIRECTS: u32 = 5;
const MOST_NAMED: usize = 20;

params! {
    /// Reads the pages of a site as documents: the first page, then those that it links, and so on
    /// to `depth` links away; with `depth: 0`, only the first.
    ///
    /// The pages that the maps of the site name (`sitemap.xml`, also in gzip, and those in
    /// `robots.txt`) count as one link away. Pages near the first one come first. Each page is read
    /// once: addresses that differ only in a fragment or in fields that count visitors (`utm_..`) are
    /// the same, and so are pages that name the same canonical address, or have the same title and
    /// text. Links to files without text,
    /// such as images and archives, are not followed, nor those of pages that ask for it (`nofollow`).
    ///
    /// Crawling is polite: what `robots.txt` does not allow for `svc` is left out, one request at a
    /// time goes to a host, with 0.25 s between two, or more if `robots.txt` has a `Crawl-delay`.
    /// Each address and each redirect is checked like those of `fetch`.
    ///
    /// A page that cannot be read is left out, and a notice names it. If the first one cannot be
    /// read, the errors are those of `fetch`; if `robots.txt` does not allow it, the kind is `denied`.
    pub(super) struct Crawl {
        /// The address of the first page, with `http://` or `https://`.
        url: Text,
        /// How many links away pages may be.
        #[range(0..=5)]
        depth: i64 = 1,
        /// The maximum number of pages.
        #[range(1..=1_000)]
        max_pages: i64 = 50,
        /// Whether to stay on the host of the first page.
        same_host: bool = true,
    }
}

impl Op for Crawl {
    const NAME: &'static str = "crawl";
    const YIELDS: Scheme = Scheme::List(&Doc::SCHEME, Max::Arg("max_pages"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Web("url"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const LIMITS: Limits = Limits { timeout: Some(Duration::from_mins(30)), ..Limits::DEFAULT };
    const SAYS: &'static [&'static str] = &[
        "crawl a website",
        "read all pages of a site",
        "follow the links of a site",
        "download the documentation of a project from its website",
        "spider a domain",
        "pages in a sitemap",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A page and those that it links",
            r#"crawl(url: "https://example.com/") >> each { { path: .path, text: .text } }"#,
            r#"[{"path":"https://example.com/","text":"Start"},{"path":"https://example.com/b","text":"B"}]"#,
        )
        .answered(
            &[],
            &[
                "User-agent: *\nDisallow: /a",
                "<html><p><a href='/a'>Start</a><a href='/b'></a><a href='/x.zip'></a>",
                "<urlset></urlset>",
                "<html><p>B",
            ],
        ),
        Example::err(
            "A site that does not want it",
            r#"crawl(url: "https://example.com/shop")"#,
            "cannot read `https://example.com/shop`: the site's `robots.txt` does not allow it",
        )
        .answered(&[], &["User-agent: *\nDisallow: /"]),
        Example::err(
            "An address of this machine",
            r#"crawl(url: "http://localhost/")"#,
            "`localhost` is this machine",
        ),
    ];
}

/// The largest page.
const MAX_SIZE: Size = Size(5 << 20);

impl Io for Crawl {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let first = super::page::request(&self.url, "").address();
        let first = first.map_err(|err| super::page::unreachable(&self.url, err))?;
        let mut walk = Walk::of(cx, &self, &first);
        let mut level = vec![plain(&first)];
        for depth in 0..=self.depth {
            let found = walk.level(level).await?;
            if depth == 0 {
                walk.test_first()?;
            }
            if depth == self.depth || walk.is_full() {
                break;
            }
            level = walk.next(found, depth).await;
        }
        walk.report();
        Ok(walk.docs.into_iter().map(Doc::encode).collect::<Vec<_>>().into())
    }
}

/// An address to read, with the number of redirects that led to it.
type Target = (Address, u32);

struct Walk<'a> {
    cx: &'a Cx,
    most: usize,
    same_host: bool,
    /// The hosts that count as that of the first page.
    homes: Vec<String>,
    sites: BTreeMap<String, Site>,
    /// The addresses that were read or are planned.
    seen: HashSet<String>,
    /// The addresses of the pages in `docs`, as they call themselves, and the hashes of their content.
    kept: HashSet<String>,
    docs: Vec<Doc>,
    text: usize,
    requests: usize,
    failures: Vec<OpError>,
    disallowed: Vec<Address>,
    is_cut: bool,
}

impl<'a> Walk<'a> {
    fn of(cx: &'a Cx, params: &Crawl, first: &Address) -> Self {
        Self {
            cx,
            most: usize::try_from(params.max_pages).unwrap_or(1),
            same_host: params.same_host,
            homes: vec![first.host().to_owned()],
            sites: BTreeMap::new(),
            seen: HashSet::from([plain(first).to_string()]),
            kept: HashSet::new(),
            docs: Vec::new(),
            text: 0,
            requests: 0,
            failures: Vec::new(),
            disallowed: Vec::new(),
            is_cut: false,
        }
    }

    fn is_full(&self) -> bool {
        self.docs.len() >= self.most
            || self.text >= MOST_TEXT
            || self.requests >= REQUESTS * self.most + BATCH
    }

    /// Reads the pages of a level, and returns the links that they have.
    async fn level(&mut self, level: Vec<Address>) -> Result<Vec<Address>, OpError> {
        let mut waiting: VecDeque<Target> = level.into_iter().map(|it| (it, 0)).collect();
        let mut found = Vec::new();
        while !waiting.is_empty() && !self.is_full() {
            self.cx.check()?;
            let wanted = (self.most - self.docs.len()).min(BATCH).min(waiting.len());
            let batch: Vec<Target> = waiting.drain(..wanted).collect();
            self.requests += batch.len();
            let mut moved = Vec::new();
            for ((address, hops), outcome) in self.read(batch).await {
                match outcome {
                    Outcome::Page(page) => found.extend(self.keep(&address, *page)),
                    Outcome::Moved(to) => moved.extend(self.moved(&address, &to, hops)),
                    Outcome::Disallowed => self.disallowed.push(address),
                    Outcome::Failed(err) => self.fail(err),
                }
            }
            moved.into_iter().rev().for_each(|it| waiting.push_front(it));
            self.cx.progress("pages", self.docs.len() as u64, None);
        }
        self.is_cut |= !waiting.is_empty();
        Ok(found)
    }

    /// Remembers a failure; all pages of a host may have the same.
    fn fail(&mut self, err: OpError) {
        if !self.failures.iter().any(|it| it.message == err.message) {
            self.failures.push(err);
        }
    }

    /// Reads pages, those of one host one after the other; the outcomes are in the order of the
    /// targets.
    async fn read(&mut self, batch: Vec<Target>) -> Vec<(Target, Outcome)> {
        let mut hosts: BTreeMap<String, Vec<(usize, Target)>> = BTreeMap::new();
        for (idx, target) in batch.into_iter().enumerate() {
            hosts.entry(key(&target.0)).or_default().push((idx, target));
        }
        let cx = self.cx;
        let hosts = hosts.into_iter().map(|(key, targets)| {
            let known = self.sites.remove(&key);
            async move {
                let mut outcomes = Vec::new();
                let mut site = known;
                for (idx, target) in targets {
                    let mut open = match site.take() {
                        Some(open) => open,
                        None => Site::open(cx, &target.0).await,
                    };
                    let outcome = open.read(cx, &target.0, MAX_SIZE).await;
                    outcomes.push((idx, target, outcome));
                    site = Some(open);
                }
                (key, site, outcomes)
            }
        });
        let hosts: Vec<_> = hosts.collect();
        let read: Vec<_> = stream::iter(hosts).buffer_unordered(HOSTS).collect().await;
        let mut all = Vec::new();
        for (key, site, outcomes) in read {
            self.sites.extend(site.map(|it| (key, it)));
            all.extend(outcomes);
        }
        all.sort_by_key(|(idx, ..)| *idx);
        all.into_iter().map(|(_, target, outcome)| (target, outcome)).collect()
    }

    /// Keeps a page that is not there yet, and returns its links.
    fn keep(&mut self, at: &Address, page: super::site::Page) -> Vec<Address> {
        let own = page.links.canonical.filter(|it| it.host() == at.host());
        let own = own.map_or_else(|| at.to_string(), |it| it.to_string());
        self.seen.insert(own.clone());
        // `/` and `/index.html` are often one page.
        let content = format!("{}\n{}", page.doc.title, page.doc.text);
        let content = blake3::hash(content.as_bytes()).to_string();
        if self.kept.insert(own) && self.kept.insert(content) {
            self.text += page.doc.text.len();
            self.docs.push(page.doc);
        }
        page.links.pages
    }

    /// The target of a redirect, if it may be read and was not yet.
    fn moved(&mut self, from: &Address, to: &Address, hops: u32) -> Option<Target> {
        let to = plain(to);
        if self.docs.is_empty() && self.homes.len() <= usize::try_from(MOST_REDIRECTS).unwrap_or(0)
        {
            // The site of the first page is where its redirects end.
            self.homes.push(to.host().to_owned());
        }
        if hops >= MOST_REDIRECTS {
            let message =
                format!("cannot read `{from}`: too many redirects (limit {MOST_REDIRECTS})");
            self.fail(OpError::failed(message));
            return None;
        }
        if !self.is_wanted(&to) {
            let message = format!("cannot read `{from}`: it redirects to `{to}`, on another host");
            self.fail(OpError::failed(message));
            return None;
        }
        self.seen.insert(to.to_string()).then_some((to, hops + 1))
    }

    fn is_wanted(&self, address: &Address) -> bool {
        !self.same_host || self.homes.iter().any(|it| it == address.host())
    }

    /// The pages of the next level: those of the maps of the site after those that are linked.
    async fn next(&mut self, found: Vec<Address>, depth: i64) -> Vec<Address> {
        let mut all = found;
        if depth == 0 {
            let start = self.docs.first().and_then(|it| Address::read(&it.path).ok());
            if let Some(start) = start
                && let Some(site) = self.sites.get_mut(&key(&start))
            {
                all.extend(site.mapped(self.cx, &start, ADDRESSES * self.most).await);
            }
        }
        let mut next = Vec::new();
        for address in all.iter().map(plain) {
            if self.seen.len() >= ADDRESSES * self.most {
                self.is_cut = true;
                break;
            }
            if self.is_wanted(&address) && self.seen.insert(address.to_string()) {
                next.push(address);
            }
        }
        next
    }

    /// The failure of the first page.
    fn test_first(&mut self) -> Result<(), OpError> {
        if !self.docs.is_empty() {
            return Ok(());
        }
        if let Some(address) = self.disallowed.first() {
            let message =
                format!("cannot read `{address}`: the site's `robots.txt` does not allow it");
            return Err(OpError::new(ErrorKind::Denied, message)
                .help("ask the owner of the site, or read a single page with `fetch`"));
        }
        let looped = || OpError::failed("the first page redirects to itself");
        Err(self.failures.pop().unwrap_or_else(looped))
    }

    fn report(&self) {
        let named = self.failures.iter().take(MOST_NAMED);
        named.for_each(|it| self.cx.notice(format!("left out: {}", it.message)));
        if let Some(more) = self.failures.len().checked_sub(MOST_NAMED).filter(|it| *it > 0) {
            self.cx.notice(format!("left out: {more} more pages that cannot be read"));
        }
        if let [first, rest @ ..] = self.disallowed.as_slice() {
            let more =
                if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            self.cx.notice(format!("left out: `{first}`{more}, which `robots.txt` does not allow"));
        }
        if self.is_cut || self.docs.len() >= self.most {
            let docs = self.docs.len();
            self.cx.notice(format!("there may be more pages; {docs} were read (`max_pages`)"));
        }
    }
}

/// The server of an address.
fn key(address: &Address) -> String {
    let scheme = if address.is_secure() { "https" } else { "http" };
    format!("{scheme}://{}:{}", address.host(), address.port())
}
