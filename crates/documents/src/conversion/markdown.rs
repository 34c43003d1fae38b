//! Markdown as HTML, its headings and its links, by pulldown-cmark.

use std::{
    fmt,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
};

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, html};
use svc_contract::{
    host::Host,
    value::{Value, units::show_size},
};

use crate::{Unreadable, worker};

/// The size limit of Markdown, in bytes: that of HTML.
const LARGEST: usize = 16 << 20;

/// The size limit of the HTML, in bytes: a table may have many more cells than its text.
const LARGEST_ANSWER: usize = 64 << 20;

/// The size up to which Markdown is read in this process: whatever is in it, this takes
/// milliseconds.
const SMALL: usize = 16 << 10;

/// The maximum length of the text of a heading or link, in bytes.
const LONGEST_TEXT: usize = 500;

/// A heading of Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownHeading {
    /// From 1, the outermost, to 6.
    pub level: i64,
    /// Its words without marks, at most 500 bytes.
    pub text: String,
    /// Where it is in the text, in bytes.
    pub range: Range<i64>,
}

/// A link or a picture of Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownLink {
    /// Its words without marks, at most 500 bytes.
    pub text: String,
    pub url: String,
    pub title: String,
    pub is_image: bool,
    /// Where it is in the text, in bytes.
    pub range: Range<i64>,
}

/// What to read.
#[derive(Clone, Copy)]
enum Wanted {
    Html { gfm: bool },
    Headings,
    Links,
}

impl Wanted {
    fn encode(self) -> Value {
        Value::Int(match self {
            Self::Html { gfm: false } => 0,
            Self::Html { gfm: true } => 1,
            Self::Headings => 2,
            Self::Links => 3,
        })
    }

    fn decode(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Int(0) => Self::Html { gfm: false },
            Value::Int(1) => Self::Html { gfm: true },
            Value::Int(2) => Self::Headings,
            Value::Int(3) => Self::Links,
            _ => return None,
        })
    }
}

/// Converts Markdown to HTML: `CommonMark`, and with `gfm` tables, task lists and strikethrough.
pub fn to_html(
    markdown: &str,
    gfm: bool,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<String, Unreadable> {
    let found = read(markdown, Wanted::Html { gfm }, host, is_stopped)?;
    found.as_str().map(str::to_owned).ok_or_else(worker::invalid_answer)
}

/// Returns the headings of Markdown, without those in quotes and lists.
pub fn markdown_headings(
    markdown: &str,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<MarkdownHeading>, Unreadable> {
    let found = read(markdown, Wanted::Headings, host, is_stopped)?;
    let heading = |it: &Value| {
        let it = it.as_list()?;
        Some(MarkdownHeading {
            level: int(it.get(0)?)?,
            text: it.get(1)?.as_str()?.to_owned(),
            range: int(it.get(2)?)?..int(it.get(3)?)?,
        })
    };
    let all = found.as_list().and_then(|it| it.iter().map(heading).collect());
    all.ok_or_else(worker::invalid_answer)
}

/// Returns the links and pictures of Markdown in their order.
pub fn markdown_links(
    markdown: &str,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<MarkdownLink>, Unreadable> {
    let found = read(markdown, Wanted::Links, host, is_stopped)?;
    let link = |it: &Value| {
        let it = it.as_list()?;
        let text = |at: usize| Some(it.get(at)?.as_str()?.to_owned());
        Some(MarkdownLink {
            text: text(0)?,
            url: text(1)?,
            title: text(2)?,
            is_image: matches!(it.get(3)?, Value::Bool(true)),
            range: int(it.get(4)?)?..int(it.get(5)?)?,
        })
    };
    let all = found.as_list().and_then(|it| it.iter().map(link).collect());
    all.ok_or_else(worker::invalid_answer)
}

fn int(it: &Value) -> Option<i64> {
    match it {
        Value::Int(it) => Some(*it),
        _ => None,
    }
}

fn read(
    markdown: &str,
    wanted: Wanted,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Value, Unreadable> {
    if markdown.len() > LARGEST {
        let why = format!("it is larger than {}", show_size(LARGEST as u64));
        return Err(Unreadable::Damaged(why));
    }
    if markdown.len() <= SMALL {
        return guarded(markdown, wanted);
    }
    let reader = worker::Reader::Markdown;
    worker::read_value(reader, markdown.as_bytes(), &wanted.encode(), host, is_stopped)
}

/// Reads Markdown of any size: call this in a worker only.
pub(crate) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let damaged = |why: &str| Unreadable::Damaged(why.to_owned());
    let wanted = Wanted::decode(wanted).ok_or_else(|| damaged("unknown part"))?;
    let markdown = std::str::from_utf8(content).map_err(|err| damaged(&err.to_string()))?;
    guarded(markdown, wanted)
}

fn guarded(markdown: &str, wanted: Wanted) -> Result<Value, Unreadable> {
    let read = catch_unwind(AssertUnwindSafe(|| match wanted {
        Wanted::Html { gfm } => html_of(markdown, gfm).map(Value::from),
        Wanted::Headings => Ok(headings(markdown)),
        Wanted::Links => links(markdown),
    }));
    let damaged = "it is too damaged to be read";
    read.unwrap_or_else(|_| Err(Unreadable::Damaged(damaged.to_owned())))
}

fn html_of(markdown: &str, gfm: bool) -> Result<String, Unreadable> {
    let options = if gfm {
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
    } else {
        Options::empty()
    };
    let mut out = Limited(String::with_capacity(markdown.len() + markdown.len() / 2));
    html::write_html_fmt(&mut out, Parser::new_ext(markdown, options)).map_err(|_| {
        let limit = show_size(LARGEST_ANSWER as u64);
        Unreadable::Damaged(format!("its HTML is larger than {limit}"))
    })?;
    Ok(out.0)
}

/// A text that fails when it becomes too large.
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LARGEST_ANSWER {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// What is read where only parts of a document are wanted: front matter is none of them.
fn parts(markdown: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    Parser::new_ext(markdown, options).into_offset_iter()
}

fn headings(markdown: &str) -> Value {
    let (mut found, mut depth, mut open) = (Vec::new(), 0_usize, None);
    for (event, range) in parts(markdown) {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                open = Some((i64::from(level as u8), String::new(), range));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, text, range)) = open.take() {
                    let (start, end) = (place(range.start), place(trimmed(markdown, &range)));
                    found.push(Value::from(vec![level.into(), short(&text).into(), start, end]));
                }
            }
            other => {
                if let Some((_, text, _)) = &mut open {
                    add(&other, text);
                }
            }
        }
    }
    Value::List(found.into())
}

