//! Formats that are read in a worker process: whatever a file makes their readers do happens there,
//! within limits. The worker gets bytes, never a path.
//!
//! Each format that is read in a worker has a line in [`READERS`].

use std::{io, time::Duration};

use svc_contract::{
    host::{Host, Process, WorkerError, WorkerLimits},
    value::{
        Value,
        units::{show_duration, show_size},
        wire,
    },
};

#[cfg(feature = "select")]
use super::elements;
#[cfg(feature = "parquet")]
use super::parquet;
use super::{
    Document, LARGEST_FILE, Sink, Unreadable, conversion, members, meta::bounded, office, pdf,
    pdf_layout, pdf_parts, sheets,
};

/// The first byte of this kind of work.
pub const PURPOSE: u8 = b'd';

/// A reader that must be limited in memory and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Pdf,
    Sheet,
    Office,
    Members,
    /// Pages of a PDF, and what it says about itself.
    PdfParts,
    #[cfg(feature = "select")]
    Elements,
    /// Markdown as HTML, its headings and its links.
    Markdown,
    PdfTables,
    #[cfg(feature = "parquet")]
    Parquet,
}

/// What a reader returns.
#[derive(Clone, Copy)]
enum Read {
    /// A document of the file with this name.
    Document(fn(&str, &[u8], &mut dyn Sink) -> Result<Document, Unreadable>),
    /// A part of the file, which the value describes.
    Value(fn(&[u8], &Value) -> Result<Value, Unreadable>),
}

/// Each reader with its number in the wire format.
const READERS: &[(Reader, u64, Read)] = &[
    (Reader::Pdf, 1, Read::Document(pdf::in_process)),
    (Reader::Sheet, 2, Read::Value(sheets::in_process)),
    #[cfg(feature = "select")]
    (Reader::Elements, 3, Read::Value(elements::in_process)),
    (Reader::Office, 4, Read::Value(office::in_process)),
    (Reader::Members, 5, Read::Value(members::in_process)),
    (Reader::PdfParts, 6, Read::Value(pdf_parts::in_process)),
    (Reader::Markdown, 7, Read::Value(conversion::in_process)),
    (Reader::PdfTables, 8, Read::Value(pdf_layout::in_process)),
    #[cfg(feature = "parquet")]
    (Reader::Parquet, 9, Read::Value(parquet::in_process)),
];

/// The address space of a worker: the program, its stacks, the file, and the result.
const MEMORY: u64 = 512 << 20;

/// The processor time of a worker for any file, and for each further MiB of the file.
const TIME: Duration = Duration::from_secs(10);
const TIME_PER_MIB: Duration = Duration::from_secs(4);

/// A busy machine computes up to this many times slower.
const SLOWER: u32 = 6;

/// The size limit of an answer, in bytes: a text may be larger than its file, and is cut off before
/// this.
const ANSWER: u64 = 2 * LARGEST_FILE;

/// The maximum number of notices per file that are forwarded; the others are counted.
const MOST_NOTICES: usize = 10;

/// Extracts one file as one document, or as a notice.
pub(super) fn extract(
    reader: Reader,
    name: &str,
    content: &[u8],
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    match read(reader, name, content, host, sink) {
        Ok(document) => sink.document(document),
        Err(why) => sink.notice(None, format!("skipped: {}", why.io()?)),
    }
    Ok(())
}

