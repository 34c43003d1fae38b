//! Elements of HTML by CSS selectors, by scraper.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use ego_tree::iter::Edge;
use scraper::{ElementRef, Html, Node, Selector, error::SelectorErrorKind};
use svc_contract::{
    host::Host,
    value::{Record, Text, Value, units::show_size},
};

use super::{LARGEST_FILE, Unreadable, html, worker};

/// The size limit of the elements together, in bytes: one may contain others, which contain others.
const LARGEST_ANSWER: usize = 64 << 20;

/// The maximum length of a selector.
const LONGEST_SELECTOR: usize = 4 << 10;

/// Why a text is not a CSS selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSelector(&'static str);

impl fmt::Display for BadSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Tests a selector, which [`elements`] expects to be one.
pub fn selector(css: &str) -> Result<(), BadSelector> {
    if css.len() > LONGEST_SELECTOR {
        return Err(BadSelector("it is too long"));
    }
    parsed(css).map(drop)
}

fn parsed(css: &str) -> Result<Selector, BadSelector> {
    Selector::parse(css).map_err(|err| {
        BadSelector(match err {
            SelectorErrorKind::EndOfLine => "it ends too early",
            SelectorErrorKind::TooManyNestedBlocks => "it is nested too deeply",
            SelectorErrorKind::ExpectedColonOnPseudoElement
            | SelectorErrorKind::ExpectedIdentityOnPseudoElement => {
                "unknown pseudo-class or pseudo-element"
            }
            _ => "it has a part that is not CSS, or is not supported",
        })
    })
}

/// Returns the elements that a selector matches, in the order of the page: each as a record of its
/// `text`, its `html`, and an object of its `attributes`.
pub fn elements(
    page: &str,
    css: &str,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Value, Unreadable> {
    if page.len() as u64 > LARGEST_FILE {
        let why = format!("it is larger than {}", show_size(LARGEST_FILE));
        return Err(Unreadable::Damaged(why));
    }
    let wanted = Value::text(css);
    worker::read_value(worker::Reader::Elements, page.as_bytes(), &wanted, host, is_stopped)
}

/// Finds elements.
///
/// A page of a few bytes can take any time and produce a tree of any size: call this in a worker
/// only.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let read = catch_unwind(AssertUnwindSafe(|| read(content, wanted)));
    let damaged = "it is too damaged to be read";
    read.unwrap_or_else(|_| Err(Unreadable::Damaged(damaged.to_owned())))
}

fn read(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let damaged = |why: String| Unreadable::Damaged(why);
    let selector = parsed(wanted.as_str().unwrap_or_default());
    let selector = selector.map_err(|why| damaged(format!("the selector is invalid: {why}")))?;
    let page = std::str::from_utf8(content).map_err(|err| damaged(err.to_string()))?;
    let page = Html::parse_document(page);
    let (mut found, mut size) = (Vec::new(), 0);
    for element in page.select(&selector) {
        let html = element.html();
        let text = visible_text(element);
        size += html.len() + text.len();
        if size > LARGEST_ANSWER {
            let limit = show_size(LARGEST_ANSWER as u64);
            return Err(damaged(format!("its elements are together larger than {limit}")));
        }
        let fields = [
            ("text", Value::from(text)),
            ("html", html.into()),
            ("attributes", attributes(element)),
        ];
        found.push(Value::Record(
            fields.into_iter().map(|(name, it)| (Text::from(name), it)).collect::<Record>(),
        ));
    }
    Ok(found.into())
}

fn attributes(element: ElementRef<'_>) -> Value {
    let all = element.value().attrs().map(|(name, it)| (Text::from(name), Value::text(it)));
    Value::Record(all.collect::<Record>())
}

/// The words in an element, with one space between them. The content of scripts and styles is not
/// text, unless it was requested.
fn visible_text(element: ElementRef<'_>) -> String {
    let (mut text, mut unseen) = (String::new(), 0_usize);
    // The length of the text at the end of the previous link: menus stand without spaces.
    let mut link_end = None;
    for edge in element.traverse() {
        let (node, opens) = match edge {
            Edge::Open(node) => (node, true),
            Edge::Close(node) => (node, false),
        };
        match node.value() {
            Node::Text(it) if opens && unseen == 0 => text.push_str(it),
            Node::Element(it) if node.id() != element.id() => {
                let is_link = it.name() == "a";
                if html::separates(it.name()) || is_link && opens && link_end == Some(text.len()) {
                    text.push(' ');
                }
                if is_link && !opens {
                    link_end = Some(text.len());
                }
                if matches!(it.name(), "script" | "style") {
                    unseen = if opens { unseen + 1 } else { unseen.saturating_sub(1) };
                }
            }
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
