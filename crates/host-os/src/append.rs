//! Files that grow line by line; not accessible to components.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Opens a file to append to it, and creates it if necessary.
pub fn append(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    let file = fs::File::options().append(true).create(true).open(path)?;
    Ok(Box::new(file))
}
