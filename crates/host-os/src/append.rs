//! Files that grow line by line, which no component ever sees.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Opens a file to add to its end, and makes it where there is none.
pub fn append(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    let file = fs::File::options().append(true).create(true).open(path)?;
    Ok(Box::new(file))
}
