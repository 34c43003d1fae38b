//! Plain text, and decoding for all text formats: bytes to text without moving a byte.

use super::{Document, Sink, last_name};

/// Extracts one file as one document.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) {
    let Some(decoded) = decode(content, sink) else { return };
    sink.document(Document {
        id: name.to_owned(),
        title: last_name(name),
        start: decoded.start,
        end: decoded.start + decoded.text.len() as u64,
        text: decoded.text,
    });
}

/// Text, and its start in the file.
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) start: u64,
}

/// Decodes UTF-8. An invalid byte becomes a `?`, so that every other byte keeps its position.
/// Returns `None` for a file without text.
pub(super) fn decode(content: Vec<u8>, sink: &mut dyn Sink) -> Option<Decoded> {
    const BYTE_ORDER_MARK: &str = "\u{feff}";
    let mut text =
        String::from_utf8(content).unwrap_or_else(|err| replace_invalid(err.as_bytes(), sink));
    let mut start = 0;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
        start = BYTE_ORDER_MARK.len() as u64;
    }
    if text.trim_start().is_empty() {
        sink.notice(None, "skipped: it is empty".to_owned());
        return None;
    }
    Some(Decoded { text, start })
}

fn replace_invalid(content: &[u8], sink: &mut dyn Sink) -> String {
    let mut text = String::with_capacity(content.len());
    let mut bad = 0;
    for chunk in content.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
        bad += chunk.invalid().len();
    }
    let (bytes, are, stand) = if bad == 1 { ("byte", "is", "is") } else { ("bytes", "are", "are") };
    sink.notice(None, format!("{bad} {bytes} that {are} not UTF-8 {stand} shown as `?`"));
    text
}
