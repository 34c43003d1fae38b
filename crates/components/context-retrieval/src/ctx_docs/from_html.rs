//! HTML as Markdown.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Op, OpError, Scheme, params},
    value::{Text, Value},
};
use svc_documents as extract;

params! {
    /// Converts HTML to Markdown: headings, lists, tables, links, pictures, code, quotes and emphasis.
    ///
    /// All visible text of the page is kept; use `article` first for the article alone. The Markdown is
    /// `CommonMark` with tables, strikethrough and task lists as on GitHub, and characters that
    /// would be marks are escaped. A paragraph is one line. A cell over several rows or columns is in
    /// each of them. A table for layout, which has lists, headings or tables in its cells, or one
    /// column, is read as text. Quotes and lists in more than 50 others are not marked.
    ///
    /// Scripts, styles, forms, hidden parts and the `head` are left out, and so are addresses that
    /// begin with `javascript:` or are pictures themselves (`data:`). Incomplete HTML is completed
    /// as in a browser. Addresses stay as the page has them, which may be relative.
    ///
    /// A page that is larger than 16 MiB, whose Markdown is larger than 64 MiB, or that takes too much
    /// time or memory is an error of kind `invalid_input`.
    pub(super) struct FromHtml {
        /// The page, or a part of one.
        html: Text,
    }
}

impl Op for FromHtml {
    const NAME: &'static str = "from_html";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "convert html to markdown",
        "turn a web page into md",
        "markdown of an html page",
        "html to markdown like turndown or html2text",
        "keep headings and links of a page but drop the tags",
        "rewrite an html table as a markdown table",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Headings, lists and links",
            r#""<h2>Caps</h2><p>See <a href='/g'>the <b>guide</b></a>:<ul><li>one<li>two</ul>"
  >> html_to_markdown"#,
            r###""## Caps\n\nSee [the **guide**](/g):\n\n- one\n- two""###,
        ),
        Example::ok(
            "A table",
            r#""<table><tr><th>fruit<th>cost<tr><td>pear<td>2</table>" >> html_to_markdown"#,
            r#""| fruit | cost |\n| --- | --- |\n| pear | 2 |""#,
        ),
        Example::ok("Stars that are text", r#""<p>2*3*4" >> html_to_markdown"#, r#""2\\*3\\*4""#),
    ];
}

impl Compute for FromHtml {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let markdown = extract::from_html(&self.html, &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        Ok(markdown.map_err(|why| why.error("the page"))?.into())
    }
}
