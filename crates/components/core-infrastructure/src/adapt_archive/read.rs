//! Reading the content of entries within limits.

use std::io::{self, Read};

use svc_contract::{
    registry::{Cx, OpError},
    value::memory,
};

use super::excerpt;

/// Whether a name stays inside the folder into which an archive is unpacked, on any system.
pub(super) fn is_inside(name: &str) -> bool {
    let has_drive = name.get(1..2) == Some(":");
    if name.is_empty() || has_drive || name.starts_with(['/', '\\']) || name.contains('\0') {
        return false;
    }
    let mut depth = 0_i64;
    name.split(['/', '\\']).all(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth >= 0
    })
}

/// The content of an entry, if it has at most `room` bytes, whatever its header says.
pub(super) fn content(
    name: &str,
    entry: &mut dyn Read,
    room: u64,
    cx: &Cx,
) -> Result<Option<Vec<u8>>, OpError> {
    const PIECE: u64 = 256 << 10;
    let mut bytes = Vec::new();
    loop {
        cx.check()?;
        memory::room(bytes.len().saturating_mul(2))?;
        let before = bytes.len();
        let read = Read::take(&mut *entry, PIECE).read_to_end(&mut bytes);
        read.map_err(|err| {
            let name = excerpt(name);
            OpError::invalid_input(format!("cannot unpack `{name}`: {err}")).because(err)
        })?;
        if bytes.len() as u64 > room {
            return Ok(None);
        }
        if bytes.len() == before {
            return Ok(Some(bytes));
        }
    }
}

/// Reads at most so many bytes, and nothing after the call was cancelled.
pub(super) struct Bounded<'a, R> {
    pub(super) from: R,
    pub(super) left: u64,
    pub(super) cx: &'a Cx,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cx.check().is_err() {
            return Err(io::Error::other("the call was cancelled"));
        }
        let read = self.from.read(buffer)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::new(io::ErrorKind::FileTooLarge, "it unpacks to too much"))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_are_known() {
        for name in ["a", "a/b.txt", "./a", "a/../b", "a//b/", "..a", "a/..b/...", "ü/:"] {
            assert!(is_inside(name), "{name}");
        }
        for name in [
            "",
            "/",
            "/etc/x",
            "..",
            "../a",
            "a/../../b",
            "a\\..\\..\\b",
            "\\x",
            "C:\\x",
            "c:x",
            "a\0",
        ] {
            assert!(!is_inside(name), "{name}");
        }
    }
}
