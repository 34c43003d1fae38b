//! Office documents, books, mail and archives, valid and hostile.

use std::{io::Write as _, time::Instant};

use flate2::{Compression, write::GzEncoder};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{Found, found, one, pdf, skipped};

/// An archive of these parts.
fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

const RELS: &str = r#"<Relationships><Relationship Id="r1" Target="word/document.xml"
    Type="http://x/officeDocument"/></Relationships>"#;

const STYLES: &str = r#"<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
    </w:styles>"#;

const STYLES_RELS: &str =
    r#"<Relationships><Relationship Id="a" Target="styles.xml" Type="x/styles"/></Relationships>"#;

fn docx(body: &str) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    zip(&[
        ("_rels/.rels", RELS.as_bytes()),
        ("word/styles.xml", STYLES.as_bytes()),
        ("word/_rels/document.xml.rels", STYLES_RELS.as_bytes()),
        ("word/document.xml", document.as_bytes()),
    ])
}

#[test]
fn docx_has_its_pages_headings_and_tables() {
    let body = r#"<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">One &amp; </w:t></w:r><w:r><w:t>two</w:t></w:r><w:del><w:r>
        <w:delText>gone</w:delText></w:r></w:del></w:p><w:p><w:r><w:br w:type="page"/></w:r></w:p>
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>Second</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r>
        <w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#;
    let doc = one("x/a.docx", &docx(body));
    assert_eq!((&*doc.id, &*doc.title), ("x/a.docx", "Head"));
    assert_eq!(doc.text, "Head\n\nOne & two\n\u{c}\nSecond\n\na\tb");
}

#[test]
fn damaged_office_documents_say_why() {
    assert_eq!(skipped("a.docx", b"x"), "skipped: it is not an office document");
    assert_eq!(
        skipped("a.docx", &zip(&[("a.txt", b"x")])),
        "skipped: it is an archive, not an office document"
    );
    assert_eq!(skipped("a.docx", &docx("")), "skipped: it contains no text");
    assert!(skipped("a.docx", &docx("<w:p>")).starts_with("skipped: its XML is invalid"));
    let whole = docx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>");
    for cut in (1..whole.len()).step_by(37) {
        let found = found("a.docx", &whole[..cut]);
        assert_eq!(found.documents.len() + found.notices.len(), 1);
    }
}

/// Each of these is skipped or read in seconds, and none takes the process.
#[test]
fn hostile_office_documents_end_in_time() {
    let started = Instant::now();
    let nested = "<w:p>".repeat(100_000) + "deep" + &"</w:p>".repeat(100_000);
    assert_eq!(skipped("a.docx", &docx(&nested)), "skipped: it contains no text");
    let tables = "<w:tbl><w:tr><w:tc>".repeat(100_000);
    let ends = "</w:tc></w:tr></w:tbl>".repeat(100_000);
    let tables = format!("{tables}<w:p><w:r><w:t>deep</w:t></w:r></w:p>{ends}");
    assert_eq!(one("a.docx", &docx(&tables)).text, "deep");

    let laughs = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>"#;
    let main = format!("{laughs}<w:document><w:p><w:r><w:t>x&b;</w:t></w:r></w:p></w:document>");
    let parts = [("_rels/.rels", RELS.as_bytes()), ("word/document.xml", main.as_bytes())];
    assert_eq!(one("a.docx", &zip(&parts)).text, "x");

    // 1 GB of text, which is packed to 1 MB.
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("_rels/.rels", SimpleFileOptions::default()).unwrap();
    archive.write_all(RELS.as_bytes()).unwrap();
    archive.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    let piece = "<w:p><w:r><w:t>again</w:t></w:r></w:p>".repeat(30_000);
    (0..1_000).for_each(|_| archive.write_all(piece.as_bytes()).unwrap());
    let bomb = archive.finish().unwrap().into_inner();
    let packed = Instant::now();
    assert_eq!(
        skipped("a.docx", &bomb),
        "skipped: its part `word/document.xml` is larger than 64MiB"
    );
    assert!(packed.elapsed().as_secs() < 30, "{:?}", packed.elapsed());
    assert!(started.elapsed().as_secs() < 300, "{:?}", started.elapsed());
}

#[test]
fn a_book_is_its_chapters() {
    let container = br#"<container><rootfile full-path="OPS/book.opf"/></container>"#;
    let book = br#"<package><dc:title>The book</dc:title><manifest>
        <item id="b" href="two%20b.xhtml"/><item id="a" href="one.xhtml"/></manifest>
        <spine><itemref idref="a"/><itemref idref="b"/></spine></package>"#;
    let content = zip(&[
        ("META-INF/container.xml", container),
        ("OPS/book.opf", book),
        ("OPS/two b.xhtml", b"<html><body><h1>Two</h1><p>b</p></body></html>"),
        (
            "OPS/one.xhtml",
            b"<html><head><title>x</title></head><body><p>a&nbsp;<i>1</i></p></body>",
        ),
    ]);
    let doc = one("a.epub", &content);
    assert_eq!((&*doc.title, &*doc.text), ("The book", "a 1\n\u{c}\nTwo\n\nb"));
}

