//! Tests of every format, valid and damaged.

use lopdf::{Object, Stream, dictionary};

use super::*;

mod packed;

#[derive(Default)]
struct Found {
    documents: Vec<Document>,
    notices: Vec<String>,
}

impl Sink for Found {
    fn document(&mut self, document: Document) {
        self.documents.push(document);
    }

    fn notice(&mut self, line: Option<u64>, message: String) {
        self.notices.push(line.map_or(message.clone(), |line| format!("{line}: {message}")));
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

fn found(name: &str, content: &[u8]) -> Found {
    let mut found = Found::default();
    let host = host();
    let source = Source { name, size: content.len() as u64, input: &mut &*content, host: &host };
    extract(source, &mut found).unwrap();
    found
}

fn one(name: &str, content: &[u8]) -> Document {
    let mut found = found(name, content);
    assert_eq!(found.notices, [""; 0]);
    assert_eq!(found.documents.len(), 1);
    found.documents.remove(0)
}

fn skipped(name: &str, content: &[u8]) -> String {
    let found = found(name, content);
    assert_eq!(found.documents, []);
    found.notices.join("; ")
}

#[test]
fn markdown_keeps_its_places() {
    let source = b"---\ntitle: Declared\n---\nintro\n\n# A `b` *c*\n\ntext\n";
    let doc = one("x/a.md", source);
    assert_eq!((doc.id.as_str(), doc.title.as_str()), ("x/a.md", "A b c"));
    let start = usize::try_from(doc.start).unwrap();
    assert_eq!(doc.text.as_bytes(), &source[start..]);
    assert_eq!(one("a.md", b"---\ntitle: 'Declared'\n---\nx").title, "Declared");
    assert_eq!(one("x/a.md", b"---\nno end").title, "a.md");
}

#[test]
fn text_of_any_ending_is_text() {
    let doc = one("src/main.rs", "\u{feff}fn main() {}".as_bytes());
    assert_eq!((doc.text.as_str(), doc.title.as_str()), ("fn main() {}", "main.rs"));
    assert_eq!((doc.start, doc.end), (3, 15));
    assert_eq!(skipped("a.bin", b"\x00\x01"), "skipped: it is not text");
    assert_eq!(skipped("a.dat", &[0xff; 4000]), "skipped: it is not text");
    assert_eq!(skipped("a.txt", b" \n"), "skipped: it is empty");
    let cut = format!("{}é", "x".repeat(8191));
    assert_eq!(one("LICENSE", cut.as_bytes()).text, cut);
}

#[test]
fn a_bad_byte_among_good_letters_moves_nothing() {
    let found = found("a.txt", b"caf\xc3\xa9 \xff au lait d'\xc3\xa9t\xc3\xa9");
    assert_eq!(found.documents[0].text, "café ? au lait d'été");
    assert_eq!(found.notices, ["1 byte that is not UTF-8 is shown as `?`"]);
}

#[test]
fn older_encodings_are_guessed_and_named() {
    let read = |label: &str, text: &str| {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let content = encoding.encode(text).0.into_owned();
        let found = found("a.txt", &content);
        assert_eq!(found.documents[0].text, text, "{label}");
        let Document { start, end, .. } = found.documents[0];
        assert_ne!(end - start, text.len() as u64, "{label}");
        found.notices.join("; ")
    };
    let notice = read("windows-1252", "Der Müller mahlt das Mehl für die Bäcker der Stadt.");
    assert_eq!(notice, "it is not UTF-8, and is read as windows-1252");
    let russian = "Маяк стоит на скале, и его свет виден издалека.";
    assert_eq!(read("windows-1251", russian), "it is not UTF-8, and is read as windows-1251");
    read("koi8-r", russian);
    read("shift_jis", "灯台は岬の上に立っています。海は静かです。");
    read("gbk", "灯塔矗立在悬崖上，守望着大海。");
}

#[test]
fn utf_16_is_read_by_its_mark() {
    for is_big in [false, true] {
        let text = "Die Brücke";
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        let bytes = |it: u16| if is_big { it.to_be_bytes() } else { it.to_le_bytes() };
        let content: Vec<u8> = units.flat_map(bytes).collect();
        assert_eq!(one("a.md", &content).text, text);
        assert_eq!(one("notes", &content).text, text);
    }
}

#[test]
fn html_gives_what_is_seen() {
    let page = "<!doctype html><head><title>The\n page</title><style>p{}</style></head>
        <nav>Home</nav><h1>Head</h1><p>One <b>t</b>wo<br>three<p hidden>no<script>if (a<b) x()</script>
        <ul><li>a</li><li>b</li></ul><pre>  k\n  l</pre><table><tr><td>1<td>2</table>";
    let doc = one("a.html", page.as_bytes());
    assert_eq!(doc.title, "The page");
    assert_eq!(
        doc.text,
        "Head\n\nOne two\nthree\n\na\n\nb\n\n  k\n  l\n\n1 2".replace("a\n\nb", "a\nb")
    );
    assert_eq!(doc.end, page.len() as u64);
    assert_eq!(one("a.htm", b"<h1>Only <i>this</i></h1>").title, "Only this");
    assert_eq!(skipped("a.html", b"<script>x</script>"), "skipped: no visible text");
    let deep = "<div>".repeat(500_000);
    let why = skipped("a.html", deep.as_bytes());
    assert_eq!(
        why,
        "skipped: it is damaged: its elements are nested too deeply, or overlap too often"
    );
    assert_eq!(one("a.html", "<p>x".repeat(5_000).as_bytes()).text.len(), 5_000 * 3 - 2);
}

#[test]
fn a_page_gives_its_article_and_what_it_says_about_itself() {
    let sentence = "The council met on Monday, and it agreed to build a bridge over the river. ";
    let page = format!(
        "<html lang=en_GB><title>A new bridge | The Gazette</title>
        <meta property=og:site_name content='The Gazette'>
        <script type='application/ld+json'>{{\"@graph\": [{{\"@type\": \"NewsArticle\",
            \"author\": [{{\"name\": \"Ann Lee\"}}, {{\"name\": \"Bo Cy\"}}]}}]}}</script>
        <body><div class=menu><a href=/>Home</a> <a href=/n>News</a></div>
        <div class=post><h1>A new bridge</h1><time datetime='2024-02-03T04:05:06Z'>then</time>
        <div class=entry-content><p>{0}</p><p>{0}{0}</p><p><a href=/x>Read more news</a></p>
        <div class=related-posts><p>{1}</p></div><p>{0}</p></div></div>
        <div id=comments><p>{1}</p></div>",
        sentence.repeat(3),
        "A comment by someone, which is not the article. "
    );
    let read = crate::web_page(&page, crate::ArticleRules::default(), &|| false).unwrap();
    let text = |it: usize| sentence.repeat(it).trim_end().to_owned();
    assert_eq!(read.text, [text(3), text(6), text(3)].join("\n\n"));
    let said = read.metadata;
    assert_eq!(said.title.as_deref(), Some("A new bridge"));
    assert_eq!(said.author.as_deref(), Some("Ann Lee, Bo Cy"));
    assert_eq!(said.published.as_deref(), Some("2024-02-03T04:05:06Z"));
    assert_eq!(said.language.as_deref(), Some("en-GB"));
    assert_eq!(said.site.as_deref(), Some("The Gazette"));
}

/// The time for a page grows with its size, however many parts its article and its title have.
#[test]
fn many_parts_take_little_time() {
    let words = "<p>Words, words, and more words in a paragraph without a link.</p>";
    let parts = words.repeat(40_000);
    let title = "a | ".repeat(100_000);
    let page = format!("<title>{title}</title><div>{}</div>{parts}", words.repeat(50));
    let started = std::time::Instant::now();
    let read = crate::web_page(&page, crate::ArticleRules::default(), &|| false).unwrap();
    assert!(read.text.len() > 1_000_000);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// A list of links has no article, and an application shows little text.
#[test]
fn a_page_without_an_article_gives_its_visible_text() {
    let links = "<li><a href=/x>One of the pages</a> new</li>".repeat(3);
    let read = crate::web_page(
        &format!("<ul>{links}</ul><footer>End</footer>"),
        crate::ArticleRules::default(),
        &|| false,
    )
    .unwrap();
    assert_eq!(read.text, format!("{}\n\nEnd", ["One of the pages new"; 3].join("\n")));
    assert_eq!(read.metadata, crate::Metadata::default());
}

#[test]
fn records_have_their_lines() {
    let lines = "{\"id\": 7, \"text\": \"one\", \"more\": []}\r\n\n{\"id\":\"b\",\"title\":\"T\",\"text\":\"\"}";
    let found = found("r.jsonl", lines.as_bytes());
    assert_eq!(found.notices, [""; 0]);
    let all: Vec<_> = found.documents.iter().map(|it| (&*it.id, &*it.title, &*it.text)).collect();
    assert_eq!(all, [("7", "one", "one"), ("b", "T", "")]);
    for doc in &found.documents {
        let (start, end) = (usize::try_from(doc.start).unwrap(), usize::try_from(doc.end).unwrap());
        assert!(lines[start..end].starts_with('{') && lines[start..end].ends_with('}'));
    }
}

#[test]
fn bad_lines_are_named_and_the_rest_is_read() {
    let mut lines = b"{\"id\": 1}\nnot json\n{\"id\": 2, \"text\": \"two\"}\n".to_vec();
    lines.extend(vec![b'x'; 17 << 20]);
    lines.extend(b"\n[]\n[]\n[]\n[]\n{\"id\": 3, \"text\": \"three\"}");
    let found = found("r.jsonl", &lines);
    let ids: Vec<_> = found.documents.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["2", "3"]);
    assert_eq!(found.documents[1].end, lines.len() as u64);
    assert!(found.notices[0].starts_with("1: skipped: not a record with `id` and `text`"));
    assert_eq!(found.notices[1], "2: skipped: expected ident");
    assert_eq!(found.notices[2], "4: skipped: longer than 16MiB");
    assert_eq!(found.notices[5], "2 more lines were skipped");
    assert_eq!(skipped("r.jsonl", b""), "skipped: it is empty");
}

#[test]
fn a_list_of_records_is_many_documents() {
    let list = r#" [ {"id":"a","text":"x"} , {"id":"b","text":"y"} ] "#;
    let found = found("r.json", list.as_bytes());
    let all: Vec<_> = found.documents.iter().map(|it| (&*it.id, it.start, it.end)).collect();
    assert_eq!(all, [("a", 3, 24), ("b", 27, 48)]);
    assert_eq!(one("r.json", b"[1, 2]").text, "[1, 2]");
    assert_eq!(one("r.json", b"{\"name\": \"svc\"}").title, "r.json");
}

#[test]
fn a_long_text_gives_a_short_title() {
    let line = format!("{{\"id\": \"a\", \"text\": \"{}\"}}", "word ".repeat(40));
    assert_eq!(one("r.jsonl", line.as_bytes()).title, format!("{}…", "word ".repeat(16).trim()));
}

#[test]
fn pdf_gives_its_pages() {
    let doc = one("p.pdf", &pdf(&["First page", "Second page"]));
    assert_eq!(doc.title, "A title");
    assert_eq!(doc.text, "First page\n\u{c}\nSecond page");
}

#[test]
fn broken_pdf_is_skipped() {
    assert_eq!(skipped("p.pdf", b""), "skipped: it is empty");
    let empty = crate::pdf::open(b"").map(|_| ());
    assert!(matches!(empty, Err(crate::Unreadable::Damaged(why)) if why == "it is empty"));
    assert!(skipped("p.pdf", b"%PDF-1.5 nothing").starts_with("skipped: it is not a readable PDF"));
    assert_eq!(skipped("p.pdf", &pdf(&[""])), "skipped: it contains no text");
    let deep = [b"%PDF-1.5\n1 0 obj\n".as_slice(), &vec![b'['; 200_000], b"\ntrailer\n"].concat();
    assert!(skipped("p.pdf", &deep).starts_with("skipped: it is not a readable PDF"));
    let whole = pdf(&["First page"]);
    for cut in (1..whole.len()).step_by(7) {
        let found = found("p.pdf", &whole[..cut]);
        assert_eq!(found.documents.len() + found.notices.len(), 1);
    }
}

#[test]
fn an_encrypted_pdf_is_skipped() {
    let mut doc = lopdf::Document::load_mem(&pdf(&["Secret"])).unwrap();
    let id = Object::string_literal("0123456789abcdef");
    doc.trailer.set("ID", vec![id.clone(), id]);
    let version = lopdf::EncryptionVersion::V2 {
        document: &doc,
        owner_password: "owner",
        user_password: "user",
        key_length: 128,
        permissions: lopdf::Permissions::all(),
    };
    let state = lopdf::EncryptionState::try_from(version).unwrap();
    doc.encrypt(&state).unwrap();
    let mut content = Vec::new();
    doc.save_to(&mut content).unwrap();
    assert_eq!(skipped("p.pdf", &content), "skipped: it is encrypted");
}

/// A file with one line per page.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut doc = lopdf::Document::with_version("1.5");
    let tree = doc.new_object_id();
    let font = doc.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier",
        "Encoding" => "WinAnsiEncoding",
    });
    let kids: Vec<Object> = pages
        .iter()
        .map(|text| {
            let content = format!("BT /F1 12 Tf 50 700 Td ({text}) Tj ET");
            let content = doc.add_object(Stream::new(dictionary! {}, content.into_bytes()));
            let page = dictionary! {
                "Type" => "Page", "Parent" => tree, "Contents" => content,
                "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            };
            doc.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    doc.set_object(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count });
    let catalog = doc.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    let info = doc.add_object(dictionary! { "Title" => Object::string_literal("A title") });
    doc.trailer.set("Root", catalog);
    doc.trailer.set("Info", info);
    let mut content = Vec::new();
    doc.save_to(&mut content).unwrap();
    content
}

/// A host whose worker processes are this binary, so that PDFs can be read.
pub(crate) fn host() -> svc_host_os::test::TestHost {
    svc_host_os::test::TestHost::new().working_in_test("tests::works_where_it_is_a_worker")
}

/// Not a test: the work of a process that [`host`] starts.
#[test]
fn works_where_it_is_a_worker() {
    let work = |asked: &[u8]| super::serve(asked.get(1..).unwrap_or_default());
    if svc_host_os::is_worker(work) {
        std::process::exit(0);
    }
}
