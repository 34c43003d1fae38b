//! Web pages: content whose media type determines its format and its encoding.

use encoding_rs::{Encoding, UTF_8};
use svc_contract::host::Host;

use super::{Sink, format::Format, whole};

/// The number of bytes of a page by which its kind is decided.
const HEAD: usize = 1 << 10;

/// Passes the document of a page to `sink`. An error explains why the page has none;
/// `media_type` is empty if the server sends none.
pub fn page(
    name: &str,
    media_type: &str,
    content: Vec<u8>,
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> Result<(), String> {
    let mut parts = media_type.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let format = format(&media, &content).ok_or_else(|| match media.as_str() {
        "" => "it is not text".to_owned(),
        media => format!("it is `{media}`, which is not text"),
    })?;
    let whole = |content: Vec<u8>, sink: &mut dyn Sink| {
        whole(format, name, content, host, sink).map_err(|err| err.to_string())
    };
    if matches!(format, Format::Pdf | Format::Office | Format::Members(_)) {
        return whole(content, sink);
    }
    let said = parts.find_map(charset).or_else(|| of_html(format, &content));
    let encoding = match &said {
        None => UTF_8,
        Some(label) => Encoding::for_label(label.as_bytes())
            .ok_or_else(|| format!("unknown encoding `{label}`"))?,
    };
    // The UTF-8 reader reports invalid bytes.
    let text =
        if encoding == UTF_8 { content } else { decoded(encoding, &content, sink).into_bytes() };
    whole(text, sink)
}

fn decoded(encoding: &'static Encoding, content: &[u8], sink: &mut dyn Sink) -> String {
    let (text, encoding, has_others) = encoding.decode(content);
    if has_others {
        let name = encoding.name();
        sink.notice(None, format!("bytes that are not {name} are shown as `\u{fffd}`"));
    }
    text.into_owned()
}

fn format(media: &str, content: &[u8]) -> Option<Format> {
    let is_text = || {
        let ends = |it| media.ends_with(it);
        media.starts_with("text/")
            || ends("+json")
            || ends("+xml")
            || matches!(
                media,
                "application/json"
                    | "application/xml"
                    | "application/x-ndjson"
                    | "application/yaml"
                    | "application/toml"
                    | "application/javascript"
            )
    };
    match media {
        "text/html" | "application/xhtml+xml" => Some(Format::Html),
        "text/markdown" => Some(Format::Markdown),
        "application/pdf" => Some(Format::Pdf),
        "" | "application/octet-stream" => of_content(content),
        _ => is_text().then_some(Format::Plain),
    }
}

/// The format of a page without a meaningful media type.
fn of_content(content: &[u8]) -> Option<Format> {
    let head = head(content).trim_start().to_ascii_lowercase();
    let is_html = ["<!doctype html", "<html"].iter().any(|it| head.starts_with(it));
    if is_html {
        Some(Format::Html)
    } else {
        Format::of_content(None, &content[..content.len().min(8 * HEAD)])
    }
}

/// The encoding in a parameter of a media type: `charset=utf-8`.
fn charset(param: &str) -> Option<String> {
    let (name, value) = param.split_once('=')?;
    let value = value.trim().trim_matches('"');
    name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
}

/// The encoding that a page declares in its head: `<meta charset="utf-8">`. One that does not exist
/// is ignored, as by browsers.
fn of_html(format: Format, content: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&content[..content.len().min(4 * HEAD)]);
    let head = head.to_ascii_lowercase();
    let (_, after) = head.split_once("charset=").filter(|_| format == Format::Html)?;
    let after = after.trim_start_matches(['"', '\'', ' ']);
    let end = after.find(['"', '\'', ' ', '>', ';', '/']).unwrap_or(after.len());
    Encoding::for_label(&after.as_bytes()[..end]).map(|it| it.name().to_owned())
}

fn head(content: &[u8]) -> String {
    String::from_utf8_lossy(&content[..content.len().min(HEAD)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Document, Sink},
        *,
    };

    #[derive(Default)]
    struct Kept {
        documents: Vec<Document>,
        notices: Vec<String>,
    }

    impl Sink for Kept {
        fn document(&mut self, document: Document) {
            self.documents.push(document);
        }

        fn notice(&mut self, _: Option<u64>, message: String) {
            self.notices.push(message);
        }

        fn is_stopped(&self) -> bool {
            false
        }
    }

    fn read(media_type: &str, content: &[u8]) -> Result<(String, String), String> {
        let mut kept = Kept::default();
        page(
            "https://a.example/b/c",
            media_type,
            content.to_vec(),
            &crate::tests::host(),
            &mut kept,
        )?;
        match kept.documents.pop() {
            Some(it) => Ok((it.title, it.text)),
            None => Err(kept.notices.join("; ")),
        }
    }

    #[test]
    fn the_media_type_says_how_a_page_is_read() {
        let html = b"<title>T</title><p>a <b>b</b>";
        let of = |title: &str, text: &str| Ok((title.to_owned(), text.to_owned()));
        assert_eq!(read("text/html; charset=utf-8", html), of("T", "a b"));
        assert_eq!(read("text/plain", html), of("c", "<title>T</title><p>a <b>b</b>"));
        assert_eq!(read("", b"<!DOCTYPE html><title>T</title><p>a"), of("T", "a"));
        assert_eq!(read("", b"just words"), of("c", "just words"));
        assert_eq!(read("text/markdown", b"# T\n\na"), of("T", "# T\n\na"));
        assert_eq!(read("application/ld+json", b"{}"), of("c", "{}"));
        assert!(read("image/png", b"x").unwrap_err().contains("`image/png`, which is not text"));
        assert!(read("", b"\0\0").unwrap_err().contains("not text"));
        assert!(read("application/pdf", b"%PDF-1.5 cut").unwrap_err().contains("skipped"));
        assert!(read("text/html", b"<p> </p>").unwrap_err().contains("no visible text"));
    }

    #[test]
    fn encodings_are_read_where_they_are_said() {
        let latin = b"<p>caf\xe9";
        let text = |media_type: &str, content: &[u8]| read(media_type, content).unwrap().1;
        assert_eq!(text("text/html; Charset=\"ISO-8859-1\"", latin), "café");
        assert_eq!(text("text/html", b"<meta charset='latin1'><p>caf\xe9"), "café");
        let old = b"<meta http-equiv=x content='text/html; charset=windows-1252'><p>\x80";
        assert_eq!(text("text/html", old), "€");
        assert_eq!(text("text/html", latin), "café");
        assert_eq!(text("text/plain; charset=utf-16le", b"a\0b\0"), "ab");
        let (late, cut) = (" ".repeat(1_005), "<meta charset='windows-1252'><p>\u{e9}");
        let late = [late.as_bytes(), &cut.as_bytes()[..cut.len() - 2], b"\xe9"].concat();
        assert_eq!(text("text/html", &late), "é");
        assert_eq!(text("text/html", b"<meta charset='klingon'><p>x"), "x");
        let unknown = read("text/plain; charset=klingon", b"x").unwrap_err();
        assert_eq!(unknown, "unknown encoding `klingon`");
    }
}
