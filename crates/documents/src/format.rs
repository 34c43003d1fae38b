//! Detects the format of a file: by its extension, then by its first bytes.

use std::path::Path;

/// The number of bytes of a file that are examined to decide whether it is text.
pub(super) const HEAD: u64 = 8 << 10;

/// The format of a file, which determines how documents are extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Plain,
    Markdown,
    Html,
    Pdf,
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
            _ => return None,
        })
    }

    /// The format for a file that starts with `head`, or `None` if it is not text, whatever its
    /// name.
    pub(super) fn of_content(known: Option<Self>, head: &[u8]) -> Option<Self> {
        if known == Some(Self::Pdf) || head.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        let is_text = match known {
            Some(_) => !head.contains(&0),
            None => !head.contains(&0) && is_mostly_utf8(head),
        };
        is_text.then_some(known.unwrap_or(Self::Plain))
    }
}

/// Whether at most one byte in sixteen is not UTF-8: text with some letters of an older encoding,
/// but not compressed data.
fn is_mostly_utf8(head: &[u8]) -> bool {
    let bad: usize = head.utf8_chunks().map(|it| it.invalid().len()).sum();
    // A letter that is cut in two at the end of `head` is not an error.
    bad.saturating_sub(3) * 16 <= head.len()
}
