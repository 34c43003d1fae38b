//! PDF: the text of each page in the order of its content streams, by lopdf. There is no
//! recognition of scanned letters.

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
use svc_contract::host::Host;

use super::{Document, LARGEST_FILE, Sink, Unreadable, apart, last_name};

/// The most bytes that one compressed stream may unfold to.
const LARGEST_STREAM: usize = 32 << 20;

/// The text of a PDF, or why there is none. Pages that cannot be read are said to the sink.
pub fn pdf(
    name: &str,
    content: &[u8],
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> Result<Document, Unreadable> {
    apart::read(apart::Reader::Pdf, name, content, host, sink)
}

/// The document that the content of a PDF is.
///
/// lopdf believes what a file says of itself, such as how many pages it has, and takes many
/// times the memory of what it reads: this runs in a worker only.
pub(super) fn in_process(
    name: &str,
    content: &[u8],
    sink: &mut dyn Sink,
) -> Result<Document, Unreadable> {
    // The reader is well behaved, but PDF has too many corners to stake a run on that.
    let read = catch_unwind(AssertUnwindSafe(|| read(name, content, sink)));
    let damaged = "it is damaged beyond what can be read";
    read.unwrap_or_else(|_| Err(Unreadable::Damaged(damaged.to_owned())))
}

fn read(name: &str, content: &[u8], sink: &mut dyn Sink) -> Result<Document, Unreadable> {
    let options = LoadOptions::with_max_decompressed_size(LARGEST_STREAM);
    let pdf =
        lopdf::Document::load_mem_with_options(content, options).map_err(|err| match err {
            lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword => Unreadable::Encrypted,
            err => Unreadable::Damaged(format!("it is no readable PDF ({err})")),
        })?;
    if pdf.is_encrypted() {
        return Err(Unreadable::Encrypted);
    }
    let pages: Vec<_> = pdf.page_iter().collect();
    if pages.is_empty() {
        return Err(Unreadable::Damaged("it is no readable PDF (it has no pages)".to_owned()));
    }
    let text = texts(&pdf, &pages, sink);
    if text.is_empty() {
        // What is cut off may still have pages, but not what stands on them.
        let is_whole = content.windows(b"%%EOF".len()).rev().take(4_096).any(|it| it == b"%%EOF");
        return Err(match is_whole {
            true => Unreadable::Textless,
            false => Unreadable::Damaged("it is no readable PDF (it is cut off)".to_owned()),
        });
    }
    let title = title(&pdf).unwrap_or_else(|| last_name(name));
    Ok(Document { id: name.to_owned(), title, text, start: 0, end: content.len() as u64 })
}

/// The pages' text with an empty line between two pages.
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
        match page_text(pdf, *page, &mut fonts) {
            Ok(page) if page.trim().is_empty() => {}
            Ok(page) => {
                let gap = if text.is_empty() { "" } else { "\n\n" };
                text.push_str(gap);
                text.push_str(page.trim());
            }
            Err(err) => sink.notice(None, format!("page {number} was skipped: {err}")),
        }
    }
    text
}

/// The text of a page in the order of its content.
///
/// lopdf's own walks through all pages to each of them, and reads the fonts of each once more.
fn page_text<'a>(
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
            // Two spacings stand in front of the text.
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

/// Writes what is shown. Arrays hold texts and the distances between them, in which a large one
/// is a space.
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

/// The encodings of fonts, of which pages share most.
struct Fonts<'a> {
    pdf: &'a lopdf::Document,
    /// By the place of the font's dictionary.
    known: HashMap<*const Dictionary, Rc<Encoding<'a>>>,
}

impl<'a> Fonts<'a> {
    /// So many are kept.
    const MOST: usize = 64;

    fn of(pdf: &'a lopdf::Document) -> Self {
        Self { pdf, known: HashMap::new() }
    }

    /// Those of a page, by their names there.
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

fn title(pdf: &lopdf::Document) -> Option<String> {
    let info = pdf.trailer.get(b"Info").ok()?;
    let (_, info) = pdf.dereference(info).ok()?;
    let (_, title) = pdf.dereference(info.as_dict().ok()?.get(b"Title").ok()?).ok()?;
    let title = decode_text_string(title).ok()?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}
