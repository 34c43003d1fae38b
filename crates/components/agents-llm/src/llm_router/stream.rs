//! From the bytes of an answer to its events.

/// How a provider separates its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Server-sent events; what counts is their `data`.
    EventStream,
    /// One JSON value a line.
    JsonLines,
}

/// Cuts a stream of bytes into events, wherever its pieces begin and end.
pub(super) struct Events {
    format: Format,
    /// A line that has not ended yet.
    line: Vec<u8>,
    /// The data of an event that has not ended yet.
    data: Option<String>,
}

impl Events {
    pub(super) fn new(format: Format) -> Self {
        Self { format, line: Vec::new(), data: None }
    }

    /// The events that end in this piece.
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

    /// The line that the end of the stream ends. A server-sent event that has no empty line
    /// behind it counts as broken off.
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

    /// One line of an event. Its name, its number and comments say nothing new here.
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

    /// However the bytes are cut.
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