/// Reads a document in a worker.
pub(super) fn read(
    reader: Reader,
    name: &str,
    content: &[u8],
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> Result<Document, Unreadable> {
    match ask(reader, (name, content, &Value::Null), host, sink)? {
        Answer::Document(document) => Ok(document),
        Answer::Value(_) => Err(invalid_answer()),
    }
}

/// Reads a part of a file in a worker: `wanted` says which.
pub(super) fn read_value(
    reader: Reader,
    content: &[u8],
    wanted: &Value,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Value, Unreadable> {
    match ask(reader, ("", content, wanted), host, &mut Quiet(is_stopped))? {
        Answer::Value(value) => Ok(value),
        Answer::Document(_) => Err(invalid_answer()),
    }
}

enum Answer {
    Document(Document),
    Value(Value),
}

fn ask(
    reader: Reader,
    (name, content, wanted): (&str, &[u8], &Value),
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> Result<Answer, Unreadable> {
    let mut ask = wire::WireWriter::of(PURPOSE);
    ask.number(number(reader));
    ask.text(name);
    ask.bytes(content);
    ask.value(wanted);
    let mebibytes = u32::try_from(content.len() >> 20).unwrap_or(u32::MAX);
    let processor = TIME + TIME_PER_MIB * mebibytes;
    let goes_on = || !sink.is_stopped();
    let limits = WorkerLimits {
        process: Process::Kept,
        memory: MEMORY,
        processor,
        time: processor * SLOWER,
        answer: ANSWER,
        goes_on: &goes_on,
    };
    let answer = host.run_in_worker(ask.0, &limits).map_err(|why| unanswered(why, processor))?;
    answered(&answer, name, sink).unwrap_or_else(|| Err(invalid_answer()))
}

pub(super) fn invalid_answer() -> Unreadable {
    Unreadable::Unread(io::Error::other("its reader returned an invalid answer"))
}

fn unanswered(why: WorkerError, time: Duration) -> Unreadable {
    let damaged = |why: String| Unreadable::Damaged(format!("it is damaged: {why}"));
    match why {
        WorkerError::Unsupported => Unreadable::Unsupported,
        WorkerError::Cancelled => Unreadable::Unread(io::ErrorKind::Interrupted.into()),
        WorkerError::Memory => {
            damaged(format!("reading it needs more than {} of memory", show_size(MEMORY)))
        }
        WorkerError::Processor => {
            damaged(format!("reading it takes longer than {}", show_duration(time)))
        }
        WorkerError::TooLarge => damaged("its content is too large".to_owned()),
        WorkerError::Crashed => damaged("its reader crashed".to_owned()),
        WorkerError::Late => {
            let why = "reading it took too long on this busy machine";
            Unreadable::Unread(io::Error::new(io::ErrorKind::TimedOut, why))
        }
        WorkerError::Lost(err) => Unreadable::Unread(err),
    }
}

fn number(reader: Reader) -> u64 {
    READERS.iter().find(|(it, ..)| *it == reader).map_or(0, |(_, number, _)| *number)
}

/// The first byte of each kind of answer.
mod tag {
    pub(super) const DOCUMENT: u64 = 0;
    pub(super) const ENCRYPTED: u64 = 1;
    pub(super) const DAMAGED: u64 = 2;
    pub(super) const TEXTLESS: u64 = 3;
    pub(super) const VALUE: u64 = 4;
}

/// Processes a document in a worker: takes the bytes after [`PURPOSE`], and returns those of the
/// answer.
pub fn serve(asked: &[u8]) -> Vec<u8> {
    let mut notices = Notices::default();
    let Some(read) = served(asked, &mut notices) else { return Vec::new() };
    let mut answer = wire::WireWriter::default();
    answer.number(notices.kept.len() as u64);
    notices.kept.iter().for_each(|it| answer.text(it));
    answer.number(notices.more);
    match read {
        Ok(Answer::Document(Document { id: _, title, text, start, end, meta })) => {
            answer.number(tag::DOCUMENT);
            answer.number(start);
            answer.number(end);
            answer.text(&title);
            answer.text(&text);
            answer.value(&meta);
        }
        Ok(Answer::Value(value)) => {
            answer.number(tag::VALUE);
            answer.value(&value);
        }
        Err(Unreadable::Encrypted) => answer.number(tag::ENCRYPTED),
        Err(Unreadable::Textless) => answer.number(tag::TEXTLESS),
        Err(why) => {
            answer.number(tag::DAMAGED);
            answer.text(&why.to_string());
        }
    }
    answer.0
}

fn served(asked: &[u8], notices: &mut Notices) -> Option<Result<Answer, Unreadable>> {
    let mut asked = wire::Reader(asked);
    let (number, name, content) = (asked.number()?, asked.text()?, asked.bytes()?);
    let wanted = asked.value()?;
    let (.., read) = READERS.iter().find(|(_, it, _)| *it == number)?;
    Some(match read {
        Read::Document(read) => read(name, content, notices).map(Answer::Document),
        Read::Value(read) => read(content, &wanted).map(Answer::Value),
    })
}

/// Decodes the result or the reason in an answer, and forwards its notices. Returns `None` for an
/// invalid answer: the sender may be compromised.
fn answered(answer: &[u8], name: &str, sink: &mut dyn Sink) -> Option<Result<Answer, Unreadable>> {
    let mut answer = wire::Reader(answer);
    for _ in 0..answer.place().filter(|it| *it <= MOST_NOTICES)? {
        sink.notice(None, answer.text()?.to_owned());
    }
    match answer.number()? {
        0 => {}
        1 => sink.notice(None, "1 more page was skipped".to_owned()),
        more => sink.notice(None, format!("{more} more pages were skipped")),
    }
    Some(match answer.number()? {
        tag::DOCUMENT => Ok(Answer::Document(Document {
            id: name.to_owned(),
            start: answer.number()?,
            end: answer.number()?,
            title: answer.text()?.to_owned(),
            text: answer.text()?.to_owned(),
            meta: bounded(&answer.value()?),
        })),
        tag::VALUE => Ok(Answer::Value(answer.value()?)),
        tag::ENCRYPTED => Err(Unreadable::Encrypted),
        tag::TEXTLESS => Err(Unreadable::Textless),
        tag::DAMAGED => Err(Unreadable::Damaged(answer.text()?.to_owned())),
        _ => return None,
    })
}

/// The notices of a file in a worker.
#[derive(Default)]
struct Notices {
    kept: Vec<String>,
    more: u64,
}

impl Sink for Notices {
    fn document(&mut self, _: Document) {}

    fn notice(&mut self, _: Option<u64>, message: String) {
        if self.kept.len() < MOST_NOTICES { self.kept.push(message) } else { self.more += 1 }
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

/// Wants a result without documents and notices.
struct Quiet<'a>(&'a dyn Fn() -> bool);

impl Sink for Quiet<'_> {
    fn document(&mut self, _: Document) {}

    fn notice(&mut self, _: Option<u64>, _: String) {}

    fn is_stopped(&self) -> bool {
        (self.0)()
    }
}
