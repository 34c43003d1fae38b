//! Text that is written piece by piece, within a limit and the available memory.

use std::{fmt, io};

use super::memory;

/// A text whose writes fail when it becomes too long, before the memory is allocated.
#[derive(Debug)]
pub struct BoundedText {
    text: String,
    most: usize,
}

impl BoundedText {
    /// A text of at most `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { text: String::new(), most }
    }

    pub fn into_string(self) -> String {
        self.text
    }
}

impl fmt::Write for BoundedText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let len = self.text.len().saturating_add(piece.len());
        if len > self.most {
            return Err(fmt::Error);
        }
        if len > self.text.capacity() {
            let capacity = len + (len / 4).max(64);
            // In the end it is copied, to be shared.
            memory::room(capacity.saturating_mul(2) - self.text.len()).map_err(|_| fmt::Error)?;
            self.text.reserve_exact(capacity - self.text.len());
        }
        self.text.push_str(piece);
        Ok(())
    }
}

impl io::Write for BoundedText {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(piece).map_err(io::Error::other)?;
        fmt::Write::write_str(self, text).map_err(io::Error::other)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn a_text_ends_where_it_becomes_too_long() {
        let mut text = BoundedText::new(5);
        assert!(text.write_str("abc").is_ok());
        assert!(text.write_str("def").is_err());
        assert!(text.write_str("de").is_ok());
        assert_eq!(text.into_string(), "abcde");
    }
}
