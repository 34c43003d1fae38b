//! What a page says about itself, and its links.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_documents as extract;

record! {
    /// A link of a page.
    struct Link {
        /// Its words, with one space between them.
        text: Text,
        /// Its address as the page has it, which may be relative.
        url: Text,
    }
}

record! {
    /// What a page says about itself.
    struct PageFacts {
        /// The title, without the name of the site; empty if the page has none.
        title: Text,
        /// The authors, joined by commas.
        author: Option<Text>,
        /// The date, with a time of day if there is one, in the format of ISO 8601.
        published: Option<Text>,
        /// The declared language, a tag such as `en-GB`.
        language: Option<Text>,
        /// Its links, in the order of the page.
        links: Vec<Link>,
    }
}

params! {
    /// Returns the title, the author, the date and the language that a page declares, and its links.
    ///
    /// They are read from JSON-LD, `meta` elements (Open Graph, Dublin Core and others), `time`
    /// elements and attributes. What the page does not declare is null. A date in another format is
    /// converted to that of ISO 8601, and one that is not a date is ignored. An address of a link is
    /// not resolved: `/x` stays `/x`.
    ///
    /// Incomplete HTML is completed as in a browser, and scripts are not run. A page that is larger
    /// than 16 MiB or takes too much time or memory is an error of kind `invalid_input`.
    pub(super) struct PageMetadata {
        /// The page, as HTML.
        page: Text,
    }
}

impl Op for PageMetadata {
    const NAME: &'static str = "metadata";
    const YIELDS: Scheme = PageFacts::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "title and author of an html page",
        "when was a web page published",
        "language of an html page",
        "open graph and json-ld metadata of a page",
        "meta tags of a webpage",
        "hyperlinks of a page with their words",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Title, author and date",
            r#""<title>Caps - A Site</title><meta property='og:site_name' content='A Site'><meta name=author content='By Ann Lee'><time datetime='3 Feb 2024'>then</time>" >> page_metadata >> { title: .title, author: .author, published: .published, language: .language }"#,
            r#"{"title":"Caps","author":"Ann Lee","published":"2024-02-03","language":null}"#,
        ),
        Example::ok(
            "Links",
            r#""<a href='/x'>The <b>x</b></a> <a>no link</a>" >> page_metadata >> .links"#,
            r#"[{"text":"The x","url":"/x"}]"#,
        ),
    ];
}

impl Compute for PageMetadata {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let read = extract::page_metadata(&self.page, &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let (said, links) = read.map_err(|why| why.error("the page"))?;
        let link = |it: extract::PageLink| Link { text: it.text.into(), url: it.url.into() };
        let facts = PageFacts {
            title: said.title.unwrap_or_default().into(),
            author: said.author.map(Text::from),
            published: said.published.map(Text::from),
            language: said.language.map(Text::from),
            links: links.into_iter().map(link).collect(),
        };
        Ok(facts.encode())
    }
}
