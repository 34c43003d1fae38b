//! Reads one file into rows of an index, and computes its hash at the same time.

use std::{
    io::{self, Read},
    path::Path,
};

use svc_contract::registry::Cx;
use svc_documents::{self as extract, Document, Sink};

use super::{trouble::Trouble, update::Draft};

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
pub(super) fn hash(cx: &Cx, path: &Path) -> io::Result<String> {
    let mut input = Watched::open(cx, path)?;
    io::copy(&mut input, &mut io::sink())?;
    Ok(input.hasher.finalize().to_hex().to_string())
}

/// Adds the documents of a file. Returns the hash, if the whole file was read, and the notices
/// about the file.
pub(super) fn rows(
    cx: &Cx,
    path: &Path,
    name: &str,
    size: u64,
    draft: &mut Draft,
) -> Result<(Option<String>, Vec<String>), Missed> {
    let mut input = Watched::open(cx, path)?;
    let mut rows = Rows { cx, name, draft, notices: Vec::new(), failed: None };
    let source = extract::Source { name, size, input: &mut input, host: cx.host() };
    let read = extract::extract(source, &mut rows);
    if let Some(trouble) = rows.failed {
        return Err(trouble.into());
    }
    read?;
    cx.check().map_err(Trouble::Op)?;
    let hash = input.is_at_end.then(|| input.hasher.finalize().to_hex().to_string());
    Ok((hash, rows.notices))
}

/// A reader that hashes the file, and ends when the run is cancelled.
struct Watched<'a> {
    cx: &'a Cx,
    input: Box<dyn Read + Send>,
    hasher: blake3::Hasher,
    is_at_end: bool,
}

impl<'a> Watched<'a> {
    fn open(cx: &'a Cx, path: &Path) -> io::Result<Self> {
        let input = cx.host().open(path)?;
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
}

impl Sink for Rows<'_, '_> {
    fn document(&mut self, document: Document) {
        if !self.is_stopped() {
            self.failed = self.draft.add(self.cx, self.name, &document).err();
        }
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
