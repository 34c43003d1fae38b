//! `robots`: what a `robots.txt` allows.

use std::time::Duration;

use svc_contract::{
    host::address::Address,
    registry::{Compute, Cx, Example, Field as _, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_documents::Robots;

record! {
    /// What a `robots.txt` says about a page.
    struct Verdict {
        /// Whether the program may read the page.
        allowed: bool,
        /// The time that it should wait between two pages.
        crawl_delay: Option<Duration>,
    }
}

params! {
    /// Says whether a `robots.txt` allows a program to read a page, by RFC 9309.
    ///
    /// Of the rules that match, the longest decides, and of two of the same length the one that
    /// allows. `*` in a rule stands for anything, and `$` is the end. Without a group for the name of
    /// the program, the group for `*` holds; a version in the name is ignored. The first 500 KiB of
    /// the file are read, and lines that mean nothing are ignored, so every text is a `robots.txt`.
    ///
    /// A `path` that is neither a path nor an address is an error of kind `invalid_input`.
    pub(super) struct Allowed {
        /// The content of the file.
        file: Text,
        /// The name of the program, such as `svc` or `svc/1.0`.
        agent: Text,
        /// The path of the page with its query, or its address.
        path: Text,
    }
}

impl Op for Allowed {
    const NAME: &'static str = "robots";
    const YIELDS: Scheme = Verdict::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "may a crawler read this page",
        "check robots.txt",
        "is a path disallowed for a bot",
        "crawl delay of a site",
        "does robots.txt allow my user agent",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The longest rule decides",
            r#""User-agent: *\nDisallow: /shop\nAllow: /shop/help\nCrawl-delay: 2" >> robots(agent: "svc", path: "/shop/help/1")"#,
            r#"{"allowed":true,"crawl_delay":"2s"}"#,
        ),
        Example::ok(
            "A group for one program",
            r#""User-agent: svc\nDisallow: /*.pdf$" >> robots(agent: "svc/1.0", path: "https://example.com/a.pdf")"#,
            r#"{"allowed":false,"crawl_delay":null}"#,
        ),
        Example::err(
            "Not a path",
            r#""" >> robots(agent: "svc", path: "shop")"#,
            "invalid path `shop`: expected `/` at its start, or an address",
        ),
    ];
}

impl Compute for Allowed {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        let path = if self.path.is_empty() || self.path.starts_with('/') {
            self.path.as_ref().to_owned()
        } else {
            path(&self.path)?
        };
        let robots = Robots::read(&self.file);
        let allowed = robots.allows(&self.agent, &path);
        Ok(Verdict { allowed, crawl_delay: robots.delay(&self.agent) }.encode())
    }
}

/// The path and query of an address.
fn path(address: &str) -> Result<String, OpError> {
    if !address.contains("://") {
        let shown: String = address.chars().take(80).collect();
        let message = format!("invalid path `{shown}`: expected `/` at its start, or an address");
        return Err(OpError::invalid_input(message).help("write it as `/shop/help?page=2`"));
    }
    let read = Address::read(address)
        .map_err(|why| OpError::invalid_input(format!("invalid path `{address}`: {why}")))?;
    Ok(super::site::path(&read))
}
