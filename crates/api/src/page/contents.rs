//! The values of a run in its page: each value once, in blocks that are parsed on demand.
//!
//! A block is a data element with one value per line, numbered from `data-first`. A value that
//! exceeds the limits is the line `!BYTES BEGINNING`, which is not valid JSON.

use std::{
    collections::HashMap,
    fmt,
    io::{self, Write},
};

use super::{Guarded, Result, markup::beginning};
use crate::store::{Args, Hash, RunStore, StoreError};

/// The approximate size of a block, in bytes.
const BLOCK: u64 = 256 << 10;

/// The number of characters kept of a value that exceeds the limits.
const BEGINNING: usize = 1_000;

/// The limits of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageLimits {
    /// The maximum size of a value, in bytes.
    pub value: u64,
    /// The maximum size of all values together, in bytes.
    pub page: u64,
}

/// The values that exceeded the limits of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    pub values: usize,
    pub bytes: u64,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.bytes.div_ceil(1_000_000);
        match self.values {
            1 => write!(f, "1 large value, {size} MB"),
            many => write!(f, "{many} large values, {size} MB in total"),
        }
    }
}

/// The values to write into a page.
#[derive(Debug, Default)]
pub(super) struct Contents {
    numbers: HashMap<Hash, usize>,
    kept: Vec<Kept>,
}

#[derive(Debug)]
enum Kept {
    Here(String),
    Stored(Hash),
}

impl Contents {
    /// Adds a content of the store and returns its number.
    pub(super) fn stored(&mut self, hash: Hash) -> usize {
        self.number(hash, || Kept::Stored(hash))
    }

    /// Adds the arguments of a call, if there are any, and returns their number.
    pub(super) fn args(&mut self, args: &Args) -> Option<usize> {
        match args {
            Args::None => None,
            Args::Blob(hash) => Some(self.stored(*hash)),
            Args::Here(json) => {
                Some(self.number(Hash::of(json.as_bytes()), || Kept::Here(json.clone())))
            }
        }
    }

    fn number(&mut self, hash: Hash, keep: impl FnOnce() -> Kept) -> usize {
        *self.numbers.entry(hash).or_insert_with(|| {
            self.kept.push(keep());
            self.kept.len() - 1
        })
    }

    /// Writes all values, and returns those that exceeded the limits.
    pub(super) fn write(
        &self,
        store: &RunStore,
        limits: PageLimits,
        out: &mut dyn Write,
    ) -> Result<Left> {
        let mut blocks = Blocks { out, in_block: BLOCK, all: 0, limits, left: Left::default() };
        for (number, kept) in self.kept.iter().enumerate() {
            blocks.begin(number)?;
            match kept {
                Kept::Here(json) => blocks.line(json)?,
                Kept::Stored(hash) => blocks.stored(store, *hash)?,
            }
        }
        if !self.kept.is_empty() {
            blocks.out.write_all(b"</script>\n")?;
        }
        Ok(blocks.left)
    }
}

struct Blocks<'w> {
    out: &'w mut dyn Write,
    in_block: u64,
    all: u64,
    limits: PageLimits,
    left: Left,
}

impl Blocks<'_> {
    /// Begins a new block at the value `number` if the current block is full.
    fn begin(&mut self, number: usize) -> io::Result<()> {
        if self.in_block < BLOCK {
            return Ok(());
        }
        self.in_block = 0;
        if number > 0 {
            self.out.write_all(b"</script>\n")?;
        }
        let kind = r#"type="application/x-ndjson" class="contents""#;
        write!(self.out, "<script {kind} data-first=\"{number}\">")
    }

    fn stored(&mut self, store: &RunStore, hash: Hash) -> Result<()> {
        let missing = || StoreError::corrupt(format_args!("the content {hash} is missing"));
        let text = store.text(hash).and_then(|it| it.ok_or_else(missing))?;
        let size = text.len() as u64;
        if size <= self.limits.value && self.all.saturating_add(size) <= self.limits.page {
            return Ok(self.line(&text)?);
        }
        self.left.values += 1;
        self.left.bytes = self.left.bytes.saturating_add(size);
        Ok(self.line(&format!("!{size} {}", beginning(&text, BEGINNING).0))?)
    }

    /// Replaces newlines by spaces: in JSON, they occur only between tokens.
    fn line(&mut self, text: &str) -> io::Result<()> {
        let size = text.len() as u64;
        (self.in_block, self.all) = (self.in_block + size, self.all.saturating_add(size));
        if text.contains(['\n', '\r']) {
            Guarded(self.out).write_all(text.replace(['\n', '\r'], " ").as_bytes())?;
        } else {
            Guarded(self.out).write_all(text.as_bytes())?;
        }
        self.out.write_all(b"\n")
    }
}
