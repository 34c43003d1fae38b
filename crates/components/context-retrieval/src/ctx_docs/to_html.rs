//! Markdown as HTML.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Op, OpError, Scheme, params},
    value::{Text, Value},
};
use svc_documents as extract;

params! {
    /// Converts Markdown to HTML, as `CommonMark` 0.31.2 says.
    ///
    /// HTML in the Markdown stays as it is, scripts and addresses such as `javascript:` included: do
    /// not show the result of a foreign text in a browser. With `gfm`, tables, strikethrough and task
    /// lists are read as on GitHub; addresses without `<` and `>` stay text.
    ///
    /// A text that is larger than 16 MiB, whose HTML is larger than 64 MiB, or that takes too much time
    /// or memory is an error of kind `invalid_input`. A text of more than 16 KiB is read in a process
    /// of its own with limits.
    pub(super) struct ToHtml {
        /// The Markdown.
        markdown: Text,
        /// Whether to read tables, `~~strikethrough~~` and task lists.
        gfm: bool = false,
    }
}

impl Op for ToHtml {
    const NAME: &'static str = "to_html";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "render markdown as html",
        "convert a readme to a web page",
        "markdown to html",
        "html of a note written in md",
        "turn github markdown with tables into html",
        "publish markdown as a webpage",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A heading and a link",
            r##""# Caps\n\nSee [the *guide*](guide.md)." >> markdown_to_html"##,
            r#""<h1>Caps</h1>\n<p>See <a href=\"guide.md\">the <em>guide</em></a>.</p>\n""#,
        ),
        Example::ok(
            "A table",
            r#""| a |\n|---|\n| 1 |" >> markdown_to_html(gfm: true)"#,
            r#""<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>1</td></tr>\n</tbody></table>\n""#,
        ),
    ];
}

impl Compute for ToHtml {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let is_stopped = || cx.check().is_err();
        let html = extract::to_html(&self.markdown, self.gfm, cx.host(), &is_stopped);
        // If the call was cancelled, that is the failure.
        cx.check()?;
        Ok(html.map_err(|why| why.error("the Markdown"))?.into())
    }
}
