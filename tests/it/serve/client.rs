//! A client that sends what it is given, also what no library would send.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

pub(super) struct Client {
    address: SocketAddr,
}

/// An answer of the server.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The headers, in lower case.
    pub(super) head: String,
    pub(super) body: String,
    /// The body as it came.
    pub(super) bytes: Vec<u8>,
}

impl Client {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None)
    }

    pub(super) fn post(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &[], Some(body.as_bytes()))
    }

    pub(super) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Answer {
        let has = |name: &str| headers.iter().any(|(it, _)| it.eq_ignore_ascii_case(name));
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !has("host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        if body.is_some() && !has("content-type") {
            head += "Content-Type: application/json\r\n";
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = body {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        head += "\r\n";
        self.raw(&[head.as_bytes(), body.unwrap_or_default()].concat())
    }

    /// Sends these bytes, and reads until the server closes.
    pub(super) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.open();
        // The server may answer and close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::of(&answer)
    }

    pub(super) fn open(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    }
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        let head = head.to_lowercase();
        let is_chunked = head.contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        let end =
            bytes.windows(4).position(|it| it == b"\r\n\r\n").map_or(bytes.len(), |it| it + 4);
        Self { status, head, body, bytes: bytes[end..].to_vec() }
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|it| panic!("{it}: {self:?}"))
    }

    /// The body of a success.
    #[track_caller]
    pub(super) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.json()
    }

    /// Asserts the shape of an error, and returns its message with its details.
    #[track_caller]
    pub(super) fn fails(&self, status: u16, kind: &str) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        let body = self.json();
        assert_eq!((&body["ok"], &body["kind"]), (&false.into(), &kind.into()), "{body}");
        assert!(body["request_id"].as_str().is_some_and(|it| !it.is_empty()), "{body}");
        format!("{} {} {}", body["error"].as_str().unwrap(), body["help"], body["details"])
    }
}

fn unchunked(body: &str) -> String {
    let (mut text, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || after.len() < size {
            break;
        }
        text.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    text
}
