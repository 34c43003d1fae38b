//! Reads one file into rows of an index, and computes its hash at the same time.

use std::io::{self, Read};

use svc_contract::registry::Cx;
use svc_documents::{self as extract, Document, Sink};

use super::{
    collection,
    records::{self, Moves, Records},
    source::Source,
    trouble::Trouble,
    update::Draft,
};

/// Why no rows were read from a file.
pub(super) enum Missed {
    /// The file cannot be read.
    File(io::Error),
    Index(Trouble),
}

impl From<io::Error> for Missed {
    fn from(err: io::Error) -> Self {
        Self::File(err)
    }
}

impl From<Trouble> for Missed {
    fn from(trouble: Trouble) -> Self {
        Self::Index(trouble)
    }
}

/// Returns the hash of a file's content.
pub(super) fn hash(cx: &Cx, source: &Source, name: &str) -> io::Result<String> {
    let mut input = Watched::open(cx, source, name)?;
    io::copy(&mut input, &mut io::sink())?;
    Ok(input.hasher.finalize().to_hex().to_string())
}

/// What a file was found to contain.
#[derive(Default)]
pub(super) struct Content {
    /// The hash, if the whole file was read.
    pub(super) hash: Option<String>,
    /// The notices about the file.
    pub(super) notices: Vec<String>,
    /// The first place that no record has used; 0 for a file without records.
    pub(super) next: u64,
    /// Where its records are.
    pub(super) moves: Moves,
}

/// Adds the documents of a file except the known records, and removes known records that are not
/// in the file. Returns `None` if it is better to index the whole file again.
pub(super) fn rows(
    cx: &Cx,
    source: &Source,
    name: &str,
    size: u64,
    known: Records,
    draft: &mut Draft,
) -> Result<Option<Content>, Missed> {
    let mut input = Watched::open(cx, source, name)?;
    let mut rows =
        Rows { cx, name, draft, notices: Vec::new(), failed: None, records: known, hash: None };
    let read = if source.is_collection {
        collection::extract(&mut input, &mut rows)
    } else {
        let file = extract::Source { name, size, input: &mut input, host: cx.host() };
        extract::extract(file, &mut rows)
    };
    if let Some(trouble) = rows.failed {
        return Err(trouble.into());
    }
    read?;
    cx.check().map_err(Trouble::Op)?;
    let hash = input.is_at_end.then(|| input.hasher.finalize().to_hex().to_string());
    let next = rows.records.next;
    let Some((removals, moves)) = rows.records.finish(name) else { return Ok(None) };
    rows.draft.delete_all(removals)?;
    Ok(Some(Content { hash, notices: rows.notices, next, moves }))
}

/// A reader that hashes the file, and ends when the run is cancelled.
struct Watched<'a> {
    cx: &'a Cx,
    input: Box<dyn Read + Send>,
    hasher: blake3::Hasher,
    is_at_end: bool,
}

impl<'a> Watched<'a> {
    fn open(cx: &'a Cx, source: &Source, name: &str) -> io::Result<Self> {
        let input = source.open(cx, name)?;
        Ok(Self { cx, input, hasher: blake3::Hasher::new(), is_at_end: false })
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.cx.check().map_err(io::Error::other)?;
        let read = self.input.read(buffer)?;
        self.is_at_end |= read == 0 && !buffer.is_empty();
        self.hasher.update(&buffer[..read]);
        Ok(read)
    }
}

/// Receives the documents of a file.
struct Rows<'a, 'd> {
    cx: &'a Cx,
    name: &'a str,
    draft: &'a mut Draft<'d>,
    notices: Vec<String>,
    failed: Option<Trouble>,
    records: Records,
    /// The identity of the record that is read.
    hash: Option<u64>,
}

impl Sink for Rows<'_, '_> {
    fn document(&mut self, document: Document) {
        if !self.is_stopped() {
            let hash = self.hash.take();
            let place = self.records.add(document.start, document.end, hash.is_some());
            self.failed = self.draft.add(self.cx, self.name, &document, place, hash).err();
        }
    }

    fn is_known(&mut self, record: &[u8], start: u64) -> bool {
        let hash = records::hash(record);
        self.hash = Some(hash);
        self.records.find(hash, start)
    }

    fn notice(&mut self, line: Option<u64>, message: String) {
        self.notices.push(match line {
            Some(line) => format!(":{line}: {message}"),
            None => format!(": {message}"),
        });
    }

    fn is_stopped(&self) -> bool {
        self.failed.is_some() || self.cx.cancel.is_cancelled()
    }
}
