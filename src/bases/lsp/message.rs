//! Reads messages of the protocol, within limits: memory grows with the bytes that actually arrive,
//! not with the announced size, and never exceeds the limit of a message.

use std::io::{self, BufRead, Read};

use lsp_server::Message;
use svc_contract::value::units::show_size;
use svc_engine::LARGEST_SCRIPT;

/// The maximum size of a message, in bytes: the largest script, with each character escaped.
pub(super) const LARGEST: u64 = 4 * LARGEST_SCRIPT;

/// The maximum length of a header line, in bytes, and the maximum number of header lines.
const LONGEST_LINE: u64 = 8 << 10;
const MOST_LINES: usize = 100;

/// The maximum number of lists, records and items in a message. Each takes many times the memory of
/// its text.
const MOST_VALUES: usize = 1 << 20;

/// The reason why no message was read.
#[derive(Debug)]
pub(super) enum Unread {
    /// This message is malformed. Another one may follow.
    Broken(String),
    /// The start of the next message cannot be found.
    Lost(String),
    /// The client disconnected.
    Gone,
}

impl From<io::Error> for Unread {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Reads the next message, and returns it with its size.
pub(super) fn read(input: &mut impl BufRead) -> Result<(Message, u64), Unread> {
    let size = head(input)?;
    let mut content = Vec::new();
    input.take(size).read_to_end(&mut content)?;
    if content.len() as u64 != size {
        return Err(Unread::Gone);
    }
    if has_more_values(&content, MOST_VALUES) {
        let why = format!("a message has too many values (limit {MOST_VALUES})");
        return Err(Unread::Broken(why));
    }
    match serde_json::from_slice(&content) {
        Ok(message) => Ok((message, size)),
        Err(err) => Err(Unread::Broken(format!("malformed message: {err}"))),
    }
}

/// The size of a message, from its header.
fn head(input: &mut impl BufRead) -> Result<u64, Unread> {
    let mut size = None;
    for _ in 0..MOST_LINES {
        let line = line(input)?;
        let Some(header) = line.strip_suffix("\r\n") else {
            return Err(malformed(&line));
        };
        if header.is_empty() {
            return size.ok_or_else(|| Unread::Broken("missing Content-Length".to_owned()));
        }
        let (name, value) = header.split_once(':').ok_or_else(|| malformed(header))?;
        if name.eq_ignore_ascii_case("Content-Length") {
            size = Some(length(value.trim())?);
        }
    }
    Err(Unread::Lost(format!("too many header lines (limit {MOST_LINES})")))
}

fn malformed(line: &str) -> Unread {
    Unread::Broken(format!("malformed header: {line:?}"))
}

fn length(value: &str) -> Result<u64, Unread> {
    if value.is_empty() || !value.bytes().all(|it| it.is_ascii_digit()) {
        return Err(Unread::Broken(format!(
            "expected a number as Content-Length, found {value:?}"
        )));
    }
    match value.parse() {
        Ok(size) if size <= LARGEST => Ok(size),
        _ => Err(Unread::Lost(format!(
            "a message of {} bytes is too large (limit {})",
            value.trim_start_matches('0'),
            show_size(LARGEST)
        ))),
    }
}

fn line(input: &mut impl BufRead) -> Result<String, Unread> {
    let mut line = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(Unread::Gone);
    }
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        let longest = show_size(LONGEST_LINE);
        return Err(Unread::Lost(format!("a header line is too long (limit {longest})")));
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// Whether JSON has more than `most` values, counted by its punctuation.
fn has_more_values(content: &[u8], most: usize) -> bool {
    let (mut values, mut is_text, mut is_escaped) = (0, false, false);
    for byte in content {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values > most
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read_all(mut input: &[u8]) -> Vec<Result<u64, String>> {
        let mut all = Vec::new();
        loop {
            all.push(match read(&mut input) {
                Ok((_, size)) => Ok(size),
                Err(Unread::Broken(why)) => Err(why),
                Err(Unread::Lost(why)) => {
                    all.push(Err(format!("lost: {why}")));
                    return all;
                }
                Err(Unread::Gone) => return all,
            });
        }
    }

    fn one(text: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
    }

    const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

    #[test]
    fn what_is_broken_is_skipped_and_what_is_lost_ends() {
        let known = [one("{ not json"), one(EXIT)].concat();
        let all = read_all(&known);
        assert!(all[0].as_ref().is_err_and(|it| it.starts_with("malformed message: ")), "{all:?}");
        assert_eq!(all[1], Ok(EXIT.len() as u64));
        for (head, wanted) in [
            ("Content-Length: -1\r\n\r\n", "expected a number as Content-Length, found \"-1\""),
            ("Content-Length: 1e9\r\n\r\n", "expected a number as Content-Length, found \"1e9\""),
            ("Content-Length: \r\n\r\n", "expected a number as Content-Length, found \"\""),
            ("Content-Type: x\r\n\r\n", "missing Content-Length"),
            ("Content-Length 5\r\n\r\n", "malformed header: \"Content-Length 5\""),
            ("Content-Length: 5\n\n", "malformed header: \"Content-Length: 5\\n\""),
            (
                "Content-Length: 6000000000\r\n\r\n",
                "lost: a message of 6000000000 bytes is too large (limit 64MiB)",
            ),
            (
                "Content-Length: 99999999999999999999999\r\n\r\n",
                "lost: a message of 99999999999999999999999 bytes is too large (limit 64MiB)",
            ),
        ] {
            let all = read_all(&[head.as_bytes(), &one(EXIT)].concat());
            assert_eq!(all[0], Err(wanted.to_owned()), "{head:?}");
        }
        let long = read_all("x".repeat(1 << 20).as_bytes());
        assert_eq!(long, [Err("lost: a header line is too long (limit 8KiB)".to_owned())]);
        let many = read_all("A: b\r\n".repeat(1_000).as_bytes());
        assert!(
            many[0].as_ref().is_err_and(|it| it.contains("header lines (limit 100)")),
            "{many:?}"
        );
    }

    #[test]
    fn values_are_counted_outside_of_texts() {
        assert!(!has_more_values(br#"["[[[,,,\"[,"]"#, 1));
        assert!(has_more_values(b"[1,2]", 1));
        let many =
            format!(r#"{{"jsonrpc":"2.0","method":"x","params":[{}0]}}"#, "0,".repeat(2 << 20));
        let read = read(&mut Cursor::new(one(&many)));
        assert!(matches!(read, Err(Unread::Broken(why)) if why.contains("values (limit ")));
    }
}
