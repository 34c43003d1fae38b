//! Finds elements of a page by a CSS selector.

use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Field as _, Max, Op, OpError, Scheme, params,
        record,
    },
    value::{Text, Value},
};
use svc_documents as extract;

record! {
    /// An element of a page.
    struct Element {
        /// Its words, with one space between them.
        text: Text,
        /// The element with its tag, as HTML.
        html: Text,
        /// Its attributes, as an object of strings.
        attributes: Value,
    }
}

params! {
    /// Returns the elements of a page that a CSS selector matches, in the order of the page.
    ///
    /// Selectors are those of CSS level 4 without states of a browser: `table tr > td:nth-child(2)`,
    /// `a[href^="https"]`, `li:not(.old)`, `div:has(h2)`. No match is an empty list. An attribute is
    /// read by `.attributes >> at(path: "href")`. Incomplete HTML is completed as in a
    /// browser; a fragment without `html` and `body` is read as a page. Scripts are not run, and
    /// their content is not part of `text`.
    ///
    /// A text that is not a selector, and a page that takes too much time or memory, are errors of
    /// kind `invalid_input`. The page is read in a process of its own with limits.
    pub(super) struct Select {
        /// The page, as HTML.
        page: Text,
        /// The selector.
        css: Text,
    }
}

impl Op for Select {
    const NAME: &'static str = "select";
    const YIELDS: Scheme = Scheme::List(&Element::SCHEME, Max::Unknown);
    const CHECK: Option<CheckCall> = Some(|call| call.test("css", |it: Text| test_selector(&it)));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "find elements of a web page by css selector",
        "all links of an html page",
        "scrape the prices from a page",
        "text of every cell in an html table",
        "value of an attribute in html",
        "query selector all",
        "html elements with a certain class or id",
        "parse a webpage with selectors, like beautifulsoup",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The text of elements",
            r#""<ul><li>one</li><li class='x'>two <b>words</b></li></ul>" >> select_html(css: "li") >> each { .text }"#,
            r#"["one","two words"]"#,
        ),
        Example::ok(
            "An attribute",
            r#""<a href='/x'>X</a><a>no link</a>" >> select_html(css: "a[href]") >> each { .attributes >> at(path: "href") }"#,
            r#"["/x"]"#,
        ),
        Example::err(
            "Not a selector",
            r#""<p>x</p>" >> select_html(css: "p[")"#,
            "invalid selector `p[`",
        ),
    ];
}

impl Compute for Select {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        test_selector(&self.css)?;
        let found = extract::elements(&self.page, &self.css, cx.host(), &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        found.map_err(|why| why.error("the page"))
    }
}

fn test_selector(css: &str) -> Result<(), OpError> {
    extract::selector(css).map(drop).map_err(|why| {
        let css: String = css.chars().take(80).collect();
        OpError::invalid_input(format!("invalid selector `{css}`: {why}"))
            .help("write it as in CSS, for example `div.price > span`")
    })
}
