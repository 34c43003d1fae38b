//! HTML (the WHATWG standard, by html5ever): the visible text of a page.

use std::io;

use svc_contract::value::units::show_size;

use super::{
    Document, LARGEST_FILE, Sink, Unreadable,
    article::{self, ArticleRules, Metadata},
    last_name,
    parse::{Stopped, parse},
    plain,
    tree::{Id, Seen, Tree},
};

/// The size limit of HTML, in bytes. Its tree takes many times the memory of the text.
const LARGEST: u64 = LARGEST_FILE / 4;

/// Elements whose content is not text of the page.
const UNSEEN: &[&str] = &[
    "head", "script", "style", "noscript", "template", "nav", "svg", "math", "iframe", "object",
    "audio", "video", "canvas", "select", "textarea", "button",
];

/// Elements that are separated from their environment.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "details",
    "dialog",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "ul",
];

/// Elements that start a line.
const LINES: &[&str] = &["br", "dd", "dt", "li", "tr"];

/// The article of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    pub metadata: Metadata,
    /// The text of the article; for a page without one, all visible text.
    pub text: String,
}

/// Reads the article of a page, and what the page says about itself.
pub fn web_page(
    page: &str,
    rules: ArticleRules,
    is_stopped: &dyn Fn() -> bool,
) -> Result<WebPage, Unreadable> {
    let html = tree(page, is_stopped)?;
    Ok(WebPage { metadata: article::metadata(&html), text: text(&html, rules) })
}

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLink {
    pub text: String,
    /// The address as the page has it, which may be relative.
    pub url: String,
}

/// Reads what a page says about itself, and its links in the order of the page.
pub fn page_metadata(
    page: &str,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(Metadata, Vec<PageLink>), Unreadable> {
    let html = tree(page, is_stopped)?;
    let link = |id: Id| {
        let is_link = matches!(html.name(id), Some("a" | "area"));
        let url = html.attribute(id, "href").filter(|_| is_link)?.trim();
        Some(PageLink { text: line_of(&html, id), url: url.to_owned() })
    };
    let links = html.ids().filter_map(link).collect();
    Ok((article::metadata(&html), links))
}

/// Parses a page within the limits of size, time and memory.
pub(super) fn tree(page: &str, is_stopped: &dyn Fn() -> bool) -> Result<Tree, Unreadable> {
    if page.len() as u64 > LARGEST {
        let why = format!("it is larger than {}", show_size(LARGEST));
        return Err(Unreadable::Damaged(why));
    }
    parse(page, is_stopped).map_err(|why| match why {
        Stopped::Time => {
            Unreadable::Unread(io::Error::new(io::ErrorKind::TimedOut, why.to_string()))
        }
        Stopped::Unwanted => Unreadable::Unread(io::ErrorKind::Interrupted.into()),
        limit => Unreadable::Damaged(format!("it is damaged: {limit}")),
    })
}

/// Extracts one file as one document, whose range is the whole file. An error means that there was
/// no time to read the file, and is not about its content.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) -> io::Result<()> {
    let end = content.len() as u64;
    if end > LARGEST {
        sink.notice(None, format!("skipped: it is larger than {}", show_size(LARGEST)));
        return Ok(());
    }
    let Some(decoded) = plain::decode(content, sink) else { return Ok(()) };
    let read = web_page(&decoded.text, ArticleRules::default(), &|| sink.is_stopped());
    let WebPage { metadata, text } = match read {
        Ok(page) => page,
        Err(why) => {
            sink.notice(None, format!("skipped: {}", why.io()?));
            return Ok(());
        }
    };
    if text.is_empty() {
        sink.notice(None, "skipped: no visible text".to_owned());
        return Ok(());
    }
    let meta = metadata.fields();
    let title = metadata.title.unwrap_or_else(|| last_name(name));
    sink.document(Document { id: name.to_owned(), title, text, start: 0, end, meta });
    Ok(())
}

/// The visible text of a piece of HTML, or nothing if it cannot be parsed within the limits.
#[cfg(feature = "web")]
pub fn fragment(html: &str, is_stopped: &dyn Fn() -> bool) -> Option<String> {
    let html = html.get(..html.floor_char_boundary(LARGEST.try_into().unwrap_or(usize::MAX)))?;
    parse(html, is_stopped).ok().map(|it| visible_text(&it))
}