/// The end of a range without the white space at its end.
fn trimmed(markdown: &str, range: &Range<usize>) -> usize {
    let text = markdown.get(range.clone()).unwrap_or_default();
    range.start + text.trim_end().len()
}

/// A link whose end was not read yet.
struct Open {
    /// Its place in the result.
    at: usize,
    /// Where its text starts in that of all links.
    start: usize,
}

fn links(markdown: &str) -> Result<Value, Unreadable> {
    let (mut found, mut open): (Vec<(Value, String)>, Vec<Open>) = (Vec::new(), Vec::new());
    let (mut text, mut size) = (String::new(), 0);
    for (event, range) in parts(markdown) {
        let is_image = matches!(event, Event::Start(Tag::Image { .. }));
        match event {
            Event::Start(
                Tag::Link { link_type, dest_url, title, .. }
                | Tag::Image { link_type, dest_url, title, .. },
            ) => {
                let is_mail = link_type == LinkType::Email;
                let url =
                    if is_mail { format!("mailto:{dest_url}") } else { dest_url.into_string() };
                // A definition may be long, and be used often.
                size += url.len() + title.len() + LONGEST_TEXT;
                if size > LARGEST_ANSWER {
                    let limit = show_size(LARGEST_ANSWER as u64);
                    let why = format!("its links are together larger than {limit}");
                    return Err(Unreadable::Damaged(why));
                }
                open.push(Open { at: found.len(), start: text.len() });
                let (start, end) = (place(range.start), place(range.end));
                let fields = vec![url.into(), title.as_ref().into(), is_image.into(), start, end];
                found.push((Value::from(fields), String::new()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(Open { at, start }) = open.pop() {
                    found[at].1 = short(text.get(start..).unwrap_or_default());
                }
                if open.is_empty() {
                    text.clear();
                }
            }
            other if !open.is_empty() => add(&other, &mut text),
            _ => {}
        }
    }
    let link = |(fields, text): (Value, String)| {
        let fields = fields.as_list().into_iter().flat_map(|it| it.iter().cloned());
        Value::from(std::iter::once(text.into()).chain(fields).collect::<Vec<Value>>())
    };
    Ok(Value::List(found.into_iter().map(link).collect()))
}

/// Adds the text of a part.
fn add(event: &Event<'_>, text: &mut String) {
    match event {
        Event::Text(it) | Event::Code(it) => text.push_str(it),
        Event::SoftBreak | Event::HardBreak => text.push(' '),
        _ => {}
    }
}

/// The words of a text on one line, cut to the maximum length.
fn short(text: &str) -> String {
    // Enough for the words, whatever is between them in the rest.
    let start = &text[..text.floor_char_boundary(4 * LONGEST_TEXT)];
    let line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= LONGEST_TEXT && start.len() == text.len() {
        return line;
    }
    let room = LONGEST_TEXT - "…".len();
    format!("{}…", line[..line.floor_char_boundary(room)].trim_end())
}

fn place(at: usize) -> Value {
    Value::Int(i64::try_from(at).unwrap_or(i64::MAX))
}
