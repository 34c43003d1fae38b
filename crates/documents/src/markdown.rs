//! Markdown (`CommonMark`): the source as it is, with its first heading as the title.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use svc_contract::value::Value;

use super::{Document, Sink, last_name, meta::front, plain};

/// The length of the start of a file that is searched for a title, in bytes.
const TITLE_WITHIN: usize = 64 << 10;

/// Extracts one file as one document. Its text is the source after the front matter: it is as easy
/// to read, and every position in it is a position in the file.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) {
    let Some(mut decoded) = plain::decode(content, sink) else { return };
    let matter = front::len(&decoded.text);
    let fields = front::fields(&decoded.text[..matter]);
    let (start, end) = decoded.range(matter);
    decoded.text.drain(..matter);
    let title = heading(&decoded.text).or_else(|| declared_title(&fields));
    let title = title.unwrap_or_else(|| last_name(name));
    let (id, meta) = (name.to_owned(), front::meta(&fields));
    sink.document(Document { id, title, start, end, text: decoded.text, meta });
}

fn declared_title(fields: &Value) -> Option<String> {
    let title = fields.as_record()?.get("title")?;
    let title = title.as_str().map_or_else(|| title.to_string(), |it| it.trim().to_owned());
    (!title.is_empty() && title != "null").then_some(title)
}

/// The words of the first non-empty heading.
fn heading(text: &str) -> Option<String> {
    let mut title = String::new();
    let mut is_inside = false;
    for event in Parser::new(&text[..text.floor_char_boundary(TITLE_WITHIN)]) {
        match event {
            Event::Start(Tag::Heading { .. }) => is_inside = true,
            Event::End(TagEnd::Heading(_)) => {
                let words = title.trim();
                if !words.is_empty() {
                    return Some(words.to_owned());
                }
                is_inside = false;
            }
            Event::Text(it) | Event::Code(it) if is_inside => title.push_str(&it),
            Event::SoftBreak | Event::HardBreak if is_inside => title.push(' '),
            _ => {}
        }
    }
    None
}
