//! Reads the web: pages, feeds, sites, and what search engines find.

use svc_contract::registry::{Bias, Component, compute, io};

mod crawl;
mod feed;
mod links;
mod page;
mod robots;
mod search;
mod site;
#[cfg(test)]
mod tests;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_fetch",
    cluster: "context-retrieval",
    summary: "Reads pages, feeds and sites of the web, and searches it.",
    version: 3,
    bias: Bias::new(
        "GET requests, with every redirect checked; a site page by page, as its robots.txt allows",
        &[
            "the media type says what a page is",
            "a page shows its text without running scripts",
            "addresses outside the public internet are not meant",
            "the pages near the first one matter most",
        ],
    ),
    aliases: &[
        ("fetch", "infer"),
        ("web_search", "search"),
        ("crawl", "crawl"),
        ("feed", "feed"),
        ("robots", "robots"),
    ],
    ops: &[
        io::<page::Infer>(),
        io::<search::Search>(),
        io::<crawl::Crawl>(),
        io::<feed::ReadFeed>(),
        compute::<robots::Allowed>(),
    ],
};
