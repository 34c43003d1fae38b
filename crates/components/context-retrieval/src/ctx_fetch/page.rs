//! `fetch`: one page as a document.

use std::io;

use futures_util::StreamExt as _;
use svc_contract::{
    host::{
        self,
        http::{self, Request, Response},
    },
    registry::{
        Cx, Effect, ErrorKind, Example, Field, HintId, Io, Op, OpError, Scheme, Scope, Size,
        documents::Doc, params,
    },
    value::{Text, Value, units},
};
use svc_documents::{self as extract, Document, Sink};

params! {
    /// Reads a web page as a document: its title, and its text without markup.
    ///
    /// Reads HTML, Markdown, PDF, and any other kind of text as it is; the media type of the page
    /// determines its format and encoding. The text of HTML is that of the article, or all visible
    /// text if there is none. Up to 5 redirects are followed; `id` and `path` of the
    /// document are the final address.
    ///
    /// Only addresses on the public internet are allowed: those of this machine, of private
    /// networks and similar ones are refused with `denied`, also if a name or a redirect leads to
    /// one.
    ///
    /// Fails with `not_found`, `denied`, `rate_limit` or `unavailable` depending on the status of
    /// the server, with `unsupported` if the page has no text, and with `invalid_input` for an
    /// invalid address or a page larger than `max_size`.
    pub(super) struct Infer {
        /// The address, with `http://` or `https://`.
        url: Text,
        /// The maximum size of the page.
        max_size: Size = Size(5 << 20),
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Doc::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Web("url"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "fetch a web page",
        "download an article from a url",
        "read a website",
        "the text behind a link",
        "open an https address",
        "load a page over http",
        "scrape the readable text of a site, blog or webpage",
        "what a site says",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The text of a page",
            r#"fetch(url: "https://example.com/caps") >> { title: .title, text: .text }"#,
            r#"{"title":"Caps","text":"A cap is kept."}"#,
        )
        .answered(&[], &["<html><title>Caps</title><body><p>A cap is <b>kept</b>."]),
        Example::ok(
            "Several pages for a prompt",
            r#"["https://a.example", "https://b.example"] >> each { fetch } >> docs_to_text"#,
            r#""[1] a.example (https://a.example/)\nOne.\n\n[2] b.example (https://b.example/)\nTwo.""#,
        )
        .answered(&[], &["One.", "Two."]),
        Example::err(
            "An address of this machine",
            r#"fetch(url: "http://127.0.0.1:8080/")"#,
            "cannot read `http://127.0.0.1:8080/`: `127.0.0.1` is this machine",
        ),
    ];
}

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let sent = http::follow(cx.host(), request(&self.url, ACCEPT)).await;
        let (url, page) = sent.map_err(|err| unreachable(&self.url, err))?;
        let Loaded { media_type, content } = load(cx, &url, page, self.max_size).await?;
        let watch = cx.clone();
        // A large page takes too long to read on a thread that other tasks need.
        let reading = tokio::task::spawn_blocking(move || doc(&watch, &url, &media_type, content));
        let doc =
            reading.await.map_err(|err| OpError::bug("reading a page panicked").because(err))?;
        doc.map(Field::encode)
    }
}

pub(super) const ACCEPT: &str = "text/html, text/markdown, text/*;q=0.9, */*;q=0.5";

/// The errors of reading something from the web.
pub(super) const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::Unsupported,
    ErrorKind::Denied,
    ErrorKind::RateLimit,
    ErrorKind::Unavailable,
    ErrorKind::Failed,
];

/// A request with the name of this program.
pub(super) fn request(url: &str, accept: &str) -> Request {
    let agent = concat!("svc/", env!("CARGO_PKG_VERSION"));
    Request::get(url).header("accept", accept).header("user-agent", agent)
}

/// A response that was read to its end.
pub(super) struct Loaded {
    pub(super) media_type: String,
    pub(super) content: Vec<u8>,
}

/// Reads a response that has the status of a success.
pub(super) async fn load(
    cx: &Cx,
    url: &str,
    page: Response,
    max_size: Size,
) -> Result<Loaded, OpError> {
    if !(200..300).contains(&page.status) {
        return Err(refused(url, &page));
    }
    if let Some(packed) = page.header("content-encoding").filter(|it| *it != "identity") {
        let message = format!("cannot read `{url}`: unsupported content encoding `{packed}`");
        return Err(OpError::new(ErrorKind::Unsupported, message));
    }
    let media_type = page.header("content-type").unwrap_or_default().to_owned();
    Ok(Loaded { media_type, content: content(cx, url, page, max_size).await? })
}

async fn content(
    cx: &Cx,
    url: &str,
    mut page: Response,
    max_size: Size,
) -> Result<Vec<u8>, OpError> {
    let mut content = Vec::new();
    while let Some(piece) = page.body.next().await {
        content.extend(piece.map_err(|err| unreachable(url, err))?);
        if content.len() as u64 > max_size.0 {
            let most = units::show_size(max_size.0);
            let message = format!("cannot read `{url}`: larger than {most}");
            return Err(OpError::invalid_input(message).help("raise `max_size`"));
        }
        cx.progress("bytes", content.len() as u64, None);
    }
    Ok(content)
}

/// The error for a page that cannot be reached.
pub(super) fn unreachable(url: &str, err: io::Error) -> OpError {
    let kind = match err.kind() {
        io::ErrorKind::InvalidInput => ErrorKind::InvalidInput,
        io::ErrorKind::InvalidData => ErrorKind::Failed,
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        _ => ErrorKind::Unavailable,
    };
    let error = OpError::new(kind, format!("cannot read `{url}`: {err}"));
    let error = match host::refused(&err) {
        Some(_) => error.help(HintId::AllowAddress),
        None => error,
    };
    error.because(err)
}

/// The error for a status that is not a success.
fn refused(url: &str, page: &Response) -> OpError {
    let status = page.status;
    let error = OpError::new(
        ErrorKind::of_status(status),
        format!("cannot read `{url}`: the server returned status {status}"),
    );
    match page.retry_after() {
        Some(wait) => error.retry_after(wait),
        None => error,
    }
}

/// The document of a page.
pub(super) fn doc(cx: &Cx, url: &str, media_type: &str, content: Vec<u8>) -> Result<Doc, OpError> {
    let mut page = Page { cx, url, document: None, why: None };
    let read = extract::page(url, media_type, content, cx.host(), &mut page);
    let Page { document, why, .. } = page;
    let Some(Document { title, text, meta, .. }) = document.filter(|_| read.is_ok()) else {
        let why = read.err().or(why).unwrap_or_else(|| "no text found".to_owned());
        let message = format!("cannot read `{url}`: {why}");
        return Err(OpError::new(ErrorKind::Unsupported, message));
    };
    let url: Text = url.into();
    let meta = Some(meta).filter(|it| !it.is_null());
    Ok(Doc { id: url.clone(), title: title.into(), path: url, text: text.into(), meta })
}

/// The document of a page, or why there is none.
struct Page<'a> {
    cx: &'a Cx,
    url: &'a str,
    document: Option<Document>,
    why: Option<String>,
}

impl Sink for Page<'_> {
    fn document(&mut self, document: Document) {
        self.document.get_or_insert(document);
    }

    fn notice(&mut self, _: Option<u64>, message: String) {
        match message.strip_prefix("skipped: ") {
            Some(why) => self.why = Some(why.to_owned()),
            None => self.cx.notice(format!("`{}`: {message}", self.url)),
        }
    }

    fn is_stopped(&self) -> bool {
        self.cx.cancel.is_cancelled()
    }
}
