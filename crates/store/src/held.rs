//! A file that one process holds: its lock ends with the process, however that ends.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use crate::{error::Result, private};

/// A file that this process holds until this is dropped.
#[derive(Debug)]
pub struct Held {
    _file: File,
}

/// Holds a file, which is created if it is not there; none if another process holds it.
pub fn hold(file: &Path) -> Result<Option<Held>> {
    if let Some(folder) = file.parent() {
        private::create_folder(folder).map_err(|err| private::unusable(folder, &err))?;
    }
    let opened = private::options().create(true).append(true).open(file);
    let opened = opened.map_err(|err| private::unusable(file, &err))?;
    match opened.try_lock() {
        Ok(()) => Ok(Some(Held { _file: opened })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(err)) => Err(private::unusable(file, &err)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_held_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/lock");
        let held = hold(&file).unwrap();
        assert!(held.is_some() && hold(&file).unwrap().is_none());
        drop(held);
        assert!(hold(&file).unwrap().is_some());
        let err = hold(&file.join("below")).unwrap_err();
        assert!(err.message.contains("new/lock"), "{err}");
    }
}
