//! Files and folders that nobody but their owner looks into: they hold what runs were given,
//! and what they gave.

use std::{
    fs::{DirBuilder, OpenOptions},
    io,
    path::Path,
};

/// How a file is made that only its owner may read.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a file unless it is there.
pub(super) fn create(path: &Path) -> io::Result<()> {
    options().create(true).append(true).open(path).map(drop)
}

/// Makes a folder unless it is there, and those on the way.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
