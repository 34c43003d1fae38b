//! The article of a page.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_documents::{self as extract, ArticleRules, Metadata, WebPage};

record! {
    /// The article of a web page: a document, with what the page says about it.
    struct Article {
        /// The address of the page, empty if unknown.
        id: Text,
        /// The title, without the name of the site; empty if the page has none.
        title: Text,
        /// The address of the page, empty if unknown.
        path: Text,
        /// The text of the article, without markup; all visible text of a page without one.
        text: Text,
        /// The authors, joined by commas.
        author: Option<Text>,
        /// The date, with a time of day if there is one, in the format of ISO 8601.
        published: Option<Text>,
        /// The declared language, a tag such as `en-GB`.
        language: Option<Text>,
        /// The name of the site.
        site: Option<Text>,
    }
}

params! {
    /// Returns the article of a page, without menus, advertisements, comments and links to others.
    ///
    /// The method is that of Readability (Mozilla, after Arc90): paragraphs choose the element with
    /// the article, and what is mostly links is dropped. Author, date and language are those that
    /// the page declares in JSON-LD, `meta` elements or attributes, so they are missing where it
    /// declares none. The result fits wherever a `Doc` is expected, such as in `summary`. For a page
    /// on the web, `fetch` returns the same text.
    ///
    /// Incomplete HTML is completed as in a browser, and scripts are not run. A page that is larger
    /// than 16 MiB or takes too much time or memory is an error of kind `invalid_input`.
    pub(super) struct Infer {
        /// The page, as HTML.
        page: Text,
        /// The address of the page. By default the one that the page gives for itself.
        url: Option<Text> = None,
        /// The share of letters in links above which a list or a box is not part of the article.
        #[tune]
        #[range(0.1..=0.9)]
        link_density: f64 = 0.5,
        /// The minimum number of letters of a paragraph that counts.
        #[tune]
        #[range(5..=200)]
        min_text: i64 = 25,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Article::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "main content of an html page",
        "article text of html without menus and ads",
        "reader view of a saved web page",
        "strip the boilerplate from html",
        "who wrote an html article and when",
        "readability of a page, like mozilla or trafilatura",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The article of a page",
            r#""<title>Caps</title><nav><a href='/'>Home</a></nav><p>A cap is <b>kept</b>.</p>" >> article >> { title: .title, text: .text }"#,
            r#"{"title":"Caps","text":"A cap is kept."}"#,
        ),
        Example::ok(
            "What the page declares",
            r#""<html lang=en><meta name=author content='Ann Lee'><meta property='article:published_time' content='2024-02-03'><p>Text." >> article(url: "https://a.example/x") >> { path: .path, author: .author, published: .published, language: .language }"#,
            r#"{"path":"https://a.example/x","author":"Ann Lee","published":"2024-02-03","language":"en"}"#,
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let min_text = usize::try_from(self.min_text).unwrap_or_default();
        let rules = ArticleRules { link_density: self.link_density, min_text };
        let read = extract::web_page(&self.page, rules, &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let WebPage { metadata, text } = read.map_err(|why| why.error("the page"))?;
        let Metadata { title, author, published, language, site, address } = metadata;
        let said = |it: Option<String>| it.map(Text::from);
        let url = self.url.or_else(|| said(address)).unwrap_or_default();
        let article = Article {
            id: url.clone(),
            title: title.unwrap_or_default().into(),
            path: url,
            text: text.into(),
            author: said(author),
            published: said(published),
            language: said(language),
            site: said(site),
        };
        Ok(article.encode())
    }
}
