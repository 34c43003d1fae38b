//! Converts documents: to text for prompts, between Markdown and HTML; reads headings and links.

use svc_contract::registry::{Bias, Component, compute, inline};

mod from_html;
mod links;
mod outline;
mod to_html;
mod to_text;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_docs",
    cluster: "context-retrieval",
    summary: "Converts documents to text for prompts, Markdown to HTML and back.",
    version: 2,
    bias: Bias::new(
        "documents in their order, up to a limit; CommonMark",
        &[
            "a token has four bytes",
            "earlier documents matter more",
            "what a page looks like is in its elements, not in its styles",
        ],
    ),
    aliases: &[
        ("docs_to_text", "to_text"),
        ("markdown_to_html", "to_html"),
        ("html_to_markdown", "from_html"),
        ("markdown_outline", "outline"),
        ("markdown_links", "links"),
    ],
    ops: &[
        inline::<to_text::ToText>(),
        compute::<to_html::ToHtml>(),
        compute::<from_html::FromHtml>(),
        compute::<outline::Outline>(),
        compute::<links::Links>(),
    ],
};
