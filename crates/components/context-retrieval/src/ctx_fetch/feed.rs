//! `feed`: the entries of a feed.

use svc_contract::{
    host::{address::Address, http},
    registry::{
        Cx, Effect, ErrorKind, Example, Field as _, Io, Max, Op, OpError, Scheme, Scope, Size,
        documents::Doc, params,
    },
    value::{Text, Value},
};
use svc_documents::{self as extract, Entry};

use super::page::{ERRORS, Loaded, load, request, unreachable};

/// The largest feed.
const MAX_SIZE: Size = Size(16 << 20);

const ACCEPT: &str = "application/atom+xml, application/rss+xml, application/feed+json, \
                      application/xml;q=0.9, application/json;q=0.8, */*;q=0.5";

/// The number of letters of a title that is taken from the text.
const TITLE: usize = 80;

params! {
    /// Reads a feed of RSS, Atom or JSON Feed, and returns its entries as documents, in the order of
    /// the feed.
    ///
    /// `id` of a document is that of the entry, or its address if it has none, and `path` is the
    /// address of its page. `text` is the content of the entry, or else its summary, without markup;
    /// for the whole page, pass `path` to `fetch`. An entry without a title has the beginning of its
    /// text. If the feed has more entries than `max_items`, or is damaged after some, a notice says so.
    ///
    /// Addresses are checked like those of `fetch`, and the errors of the server are the same. A feed
    /// may have 16 MiB. What is not a feed is an error of kind `unsupported`; if it is a web page
    /// that names a feed, the help names the address.
    pub(super) struct ReadFeed {
        /// The address of the feed, with `http://` or `https://`.
        url: Text,
        /// The maximum number of entries.
        #[range(1..=500)]
        max_items: i64 = 50,
    }
}

impl Op for ReadFeed {
    const NAME: &'static str = "feed";
    const YIELDS: Scheme = Scheme::List(&Doc::SCHEME, Max::Arg("max_items"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Web("url"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "read an rss feed",
        "latest posts of a blog",
        "entries of an atom feed",
        "news from a feed",
        "episodes of a podcast feed",
        "subscribe to updates of a site over rss",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Entries of RSS",
            r#"feed(url: "https://example.com/feed") >> each { { title: .title, path: .path, text: .text } }"#,
            r#"[{"title":"Caps & bounds","path":"https://example.com/1","text":"A cap is kept."}]"#,
        )
        .answered(&[], &["<rss><channel><title>News</title><item><title>Caps &amp; bounds</title><link>/1</link><description>A cap is &lt;b&gt;kept&lt;/b&gt;.</description></item></channel></rss>"]),
        Example::ok(
            "The newest entries of Atom",
            r#"feed(url: "https://example.com/atom", max_items: 1) >> each { .id }"#,
            r#"["urn:2"]"#,
        )
        .answered(&[], &["<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>urn:2</id></entry><entry><id>urn:1</id></entry></feed>"]),
        Example::err(
            "A web page",
            r#"feed(url: "https://example.com/")"#,
            "cannot read `https://example.com/` as a feed: it is not a feed of RSS, Atom or JSON",
        )
        .answered(&[], &["<html><link rel=alternate type='application/rss+xml' href=/rss><p>Hello"]),
    ];
}

impl Io for ReadFeed {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let sent = http::follow(cx.host(), request(&self.url, ACCEPT)).await;
        let (url, answer) = sent.map_err(|err| unreachable(&self.url, err))?;
        let loaded = load(cx, &url, answer, MAX_SIZE).await?;
        let most = usize::try_from(self.max_items).unwrap_or(1);
        let watch = cx.clone();
        let reading = tokio::task::spawn_blocking(move || docs(&watch, &url, &loaded, most));
        reading.await.map_err(|err| OpError::bug("reading a feed panicked").because(err))?
    }
}

fn docs(cx: &Cx, url: &str, loaded: &Loaded, most: usize) -> Result<Value, OpError> {
    let Loaded { media_type, content } = loaded;
    let read = extract::feed(content, media_type, url, most, &|| cx.cancel.is_cancelled());
    cx.check()?;
    let feed = read.map_err(|why| {
        let message = format!("cannot read `{url}` as a feed: {why}");
        let error = OpError::new(ErrorKind::Unsupported, message);
        match named(content, url) {
            Some(feed) => error.help(format!("the page names its feed: `{feed}`")),
            None => error,
        }
    })?;
    if let Some(why) = &feed.damage {
        cx.notice(format!("`{url}`: the rest of the feed is missing: {why}"));
    }
    if feed.has_more {
        cx.notice(format!("`{url}`: the feed has more than {most} entries; the rest is left out"));
    }
    let docs = feed.entries.into_iter().map(|it| doc(it, url).encode());
    Ok(docs.collect::<Vec<_>>().into())
}

fn doc(entry: Entry, url: &str) -> Doc {
    let meta = Some(entry.meta()).filter(|it| !it.is_null());
    let Entry { id, title, link, text, .. } = entry;
    let path: Text = if link.is_empty() { url.into() } else { link.into() };
    let id = if id.is_empty() { path.clone() } else { id.into() };
    let title = if title.is_empty() { beginning(&text) } else { title };
    Doc { id, title: title.into(), path, text: text.into(), meta }
}

/// The first words of a text.
fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= TITLE {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

/// The feed that a web page names in its head.
fn named(content: &[u8], url: &str) -> Option<String> {
    let page = String::from_utf8_lossy(&content[..content.len().min(1 << 17)]);
    let link =
        page.split('<').filter(|it| it.get(..4).is_some_and(|it| it.eq_ignore_ascii_case("link")));
    let mut feeds = link.filter(|it| {
        ["application/rss+xml", "application/atom+xml", "application/feed+json"]
            .iter()
            .any(|media| it.contains(media))
    });
    let (_, after) = feeds.find_map(|it| it.split_once("href="))?;
    let mark = after.chars().next().filter(|it| matches!(it, '"' | '\''));
    let after = after.trim_start_matches(['"', '\'']);
    let end =
        after.find(|it: char| mark.map_or(it.is_whitespace() || it == '>', |mark| it == mark))?;
    let address = Address::read(url).and_then(|it| it.join(&after[..end]));
    address.ok().map(|it| it.to_string())
}
