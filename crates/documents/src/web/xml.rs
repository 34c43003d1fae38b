//! XML of the web as a stream of its elements. It is often invalid, so only what has no reading ends
//! it.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use quick_xml::{
    Reader,
    escape::{resolve_predefined_entity, unescape},
    events::{BytesStart, Event},
};

/// The deepest nesting that is followed.
const DEEPEST: usize = 1_000;

/// The number of pieces between two checks whether to stop.
const BETWEEN_CHECKS: usize = 1_000;

/// The content as text, by its byte order mark, the media type, or the declaration of XML.
pub(super) fn decoded(content: &[u8], media_type: &str) -> String {
    let head = &content[..content.len().min(200)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let is_xml = head.trim_start_matches('\u{feff}').trim_start().starts_with("<?xml");
    let declared = head.split_once("encoding=").filter(|_| is_xml);
    let label = after(&media_type.to_ascii_lowercase(), "charset=")
        .or_else(|| declared.and_then(|it| quoted(it.1)));
    let encoding = label.and_then(|it| Encoding::for_label(it.as_bytes())).unwrap_or(UTF_8);
    // A byte order mark wins.
    encoding.decode(content).0.into_owned()
}

fn after(text: &str, name: &str) -> Option<String> {
    let (_, value) = text.split_once(name)?;
    Some(value.split(';').next()?.trim().trim_matches(['"', '\'']).to_owned())
}

fn quoted(text: &str) -> Option<String> {
    let mark = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    text[1..].split_once(mark).map(|it| it.0.to_owned())
}

/// An element that starts or ends. Names have no prefix if it is that of the outermost element.
pub(super) enum Piece<'a> {
    Start {
        name: &'a str,
        attributes: Vec<(String, String)>,
    },
    /// The end of the element that was open at this depth, with its text without that of inner
    /// elements, and its source.
    End {
        name: &'a str,
        text: String,
        source: &'a str,
    },
}

struct Open {
    name: String,
    text: String,
    /// Where its content begins.
    start: usize,
}

/// Passes the elements of a document to `take` with their depth, from 0, until it returns `false`.
/// An error says why the rest cannot be read.
pub(super) fn walk(
    text: &str,
    is_stopped: &dyn Fn() -> bool,
    take: &mut dyn FnMut(usize, Piece<'_>) -> bool,
) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut open: Vec<Open> = Vec::new();
    let mut prefix = None;
    for number in 0_usize.. {
        if number.is_multiple_of(BETWEEN_CHECKS) && is_stopped() {
            return Err("reading it was cancelled".to_owned());
        }
        let before = place(&reader);
        let event = reader.read_event().map_err(|err| format!("invalid XML: {err}"))?;
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                let prefix = &*prefix.get_or_insert_with(|| prefix_of(&tag));
                let name = name(&tag, prefix);
                let piece = Piece::Start { name: &name, attributes: attributes(&tag) };
                if !take(open.len(), piece) {
                    return Ok(());
                }
                let start = place(&reader);
                let is_empty = text[..start].ends_with("/>");
                if !is_empty && open.len() >= DEEPEST {
                    return Err(format!("its elements are nested more than {DEEPEST} deep"));
                }
                let depth = open.len();
                if is_empty {
                    let end = Piece::End { name: &name, text: String::new(), source: "" };
                    if !take(depth, end) {
                        return Ok(());
                    }
                } else {
                    open.push(Open { name, text: String::new(), start });
                }
            }
            Event::End(tag) => {
                let ended = tag.name();
                let ended = ended.as_ref();
                let is_it =
                    |it: &Open| it.name == ended || ended.ends_with(&format!(":{}", it.name));
                // An end that nothing waits for is skipped; one of an outer element ends the inner ones.
                let Some(at) = open.iter().rposition(is_it) else { continue };
                while open.len() > at {
                    let Some(last) = open.pop() else { break };
                    let source = text.get(last.start..before).unwrap_or_default();
                    let piece = Piece::End { name: &last.name, text: last.text, source };
                    if !take(open.len(), piece) {
                        return Ok(());
                    }
                }
            }
            Event::Text(it) => write(&mut open, &it),
            Event::CData(it) => write(&mut open, &it),
            Event::GeneralRef(it) => {
                let sign = it.resolve_char_ref().ok().flatten().map(String::from);
                let known = sign.or_else(|| resolve_predefined_entity(&it).map(str::to_owned));
                // The names of HTML are read where the text is read as HTML.
                write(&mut open, &known.unwrap_or_else(|| format!("&{};", &*it)));
            }
            Event::Eof if open.is_empty() => return Ok(()),
            Event::Eof => return Err("it ends before its last element".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

fn place(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn write(open: &mut [Open], text: &str) {
    if let Some(last) = open.last_mut() {
        last.text.push_str(text);
    }
}

fn prefix_of(tag: &BytesStart<'_>) -> String {
    let name = tag.name();
    name.as_ref().split_once(':').map_or_else(String::new, |(prefix, _)| format!("{prefix}:"))
}

fn name(tag: &BytesStart<'_>, prefix: &str) -> String {
    let name = tag.name();
    let name = name.as_ref();
    match name.strip_prefix(prefix) {
        Some(own) if !own.is_empty() => own.to_owned(),
        _ => name.to_owned(),
    }
}

fn attributes(tag: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut all = tag.attributes();
    // Comparing the names takes time that grows with the square of their number.
    all.with_checks(false);
    let all = all.flatten().map(|it| {
        let value = it.value.into_owned();
        let plain = unescape(&value).map(Cow::into_owned);
        (it.key.as_ref().to_owned(), plain.unwrap_or(value))
    });
    all.collect()
}
