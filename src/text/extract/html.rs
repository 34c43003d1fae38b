//! HTML (the WHATWG standard, by html5ever): the text that a reader sees.

use scraper::{Html, Node, node::Element};

use super::{Document, LARGEST_FILE, Sink, last_name, plain, tags};
use crate::value::units::show_size;

/// The most bytes of HTML. Its tree takes many times the memory of the text.
const LARGEST: u64 = LARGEST_FILE / 4;

/// The most elements open at once; browsers stop at 512.
const DEEPEST: usize = 1_000;

/// Elements whose content is no text of the page.
const UNSEEN: &[&str] = &[
    "head", "script", "style", "noscript", "template", "nav", "svg", "math", "iframe", "object",
    "audio", "video", "canvas", "select", "textarea", "button",
];

/// Elements that stand apart from what is around them.
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

/// Elements that begin a line.
const LINES: &[&str] = &["br", "dd", "dt", "li", "tr"];

/// One file as one document, whose range is the whole file.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) {
    let end = content.len() as u64;
    if end > LARGEST {
        sink.notice(None, format!("skipped: it is larger than {}", show_size(LARGEST)));
        return;
    }
    let Some(decoded) = plain::decode(content, sink) else { return };
    if tags::nest_deeper_than(DEEPEST, &decoded.text) {
        sink.notice(None, format!("skipped: more than {DEEPEST} elements nest in each other"));
        return;
    }
    let html = Html::parse_document(&decoded.text);
    let text = visible_text(&html);
    if text.is_empty() {
        sink.notice(None, "skipped: it shows no text".to_owned());
        return;
    }
    let title = title(&html).unwrap_or_else(|| last_name(name));
    sink.document(Document { id: name.to_owned(), title, text, start: 0, end });
}

/// The document's title, or its first heading of the first level.
fn title(html: &Html) -> Option<String> {
    let of = |wanted: &str, parent: Option<&str>| {
        html.tree
            .nodes()
            .filter(|it| it.value().as_element().is_some_and(|it| it.name() == wanted))
            .filter(|it| {
                let above = it.parent().and_then(|it| it.value().as_element().map(Element::name));
                parent.is_none_or(|parent| above == Some(parent))
            })
            .map(|it| {
                let texts = it.descendants().filter_map(|it| it.value().as_text());
                one_line(&texts.map(|it| &**it).collect::<Vec<_>>().concat())
            })
            .find(|it| !it.is_empty())
    };
    of("title", Some("head")).or_else(|| of("h1", None))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text in the order of the page. Goes from node to node without recursion.
fn visible_text(html: &Html) -> String {
    let mut page = Page::default();
    let mut node = html.tree.root();
    loop {
        let goes_in = page.enter(node.value());
        if let Some(child) = node.first_child().filter(|_| goes_in) {
            node = child;
            continue;
        }
        page.leave(node.value());
        while node.next_sibling().is_none() {
            let Some(parent) = node.parent() else { return page.text };
            page.leave(parent.value());
            node = parent;
        }
        let Some(next) = node.next_sibling() else { return page.text };
        node = next;
    }
}

/// The text so far, and what is due before the next word.
#[derive(Default)]
struct Page {
    text: String,
    gap: Gap,
    /// How many `pre` are open: there, white space stays as it is.
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
    /// Begins a node and says whether what is in it is to be seen.
    fn enter(&mut self, node: &Node) -> bool {
        match node {
            Node::Text(text) => self.write(text),
            Node::Element(it) => {
                self.verbatim += usize::from(it.name() == "pre");
                self.widen(gap(it));
                return !UNSEEN.contains(&it.name()) && it.attr("hidden").is_none();
            }
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: &Node) {
        let Some(it) = node.as_element() else { return };
        if it.name() == "pre" {
            self.verbatim = self.verbatim.saturating_sub(1);
        }
        self.widen(gap(it));
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
    }
}

/// What an element puts around itself.
fn gap(element: &Element) -> Gap {
    match element.name() {
        "td" | "th" => Gap::Space,
        name if LINES.contains(&name) => Gap::Line,
        name if BLOCKS.contains(&name) => Gap::Paragraph,
        _ => Gap::None,
    }
}
