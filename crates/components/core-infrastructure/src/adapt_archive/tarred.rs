//! TAR, by the crate `tar`, and GZIP, by the crate `flate2`.

use std::io::{self, Read};

use flate2::read::{GzDecoder, MultiGzDecoder};
use svc_contract::{
    registry::{Cx, OpError, Size},
    value::Text,
};
use tar::{Archive, Entry, EntryType, Header};

use super::{ArchiveEntry, Files, Kind, MOST_ENTRIES, read::Bounded, too_many, unreadable};

/// The most bytes of a GZIP that are listed.
const LONGEST_LISTED: u64 = 4 << 30;

/// The most bytes of headers and of what is left out, besides the files that are unpacked.
const LONGEST_HEADERS: u64 = 256 << 20;

/// The size of a header.
const BLOCK: usize = 512;

/// Whether the content starts with the header of an entry, or with the end of an empty archive.
pub(super) fn is_tar(bytes: &[u8]) -> bool {
    let is_end = bytes.len() >= 2 * BLOCK && bytes.iter().all(|it| *it == 0);
    is_end || has_header(bytes)
}

fn has_header(bytes: &[u8]) -> bool {
    let Some(block) = bytes.first_chunk::<BLOCK>() else { return false };
    let header = Header::from_byte_slice(block);
    // The sum of all bytes, of which those of the sum itself count as spaces.
    let sum = |part: &[u8]| part.iter().map(|it| u32::from(*it)).sum::<u32>();
    let wanted = sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..]);
    header.cksum().is_ok_and(|it| it == wanted)
}

pub(super) fn list(bytes: impl Read, cx: &Cx) -> Result<Vec<ArchiveEntry>, OpError> {
    let mut entries = Vec::new();
    each(bytes, LONGEST_LISTED, cx, |entry| {
        let size = Size(entry.size());
        entries.push(ArchiveEntry {
            name: name_of(entry),
            size,
            packed: size,
            kind: kind_of(entry.header().entry_type()),
            encrypted: false,
        });
        Ok(())
    })?;
    Ok(entries)
}

pub(super) fn unpack(bytes: impl Read, files: &mut Files, cx: &Cx) -> Result<(), OpError> {
    let most = files.max_size.0.saturating_add(LONGEST_HEADERS);
    each(bytes, most, cx, |entry| match kind_of(entry.header().entry_type()) {
        Kind::File => {
            let name = name_of(entry);
            files.add(&name, entry, cx)
        }
        _ => Ok(()),
    })
}

type Limited<'a, R> = Bounded<'a, R>;

/// Calls `take` for every entry of a TAR with at most `most` bytes.
fn each<'a, R: Read>(
    bytes: R,
    most: u64,
    cx: &'a Cx,
    mut take: impl FnMut(&mut Entry<'_, Limited<'a, R>>) -> Result<(), OpError>,
) -> Result<(), OpError> {
    let mut archive = Archive::new(Bounded { from: bytes, left: most, cx });
    let failed = |err: io::Error| cx.check().err().map_or_else(|| broken(err), OpError::from);
    for (idx, entry) in archive.entries().map_err(failed)?.enumerate() {
        cx.check()?;
        if idx == MOST_ENTRIES {
            return Err(too_many());
        }
        take(&mut entry.map_err(failed)?)?;
    }
    // The sum of a GZIP is after the end of the TAR.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(failed)?;
    Ok(())
}

fn broken(err: io::Error) -> OpError {
    match err.kind() {
        io::ErrorKind::FileTooLarge => {
            OpError::failed(format!("cannot read the archive: {err}")).because(err)
        }
        _ => unreadable(&err).because(err),
    }
}

/// The name of an entry; bytes that are not UTF-8 are `\u{fffd}`.
fn name_of<R: Read>(entry: &Entry<'_, R>) -> Text {
    String::from_utf8_lossy(&entry.path_bytes()).into()
}

fn kind_of(entry: EntryType) -> Kind {
    match entry {
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => Kind::File,
        EntryType::Directory => Kind::Folder,
        EntryType::Symlink | EntryType::Link => Kind::Link,
        _ => Kind::Other,
    }
}

pub(super) fn list_gzip(name: &str, bytes: &[u8], cx: &Cx) -> Result<Vec<ArchiveEntry>, OpError> {
    if has_tar(bytes)? {
        return list(MultiGzDecoder::new(bytes), cx);
    }
    let mut content = Bounded { from: MultiGzDecoder::new(bytes), left: LONGEST_LISTED, cx };
    let size = io::copy(&mut content, &mut io::sink());
    cx.check()?;
    Ok(vec![ArchiveEntry {
        name: inner_name(name, bytes),
        size: Size(size.map_err(broken)?),
        packed: Size(bytes.len() as u64),
        kind: Kind::File,
        encrypted: false,
    }])
}

pub(super) fn unpack_gzip(
    name: &str,
    bytes: &[u8],
    files: &mut Files,
    cx: &Cx,
) -> Result<(), OpError> {
    if has_tar(bytes)? {
        return unpack(MultiGzDecoder::new(bytes), files, cx);
    }
    files.add(&inner_name(name, bytes), &mut MultiGzDecoder::new(bytes), cx)
}

/// Whether the content of a GZIP is a TAR. One of zeros only is a file.
fn has_tar(bytes: &[u8]) -> Result<bool, OpError> {
    let mut start = Vec::new();
    let most = BLOCK as u64;
    MultiGzDecoder::new(bytes).take(most).read_to_end(&mut start).map_err(broken)?;
    Ok(has_header(&start))
}

/// The name of a single file in GZIP: that in its header, or that of the archive without its end.
fn inner_name(archive: &str, bytes: &[u8]) -> Text {
    let decoder = GzDecoder::new(bytes);
    let named = decoder.header().and_then(|it| it.filename());
    let named = named.map(String::from_utf8_lossy).unwrap_or_default();
    // Only the last part of a path: a file in GZIP has no folders.
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let outer = last(archive);
    let outer = outer.strip_suffix(".gz").unwrap_or(&outer);
    [last(&named).as_str(), outer].into_iter().find(|it| !it.is_empty()).unwrap_or("content").into()
}
