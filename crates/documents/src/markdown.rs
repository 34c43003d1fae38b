//! Markdown (`CommonMark`): the source as it is, with its first heading as the title.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{Document, Sink, last_name, plain};

/// The length of the start of a file that is searched for a title, in bytes.
const TITLE_WITHIN: usize = 64 << 10;

/// Extracts one file as one document. Its text is the source after the front matter: it is as easy
/// to read, and every position in it is a position in the file.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) {
    let Some(mut decoded) = plain::decode(content, sink) else { return };
    let matter = front_matter(&decoded.text);
    let declared = declared_title(&decoded.text[..matter]);
    let (start, end) = decoded.range(matter);
    decoded.text.drain(..matter);
    let title = heading(&decoded.text).or(declared).unwrap_or_else(|| last_name(name));
    sink.document(Document { id: name.to_owned(), title, start, end, text: decoded.text });
}

/// The length of the block between two `---` at the start of the file.
fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|it| it.trim_end() == "---") else { return 0 };
    let mut len = first.len();
    for line in lines {
        len += line.len();
        if line.trim_end() == "---" {
            return len;
        }
    }
    0
}

fn declared_title(matter: &str) -> Option<String> {
    let title = matter.lines().find_map(|it| it.strip_prefix("title:"))?;
    let title = title.trim().trim_matches(['"', '\'']);
    (!title.is_empty()).then(|| title.to_owned())
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
