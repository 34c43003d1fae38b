//! Office documents and books as text: DOCX, PPTX, ODT, ODP, workbooks, EPUB. Own readers over `zip`
//! and `quick-xml`; workbooks by calamine.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use svc_contract::{
    host::Host,
    value::{Record, Text, Value},
};

use super::{Document, Sink, Unreadable, last_name, meta::bounded, sheets, worker};

mod answer;
mod book;
mod docx;
mod open_document;
mod package;
mod properties;
mod slides;
mod writer;
mod xml;

use package::Package;
use properties::{OF_CORE, Properties};
pub(super) use writer::Writer;
pub use writer::{Heading, Table};

/// The content of an office document or a book.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Office {
    /// `docx`, `pptx`, `xlsx`, `xls`, `odt`, `odp`, `ods` or `epub`.
    pub kind: Text,
    /// The title that the document shows or declares.
    pub title: Option<Text>,
    /// The text, with [`svc_text::pages::BREAK`] between pages, slides, sheets and chapters.
    pub text: Text,
    pub headings: Vec<Heading>,
    pub tables: Vec<Table>,
    /// What it declares besides the title, or null.
    pub meta: Value,
}

/// Extracts one file as one document.
pub(super) fn extract(
    name: &str,
    content: &[u8],
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    let read = office(content, false, host, &|| sink.is_stopped());
    match read {
        Ok(Office { title, text, meta, .. }) => sink.document(Document {
            id: name.to_owned(),
            title: title.map_or_else(|| last_name(name), |it| it.as_ref().to_owned()),
            text: text.as_ref().to_owned(),
            start: 0,
            end: content.len() as u64,
            meta: bounded(&meta),
        }),
        Err(why) => sink.notice(None, format!("skipped: {}", why.io()?)),
    }
    Ok(())
}

/// Reads a document in a worker. Without `all`, tables and headings are left out.
pub fn office(
    content: &[u8],
    all: bool,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Office, Unreadable> {
    let wanted = Value::Bool(all);
    let found = worker::read_value(worker::Reader::Office, content, &wanted, host, is_stopped)?;
    answer::read(&found).ok_or_else(worker::invalid_answer)
}

/// Reads a document. Its parts are compressed and trusted: call this in a worker only.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let read = catch_unwind(AssertUnwindSafe(|| read(content)));
    let damaged = || Err(Unreadable::Damaged("it is too damaged to be read".to_owned()));
    let mut found = read.unwrap_or_else(|_| damaged())?;
    if found.text.trim().is_empty() {
        return Err(Unreadable::Textless);
    }
    if *wanted != Value::Bool(true) {
        found.headings.clear();
        found.tables.clear();
    }
    Ok(answer::write(found))
}

/// The starts of a ZIP archive, and of a compound file.
const ZIP: &[u8] = b"PK\x03\x04";
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

fn read(content: &[u8]) -> Result<Office, Unreadable> {
    if content.starts_with(COMPOUND) {
        return compound(content);
    }
    if !content.starts_with(ZIP) {
        return Err(Unreadable::Damaged("it is not an office document".to_owned()));
    }
    let mut package = Package::open(content)?;
    if package.has("META-INF/container.xml") && !package.has("content.xml") {
        return with(Writer::default(), "epub", |writer| book::read(&mut package, writer));
    }
    if package.has("content.xml") {
        return open_document(content, &mut package);
    }
    let main = package.relations("")?.into_values().find(|it| it.kind == "officeDocument");
    let main = main.map(|it| it.path).ok_or_else(|| {
        Unreadable::Damaged("it is an archive, not an office document".to_owned())
    })?;
    let core = package.text("docProps/core.xml")?;
    let declared = core.map_or(Ok(Properties::default()), |xml| properties::read(&xml, OF_CORE))?;
    let mut writer = Writer::default();
    let (kind, title) = match main.split('/').next().unwrap_or_default() {
        "ppt" => {
            slides::read(&mut package, &main, &mut writer)?;
            ("pptx", None)
        }
        "xl" => {
            sheets::write(content, &mut writer)?;
            ("xlsx", None)
        }
        _ => ("docx", docx::read(&mut package, &main, &mut writer)?),
    };
    Ok(office_of(writer, kind, title, declared))
}

fn with(
    mut writer: Writer,
    kind: &str,
    read: impl FnOnce(&mut Writer) -> Result<Properties, Unreadable>,
) -> Result<Office, Unreadable> {
    let Properties { title, meta } = read(&mut writer)?;
    Ok(office_of(writer, kind, title, Properties { title: None, meta }))
}

/// A compound file is a workbook, an encrypted document, or of an older format.
fn compound(content: &[u8]) -> Result<Office, Unreadable> {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    if content.windows(name.len()).any(|it| it == name) {
        return Err(Unreadable::Encrypted);
    }
    with(Writer::default(), "xls", |writer| {
        sheets::write(content, writer).map(|()| Properties::default())
    })
    .map_err(|why| match why {
        Unreadable::Damaged(_) => {
            Unreadable::Damaged("it has an older format: save it as DOCX, XLSX or PPTX".to_owned())
        }
        why => why,
    })
}

fn open_document(content: &[u8], package: &mut Package) -> Result<Office, Unreadable> {
    let manifest = package.text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(Unreadable::Encrypted);
    }
    let kind = package.text("mimetype")?.unwrap_or_default();
    let declared = open_document::properties(package)?;
    let mut writer = Writer::default();
    let kind = if kind.contains("spreadsheet") {
        sheets::write(content, &mut writer)?;
        "ods"
    } else {
        open_document::read(package, &mut writer)?;
        if kind.contains("presentation") { "odp" } else { "odt" }
    };
    Ok(office_of(writer, kind, None, declared))
}

/// The title is the one that is shown as such, the first heading, or the declared one. The name of
/// a sheet is not a title.
fn office_of(writer: Writer, kind: &str, shown: Option<String>, declared: Properties) -> Office {
    let Writer { text, headings, tables, .. } = writer;
    let has_names = kind.starts_with("xls") || kind == "ods";
    let heading = headings.first().filter(|_| !has_names).map(|it| it.text.clone());
    let title = shown.or(heading).or(declared.title);
    let title = title.map(|it| writer::one_line(&it)).filter(|it| !it.is_empty());
    let text = text.trim_end().into();
    let (kind, meta) = (kind.into(), declared.meta);
    Office { kind, title: title.map(Text::from), text, headings, tables, meta }
}

/// The text that a page of HTML shows, all of it.
pub(super) fn text_of_html(html: &str) -> Result<String, Unreadable> {
    let mut writer = Writer::default();
    book::html(html, &mut writer)?;
    Ok(writer.text)
}

/// The records of an answer.
fn fields<const N: usize>(all: [(&'static str, Value); N]) -> Value {
    let all = all.into_iter().map(|(name, it)| (Text::from(name), it));
    Value::Record(all.collect::<Record>())
}

/// Adds words with one space between them, and around them where the text has white space.
fn push_words(out: &mut String, text: &str) {
    let has_space = |out: &str| out.is_empty() || out.ends_with(char::is_whitespace);
    if text.starts_with(char::is_whitespace) && !has_space(out) {
        out.push(' ');
    }
    for (idx, word) in text.split_whitespace().enumerate() {
        if idx > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    if text.ends_with(char::is_whitespace) && !has_space(out) {
        out.push(' ');
    }
}
