//! Files and folders that only their owner can read: they contain the inputs and results of
//! runs.

#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use svc_contract::store::{StoreError, StoreErrorKind};

use crate::place;

/// Options to create a file that only its owner can read.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The error of a file or folder that cannot be used.
pub(super) fn unusable(path: &Path, err: &io::Error) -> StoreError {
    let message = format!("cannot use `{}`: {err}", path.display());
    StoreError::new(StoreErrorKind::ReadOnly, message).help("name a folder that you may write")
}

/// Creates a file unless it exists.
pub(super) fn create(path: &Path) -> io::Result<()> {
    options().create(true).append(true).open(path).map(drop)
}

/// Creates a file with its whole content, which is durable afterwards. Fails if it exists.
pub(super) fn create_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let part = place::sibling(path, &format!(".{:016x}", fastrand::u64(..)));
    let written = (|| {
        let mut file = options().create_new(true).write(true).open(&part)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::hard_link(&part, path)
    })();
    // The linked file stays.
    let _ = fs::remove_file(&part);
    written
}

/// Creates a folder and its parents unless they exist.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
