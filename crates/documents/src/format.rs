//! Detects the format of a file: by its extension, then by its first bytes.

use std::path::Path;

use super::{encoding, members::Kind};

/// The number of bytes of a file that are examined to decide whether it is text.
pub(super) const HEAD_BYTES: usize = 8 << 10;

/// The format of a file, which determines how documents are extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Plain,
    Markdown,
    Html,
    Pdf,
    /// An office document or a book.
    Office,
    /// A file of files.
    Members(Kind),
    /// One JSON record per line.
    Lines,
    /// A JSON list of records, or any other JSON.
    Json,
}

impl Format {
    /// The format for the extension of a file.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "md" | "markdown" | "mdx" => Self::Markdown,
            "html" | "htm" | "xhtml" => Self::Html,
            "pdf" => Self::Pdf,
            "jsonl" | "ndjson" => Self::Lines,
            "json" => Self::Json,
            "docx" | "docm" | "dotx" | "pptx" | "pptm" | "ppsx" | "xlsx" | "xlsm" | "xlsb"
            | "xls" | "odt" | "ott" | "odp" | "ods" | "epub" => Self::Office,
            "zip" => Self::Members(Kind::Zip),
            "gz" | "tgz" => Self::Members(Kind::Gzip),
            "eml" => Self::Members(Kind::Mail),
            "mbox" => Self::Members(Kind::Mailbox),
            _ => return None,
        })
    }

    /// The format for a file that starts with `head`, or `None` if it is not text, whatever its
    /// name.
    pub(super) fn of_content(known: Option<Self>, head: &[u8]) -> Option<Self> {
        if known == Some(Self::Pdf) || head.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        // A name says what is expected, so that a damaged file is reported as such.
        if let Some(Self::Office | Self::Members(_)) = known {
            return known;
        }
        if known.is_none() && is_mailbox(head) {
            return Some(Self::Members(Kind::Mailbox));
        }
        let is_text = encoding::is_utf_16(head)
            || match known {
                Some(_) => !head.contains(&0),
                None => {
                    !head.contains(&0) && (is_mostly_utf8(head) || encoding::is_like_text(head))
                }
            };
        is_text.then_some(known.unwrap_or(Self::Plain))
    }
}

/// Whether a file starts like one of messages: a line `From sender time`, and a field of a header.
fn is_mailbox(head: &[u8]) -> bool {
    let mut lines = head.split(|it| *it == b'\n');
    let starts = lines.next().is_some_and(|it| it.starts_with(b"From ") && it.contains(&b':'));
    let field = lines
        .next()
        .and_then(|it| it.split(|it| *it == b':').next().filter(|name| name.len() < it.len()));
    let is_name =
        |it: &[u8]| !it.is_empty() && it.iter().all(|it| it.is_ascii_alphabetic() || *it == b'-');
    starts && field.is_some_and(is_name)
}

/// Whether at most one byte in sixteen is not UTF-8: text with some letters of an older encoding,
/// but not compressed data.
fn is_mostly_utf8(head: &[u8]) -> bool {
    let bad: usize = head.utf8_chunks().map(|it| it.invalid().len()).sum();
    // A letter that is cut in two at the end of `head` is not an error.
    bad.saturating_sub(3) * 16 <= head.len()
}
