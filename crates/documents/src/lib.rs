//! Extracts documents from files: Markdown, plain text, HTML, PDF, office documents, books, mail,
//! archives, and records in JSON. Reads tables of workbooks and elements of HTML.
//!
//! [`extract`] reads one file and passes every document in it to a [`Sink`], one at a time, so a
//! file of a million records is never in memory as a whole. Parts that cannot be read are reported
//! to the sink and skipped; the rest of the file is read.
//!
//! Every document has the byte range of the file that it was made from. A passage of its text has
//! its own range only where the text is in the file unchanged: exactly then `end - start` is the
//! length of the text. This is the case for plain text and Markdown, whose text is the source
//! without front matter, and not for HTML, PDF, records, and text in other encodings than UTF-8.
//! Places in a member of an archive are those in the member.
//!
//! A document has the name of its file as its id, a record its own. What is in a file with members
//! has their names: `a.zip/b.txt`. Pages, slides, sheets and chapters are separated by
//! [`svc_text::pages::BREAK`].
//!
//! **Invariant:** no input makes this panic, loop, or hold more than a few times [`LARGEST_FILE`].
//! A format whose reader cannot guarantee that is read in a worker process (`apart`).

use std::{
    io::{self, Read},
    path::Path,
};

mod article;
mod conversion;
#[cfg(feature = "select")]
mod elements;
mod elements_of_text;
mod encoding;
mod format;
mod html;
mod html_tables;
mod json;
mod lines;
mod markdown;
mod members;
mod meta;
mod office;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod parse;
mod pdf;
mod pdf_layout;
mod pdf_parts;
mod plain;
mod record;
mod sheets;
mod tags;
mod tree;
mod unreadable;
#[cfg(feature = "web")]
mod web;
mod worker;

pub use article::{ArticleRules, Metadata};
pub use conversion::{
    MarkdownHeading, MarkdownLink, from_html, markdown_headings, markdown_links, to_html,
};
#[cfg(feature = "select")]
pub use elements::{BadSelector, elements, selector};
use format::{Format, HEAD_BYTES};
#[cfg(feature = "web")]
pub use html::fragment;
pub use html::{PageLink, WebPage, page_metadata, web_page};
pub use html_tables::{HtmlTable, html_tables};
pub use meta::{date, front_matter, of_file};
pub use office::{Heading, Office, Table, office};
pub use page::page;
#[cfg(feature = "parquet")]
pub use parquet::{ParquetCells, ParquetColumn, parquet};
pub use pdf::pdf;
pub use pdf_layout::{PdfTable, PdfTableRules, PdfTables, pdf_tables};
pub use pdf_parts::{PdfInfo, PdfPages, pdf_info, pdf_pages};
pub use sheets::{Area, Sheet, WhichSheet, sheet};
pub use unreadable::Unreadable;
#[cfg(feature = "web")]
pub use web::{Entry, Feed, Robots, Sitemap, feed, sitemap};
pub use worker::{PURPOSE, serve};

use svc_contract::{
    host::Host,
    value::{Value, units::show_size},
};

/// The size limit of a file that is read as a whole, in bytes. Files with one record per line have
/// no limit.
pub const LARGEST_FILE: u64 = 64 << 20;

/// The size limit of one line of a file of records, in bytes.
pub const LARGEST_LINE: u64 = 16 << 20;

/// One file, opened.
pub struct Source<'a> {
    /// The name of the file; its extension determines the format.
    pub name: &'a str,
    /// Its size in bytes, if known.
    pub size: u64,
    pub input: &'a mut dyn Read,
    /// The host that starts worker processes.
    pub host: &'a dyn Host,
}

/// A document in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The record's own id, or the file's name.
    pub id: String,
    /// The first heading or declared title; without one the file name, and for a record the
    /// beginning of its text.
    pub title: String,
    pub text: String,
    /// Where it starts in the file, in bytes.
    pub start: u64,
    /// Where it ends in the file, in bytes.
    pub end: u64,
    /// What it says about itself besides its title: an object of at most 4 KiB, or null.
    pub meta: Value,
}

/// Receives the content of a file.
pub trait Sink {
    fn document(&mut self, document: Document);

