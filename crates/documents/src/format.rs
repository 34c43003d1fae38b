//! Which format a file has: by the ending of its name, then by its first bytes.

use std::path::Path;

/// How many bytes of a file are looked at to tell whether it is text.
pub(super) const HEAD: u64 = 8 << 10;

/// How a file is turned into documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Plain,
    Markdown,
    Html,
    Pdf,
    /// One JSON record a line.
    Lines,
    /// A JSON list of records, or any other JSON.
    Json,
}

impl Format {
    /// The format that a file's name promises.
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

    /// The format in which to read a file that begins with `head`. Nothing if it is not
    /// text, whatever it is called.
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

/// At most one byte in sixteen is not UTF-8: text with some letters of an older encoding,
/// but nothing compressed.
fn is_mostly_utf8(head: &[u8]) -> bool {
    let bad: usize = head.utf8_chunks().map(|it| it.invalid().len()).sum();
    // A letter that the end of `head` cuts in two is no fault.
    bad.saturating_sub(3) * 16 <= head.len()
}
