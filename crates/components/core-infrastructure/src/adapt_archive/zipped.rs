//! ZIP, by the crate `zip`.

use std::io::Cursor;

use svc_contract::{
    registry::{Cx, ErrorKind, OpError, Size},
    value::{Text, memory},
};
use zip::{ZipArchive, read::ZipFile, result::ZipError};

use super::{ArchiveEntry, Files, Kind, MOST_ENTRIES, too_many, unreadable};

type Bytes<'a> = Cursor<&'a [u8]>;

fn open(bytes: &[u8]) -> Result<ZipArchive<Bytes<'_>>, OpError> {
    // The directory is kept with some bytes for each entry.
    memory::room(bytes.len())?;
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|err| broken(&err))?;
    if archive.len() > MOST_ENTRIES { Err(too_many()) } else { Ok(archive) }
}

fn broken(err: &ZipError) -> OpError {
    let why = err.to_string();
    if why.to_lowercase().contains("password") {
        let message = "the archive is encrypted";
        return OpError::new(ErrorKind::Unsupported, message).help("decrypt it before");
    }
    unreadable(&why)
}

pub(super) fn list(bytes: &[u8], cx: &Cx) -> Result<Vec<ArchiveEntry>, OpError> {
    let mut archive = open(bytes)?;
    let mut entries = Vec::with_capacity(archive.len());
    for idx in 0..archive.len() {
        cx.check()?;
        let entry = archive.by_index_raw(idx).map_err(|err| broken(&err))?;
        entries.push(ArchiveEntry {
            name: name_of(&entry)?,
            size: Size(entry.size()),
            packed: Size(entry.compressed_size()),
            kind: kind_of(&entry),
            encrypted: entry.encrypted(),
        });
    }
    Ok(entries)
}

pub(super) fn unpack(bytes: &[u8], files: &mut Files, cx: &Cx) -> Result<(), OpError> {
    let mut archive = open(bytes)?;
    for idx in 0..archive.len() {
        cx.check()?;
        let mut entry = archive.by_index(idx).map_err(|err| broken(&err))?;
        if matches!(kind_of(&entry), Kind::File) {
            let name = name_of(&entry)?;
            files.add(&name, &mut entry, cx)?;
        }
    }
    Ok(())
}

fn name_of(entry: &ZipFile<'_, Bytes<'_>>) -> Result<Text, OpError> {
    entry.name().map(|it| it.as_ref().into()).map_err(|err| broken(&err))
}

fn kind_of(entry: &ZipFile<'_, Bytes<'_>>) -> Kind {
    if entry.is_symlink() {
        Kind::Link
    } else if entry.is_dir() {
        Kind::Folder
    } else {
        Kind::File
    }
}
