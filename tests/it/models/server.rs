//! An HTTP server for tests, which sends the given replies: whole, in pieces, slowly, or
//! incomplete.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

/// Sends one reply to each request, in order, and records the requests. The last reply is repeated.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Request>,
    /// The number of clients that disconnected before the end of the reply.
    left: usize,
}

#[derive(Clone)]
pub(crate) struct Request {
    /// The request line and headers, in lower case.
    pub(crate) head: String,
    /// The body if it is JSON, or else null.
    pub(crate) body: Value,
    /// The body as it was sent, with its fields in order.
    pub(crate) text: String,
}

#[derive(Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: String,
    pieces: Vec<Vec<u8>>,
    pause: Duration,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Whole,
    /// The connection is closed in the middle of the body.
    Cut,
    /// The connection is closed before any data is sent.
    Nothing,
}

impl Reply {
    pub(crate) fn new(status: u16, body: &str) -> Self {
        let pieces = vec![body.as_bytes().to_vec()];
        let headers = String::new();
        Self { status, headers, pieces, pause: Duration::ZERO, end: End::Whole }
    }

    pub(crate) fn header(mut self, line: &str) -> Self {
        self.headers += &format!("{line}\r\n");
        self
    }

    /// The same body, a few bytes at a time, in pieces that may cut characters.
    pub(crate) fn in_pieces_of(mut self, size: usize) -> Self {
        let body = self.pieces.concat();
        self.pieces = body.chunks(size).map(<[u8]>::to_vec).collect();
        self
    }

    /// The same with a pause after each piece.
    pub(crate) fn slowly(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// The first half of its pieces.
    pub(crate) fn first_half(mut self) -> Self {
        self.pieces.truncate(self.pieces.len() / 2);
        self
    }

    /// Closes the connection before the end of the body.
    pub(crate) fn cut(self) -> Self {
        Self { end: End::Cut, ..self }
    }

    /// Accepts the request and disconnects.
    pub(crate) fn nothing() -> Self {
        Self { end: End::Nothing, ..Self::new(200, "") }
    }
}

impl Server {
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let given = AtomicUsize::new(0);
        Self::answering(move |_| {
            let idx = given.fetch_add(1, Ordering::SeqCst);
            replies[idx.min(replies.len() - 1)].clone()
        })
    }

    /// The same with a reply for each request.
    pub(crate) fn answering(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let shared = seen.clone();
        // Ends with the process: it waits for a client that does not come.
        thread::spawn(move || {
            let reply = Arc::new(reply);
            for stream in listener.incoming() {
                let (seen, reply) = (shared.clone(), reply.clone());
                thread::spawn(move || serve(&stream.unwrap(), reply.as_ref(), &seen));
            }
        });
        Self { url, seen }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().requests.clone()
    }

    /// Waits until a client has disconnected.
    pub(crate) fn is_left(&self) -> bool {
        (0..200).any(|_| {
            thread::sleep(Duration::from_millis(10));
            self.seen.lock().unwrap().left > 0
        })
    }
}

fn serve(stream: &TcpStream, reply: &dyn Fn(&Request) -> Reply, seen: &Mutex<Seen>) {
    let Some(request) = read(stream) else { return };
    let reply = reply(&request);
    seen.lock().unwrap().requests.push(request);
    if write(stream, &reply).is_err() {
        seen.lock().unwrap().left += 1;
    }
}

/// Returns `None` for a client that disconnects before its request.
fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |it| it.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let text = String::from_utf8(body).unwrap();
    Some(Request { head, body: serde_json::from_str(&text).unwrap_or_default(), text })
}

fn write(mut stream: &TcpStream, reply: &Reply) -> std::io::Result<()> {
    let Reply { status, headers, .. } = reply;
    if reply.end == End::Nothing {
        return Ok(());
    }
    write!(stream, "HTTP/1.1 {status} Status\r\n{headers}transfer-encoding: chunked\r\n")?;
    write!(stream, "connection: close\r\n\r\n")?;
    for piece in reply.pieces.iter().filter(|it| !it.is_empty()) {
        write!(stream, "{:x}\r\n", piece.len())?;
        stream.write_all(piece)?;
        write!(stream, "\r\n")?;
        stream.flush()?;
        thread::sleep(reply.pause);
    }
    match reply.end {
        End::Whole => write!(stream, "0\r\n\r\n"),
        End::Cut | End::Nothing => Ok(()),
    }
}
