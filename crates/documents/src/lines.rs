//! JSON Lines: one record per line, read one at a time.

use std::io::{self, BufRead, BufReader, Read};

use svc_contract::value::units::show_size;

use super::{LARGEST_LINE, Sink, record};

/// The maximum number of bad lines of a file that are reported; the others are counted.
const NAMED: u64 = 5;

/// Extracts every line as one document; its range is that of the line, without its end.
pub(super) fn extract(input: &mut dyn Read, sink: &mut dyn Sink) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 << 10, input);
    let mut bad = Bad::default();
    let mut start = 0;
    let mut number = 0;
    let mut line = Vec::new();
    while !sink.is_stopped() {
        line.clear();
        let read = read_line(&mut input, &mut line)?;
        if read == 0 {
            break;
        }
        number += 1;
        if let Err(why) = take(&line, read, start, sink) {
            bad.add(number, &why, sink);
        }
        start += read;
    }
    bad.count(sink);
    if start == 0 {
        sink.notice(None, "skipped: it is empty".to_owned());
    }
    Ok(())
}

/// Reads a line including its end and returns its length. Only the first bytes of a line that is
/// too long are kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    let mut read = 0;
    loop {
        let chunk = input.fill_buf()?;
        let end = chunk.iter().position(|it| *it == b'\n').map(|it| it + 1);
        let used = end.unwrap_or(chunk.len());
        if read + used as u64 <= LARGEST_LINE {
            line.extend_from_slice(&chunk[..used]);
        }
        input.consume(used);
        read += used as u64;
        if end.is_some() || used == 0 {
            return Ok(read);
        }
    }
}

fn take(line: &[u8], read: u64, start: u64, sink: &mut dyn Sink) -> Result<(), String> {
    if read > LARGEST_LINE {
        return Err(format!("longer than {}", show_size(LARGEST_LINE)));
    }
    let line = line.trim_ascii_end();
    let found = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if found.is_empty() {
        return Ok(());
    }
    if sink.is_known(line, start) {
        return Ok(());
    }
    let record: record::Record = serde_json::from_slice(found).map_err(|err| record::why(&err))?;
    sink.document(record.document(start, start + line.len() as u64)?);
    Ok(())
}

/// The number of lines without a document.
#[derive(Default)]
struct Bad(u64);

impl Bad {
    fn add(&mut self, line: u64, why: &str, sink: &mut dyn Sink) {
        self.0 += 1;
        if self.0 <= NAMED {
            sink.notice(Some(line), format!("skipped: {why}"));
        }
    }

    fn count(&self, sink: &mut dyn Sink) {
        match self.0.saturating_sub(NAMED) {
            0 => {}
            1 => sink.notice(None, "1 more line was skipped".to_owned()),
            more => sink.notice(None, format!("{more} more lines were skipped")),
        }
    }
}
