//! A copy of a store while it is in use.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and what lies beside it")]

use std::{
    fs::{self, File},
    path::Path,
};

use rusqlite::{Connection, backup::Backup};

use super::{
    Store, blobs, check,
    error::{Result, StoreError, StoreErrorKind},
    place::{self, Place},
    schema,
};

impl Store {
    /// Copies the store to a file that is not there yet, as it is at one moment, with its
    /// large contents in `FILE-blobs`. Whoever writes meanwhile need not wait.
    pub fn backup(&self, to: &Path) -> Result<()> {
        if fs::exists(to)? {
            let message = format!("`{}` is there already", to.display());
            return Err(StoreError::new(StoreErrorKind::Exists, message)
                .help("a backup replaces nothing; name another file"));
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        let part = place::beside(to, ".part");
        let copied = self.copy(&part, to);
        if copied.is_err() {
            // The error that matters is the first one; the part is only litter.
            let _ = fs::remove_file(part);
        }
        copied
    }

    fn copy(&self, part: &Path, to: &Path) -> Result<()> {
        if fs::exists(part)? {
            fs::remove_file(part)?;
        }
        let mut copy = Connection::open(part)?;
        Backup::new(&*self.pool.reader()?, &mut copy)?.step(-1)?;
        // One file by itself, without a log beside it.
        copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        // The copy goes its own way, and is not measured by the mark of this store.
        schema::rename(&copy)?;
        let there = Place::File(to.to_owned());
        for hash in check::in_files(&copy)? {
            if let (Some(from), Some(to)) = (self.place.blob(hash), there.blob(hash)) {
                blobs::write_durably(&to, &fs::read(from)?)?;
            }
        }
        copy.close().map_err(|(_, err)| err)?;
        File::open(part)?.sync_all()?;
        fs::rename(part, to)?;
        match to.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => Ok(blobs::sync_folder(folder)?),
            _ => Ok(()),
        }
    }
}
