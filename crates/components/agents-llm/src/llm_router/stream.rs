//! Splits the bytes of an answer into events.

/// The separation of events in a provider's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Server-sent events; only their `data` matters.
    EventStream,
    /// One JSON value per line.
    JsonLines,
}

/// Cuts a stream of bytes into events, however it is split into pieces.
pub(super) struct Events {
    format: Format,
    /// An unfinished line.
    line: Vec<u8>,
    /// The data of an unfinished event.
    data: Option<String>,
}

impl Events {
    pub(super) fn new(format: Format) -> Self {
        Self { format, line: Vec::new(), data: None }
    }

    /// Returns the events that end in this piece.
    pub(super) fn push(&mut self, piece: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for part in piece.split_inclusive(|it| *it == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                events.extend(self.line_ended());
            }
        }
        events
    }

    /// Returns the last line, which the end of the stream ends. A server-sent event without an
    /// empty line after it is incomplete.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.line_ended()
    }

    fn line_ended(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim_end_matches(['\n', '\r']);
        match self.format {
            Format::JsonLines => (!line.trim().is_empty()).then(|| line.to_owned()),
            Format::EventStream if line.is_empty() => self.data.take(),
            Format::EventStream => {
                self.field(line);
                None
            }
        }
    }

    /// Reads one line of an event. The name, the number and comments carry no extra information
    /// here.
    fn field(&mut self, line: &str) {
        let Some(value) = line.strip_prefix("data:") else { return };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of `text`, cut into pieces of every size.
    fn events(format: Format, text: &str) -> Vec<String> {
        let all = |size: usize| {
            let mut events = Events::new(format);
            let mut found: Vec<String> =
                text.as_bytes().chunks(size).flat_map(|it| events.push(it)).collect();
            found.extend(events.finish());
            found
        };
        let whole = all(text.len());
        for size in 1..text.len() {
            assert_eq!(all(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn server_sent_events() {
        let text = ": ping\r\nevent: a\r\ndata: {\"ä\":\r\ndata: 1}\r\n\r\n\n\ndata:[DONE]\n\n";
        assert_eq!(events(Format::EventStream, text), ["{\"ä\":\n1}", "[DONE]"]);
        assert_eq!(events(Format::EventStream, "data: 1"), [""; 0]);
        assert_eq!(events(Format::EventStream, "<html>\n\n"), [""; 0]);
    }

    #[test]
    fn lines_of_json() {
        assert_eq!(events(Format::JsonLines, "{}\r\n\n{\"é\":1}"), ["{}", "{\"é\":1}"]);
    }
}