    /// Whether the sink needs no document of the record with the source `record`, which is at
    /// `start` in the file. Asked once for each record.
    fn is_known(&mut self, record: &[u8], start: u64) -> bool {
        let _ = (record, start);
        false
    }

    /// Reports something that was skipped or repaired: `skipped: it is encrypted`. The line is
    /// given if the notice is about one line.
    fn notice(&mut self, line: Option<u64>, message: String);

    /// Whether to stop early.
    fn is_stopped(&self) -> bool;
}

/// Passes all documents of a file to `sink`. An error means that the file cannot be read, and is
/// not about its content.
pub fn extract(source: Source, sink: &mut dyn Sink) -> io::Result<()> {
    extract_in(source, sink, &mut members::Room::new())
}

/// Whether a file is read by [`extract`] only: it is neither plain text nor a PDF, but an office
/// document, a book, mail or an archive.
pub fn is_packed(name: &str, content: &[u8]) -> bool {
    let head = &content[..content.len().min(HEAD_BYTES)];
    let format = Format::of_content(Format::of_name(name), head);
    matches!(format, Some(Format::Office | Format::Members(_)))
}

/// Decodes text: UTF-8, UTF-16 with a byte order mark, or an older encoding, which is then reported
/// to the sink. Returns `None` for bytes that are not text.
pub fn text(content: Vec<u8>, sink: &mut dyn Sink) -> Option<String> {
    let head = &content[..content.len().min(HEAD_BYTES)];
    Format::of_content(None, head)
        .is_some_and(|it| it == Format::Plain)
        .then(|| plain::text(content, sink).text)
}

/// Like [`extract`], with the room that is left for members of archives.
fn extract_in(source: Source, sink: &mut dyn Sink, room: &mut members::Room) -> io::Result<()> {
    let Source { name, size, input, host } = source;
    let known = Format::of_name(name);
    if known == Some(Format::Lines) {
        return lines::extract(input, sink);
    }
    if size > LARGEST_FILE {
        too_large(sink);
        return Ok(());
    }
    let Some((format, content)) = read(known, input)? else {
        sink.notice(None, "skipped: it is not text".to_owned());
        return Ok(());
    };
    if content.len() as u64 > LARGEST_FILE {
        too_large(sink);
    } else if content.is_empty() {
        sink.notice(None, "skipped: it is empty".to_owned());
    } else {
        return whole_in(format, (name, content), host, sink, room);
    }
    Ok(())
}

/// Reads the file and detects its format; returns `None` for an unknown format.
fn read(known: Option<Format>, input: &mut dyn Read) -> io::Result<Option<(Format, Vec<u8>)>> {
    let mut content = Vec::new();
    input.take(HEAD_BYTES as u64).read_to_end(&mut content)?;
    let Some(format) = Format::of_content(known, &content) else {
        return Ok(None);
    };
    let rest = (LARGEST_FILE + 1).saturating_sub(content.len() as u64);
    input.take(rest).read_to_end(&mut content)?;
    Ok(Some((format, content)))
}

fn whole(
    format: Format,
    name: &str,
    content: Vec<u8>,
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    whole_in(format, (name, content), host, sink, &mut members::Room::new())
}

fn whole_in(
    format: Format,
    (name, content): (&str, Vec<u8>),
    host: &dyn Host,
    sink: &mut dyn Sink,
    room: &mut members::Room,
) -> io::Result<()> {
    match format {
        Format::Office => return office::extract(name, &content, host, sink),
        Format::Members(kind) => {
            return members::extract(kind, (name, &content), host, sink, room);
        }
        Format::Pdf => return worker::extract(worker::Reader::Pdf, name, &content, host, sink),
        Format::Html => return html::extract(name, content, sink),
        Format::Markdown => markdown::extract(name, content, sink),
        Format::Json => json::extract(name, content, sink),
        Format::Plain | Format::Lines => plain::extract(name, content, sink),
    }
    Ok(())
}

fn too_large(sink: &mut dyn Sink) {
    sink.notice(None, format!("skipped: it is larger than {}", show_size(LARGEST_FILE)));
}

/// The last component of a path.
fn last_name(name: &str) -> String {
    Path::new(name).file_name().map_or(name.into(), |it| it.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests;
