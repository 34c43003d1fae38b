//! The encoding of a text: UTF-8, UTF-16 with a byte order mark, or an older one, which is guessed.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// Decoded text.
pub(super) struct Decoded {
    pub(super) text: String,
    /// The encoding, if it is not UTF-8.
    pub(super) other: Option<&'static Encoding>,
    /// Whether the encoding is a guess.
    pub(super) is_guess: bool,
}

/// Decodes a text of any encoding.
pub(super) fn text(content: Vec<u8>) -> Decoded {
    match String::from_utf8(content) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            Decoded { text, other: None, is_guess: false }
        }
        Err(err) => decoded(err.as_bytes()),
    }
}

fn decoded(content: &[u8]) -> Decoded {
    let (other, is_guess) = match Encoding::for_bom(content) {
        Some((marked, _)) => (marked, false),
        None => (guessed(content), true),
    };
    let (text, _, _) = other.decode(content);
    Decoded { text: text.into_owned(), other: Some(other).filter(|it| *it != UTF_8), is_guess }
}

/// Whether the content starts with the mark of UTF-16.
pub(super) fn is_utf_16(content: &[u8]) -> bool {
    Encoding::for_bom(content).is_some_and(|(it, _)| it != UTF_8)
}

/// Whether bytes that are not UTF-8 are more likely letters of an older encoding than damage: less
/// than half of the letters outside ASCII are UTF-8.
pub(super) fn is_older(content: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in content.utf8_chunks() {
        good += chunk.valid().chars().filter(|it| !it.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    bad > good
}

/// Whether bytes look like text of an older encoding: without control characters, which compressed
/// data has, and with lines or words.
pub(super) fn is_like_text(head: &[u8]) -> bool {
    let is_control = |it: &u8| it.is_ascii_control() && !b"\t\n\r\x0c\x1b".contains(it);
    let has_words = head.iter().any(u8::is_ascii_whitespace);
    !head.iter().any(is_control) && (has_words || !guessed(head).is_single_byte())
}

fn guessed(content: &[u8]) -> &'static Encoding {
    /// The length of a text by which its encoding is known, in bytes.
    const ENOUGH: usize = 1 << 20;
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&content[..content.len().min(ENOUGH)], content.len() <= ENOUGH);
    detector.guess(None, Utf8Detection::Deny)
}
