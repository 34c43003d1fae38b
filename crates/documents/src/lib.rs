//! From files to documents: Markdown, plain text, HTML, PDF, and records in JSON.
//!
//! [`extract`] reads one file and hands every document in it to a [`Sink`], one at a
//! time, so a file of a million records is never held whole. What cannot be read is
//! said to the sink and left out; the rest of the file goes on.
//!
//! Every document has the byte range of the file that it was made from. A passage of its
//! text has a range of its own only where the text stands in the file as it is: exactly
//! then `end - start` is the text's length. That holds for plain text and Markdown, whose
//! text is the source without front matter, and not for HTML, PDF and records.
//!
//! **Invariant:** no input makes this panic, loop, or hold more than a few times
//! [`LARGEST_FILE`]. A format whose reader cannot promise that is read in a process of its own
//! (`apart`).

use std::{
    io::{self, Read},
    path::Path,
};

mod apart;
mod format;
mod html;
mod json;
mod lines;
mod markdown;
mod page;
mod parse;
mod pdf;
mod plain;
mod record;
mod tags;
mod tree;
mod unreadable;

pub use apart::{PURPOSE, serve};
use format::Format;
pub use page::page;
pub use pdf::pdf;
pub use unreadable::Unreadable;

use svc_contract::{host::Host, value::units::show_size};

/// The most bytes of a file that is read as one piece. Files of one record a line have no
/// limit.
pub const LARGEST_FILE: u64 = 64 << 20;

/// The most bytes of one line of a file of records.
pub const LARGEST_LINE: u64 = 16 << 20;

/// One file, opened.
pub struct Source<'a> {
    /// What the file is called; the ending says its format.
    pub name: &'a str,
    /// Its size in bytes, as far as is known.
    pub size: u64,
    pub input: &'a mut dyn Read,
    /// Where formats are read that are read apart.
    pub host: &'a dyn Host,
}

/// A document in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The record's own id, or the file's name.
    pub id: String,
    /// The first heading or declared title; without one the file's last name, and for a
    /// record the beginning of its text.
    pub title: String,
    pub text: String,
    /// Where it starts in the file, in bytes.
    pub start: u64,
    /// Where it ends in the file, in bytes.
    pub end: u64,
}

/// Who takes what is found in a file.
pub trait Sink {
    fn document(&mut self, document: Document);

    /// Something was left out or mended: `skipped: it is encrypted`. The line is
    /// given where it is one line's affair.
    fn notice(&mut self, line: Option<u64>, message: String);

    /// Whether to stop early.
    fn is_stopped(&self) -> bool;
}

/// Hands all documents of a file to `sink`. An error is one of reading the file, and says
/// nothing of its content.
pub fn extract(source: Source, sink: &mut dyn Sink) -> io::Result<()> {
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
        return whole(format, name, content, host, sink);
    }
    Ok(())
}

/// Reads the file and tells its format; nothing if it is not one of ours.
fn read(known: Option<Format>, input: &mut dyn Read) -> io::Result<Option<(Format, Vec<u8>)>> {
    let mut content = Vec::new();
    input.take(format::HEAD).read_to_end(&mut content)?;
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
    match format {
        Format::Pdf => return apart::extract(apart::Reader::Pdf, name, &content, host, sink),
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

/// The last part of a path.
fn last_name(name: &str) -> String {
    Path::new(name).file_name().map_or(name.into(), |it| it.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests;
