//! What goes through the pipes between a process and its workers: numbers and bytes with
//! their length before them.

use std::{
    io::{self, Read, Write},
    ops::Deref,
    time::Duration,
};

/// What a worker says first: that it is one, and of this version. A program that is none says
/// something else, or nothing.
pub(super) const GREETING: &[u8] =
    concat!("svc worker ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// So much may come before it: what a program says before it gets to ask what it is.
const BEFORE: usize = 4 << 10;

/// A piece of work, and what it may use up.
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

/// Reads so many bytes as are announced. An error of kind `FileTooLarge` where that is more
/// than `most`: whoever sends may have been taken over.
pub(super) fn read(input: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let len = number(input)?;
    if len > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    // Takes memory for what comes, not for what is announced.
    input.take(len).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == len {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads up to the end of the greeting.
pub(super) fn await_greeting(input: &mut impl Read) -> io::Result<()> {
    let mut said = Vec::new();
    // One by one: what follows is the first answer.
    let mut byte = [0];
    while said.len() < BEFORE && input.read(&mut byte)? == 1 {
        said.extend(byte);
        if said.ends_with(GREETING) {
            return Ok(());
        }
    }
    Err(io::Error::other("the program that was started is not a worker of this version of svc"))
}