/// Returns all texts in an element.
pub(super) fn texts(html: &Tree, root: Id) -> String {
    let mut texts = String::new();
    walk(html, root, |step| {
        if let Step::In(_, Seen::Text(text)) = step {
            texts.push_str(text);
        }
        true
    });
    texts
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text of the article of a page; for a page without one, all visible text.
fn text(html: &Tree, rules: ArticleRules) -> String {
    match article::article(html, rules) {
        Some(article) => {
            let mut page = Page::default();
            for root in article.roots {
                page.read(html, root, &article.dropped);
                page.widen(Gap::Paragraph);
            }
            page.text
        }
        None => visible_text(html),
    }
}

/// Returns the visible text of a part of a page as one line.
fn line_of(html: &Tree, root: Id) -> String {
    let mut page = Page::default();
    page.read(html, root, &[]);
    one_line(&page.text)
}

/// Returns the text in the order of the page.
fn visible_text(html: &Tree) -> String {
    let mut page = Page::default();
    page.read(html, html.ids().start, &[]);
    page.text
}

pub(super) enum Step<'a> {
    In(Id, Seen<'a>),
    Out(Id, Seen<'a>),
}

/// Visits all nodes without recursion. `take` returns whether to visit the children of a node.
pub(super) fn walk<'a>(html: &'a Tree, root: Id, mut take: impl FnMut(Step<'a>) -> bool) {
    let mut node = root;
    loop {
        let goes_in = take(Step::In(node, html.seen(node)));
        if let Some(child) = html.first(node).filter(|_| goes_in) {
            node = child;
            continue;
        }
        loop {
            take(Step::Out(node, html.seen(node)));
            if node == root {
                return;
            }
            if let Some(next) = html.next(node) {
                node = next;
                break;
            }
            let Some(parent) = html.parent(node) else { return };
            node = parent;
        }
    }
}

/// The text so far, and the gap before the next word.
#[derive(Default)]
pub(super) struct Page {
    pub(super) text: String,
    gap: Gap,
    /// The length of the text at the start of the current link.
    link_start: usize,
    /// Whether nothing was written since the end of a link. Menus have no spaces between links.
    is_after_link: bool,
    /// The number of open `pre` elements: inside them, white space is preserved.
    verbatim: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

impl Page {
    /// Writes what is visible below a node, without what was dropped.
    fn read(&mut self, html: &Tree, root: Id, dropped: &[bool]) {
        walk(html, root, |step| match step {
            Step::In(id, node) => !dropped.get(id).is_some_and(|it| *it) && self.enter(&node),
            Step::Out(id, node) => {
                if !dropped.get(id).is_some_and(|it| *it) {
                    self.leave(&node);
                }
                true
            }
        });
    }

    /// Enters a node and returns whether its content is visible.
    pub(super) fn enter(&mut self, node: &Seen) -> bool {
        match node {
            Seen::Text(text) => self.write(text),
            Seen::Element { name, is_hidden } => {
                self.verbatim += usize::from(*name == "pre");
                self.widen(gap(name));
                if *name == "a" {
                    self.enter_link();
                }
                return !UNSEEN.contains(name) && !is_hidden;
            }
            Seen::Other => {}
        }
        true
    }

    pub(super) fn leave(&mut self, node: &Seen) {
        let Seen::Element { name, .. } = node else { return };
        if *name == "pre" {
            self.verbatim = self.verbatim.saturating_sub(1);
        }
        self.widen(gap(name));
        self.is_after_link |= *name == "a" && self.text.len() > self.link_start;
    }

    fn enter_link(&mut self) {
        if self.is_after_link {
            self.widen(Gap::Space);
        }
        self.link_start = self.text.len();
    }

    fn widen(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn write(&mut self, text: &str) {
        if self.verbatim > 0 {
            self.push(text.trim_end());
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.widen(Gap::Space);
        }
        for word in text.split_whitespace() {
            self.push(word);
            self.gap = Gap::Space;
        }
        if self.gap == Gap::Space && !text.ends_with(char::is_whitespace) {
            self.gap = Gap::None;
        }
    }

    fn push(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        self.text.push_str(text);
        self.gap = Gap::None;
        self.is_after_link = false;
    }
}

/// Whether the text of an element is apart from that around it.
#[cfg(feature = "select")]
pub(super) fn separates(element: &str) -> bool {
    gap(element) != Gap::None
}

/// The gap around an element.
fn gap(element: &str) -> Gap {
    match element {
        "td" | "th" => Gap::Space,
        name if LINES.contains(&name) => Gap::Line,
        name if BLOCKS.contains(&name) => Gap::Paragraph,
        _ => Gap::None,
    }
}
