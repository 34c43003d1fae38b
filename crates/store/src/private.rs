//! Files and folders that only their owner can read: they contain the inputs and results of
//! runs.

use std::{
    fs::{DirBuilder, OpenOptions},
    io,
    path::Path,
};

/// Options to create a file that only its owner can read.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a file unless it exists.
pub(super) fn create(path: &Path) -> io::Result<()> {
    options().create(true).append(true).open(path).map(drop)
}

/// Creates a folder and its parents unless they exist.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
