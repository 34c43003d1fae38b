//! Reads web pages: the article, the tables, what a page says about itself, and its elements.

use svc_contract::registry::{Bias, Cases, Component, compute};

mod infer;
mod metadata;
mod select;
mod tables;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_scrape",
    cluster: "context-retrieval",
    summary: "Reads the article, the tables, the metadata and the elements of web pages.",
    version: 2,
    bias: Bias::new(
        "articles by Readability, HTML as browsers read it, CSS selectors of level 4",
        &[
            "the page is complete without running its scripts",
            "articles are dense in text and poor in links",
        ],
    )
    .judged_by(CASES),
    aliases: &[
        ("article", "infer"),
        ("html_tables", "tables"),
        ("page_metadata", "metadata"),
        ("select_html", "select"),
    ],
    ops: &[
        compute::<infer::Infer>(),
        compute::<tables::Tables>(),
        compute::<metadata::PageMetadata>(),
        compute::<select::Select>(),
    ],
};

const CASES: Cases = cases!("ctx_scrape.jsonl");
