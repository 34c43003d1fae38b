//! Single pages of a PDF, and what it says about itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Object, decode_text_string};
use svc_contract::{
    host::Host,
    value::{Record, Text, Value},
};

use super::{LARGEST_FILE, Unreadable, pdf, worker};

/// Pages of a PDF.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PdfPages {
    /// The declared title.
    pub title: Option<Text>,
    /// How many pages the PDF has.
    pub count: i64,
    /// The number of each page, from 1, and its text.
    pub pages: Vec<(i64, Text)>,
    /// Why pages were skipped.
    pub notices: Vec<Text>,
}

/// What a PDF says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct PdfInfo {
    /// The number of pages; 0 if it is encrypted.
    pub pages: i64,
    pub is_encrypted: bool,
    /// Whether its pages have images, but no text.
    pub is_scanned: bool,
    /// Its declared metadata, by lower-case names.
    pub metadata: Value,
}

/// Reads the pages in these ranges of numbers, or all of them, in a worker.
pub fn pdf_pages(
    content: &[u8],
    ranges: &[(i64, i64)],
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<PdfPages, Unreadable> {
    let wanted = ranges_of(ranges);
    let found = worker::read_value(worker::Reader::PdfParts, content, &wanted, host, is_stopped)?;
    pages_of(&found).ok_or_else(worker::invalid_answer)
}

/// Reads what a PDF says about itself, in a worker.
pub fn pdf_info(
    content: &[u8],
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<PdfInfo, Unreadable> {
    let reader = worker::Reader::PdfParts;
    let found = match worker::read_value(reader, content, &Value::Null, host, is_stopped) {
        Err(Unreadable::Encrypted) => {
            let metadata = Value::Record(Record::from_iter([]));
            return Ok(PdfInfo { pages: 0, is_encrypted: true, is_scanned: false, metadata });
        }
        found => found?,
    };
    info_of(&found).ok_or_else(worker::invalid_answer)
}

/// Ranges of pages for a worker.
pub(super) fn ranges_of(ranges: &[(i64, i64)]) -> Value {
    let range =
        |(first, last): &(i64, i64)| Value::from(vec![Value::Int(*first), Value::Int(*last)]);
    Value::List(ranges.iter().map(range).collect())
}

pub(super) fn range_of(it: &Value) -> Option<(i64, i64)> {
    let it = it.as_list()?;
    Some((int(it.get(0)?)?, int(it.get(1)?)?))
}

/// Reads the answer of a worker, which may be compromised.
fn pages_of(found: &Value) -> Option<PdfPages> {
    let found = found.as_record()?;
    let page = |it: &Value| {
        let it = it.as_list()?;
        Some((int(it.get(0)?)?, it.get(1)?.as_str()?.into()))
    };
    let text = |it: &Value| it.as_str().map(Text::from);
    Some(PdfPages {
        title: found.get("title").and_then(text),
        count: int(found.get("count")?)?,
        pages: found.get("pages")?.as_list()?.iter().map(page).collect::<Option<_>>()?,
        notices: found.get("notices")?.as_list()?.iter().map(text).collect::<Option<_>>()?,
    })
}

fn info_of(found: &Value) -> Option<PdfInfo> {
    let found = found.as_record()?;
    Some(PdfInfo {
        pages: int(found.get("pages")?)?,
        is_encrypted: false,
        is_scanned: matches!(found.get("scanned")?, Value::Bool(true)),
        metadata: Value::Record(found.get("metadata")?.as_record()?.clone()),
    })
}

pub(super) fn int(it: &Value) -> Option<i64> {
    match it {
        Value::Int(it) => Some(*it),
        _ => None,
    }
}

/// Reads pages, or with null what the PDF says about itself. See `pdf::in_process`: call this in a
/// worker only.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let read = catch_unwind(AssertUnwindSafe(|| match wanted.as_list() {
        Some(ranges) => pages(content, &ranges.iter().filter_map(range_of).collect::<Vec<_>>()),
        None => info(content),
    }));
    let damaged = || Err(Unreadable::Damaged("it is too damaged to be read".to_owned()));
    read.unwrap_or_else(|_| damaged())
}

fn count(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn pages(content: &[u8], ranges: &[(i64, i64)]) -> Result<Value, Unreadable> {
    let file = pdf::open(content)?;
    let mut fonts = pdf::Fonts::of(&file);
    let (mut pages, mut notices, mut size, mut last) = (Vec::new(), Vec::new(), 0_u64, 0);
    for (number, page) in (1_i64..).zip(file.page_iter()) {
        last = number;
        let is_wanted = |(first, last): &(i64, i64)| (*first..=*last).contains(&number);
        if !ranges.is_empty() && !ranges.iter().any(is_wanted) {
            continue;
        }
        let text = pdf::page_text(&file, page, &mut fonts).unwrap_or_else(|err| {
            notices.push(Value::from(format!("page {number} was skipped: {err}")));
            String::new()
        });
        size += text.len() as u64;
        if size > LARGEST_FILE {
            return Err(Unreadable::Damaged("its content is too large".to_owned()));
        }
        pages.push(Value::from(vec![Value::Int(number), Value::text(text.trim())]));
    }
    Ok(record([
        ("title", pdf::title(&file).map_or(Value::Null, Value::from)),
        ("count", last.into()),
        ("pages", Value::List(pages.into())),
        ("notices", Value::List(notices.into())),
    ]))
}

fn info(content: &[u8]) -> Result<Value, Unreadable> {
    let file = pdf::open(content)?;
    let mut fonts = pdf::Fonts::of(&file);
    let pages: Vec<_> = file.page_iter().collect();
    let has_text = pages
        .iter()
        .any(|it| pdf::page_text(&file, *it, &mut fonts).is_ok_and(|it| !it.trim().is_empty()));
    let has_image = |it: &lopdf::ObjectId| file.get_page_images(*it).is_ok_and(|it| !it.is_empty());
    let is_scanned = !has_text && pages.iter().any(has_image);
    Ok(record([
        ("pages", count(pages.len())),
        ("scanned", is_scanned.into()),
        ("metadata", metadata(&file)),
    ]))
}

/// The texts of the dictionary of information.
fn metadata(file: &lopdf::Document) -> Value {
    let info = file.trailer.get(b"Info").and_then(|it| file.dereference(it));
    let Ok(info) = info.and_then(|(_, it)| it.as_dict()) else {
        return Value::Record(Record::from_iter([]));
    };
    let field = |(name, it): (&Vec<u8>, &Object)| {
        let (_, it) = file.dereference(it).ok()?;
        let text = decode_text_string(it).ok()?;
        let name = std::str::from_utf8(name).ok()?.to_lowercase();
        Some((Text::from(name), Value::from(text)))
    };
    Value::Record(info.iter().filter_map(field).collect::<Record>())
}

fn record<const N: usize>(all: [(&'static str, Value); N]) -> Value {
    Value::Record(all.into_iter().map(|(name, it)| (Text::from(name), it)).collect::<Record>())
}
