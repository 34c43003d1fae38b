//! A small web server with redirects.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Answers every path: `/ok` with a text, `/to?ADDRESS` with a redirect, `/times/3` with that many
/// redirects, `/status/404` with that status, `/large` without an end.
pub(super) struct Web {
    pub(super) port: u16,
    hits: Arc<AtomicUsize>,
}

impl Web {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let hits = Arc::new(AtomicUsize::new(0));
        let counted = hits.clone();
        // Ends with the process: it waits for a client that does not come.
        thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                // A client that leaves early is not an error.
                thread::spawn(move || drop(answer(&stream.unwrap())));
            }
        });
        Self { port, hits }
    }

    pub(super) fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}

fn answer(mut stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let path = head.split(' ').nth(1).unwrap_or_default();
    let number = || path.rsplit('/').next().and_then(|it| it.parse::<u32>().ok()).unwrap_or(0);
    let (status, headers, body) = match path {
        it if it.starts_with("/to?") => (302, format!("location: {}\r\n", &it[4..]), ""),
        "/times/0" => (200, String::new(), "there at last"),
        it if it.starts_with("/times/") => {
            (307, format!("location: ../times/./{}\r\n", number() - 1), "")
        }
        it if it.starts_with("/status/") => {
            (number(), "retry-after: 7\r\n".to_owned(), "some words")
        }
        "/image" => (200, "content-type: image/png\r\n".to_owned(), "x"),
        "/latin" => (200, "content-type: text/plain; charset=klingon\r\n".to_owned(), "x"),
        "/large" => {
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&[b'a'; 4 << 10])?;
            }
        }
        _ => (200, "content-type: text/html\r\n".to_owned(), "<title>T</title><p>a <b>page</b>"),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} S\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
