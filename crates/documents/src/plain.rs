//! Plain text, and decoding for all text formats: bytes to text without moving a byte.

use svc_contract::value::Value;

use super::{Document, Sink, encoding, last_name};

/// Extracts one file as one document.
pub(super) fn extract(name: &str, content: Vec<u8>, sink: &mut dyn Sink) {
    let Some(decoded) = decode(content, sink) else { return };
    let (start, end) = decoded.range(0);
    let (id, title) = (name.to_owned(), last_name(name));
    sink.document(Document { id, title, start, end, text: decoded.text, meta: Value::Null });
}

/// Text, and where it is in the file.
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) start: u64,
    /// The length of the file, if its bytes are not those of the text.
    pub(super) moved: Option<u64>,
}

impl Decoded {
    /// The range of the file in which the text from `at` on is. It has the length of that text
    /// only if the bytes are the same.
    pub(super) fn range(&self, at: usize) -> (u64, u64) {
        let rest = (self.text.len() - at) as u64;
        match self.moved {
            None => (self.start + at as u64, self.start + self.text.len() as u64),
            Some(end) if end == rest => (1, end),
            Some(end) => (0, end),
        }
    }
}

/// Decodes a file, and reports one without text as skipped.
pub(super) fn decode(content: Vec<u8>, sink: &mut dyn Sink) -> Option<Decoded> {
    let decoded = text(content, sink);
    if decoded.text.trim_start().is_empty() {
        sink.notice(None, "skipped: it is empty".to_owned());
        return None;
    }
    Some(decoded)
}

/// Decodes text. In UTF-8, an invalid byte becomes a `?`, so that every other byte keeps its
/// position.
pub(super) fn text(content: Vec<u8>, sink: &mut dyn Sink) -> Decoded {
    const BYTE_ORDER_MARK: &str = "\u{feff}";
    if encoding::is_utf_16(&content) || encoding::is_older(&content) {
        return moved(content, sink);
    }
    let mut text =
        String::from_utf8(content).unwrap_or_else(|err| replace_invalid(err.as_bytes(), sink));
    let mut start = 0;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
        start = BYTE_ORDER_MARK.len() as u64;
    }
    Decoded { text, start, moved: None }
}

fn moved(content: Vec<u8>, sink: &mut dyn Sink) -> Decoded {
    let moved = Some(content.len() as u64);
    let encoding::Decoded { text, other, is_guess } = encoding::text(content);
    if let Some(other) = other.filter(|_| is_guess) {
        sink.notice(None, format!("it is not UTF-8, and is read as {}", other.name()));
    }
    Decoded { text, start: 0, moved }
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
