//! PDF: the text of each page in the order of its content streams, by lopdf. Scanned text is not
//! recognised.

use std::{
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    rc::Rc,
};

use lopdf::{
    Dictionary, Encoding, LoadOptions, Object, ObjectId,
    content::{Content, Operation},
    decode_text_string,
};
use svc_contract::{host::Host, value::Value};
use svc_text::pages::BREAK;

use super::{Document, LARGEST_FILE, Sink, Unreadable, last_name, meta::Meta, worker};

/// The maximum decompressed size of a stream, in bytes.
pub(super) const LARGEST_STREAM: usize = 32 << 20;

/// Returns the text of a PDF, or why there is none. Pages that cannot be read are reported to the
/// sink.
pub fn pdf(
    name: &str,
    content: &[u8],
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> Result<Document, Unreadable> {
    worker::read(worker::Reader::Pdf, name, content, host, sink)
}

/// Reads the content of a PDF as a document.
///
/// lopdf trusts the declarations of a file, such as its number of pages, and uses many times the
/// memory of the input: call this in a worker only.
pub(super) fn in_process(
    name: &str,
    content: &[u8],
    sink: &mut dyn Sink,
) -> Result<Document, Unreadable> {
    // lopdf is well behaved, but PDF has too many special cases to risk a run.
    let read = catch_unwind(AssertUnwindSafe(|| read(name, content, sink)));
    let damaged = "it is too damaged to be read";
    read.unwrap_or_else(|_| Err(Unreadable::Damaged(damaged.to_owned())))
}

fn read(name: &str, content: &[u8], sink: &mut dyn Sink) -> Result<Document, Unreadable> {
    let pdf = open(content)?;
    let pages: Vec<_> = pdf.page_iter().collect();
    let text = texts(&pdf, &pages, sink);
    if text.trim().is_empty() {
        // A truncated file may still have pages, but without their content.
        let is_whole = content.windows(b"%%EOF".len()).rev().take(4_096).any(|it| it == b"%%EOF");
        return Err(if is_whole {
            Unreadable::Textless
        } else {
            Unreadable::Damaged("it is not a readable PDF (it is cut off)".to_owned())
        });
    }
    let title = title(&pdf).unwrap_or_else(|| last_name(name));
    let (id, meta) = (name.to_owned(), meta(&pdf));
    Ok(Document { id, title, text, start: 0, end: content.len() as u64, meta })
}

/// A PDF that is not encrypted and has pages.
pub(super) fn open(content: &[u8]) -> Result<lopdf::Document, Unreadable> {
    if content.is_empty() {
        return Err(Unreadable::Damaged("it is empty".to_owned()));
    }
    let options = LoadOptions::with_max_decompressed_size(LARGEST_STREAM);
    let pdf =
        lopdf::Document::load_mem_with_options(content, options).map_err(|err| match err {
            lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword => Unreadable::Encrypted,
            err => Unreadable::Damaged(format!("it is not a readable PDF ({err})")),
        })?;
    if pdf.is_encrypted() {
        return Err(Unreadable::Encrypted);
    }
    if pdf.page_iter().next().is_none() {
        return Err(Unreadable::Damaged("it is not a readable PDF (it has no pages)".to_owned()));
    }
    Ok(pdf)
}

/// Returns the text of the pages with [`BREAK`] between pages.
fn texts(pdf: &lopdf::Document, pages: &[ObjectId], sink: &mut dyn Sink) -> String {
    let (mut text, mut fonts) = (String::new(), Fonts::of(pdf));
    for (number, page) in (1..).zip(pages) {
        if sink.is_stopped() {
            break;
        }
        if text.len() as u64 > LARGEST_FILE {
            sink.notice(None, format!("the text from page {number} on was left out"));
            break;
        }
        if number > 1 {
            text.push_str(BREAK);
        }
        match page_text(pdf, *page, &mut fonts) {
            Ok(page) => text.push_str(page.trim()),
            Err(err) => sink.notice(None, format!("page {number} was skipped: {err}")),
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the text of a page in the order of its content.
///
/// lopdf's own function walks through all pages for each page, and reads the fonts of each page
/// again.
pub(super) fn page_text<'a>(
    pdf: &'a lopdf::Document,
    page: ObjectId,
    fonts: &mut Fonts<'a>,
) -> lopdf::Result<String> {
    let named = fonts.of_page(page)?;
    let content = pdf.get_page_content_with_limit(page, LARGEST_STREAM)?;
    let (mut font, mut text) = (None, String::new());
    for operation in Content::decode_iter(&content) {
        let Operation { operator, operands } = operation?;
        match operator.as_str() {
            "Tf" => {
                let name = operands.first().map(Object::as_name).transpose()?;
                font = name.and_then(|it| named.get(it)).map(Rc::clone);
            }
            "Tj" | "TJ" => show(&operands, font.as_deref(), &mut text)?,
            "'" => {
                end_line(&mut text);
                show(&operands, font.as_deref(), &mut text)?;
            }
            // Two spacings precede the text.
            "\"" => {
                end_line(&mut text);
                show(operands.get(2..).unwrap_or_default(), font.as_deref(), &mut text)?;
            }
            "T*" | "ET" => end_line(&mut text),
            _ => {}
        }
    }
    Ok(text)
}

fn end_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Writes shown text. Arrays contain texts and the distances between them; a large distance is a
/// space.
fn show(operands: &[Object], font: Option<&Encoding>, text: &mut String) -> lopdf::Result<()> {
    const SPACE: i64 = -100;
    let Some(font) = font else { return Ok(()) };
    for operand in operands {
        match operand {
            Object::String(bytes, _) => font.write_to_string(bytes, text)?,
            Object::Array(inner) => {
                show(inner, Some(font), text)?;
                text.push(' ');
            }
            Object::Integer(distance) if *distance < SPACE => text.push(' '),
            _ => {}
        }
    }
    Ok(())
}

/// The encodings of fonts, most of which are shared between pages.
pub(super) struct Fonts<'a> {
    pdf: &'a lopdf::Document,
    /// Encodings by the address of the font's dictionary.
    known: HashMap<*const Dictionary, Rc<Encoding<'a>>>,
}

impl<'a> Fonts<'a> {
    /// The maximum number of cached encodings.
    const MOST: usize = 64;

    pub(super) fn of(pdf: &'a lopdf::Document) -> Self {
        Self { pdf, known: HashMap::new() }
    }

    /// The encodings of a page's fonts, by their names on the page.
    fn of_page(&mut self, page: ObjectId) -> lopdf::Result<BTreeMap<Vec<u8>, Rc<Encoding<'a>>>> {
        let fonts = self.pdf.get_page_fonts(page)?.into_iter();
        fonts.map(|(name, font)| Ok((name, self.encoding(font)?))).collect()
    }

    fn encoding(&mut self, font: &'a Dictionary) -> lopdf::Result<Rc<Encoding<'a>>> {
        let place = ptr::from_ref(font);
        if let Some(known) = self.known.get(&place) {
            return Ok(known.clone());
        }
        if self.known.len() >= Self::MOST {
            self.known.clear();
        }
        let encoding = Rc::new(font.get_font_encoding_with_limit(self.pdf, LARGEST_STREAM)?);
        self.known.insert(place, encoding.clone());
        Ok(encoding)
    }
}

pub(super) fn title(pdf: &lopdf::Document) -> Option<String> {
    declared(pdf, b"Title")
}

/// What the dictionary of information says besides the title.
fn meta(pdf: &lopdf::Document) -> Value {
    let mut meta = Meta::new();
    meta.text("author", declared(pdf, b"Author").as_deref());
    meta.date("created", declared(pdf, b"CreationDate").as_deref());
    meta.text("subject", declared(pdf, b"Subject").as_deref());
    meta.text("keywords", declared(pdf, b"Keywords").as_deref());
    meta.end()
}

/// An entry of the dictionary of information, on one line.
fn declared(pdf: &lopdf::Document, name: &[u8]) -> Option<String> {
    let info = pdf.trailer.get(b"Info").ok()?;
    let (_, info) = pdf.dereference(info).ok()?;
    let (_, text) = pdf.dereference(info.as_dict().ok()?.get(name).ok()?).ok()?;
    let text = decode_text_string(text).ok()?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}
