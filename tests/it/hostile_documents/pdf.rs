//! A generator of PDFs that are unsafe to read in-process: each shape has random sizes, some of
//! them absurd.

use std::fmt::Write as _;

use fastrand::Rng;
use lopdf::{Stream, dictionary};

/// A shape of a hostile file: its name, and its generator.
pub(super) type Shape = (&'static str, fn(&mut Rng) -> Vec<u8>);

pub(super) const SHAPES: &[Shape] = &[
    ("count", count),
    ("kids_cycle", kids_cycle),
    ("kids_chain", kids_chain),
    ("many_pages", many_pages),
    ("bomb", bomb),
    ("nested_bomb", nested_bomb),
    ("q_flood", q_flood),
    ("empty_arrays", empty_arrays),
    ("deep_arrays", deep_arrays),
    ("deep_dictionaries", deep_dictionaries),
    ("own_object_stream", own_object_stream),
    ("huge_length", huge_length),
    ("prev_cycle", prev_cycle),
    ("huge_xref", huge_xref),
    ("xref_stream", xref_stream),
    ("cmap_ranges", cmap_ranges),
    ("cmap_flood", cmap_flood),
    ("own_reference", own_reference),
    ("strings", strings),
    ("inherited", inherited),
    ("garbled", garbled),
];

/// One line of text on one page.
pub(super) fn good(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 50 700 Td ({text}) Tj ET");
    Pdf::of_page(&stream("", content.as_bytes())).done()
}

/// A random number of objects, biased towards the ends.
fn size(rng: &mut Rng, most: u32) -> usize {
    let bits = rng.u32(1..=most.ilog2());
    usize::try_from(rng.u32(1 << (bits - 1)..=most.min(1 << bits))).unwrap()
}

/// A file built object by object.
struct Pdf {
    objects: Vec<Vec<u8>>,
    trailer: String,
}

const CATALOG: &str = "<</Type/Catalog/Pages 2 0 R>>";
const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>";

impl Pdf {
    /// A file with these objects, numbered from 1; the first one is the catalog.
    fn of<T: Into<Vec<u8>>>(objects: impl IntoIterator<Item = T>) -> Self {
        let objects = objects.into_iter().map(Into::into).collect();
        Self { objects, trailer: String::new() }
    }

    /// A file with one page, whose content is object 4.
    fn of_page(content: &[u8]) -> Self {
        let page = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>";
        let mut pdf = Self::of([CATALOG, "<</Type/Pages/Kids[3 0 R]/Count 1>>", page]);
        pdf.objects.extend([content.to_vec(), FONT.into()]);
        pdf
    }

    fn done(self) -> Vec<u8> {
        let mut file = b"%PDF-1.5\n".to_vec();
        let mut xref = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (idx, object) in self.objects.iter().enumerate() {
            writeln!(xref, "{:010} 00000 n ", file.len()).unwrap();
            file.extend(format!("{} 0 obj\n", idx + 1).bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let start = file.len();
        let size = self.objects.len() + 1;
        file.extend(xref.bytes());
        let trailer = self.trailer;
        let end =
            format!("trailer\n<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF\n");
        file.extend(end.bytes());
        file
    }
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<</Length {}{entries}>>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

fn deflated(content: Vec<u8>) -> Vec<u8> {
    let mut stream = Stream::new(dictionary! {}, content);
    stream.compress().unwrap();
    stream.content
}

/// The page tree declares more pages than there can be.
fn count(rng: &mut Rng) -> Vec<u8> {
    let absurd = [2_147_483_647_i64, i64::MAX, 4_294_967_295, -1, 100_000_000, 1 << 40];
    absurd_count(rng.choice(absurd).unwrap())
}

/// The library used to allocate room for all of them once it had seen one.
pub(super) fn absurd_count(count: i64) -> Vec<u8> {
    let tree = format!("<</Type/Pages/Kids[3 0 R 6 0 R]/Count {count}>>");
    let inner = format!("<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count {count}>>");
    let mut pdf = Pdf::of_page(&stream("", b"BT ET"));
    pdf.objects[1] = tree.into();
    pdf.objects.push(inner.into());
    pdf.done()
}

fn kids_cycle(rng: &mut Rng) -> Vec<u8> {
    let kids = "2 0 R ".repeat(size(rng, 10_000));
    Pdf::of([CATALOG, &format!("<</Type/Pages/Kids[{kids}]/Count 9>>")]).done()
}

/// Trees nested in each other.
fn kids_chain(rng: &mut Rng) -> Vec<u8> {
    let len = size(rng, 60_000);
    let link = |next: usize| format!("<</Type/Pages/Kids[{next} 0 R {next} 0 R]>>");
    Pdf::of(std::iter::once(CATALOG.to_owned()).chain((3..3 + len).map(link))).done()
}

fn many_pages(rng: &mut Rng) -> Vec<u8> {
    pages(size(rng, 30_000))
}

/// Many pages with the same short content.
fn pages(count: usize) -> Vec<u8> {
    pages_of(count, b"BT /F1 12 Tf (x) Tj ET")
}

/// Pages with the same content.
pub(super) fn pages_of(count: usize, content: &[u8]) -> Vec<u8> {
    let mut pdf = Pdf::of_page(&stream("", content));
    let page = pdf.objects[2].clone();
    let mut kids = String::new();
    for number in 6..6 + count {
        write!(kids, "{number} 0 R ").unwrap();
        pdf.objects.push(page.clone());
    }
    pdf.objects[1] = format!("<</Type/Pages/Kids[{kids}]/Count {count}>>").into();
    pdf.done()
}

/// A book: pages with lines of words, in chapters, each page with its own compressed content and
/// all with the same fonts.
pub(super) fn book(chapters: usize, pages: usize, lines: &[String]) -> Vec<u8> {
    const RESOURCES: &str = "/Resources<</Font<</F1 3 0 R>>>>";
    let mut pdf = Pdf::of([CATALOG, "", FONT]);
    let mut parts = String::new();
    for chapter in 0..chapters {
        let part = pdf.objects.len() + 1;
        write!(parts, "{part} 0 R ").unwrap();
        pdf.objects.push(Vec::new());
        let mut kids = String::new();
        for page in 0..pages {
            let shown = lines.join(") Tj T*\n(");
            let number = chapter * pages + page + 1;
            let content = format!(
                "BT /F1 11 Tf 14 TL 50 700 Td (page number {number}) Tj T*\n({shown}) Tj ET"
            );
            pdf.objects.push(stream("/Filter/FlateDecode", &deflated(content.into())));
            let content = pdf.objects.len();
            let page = format!("<</Type/Page/Parent {part} 0 R/Contents {content} 0 R>>");
            pdf.objects.push(page.into());
            write!(kids, "{} 0 R ", pdf.objects.len()).unwrap();
        }
        pdf.objects[part - 1] =
            format!("<</Type/Pages/Parent 2 0 R/Kids[{kids}]/Count {pages}{RESOURCES}>>").into();
    }
    let count = chapters * pages;
    pdf.objects[1] = format!("<</Type/Pages/Kids[{parts}]/Count {count}>>").into();
    pdf.done()
}

/// A content that decompresses to many times its size.
fn bomb(rng: &mut Rng) -> Vec<u8> {
    let unit = rng.choice(["q ", "[]TJ ", "(a)Tj ", "%", "\0", "<</A 1>>BDC "]).unwrap();
    let content = unit.repeat(size(rng, 96 << 20) / unit.len());
    Pdf::of_page(&stream("/Filter/FlateDecode", &deflated(content.into()))).done()
}

fn nested_bomb(rng: &mut Rng) -> Vec<u8> {
    let depth = rng.usize(2..5);
    let mut content = vec![b' '; size(rng, 128 << 20)];
    for _ in 0..depth {
        content = deflated(content);
    }
    let filters = "/FlateDecode".repeat(depth);
    Pdf::of_page(&stream(&format!("/Filter[{filters}]"), &content)).done()
}

/// 31 KB that used to take 6.3 GB and 21 s.
fn q_flood(rng: &mut Rng) -> Vec<u8> {
    let content = b"q ".repeat(size(rng, 16_000_000).max(8_000_000));
    Pdf::of_page(&stream("/Filter/FlateDecode", &deflated(content))).done()
}

fn empty_arrays(rng: &mut Rng) -> Vec<u8> {
    let arrays = "[]".repeat(size(rng, 14_000_000));
    let content = format!("BT /F1 12 Tf [{arrays}] TJ ET");
    Pdf::of_page(&stream("/Filter/FlateDecode", &deflated(content.into()))).done()
}

fn deep_arrays(rng: &mut Rng) -> Vec<u8> {
    let deep = "[".repeat(size(rng, 1_000_000));
    let mut pdf = Pdf::of_page(&stream("", format!("BT {deep} TJ ET").as_bytes()));
    pdf.objects.push(deep.into());
    pdf.done()
}

fn deep_dictionaries(rng: &mut Rng) -> Vec<u8> {
    let deep = "<</A".repeat(size(rng, 500_000));
    let mut pdf = Pdf::of_page(&stream("", b"BT ET"));
    pdf.objects.push(deep.into());
    pdf.trailer.push_str("/Info 6 0 R");
    pdf.done()
}

/// An object stream that claims to contain itself.
fn own_object_stream(rng: &mut Rng) -> Vec<u8> {
    let n = size(rng, 2_000_000_000);
    let entries = format!("/Type/ObjStm/N {n}/First {}/Extends 4 0 R", rng.u32(..));
    let numbers = "4 0 ".repeat(size(rng, 200_000));
    Pdf::of_page(&stream(&entries, numbers.as_bytes())).done()
}

fn huge_length(rng: &mut Rng) -> Vec<u8> {
    let length =
        rng.choice(["99999999999999999999", "9223372036854775807", "-1", "4 0 R"]).unwrap();
    let content = format!("<</Length {length}>>\nstream\nBT ET\nendstream");
    Pdf::of_page(content.as_bytes()).done()
}

fn prev_cycle(rng: &mut Rng) -> Vec<u8> {
    let mut pdf = Pdf::of_page(&stream("", b"BT ET"));
    let at = pdf.done().windows(4).position(|it| it == b"xref").unwrap();
    pdf = Pdf::of_page(&stream("", b"BT ET"));
    pdf.trailer =
        if rng.bool() { format!("/Prev {at}") } else { format!("/Prev {at}/XRefStm {at}") };
    pdf.done()
}

fn huge_xref(rng: &mut Rng) -> Vec<u8> {
    let entries = rng.choice(["2147483648", "4294967295", "18446744073709551615"]).unwrap();
    let text = String::from_utf8(good("hidden")).unwrap();
    text.replace("xref\n0 6", &format!("xref\n0 {entries}")).into_bytes()
}

/// A cross-reference stream that claims billions of entries.
fn xref_stream(rng: &mut Rng) -> Vec<u8> {
    let size = size(rng, 4_000_000_000);
    let table = deflated(vec![1; size.min(32 << 20)]);
    let entries = format!(
        "/Type/XRef/Size {size}/Index[0 {size}]/W[1 {} 2]/Root 1 0 R/Filter/FlateDecode",
        rng.choice([0_u32, 2, 8, 1_000_000_000]).unwrap()
    );
    let mut file = b"%PDF-1.5\n".to_vec();
    let start = file.len();
    file.extend(b"1 0 obj\n");
    file.extend(stream(&entries, &table));
    file.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

/// A font that maps every code, over and over.
fn cmap_ranges(rng: &mut Rng) -> Vec<u8> {
    let range = "<00000000> <ffffffff> <0041>\n".repeat(size(rng, 200_000));
    with_cmap(&format!("{} beginbfrange\n{range}endbfrange", rng.u32(..)))
}

fn cmap_flood(rng: &mut Rng) -> Vec<u8> {
    let to = "0041".repeat(size(rng, 2_000));
    let range = format!("<0000> <ffff> <{to}>\n").repeat(size(rng, 1_000));
    with_cmap(&format!("100 beginbfrange\n{range}endbfrange"))
}

fn with_cmap(body: &str) -> Vec<u8> {
    let cmap = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap
        1 begincodespacerange <0000> <ffff> endcodespacerange
        {body}
        endcmap end end"
    );
    let mut pdf = Pdf::of_page(&stream("", b"BT /F1 12 Tf <00410042> Tj ET"));
    pdf.objects[4] =
        "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 6 0 R>>".into();
    pdf.objects.push(stream("/Filter/FlateDecode", &deflated(cmap.into())));
    pdf.done()
}

/// Objects that consist of references to each other.
fn own_reference(rng: &mut Rng) -> Vec<u8> {
    let mut pdf = Pdf::of_page(b"4 0 R");
    let len = size(rng, 50_000);
    pdf.objects.extend((0..len).map(|idx| format!("{} 0 R", 7 + idx).into_bytes()));
    pdf.objects.push(b"6 0 R".to_vec());
    pdf.objects[2] = "<</Type/Page/Parent 2 0 R/Contents[6 0 R 4 0 R]/Resources 6 0 R>>".into();
    pdf.done()
}

fn strings(rng: &mut Rng) -> Vec<u8> {
    let deep = "(".repeat(size(rng, 2_000_000));
    Pdf::of_page(&stream("", format!("BT /F1 1 Tf {deep} Tj ET").as_bytes())).done()
}

/// Pages whose resources are searched in all their ancestors.
fn inherited(rng: &mut Rng) -> Vec<u8> {
    let fonts = "/F1 5 0 R".repeat(size(rng, 100_000));
    let mut pdf = Pdf::of_page(&stream("", b"BT /F1 12 Tf (x) Tj ET"));
    let kids = "3 0 R ".repeat(size(rng, 2_000));
    let resources = format!("/Resources<</Font<<{fonts}>>>>");
    pdf.objects[1] = format!("<</Type/Pages/Parent 2 0 R/Kids[{kids}]/Count 1{resources}>>").into();
    pdf.objects[2] = "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".into();
    pdf.done()
}

/// A file of any shape with some bytes replaced.
fn garbled(rng: &mut Rng) -> Vec<u8> {
    let (_, shape) = SHAPES[rng.usize(..SHAPES.len() - 1)];
    let mut file = shape(rng);
    for _ in 0..rng.usize(1..50) {
        // The beginning identifies a PDF.
        let at = rng.usize(5..file.len());
        file[at] = rng.u8(..);
    }
    file
}
