//! Contents by hash: small ones in the database, large ones compressed, very large ones in
//! files next to it.
//!
//! **Invariant:** a file is complete and durable before a row names it, and is only ever
//! written and removed under the database's write lock.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    borrow::Cow,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use lz4_flex::block;
use rusqlite::{Connection, OptionalExtension as _, params};
use svc_contract::store::{Blob, Hash, StoreError};

use super::{
    error::{Result, SqlResult},
    place::Place,
    private,
};

/// Smaller contents are not compressed.
const PACKED_FROM: usize = 64 << 10;

/// Larger contents, after compression, are stored in separate files.
const FILED_FROM: usize = 1 << 20;

/// The best compression ratio of LZ4.
const BEST_RATIO: usize = 255;

/// Stores a content unless it exists.
pub(super) fn put(connection: &Connection, place: &Place, blob: &Blob) -> SqlResult<()> {
    let (hash, data) = (blob.hash(), blob.data());
    if data.len() < PACKED_FROM {
        return insert(connection, blob, "raw", Some(data));
    }
    let mut there = connection.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?;
    if there.exists([hash.0])? {
        return Ok(());
    }
    let (codec, packed) = pack(data);
    match place.blob(hash).filter(|_| packed.len() > FILED_FROM) {
        Some(file) => {
            write_durably(&file, &packed)?;
            insert(connection, blob, codec, None)
        }
        None => insert(connection, blob, codec, Some(&packed)),
    }
}

fn insert(connection: &Connection, blob: &Blob, codec: &str, data: Option<&[u8]>) -> SqlResult<()> {
    let sql = "INSERT INTO blobs (hash, size, codec, data) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (hash) DO NOTHING";
    let row = params![blob.hash().0, blob.data().len(), codec, data];
    connection.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Reads a content, and verifies its hash.
pub(super) fn read(
    connection: &Connection,
    place: &Place,
    hash: Hash,
) -> SqlResult<Option<Vec<u8>>> {
    let sql = "SELECT size, codec, data FROM blobs WHERE hash = ?1";
    let row = connection
        .prepare_cached(sql)?
        .query_row([hash.0], |it| Ok((it.get(0)?, it.get::<_, String>(1)?, it.get(2)?)))
        .optional()?;
    let Some((size, codec, data)) = row else { return Ok(None) };
    let damaged = |why| StoreError::corrupt(format_args!("the content {hash} {why}"));
    let stored: Vec<u8> = match data {
        Some(data) => data,
        None => from_file(place, hash)?.ok_or_else(|| damaged("has lost its file"))?,
    };
    let data = unpack(stored, &codec, size).ok_or_else(|| damaged("cannot be unpacked"))?;
    let is_same = Hash::of(&data) == hash;
    let data = is_same.then_some(data).ok_or_else(|| damaged("does not match its hash"))?;
    Ok(Some(data))
}

fn from_file(place: &Place, hash: Hash) -> Result<Option<Vec<u8>>> {
    let Some(path) = place.blob(hash) else { return Ok(None) };
    match fs::read(path) {
        Ok(data) => Ok(Some(data)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err.into()),
    }
}

/// The smaller one of a content and its compressed form.
fn pack(data: &[u8]) -> (&'static str, Cow<'_, [u8]>) {
    let packed = block::compress(data);
    if packed.len() < data.len() { ("lz4", packed.into()) } else { ("raw", data.into()) }
}

fn unpack(stored: Vec<u8>, codec: &str, size: usize) -> Option<Vec<u8>> {
    match codec {
        "raw" => Some(stored),
        // A damaged size must not cause a huge allocation.
        "lz4" if size / BEST_RATIO <= stored.len() => block::decompress(&stored, size).ok(),
        _ => None,
    }
}

/// Writes a file completely or not at all, even after a power cut.
pub(super) fn write_durably(path: &Path, data: &[u8]) -> Result<()> {
    let Some(folder) = path.parent() else { return Err(StoreError::bug("a file has no folder")) };
    private::create_folder(folder)?;
    let part = path.with_extension(format!("{:08x}.part", fastrand::u32(..)));
    let written = private::options()
        .create_new(true)
        .write(true)
        .open(&part)
        .and_then(|mut it| it.write_all(data).and_then(|()| it.sync_all()))
        .and_then(|()| fs::rename(&part, path))
        .and_then(|()| sync_folder(folder));
    if written.is_err() {
        // The first error matters; the partial file is only litter.
        let _ = fs::remove_file(&part);
    }
    Ok(written?)
}

/// Makes the names in a folder durable, and the name of the folder itself.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
        if let Some(above) = folder.parent().filter(|it| !it.as_os_str().is_empty()) {
            File::open(above)?.sync_all()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for data in [vec![], b"abc".to_vec(), vec![7; 3 << 20], noise(100_000)] {
            let (codec, packed) = pack(&data);
            assert!(packed.len() <= data.len());
            assert_eq!(unpack(packed.to_vec(), codec, data.len()).unwrap(), data);
        }
    }

    #[test]
    fn a_damaged_size_asks_for_no_memory() {
        let data = vec![7; 1 << 20];
        let (codec, packed) = pack(&data);
        assert_eq!(unpack(packed.to_vec(), codec, usize::MAX / 2), None);
        assert_eq!(unpack(packed.to_vec(), codec, 5), None);
        assert_eq!(unpack(packed.to_vec(), "zip", 1 << 20), None);
    }

    fn noise(len: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(7);
        (0..len).map(|_| random.u8(..)).collect()
    }
}
