//! Copies a store while it is in use.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use rusqlite::{Connection, backup::Backup};
use svc_contract::store::{StoreError, StoreErrorKind};

use super::{
    SqliteStore, blobs, check,
    error::{Result, SqlResult},
    mark::Mark,
    open,
    place::{self, Place},
    private, schema,
};

/// The maximum number of further attempts, if a run was removed while its contents were copied.
const AGAIN: u32 = 5;

impl SqliteStore {
    /// Copies the store as of one moment to a new file, with its large contents in
    /// `FILE-blobs`. Writers need not wait.
    pub fn backup(&self, to: &Path) -> Result<()> {
        if fs::exists(to)? {
            let message = format!("`{}` already exists", to.display());
            return Err(StoreError::new(StoreErrorKind::Exists, message)
                .help("choose another file: a backup does not replace files"));
        }
        if let Some(folder) = to.parent() {
            private::create_folder(folder)?;
        }
        let part = place::sibling(to, ".part");
        let mut copied = self.copy(&part, to);
        for _ in 0..AGAIN {
            match &copied {
                Err(err) if err.0.kind == StoreErrorKind::NotFound => copied = self.copy(&part, to),
                _ => break,
            }
        }
        if copied.is_err() {
            // The first error matters; the partial file is only litter.
            let _ = fs::remove_file(part);
        }
        Ok(copied?)
    }

    fn copy(&self, part: &Path, to: &Path) -> SqlResult<()> {
        if fs::exists(part)? {
            fs::remove_file(part)?;
        }
        private::create(part)?;
        let mut copy = Connection::open(part)?;
        Backup::new(&*self.pool.reader()?, &mut copy)?.step(-1)?;
        // A single file, without a log next to it.
        copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        // The copy becomes independent, and is not compared with the mark of this store.
        schema::rename(&copy)?;
        let there = Place::File(to.to_owned());
        for hash in check::in_files(&copy)? {
            if let (Some(from), Some(to)) = (self.place.blob(hash), there.blob(hash)) {
                blobs::write_durably(&to, &read(&from)?)?;
            }
        }
        let seen = open::seen(&copy)?;
        copy.close().map_err(|(_, err)| err)?;
        File::open(part)?.sync_all()?;
        fs::rename(part, to)?;
        Mark::open(&place::sibling(to, "-mark"))?.replace(seen)?;
        match to.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => Ok(blobs::sync_folder(folder)?),
            _ => Ok(()),
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).map_err(|err| match err.kind() {
        io::ErrorKind::NotFound => {
            StoreError::new(StoreErrorKind::NotFound, format!("`{}` is gone", file.display()))
        }
        _ => err.into(),
    })
}
