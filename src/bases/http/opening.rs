//! Connections whose first request has not arrived. They cost what was sent and a little more, and
//! the oldest ones are closed when there are too many, so they keep no one else out.

use std::{
    collections::VecDeque,
    io::{self, ErrorKind},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    task::AbortHandle,
};

/// The most bytes of a head that are read here. What parses it reads the rest.
const ENOUGH: usize = 4096;

/// A connection with the start of its first request.
pub(super) struct Opened {
    begun: Vec<u8>,
    taken: usize,
    stream: TcpStream,
}

/// Waits for the head of the first request, or for what cannot be one.
pub(super) async fn opened(stream: TcpStream) -> io::Result<Opened> {
    let mut begun = Vec::new();
    loop {
        stream.readable().await?;
        // Not kept while it waits.
        let mut part = [0; 1024];
        match stream.try_read(&mut part) {
            Ok(0) => break,
            Ok(len) => begun.extend_from_slice(part.get(..len).unwrap_or_default()),
            Err(err) if err.kind() == ErrorKind::WouldBlock => {}
            Err(err) => return Err(err),
        }
        if begun.len() >= ENOUGH || is_head(&begun) || !is_text(&begun) {
            break;
        }
    }
    Ok(Opened { begun, taken: 0, stream })
}

/// Whether a line is empty, which ends a head.
fn is_head(begun: &[u8]) -> bool {
    let is_end =
        |at: usize| matches!(begun.get(at..), Some([b'\n', b'\r', b'\n', ..] | [b'\n', b'\n', ..]));
    (0..begun.len()).any(is_end)
}

fn is_text(begun: &[u8]) -> bool {
    begun.iter().all(|it| matches!(it, b' '..=b'~' | b'\r' | b'\n' | b'\t'))
}

impl AsyncRead for Opened {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let rest = self.begun.get(self.taken..).unwrap_or_default();
        if rest.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buf);
        }
        let len = rest.len().min(buf.remaining());
        buf.put_slice(rest.get(..len).unwrap_or_default());
        self.taken += len;
        if self.taken == self.begun.len() {
            (self.begun, self.taken) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Opened {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The connections whose first request has not arrived, the oldest first.
pub(super) struct Half {
    all: VecDeque<AbortHandle>,
    most: usize,
}

impl Half {
    pub(super) fn new(most: usize) -> Self {
        Self { all: VecDeque::new(), most }
    }

    /// Adds the task of a connection. If there are too many, that of the oldest one ends.
    pub(super) fn add(&mut self, task: AbortHandle) {
        while self.all.front().is_some_and(AbortHandle::is_finished) {
            self.all.pop_front();
        }
        if self.all.len() >= self.most {
            // Some of those between may have ended, which is only found out now.
            self.all.retain(|it| !it.is_finished());
        }
        if self.all.len() >= self.most
            && let Some(oldest) = self.all.pop_front()
        {
            oldest.abort();
        }
        self.all.push_back(task);
    }

    /// Closes all of them.
    pub(super) fn close(self) {
        self.all.iter().for_each(AbortHandle::abort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_an_empty_line() {
        for head in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\n\nbody", "\n\r\n"] {
            assert!(is_head(head.as_bytes()), "{head:?}");
        }
        for begun in ["", "GET / HTTP/1.1\r\nHost: a\r\n", "\r\n", "GET /\r\n\r"] {
            assert!(!is_head(begun.as_bytes()) && is_text(begun.as_bytes()), "{begun:?}");
        }
        assert!(!is_text(b"\x16\x03\x01"));
    }

    #[tokio::test]
    async fn the_oldest_makes_room() {
        let mut half = Half::new(2);
        let waiting = || tokio::spawn(std::future::pending::<()>());
        let (old, ended, new, last) = (waiting(), tokio::spawn(async {}), waiting(), waiting());
        half.add(old.abort_handle());
        half.add(ended.abort_handle());
        ended.await.unwrap();
        half.add(new.abort_handle());
        assert!(!old.is_finished(), "one of the two had ended");
        half.add(last.abort_handle());
        assert!(old.await.unwrap_err().is_cancelled());
        assert!(!new.is_finished() && !last.is_finished());
    }
}
