//! The protocol between a process and its workers: numbers, and byte strings with their length.

use std::{
    io::{self, Read, Write},
    ops::Deref,
    time::Duration,
};

/// The greeting of a worker, with its version. A program that is not a worker sends something
/// else, or nothing.
pub(super) const GREETING: &[u8] =
    concat!("svc worker ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// The maximum output before the greeting: a program may print something before it calls
/// [`crate::is_worker`].
const BEFORE: usize = 4 << 10;

/// A piece of work, with its limits.
pub(super) struct Request<W> {
    pub(super) memory: u64,
    pub(super) processor: Duration,
    pub(super) work: W,
}

impl<W: Deref<Target = Vec<u8>>> Request<W> {
    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let part = u64::from(self.processor.subsec_nanos() > 0);
        let seconds = self.processor.as_secs().saturating_add(part);
        output.write_all(&self.memory.to_le_bytes())?;
        output.write_all(&seconds.to_le_bytes())?;
        write(output, &self.work)
    }
}

impl Request<Vec<u8>> {
    pub(super) fn read(input: &mut impl Read) -> io::Result<Self> {
        let memory = number(input)?;
        let processor = Duration::from_secs(number(input)?);
        Ok(Self { memory, processor, work: read(input, u64::MAX)? })
    }
}

pub(super) fn write(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    output.write_all(&(bytes.len() as u64).to_le_bytes())?;
    output.write_all(bytes)?;
    output.flush()
}

/// Reads a byte string. An error of kind `FileTooLarge` if its announced length exceeds `most`:
/// the sender may be compromised.
pub(super) fn read(input: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let len = number(input)?;
    if len > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    // Allocates memory for the received bytes, not for the announced length.
    input.take(len).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads up to the end of the greeting.
pub(super) fn await_greeting(input: &mut impl Read) -> io::Result<()> {
    let mut said = Vec::new();
    // Byte by byte: the first answer follows.
    let mut byte = [0];
    while said.len() < BEFORE && input.read(&mut byte)? == 1 {
        said.extend(byte);
        if said.ends_with(GREETING) {
            return Ok(());
        }
    }
    Err(io::Error::other("the program that was started is not a worker of this version of svc"))
}