fn ids(found: &Found) -> Vec<&str> {
    found.documents.iter().map(|it| it.id.as_str()).collect()
}

#[test]
fn members_are_documents_and_bad_ones_are_named() {
    let inner = zip(&[("deep/b.md", b"# B\n\nText")]);
    let content = zip(&[
        ("a.txt", b"one"),
        ("in.zip", &inner),
        ("p.pdf", &pdf(&["First page"])),
        ("log.gz", &gzip(b"lines")),
        ("../out.txt", b"x"),
        ("/etc/passwd", b"x"),
        ("bad.docx", b"no"),
        (".git/x", b"hidden"),
        ("r.jsonl", br#"{"id": "r", "text": "record"}"#),
    ]);
    let found = found("x/a.zip", &content);
    assert_eq!(
        ids(&found),
        ["x/a.zip/a.txt", "x/a.zip/in.zip/deep/b.md", "x/a.zip/p.pdf", "x/a.zip/log.gz/log", "r"]
    );
    assert_eq!(
        found.notices,
        [
            "`../out.txt`: skipped: its name leads out of the archive",
            "`/etc/passwd`: skipped: its name leads out of the archive",
            "`bad.docx`: skipped: it is not an office document",
        ]
    );
    // The bytes of a member are those of its text.
    assert_eq!((found.documents[0].start, found.documents[0].end), (0, 3));
    assert!(skipped("a.zip", b"PK\x03\x04").starts_with("skipped: it is not a readable ZIP"));
    assert!(skipped("a.gz", b"\x1f\x8b\x08").starts_with("skipped: it is damaged"));
}

#[test]
fn archives_in_archives_end() {
    let mut content = zip(&[("a.txt", b"deep")]);
    for _ in 0..20 {
        content = zip(&[("in.zip", &content)]);
    }
    let why = skipped("a.zip", &content);
    assert!(why.ends_with("skipped: archives are nested too deeply (limit 4)"), "{why}");
}

#[test]
fn bombs_unpack_to_their_limits() {
    let zeros = vec![b'a'; 65 << 20];
    assert_eq!(skipped("a.gz", &gzip(&zeros)), "skipped: it unpacks to more than 64MiB");
    let bomb = zip(&[("big.txt", &zeros), ("small.txt", b"small")]);
    let found = found("a.zip", &bomb);
    assert_eq!(ids(&found), ["a.zip/small.txt"]);
    assert_eq!(found.notices, ["`big.txt`: skipped: it unpacks to more than 64MiB"]);
}

const MAIL: &str = "From: \"A. B\" <a@x.org>\r\nTo: c@x.org\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\n\
    MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\n\
    Content-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    <p>Gr=FC=DFe<p>two\r\n--b\r\nContent-Type: text/plain\r\n\
    Content-Disposition: attachment; filename=\"../n.txt\"\r\n\r\nnote\r\n--b--\r\n";

#[test]
fn a_message_is_its_text_and_its_attachments() {
    let found = found("m.eml", MAIL.as_bytes());
    assert_eq!(found.notices, [""; 0]);
    assert_eq!(ids(&found), ["m.eml", "m.eml/.._n.txt"]);
    let doc = &found.documents[0];
    assert_eq!(doc.title, "Café");
    assert_eq!(doc.text, "From: A. B <a@x.org>\nTo: c@x.org\n\nGrüße\n\ntwo");
    assert_eq!(found.documents[1].text, "note");
}

#[test]
fn a_mailbox_is_its_messages() {
    let mbox = "From a Mon Jan  1 00:00:00 2024\nSubject: One\n\nfirst\n>From there\n\n\
        From b Mon Jan  1 00:00:00 2024\nSubject: Two\n\nsecond\n";
    for name in ["box.mbox", "Inbox"] {
        let found = found(name, mbox.as_bytes());
        let all: Vec<_> = found.documents.iter().map(|it| (&*it.title, &*it.text)).collect();
        assert_eq!(all, [("One", "first\nFrom there"), ("Two", "second")]);
        assert_eq!(ids(&found), [format!("{name}/1"), format!("{name}/2")]);
        let second = &found.documents[1];
        let (start, end) = (second.start.try_into().unwrap(), second.end.try_into().unwrap());
        assert!(mbox[start..end].starts_with("Subject: Two"));
    }
}
