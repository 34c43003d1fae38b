//! What a file is, by its content.

/// The first bytes of formats other than text, and the place where they stand.
const MAGIC: [(usize, &[u8], &str); 17] = [
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"(\xb5/\xfd", "application/zstd"),
    (257, b"ustar", "application/x-tar"),
    (0, b"{\\rtf", "application/rtf"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
];

/// What an archive in the zip format is, by a name in its first bytes.
const ZIPPED: [(&[u8], &str); 6] = [
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (
        b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet",
    ),
];

/// What a text is, by the end of its name.
const TEXTS: [(&[&str], &str); 12] = [
    (&["md", "markdown"], "text/markdown"),
    (&["html", "htm", "xhtml"], "text/html"),
    (&["csv"], "text/csv"),
    (&["tsv"], "text/tab-separated-values"),
    (&["json"], "application/json"),
    (&["jsonl", "ndjson"], "application/x-ndjson"),
    (&["yaml", "yml"], "application/yaml"),
    (&["toml"], "application/toml"),
    (&["xml"], "application/xml"),
    (&["eml"], "message/rfc822"),
    (&["svg"], "image/svg+xml"),
    (&["ics"], "text/calendar"),
];

/// How much of an archive is looked at.
const LOOKED: usize = 8192;

/// The media type of a content; the name decides only among texts.
pub(super) fn of(name: &str, content: &[u8]) -> &'static str {
    let has = |(at, magic, _): &&(usize, &[u8], &str)| {
        content.get(*at..).is_some_and(|it| it.starts_with(magic))
    };
    if content.starts_with(b"PK\x03\x04") {
        let head = &content[..content.len().min(LOOKED)];
        let contains = |part: &[u8]| head.windows(part.len()).any(|it| it == part);
        return ZIPPED.iter().find(|it| contains(it.0)).map_or("application/zip", |it| it.1);
    }
    if let Some((_, _, found)) = MAGIC.iter().find(has) {
        return found;
    }
    if std::str::from_utf8(content).is_err() || content.contains(&0) {
        return "application/octet-stream";
    }
    let end = name.rsplit_once('.').map_or("", |it| it.1).to_lowercase();
    let found = TEXTS.iter().find(|(ends, _)| ends.contains(&end.as_str()));
    found.map_or("text/plain", |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_content_decides() {
        for (name, content, expected) in [
            ("a.txt", &b"%PDF-1.7"[..], "application/pdf"),
            ("a.pdf", b"plain words", "text/plain"),
            ("a.md", b"# A", "text/markdown"),
            ("A.JSON", b"{}", "application/json"),
            ("a.docx", b"PK\x03\x04..word/document.xml", super::ZIPPED[0].1),
            ("a.zip", b"PK\x03\x04..a.txt", "application/zip"),
            ("a.csv", b"a,b\n\xff\xfe", "application/octet-stream"),
            ("a.html", b"a\0b", "application/octet-stream"),
            ("", b"", "text/plain"),
        ] {
            assert_eq!(of(name, content), expected, "{name}");
        }
    }
}
