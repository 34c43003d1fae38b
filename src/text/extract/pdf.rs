//! PDF: the text of each page in the order of its content streams, by lopdf. There is no
//! recognition of scanned letters.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{LoadOptions, decode_text_string};

use super::{Document, LARGEST_FILE, Sink, Unreadable, apart, last_name};
use crate::host::Host;

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
    if pdf.get_pages().is_empty() {
        return Err(Unreadable::Damaged("it is no readable PDF (it has no pages)".to_owned()));
    }
    let text = pages(&pdf, sink);
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
fn pages(pdf: &lopdf::Document, sink: &mut dyn Sink) -> String {
    let mut text = String::new();
    for number in pdf.get_pages().into_keys() {
        if sink.is_stopped() {
            break;
        }
        if text.len() as u64 > LARGEST_FILE {
            sink.notice(None, format!("the text from page {number} on was left out"));
            break;
        }
        match pdf.extract_text_with_limit(&[number], LARGEST_STREAM) {
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

fn title(pdf: &lopdf::Document) -> Option<String> {
    let info = pdf.trailer.get(b"Info").ok()?;
    let (_, info) = pdf.dereference(info).ok()?;
    let (_, title) = pdf.dereference(info.as_dict().ok()?.get(b"Title").ok()?).ok()?;
    let title = decode_text_string(title).ok()?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}
