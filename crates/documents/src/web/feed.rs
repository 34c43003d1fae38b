//! Feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom and JSON Feed.

use serde_json::Value as Json;
use svc_contract::{host::address::Address, value::Value};

use super::xml::{Piece, decoded, walk};
use crate::{html::fragment, meta::Meta};

/// A feed as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    pub title: String,
    /// In the order of the feed.
    pub entries: Vec<Entry>,
    /// Whether there are more entries than were wanted.
    pub has_more: bool,
    /// Why the rest of a damaged feed is missing.
    pub damage: Option<String>,
}

/// An entry of a feed. What it does not say is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub title: String,
    /// The complete address of its page.
    pub link: String,
    /// The content, or else the summary, without markup.
    pub text: String,
    /// When it was published, or else updated.
    pub published: String,
    pub author: String,
}

impl Entry {
    /// What it says about itself, as the metadata of a document.
    pub fn meta(&self) -> Value {
        let mut meta = Meta::new();
        meta.date("published", Some(&self.published));
        meta.text("author", Some(&self.author));
        meta.end()
    }
}

/// Reads the first `most` entries of a feed, which was read from `url`.
pub fn feed(
    content: &[u8],
    media_type: &str,
    url: &str,
    most: usize,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Feed, String> {
    let text = decoded(content, media_type);
    let begin = text.trim_start();
    if begin.starts_with('{') {
        return of_json(begin, url, most, is_stopped);
    }
    if !begin.starts_with('<') {
        return Err("it is not a feed of RSS, Atom or JSON".to_owned());
    }
    let mut reading = Reading::new(url, most, is_stopped);
    let read = walk(begin, is_stopped, &mut |depth, piece| reading.take(depth, piece));
    let mut feed = reading.feed;
    match (reading.kind, read) {
        (Kind::None, _) => Err("it is not a feed of RSS, Atom or JSON".to_owned()),
        (_, Err(why)) if feed.entries.is_empty() => Err(why),
        (_, read) => {
            feed.damage = read.err();
            Ok(feed)
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Rss,
    /// RSS 1.0, whose items are not in the channel.
    Rdf,
    Atom,
}

struct Reading<'a> {
    kind: Kind,
    feed: Feed,
    most: usize,
    base: Option<Address>,
    entry: Option<Draft>,
    /// The names of the open elements, and their attributes `type`.
    open: Vec<(String, String)>,
    is_stopped: &'a dyn Fn() -> bool,
}

/// An entry as far as it was read, with all that may become its text.
#[derive(Default)]
struct Draft {
    entry: Entry,
    depth: usize,
    content: String,
    summary: String,
    described: String,
    guid: String,
    updated: String,
}

impl<'a> Reading<'a> {
    fn new(url: &str, most: usize, is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self {
            kind: Kind::None,
            feed: Feed::default(),
            most,
            base: Address::read(url).ok(),
            entry: None,
            open: Vec::new(),
            is_stopped,
        }
    }

    /// Takes a piece, and returns whether more are wanted.
    fn take(&mut self, depth: usize, piece: Piece<'_>) -> bool {
        match piece {
            Piece::Start { name, attributes } => self.start(depth, name, &attributes),
            Piece::End { name, text, source } => {
                self.end(depth, name, &text, source);
                true
            }
        }
    }

    fn start(&mut self, depth: usize, name: &str, attributes: &[(String, String)]) -> bool {
        let get = |name: &str| attributes.iter().find(|(it, _)| it == name).map(|it| it.1.as_str());
        self.open.truncate(depth);
        let media = get("type").unwrap_or_default().to_ascii_lowercase();
        self.open.push((name.to_owned(), media));
        if depth == 0 {
            self.kind = match name {
                "rss" => Kind::Rss,
                "RDF" => Kind::Rdf,
                "feed" => Kind::Atom,
                _ => Kind::None,
            };
        }
        if let Some(base) = get("xml:base")
            && depth < 2
        {
            self.base = self.base.take().map(|it| it.join(base).unwrap_or(it));
        }
        if self.entry.is_none() && self.is_entry(depth, name) {
            if self.feed.entries.len() >= self.most {
                self.feed.has_more = true;
                return false;
            }
            let guid = get("rdf:about").or(get("about")).unwrap_or_default().to_owned();
            self.entry = Some(Draft { depth, guid, ..Draft::default() });
        }
        if name == "link"
            && let Some(href) = get("href")
        {
            self.link(depth, href, get("rel").unwrap_or("alternate"));
        }
        self.kind != Kind::None
    }

    fn is_entry(&self, depth: usize, name: &str) -> bool {
        match self.kind {
            Kind::Rss => name == "item" && depth <= 2,
            Kind::Rdf => name == "item" && depth == 1,
            Kind::Atom => name == "entry" && depth == 1,
            Kind::None => false,
        }
    }

    fn link(&mut self, depth: usize, href: &str, rel: &str) {
        let link = absolute(self.base.as_ref(), href);
        let Some(draft) = self.entry.as_mut().filter(|it| it.depth + 1 == depth) else { return };
        if rel == "alternate" && draft.entry.link.is_empty() {
            draft.entry.link = link;
        }
    }

    fn end(&mut self, depth: usize, name: &str, text: &str, source: &str) {
        let open = |depth: usize| self.open.get(depth).map(|it| (it.0.as_str(), it.1.as_str()));
        let outer = depth.checked_sub(1).and_then(open).map_or("", |it| it.0);
        let is_channel = matches!(outer, "channel" | "feed");
        let media = open(depth).map_or("", |it| it.1);
        let Some(draft) = self.entry.as_mut() else {
            if name == "title" && is_channel && self.feed.title.is_empty() {
                self.feed.title = plain(text, self.is_stopped);
            }
            return;
        };
        if depth == draft.depth {
            let draft = self.entry.take();
            let finished = draft.map(|it| it.finish(self.base.as_ref(), self.is_stopped));
            self.feed.entries.extend(finished);
            return;
        }
        let is_own = depth == draft.depth + 1;
        let inner = || if media == "xhtml" { source.to_owned() } else { text.to_owned() };
        let is_plain = self.kind == Kind::Atom && matches!(media, "" | "text" | "text/plain");
        let markup = || if is_plain { escaped(text) } else { inner() };
        let set = |field: &mut String, value: String| {
            if field.is_empty() {
                *field = value;
            }
        };
        match name {
            "title" if is_own => set(&mut draft.entry.title, plain(&markup(), self.is_stopped)),
            "link" if is_own && !text.trim().is_empty() => {
                set(&mut draft.entry.link, absolute(self.base.as_ref(), text));
            }
            "guid" | "id" if is_own => text.trim().clone_into(&mut draft.guid),
            "content" | "content:encoded" if is_own => set(&mut draft.content, markup()),
            "description" | "summary" if is_own => set(&mut draft.summary, markup()),
            "pubDate" | "published" | "dc:date" if is_own => {
                text.trim().clone_into(&mut draft.entry.published);
            }
            "updated" if is_own => text.trim().clone_into(&mut draft.updated),
            "author" if is_own && self.kind != Kind::Atom => {
                set(&mut draft.entry.author, author_of(text));
            }
            "dc:creator" if is_own => set(&mut draft.entry.author, author_of(text)),
            "name" if outer == "author" && depth == draft.depth + 2 => {
                set(&mut draft.entry.author, author_of(text));
            }
            "media:description" | "itunes:summary" | "dc:description" => {
                set(&mut draft.described, text.to_owned());
            }
            _ => {}
        }
    }
}

impl Draft {
    fn finish(self, base: Option<&Address>, is_stopped: &dyn Fn() -> bool) -> Entry {
        let Self { mut entry, content, summary, described, guid, updated, .. } = self;
        if entry.published.is_empty() {
            entry.published = updated;
        }
        let texts = [content, summary, described];
        let texts = texts.iter().map(|it| text_of(it, is_stopped));
        entry.text = texts.into_iter().find(|it| !it.is_empty()).unwrap_or_default();
        // An identifier that is an address is also the link of feeds that have no other.
        if entry.link.is_empty() && guid.starts_with("http") {
            entry.link = absolute(base, &guid);
        }
        entry.id = guid;
        entry
    }
}

/// The name of an author: RSS has it after an address, `ada@a.example (Ada Lovelace)`.
fn author_of(text: &str) -> String {
    let text = text.trim();
    let name = text.strip_suffix(')').and_then(|it| it.split_once('(')).map(|it| it.1.trim());
    name.filter(|it| !it.is_empty()).unwrap_or(text).to_owned()
}

/// The complete address of a reference, or the reference if it has none.
fn absolute(base: Option<&Address>, reference: &str) -> String {
    let reference = reference.trim();
    let joined = match base {
        Some(base) => base.join(reference),
        None => Address::read(reference),
    };
    joined.map_or_else(|_| reference.to_owned(), |it| it.to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The text of what may be HTML.
fn text_of(html: &str, is_stopped: &dyn Fn() -> bool) -> String {
    if !html.contains(['<', '&']) {
        return html.trim().to_owned();
    }
    fragment(html, is_stopped).unwrap_or_default().trim().to_owned()
}

/// The text of what may be HTML, on one line.
fn plain(html: &str, is_stopped: &dyn Fn() -> bool) -> String {
    text_of(html, is_stopped).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn of_json(
    text: &str,
    url: &str,
    most: usize,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Feed, String> {
    let json: Json = serde_json::from_str(text).map_err(|err| format!("invalid JSON: {err}"))?;
    let is_feed = json["version"].as_str().is_some_and(|it| it.contains("jsonfeed.org"));
    let Some(items) = json["items"].as_array().filter(|_| is_feed) else {
        return Err("it is not a feed of RSS, Atom or JSON".to_owned());
    };
    let base = Address::read(url).ok();
    let words = |item: &Json, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let entry = |item: &Json| {
        let id = match &item["id"] {
            Json::Number(number) => number.to_string(),
            _ => words(item, "id"),
        };
        let link = ["url", "external_url"].map(|it| words(item, it));
        let link = link.into_iter().find(|it| !it.is_empty());
        let html = text_of(&words(item, "content_html"), is_stopped);
        let texts = [html, words(item, "content_text"), words(item, "summary")];
        Entry {
            id,
            title: words(item, "title"),
            link: link.map_or_else(String::new, |it| absolute(base.as_ref(), &it)),
            text: texts.into_iter().find(|it| !it.is_empty()).unwrap_or_default(),
            published: ["date_published", "date_modified"]
                .map(|it| words(item, it))
                .into_iter()
                .find(|it| !it.is_empty())
                .unwrap_or_default(),
            author: words(&item["authors"][0], "name"),
        }
    };
    Ok(Feed {
        title: words(&json, "title"),
        entries: items.iter().take(most).map(entry).collect(),
        has_more: items.len() > most,
        damage: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &str) -> Result<Feed, String> {
        feed(content.as_bytes(), "", "https://a.example/blog/feed.xml", 100, &|| false)
    }

    /// The entries of feedparser 6.0, by `feed_cases.py`.
    #[test]
    fn entries_are_those_of_feedparser() {
        let cases: Json = serde_json::from_str(include_str!("feed_cases.json")).unwrap();
        for case in cases.as_array().unwrap() {
            let read = of(case["feed"].as_str().unwrap()).unwrap();
            let name = &case["name"];
            assert_eq!(Json::from(read.title), case["title"], "{name}");
            let entries = read.entries.into_iter().map(|it| {
                serde_json::json!({ "id": it.id, "title": it.title, "link": it.link, "text": it.text })
            });
            assert_eq!(entries.collect::<Json>(), case["entries"], "{name}");
        }
    }

    #[test]
    fn json_feeds_are_read() {
        let read = of(r#"{"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [
            {"id": 7, "url": "/seven", "title": "Seven", "content_html": "<p>a <b>b</b>"},
            {"id": "8", "external_url": "https://b.example/8", "summary": "short"}]}"#)
        .unwrap();
        let all: Vec<_> =
            read.entries.iter().map(|it| [&it.id, &it.title, &it.link, &it.text]).collect();
        assert_eq!(
            all,
            [
                ["7", "Seven", "https://a.example/seven", "a b"],
                ["8", "", "https://b.example/8", "short"],
            ]
        );
        assert!(of(r#"{"version": 1}"#).unwrap_err().contains("not a feed"));
        assert!(of("{").unwrap_err().contains("invalid JSON"));
    }

    #[test]
    fn a_damaged_feed_has_its_first_entries() {
        let begin = "<rss><channel><item><title>one</title></item><item><title>two";
        let read = of(begin).unwrap();
        assert_eq!((read.entries.len(), read.entries[0].title.as_str()), (1, "one"));
        assert_eq!(read.damage.as_deref(), Some("it ends before its last element"));
        for other in ["<html><p>x", "", "words", "<?xml version='1.0'?>", "\0\0", "[1]"] {
            assert!(of(other).is_err(), "{other:?}");
        }
    }

    #[test]
    fn hostile_feeds_end() {
        let deep = format!("<rss><channel>{}", "<item>".repeat(100_000));
        assert!(of(&deep).unwrap_err().contains("nested"));
        let bomb = format!(
            "<!DOCTYPE x [<!ENTITY a \"{}\"><!ENTITY b \"&a;&a;\">]><rss><channel><item><title>&b;</title></item></channel></rss>",
            "lol".repeat(1_000)
        );
        assert_eq!(of(&bomb).unwrap().entries[0].title, "&b;");
        let names = format!(
            "<rss><channel {}><title>t</title></channel></rss>",
            (0..50_000).map(|it| format!("a{it}=''")).collect::<Vec<_>>().join(" ")
        );
        assert_eq!(of(&names).unwrap().title, "t");
        let most =
            feed(b"<rss><channel><item/><item/></channel></rss>", "", "", 1, &|| false).unwrap();
        assert!(most.has_more && most.entries.len() == 1);
    }

    #[test]
    fn encodings_are_those_that_are_declared() {
        let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?><rss><channel><title>caf\xe9</title></channel></rss>";
        assert_eq!(feed(xml, "", "", 1, &|| false).unwrap().title, "caf\u{e9}");
        let utf8 = "<rss><channel><title>caf\u{e9}</title></channel></rss>".as_bytes();
        assert_eq!(
            feed(utf8, "text/xml; charset=\"utf-8\"", "", 1, &|| false).unwrap().title,
            "caf\u{e9}"
        );
    }
}
