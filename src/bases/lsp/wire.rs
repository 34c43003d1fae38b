//! Reads and writes messages. A malformed message is reported and skipped; it does not end the
//! session.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender, TryRecvError},
    },
    thread,
};

use lsp_server::{ErrorCode, Message, Notification, RequestId, Response};
use serde_json::json;

use super::message::{self, Unread};

/// An incoming item.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Message),
    /// A malformed message, and the reason.
    Broken(String),
    /// The rest of the input is unreadable, with the reason.
    Lost(String),
}

/// The incoming messages, in order.
pub(super) struct Inbox {
    incoming: Receiver<(Incoming, u64)>,
    waiting: VecDeque<(Incoming, u64)>,
    unread: Arc<WorkerError>,
}

/// The bytes received but not yet processed. Reading pauses while there are too many.
#[derive(Default)]
struct WorkerError {
    bytes: Mutex<u64>,
    fewer: Condvar,
}

impl WorkerError {
    const MOST: u64 = 2 * message::LARGEST;

    /// Waits until there is room for `size` more bytes.
    fn add(&self, size: u64) {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |bytes: &mut u64| *bytes > 0 && *bytes + size > Self::MOST;
        let waited = self.fewer.wait_while(bytes, is_full);
        *waited.unwrap_or_else(PoisonError::into_inner) += size;
    }

    fn remove(&self, size: u64) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= size;
        self.fewer.notify_one();
    }
}

/// The maximum number of malformed messages in a row; after that, the client does not speak the
/// protocol.
const MOST_BROKEN: usize = 1_000;

impl Inbox {
    /// Reads ahead on a separate thread, so that outdated requests can be skipped.
    pub(super) fn new(input: impl BufRead + Send + 'static) -> Self {
        let (sender, incoming) = mpsc::channel();
        let unread = Arc::<WorkerError>::default();
        let added = unread.clone();
        thread::spawn(move || read_all(input, &sender, &added));
        Self { incoming, waiting: VecDeque::new(), unread }
    }

    /// The next item if one has arrived, otherwise `None`.
    pub(super) fn ready(&mut self) -> Option<Incoming> {
        self.take_in();
        let (incoming, size) = self.waiting.pop_front()?;
        self.unread.remove(size);
        Some(incoming)
    }

    /// Waits for the next item; `None` when the client disconnected.
    pub(super) fn wait(&mut self) -> Option<Incoming> {
        if let Some(ready) = self.ready() {
            return Some(ready);
        }
        let (incoming, size) = self.incoming.recv().ok()?;
        self.unread.remove(size);
        Some(incoming)
    }

    /// Removes a request that has not been started, and returns whether it was queued.
    pub(super) fn withdraw(&mut self, id: &RequestId) -> bool {
        let is_it = |(it, _): &(Incoming, u64)| matches!(it, Incoming::Message(Message::Request(it)) if it.id == *id);
        let found = self.waiting.iter().position(is_it);
        let Some((_, size)) = found.and_then(|idx| self.waiting.remove(idx)) else { return false };
        self.unread.remove(size);
        true
    }

    /// The queued requests that the client cancelled.
    pub(super) fn withdrawn(&mut self) -> Vec<RequestId> {
        self.take_in();
        let cancelled = |(it, _): &(Incoming, u64)| match it {
            Incoming::Message(Message::Notification(it)) if it.method == "$/cancelRequest" => {
                serde_json::from_value(it.params["id"].clone()).ok()
            }
            _ => None,
        };
        let ids: Vec<RequestId> = self.waiting.iter().filter_map(cancelled).collect();
        ids.into_iter().filter(|it| self.withdraw(it)).collect()
    }

    fn take_in(&mut self) {
        loop {
            match self.incoming.try_recv() {
                Ok(it) => self.waiting.push_back(it),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }
}

/// Reads until the client disconnects or the input is unreadable.
fn read_all(mut input: impl BufRead, sender: &Sender<(Incoming, u64)>, unread: &WorkerError) {
    let mut broken = 0;
    loop {
        let (next, size) = match message::read(&mut input) {
            Ok((message, size)) => (Incoming::Message(message), size),
            Err(Unread::Broken(_)) if broken == MOST_BROKEN => {
                let why = format!("too many malformed messages in a row (limit {MOST_BROKEN})");
                (Incoming::Lost(why), 0)
            }
            Err(Unread::Broken(why)) => (Incoming::Broken(why), 0),
            Err(Unread::Lost(why)) => (Incoming::Lost(why), 0),
            Err(Unread::Gone) => return,
        };
        broken = if matches!(next, Incoming::Broken(_)) { broken + 1 } else { 0 };
        let is_last = match &next {
            Incoming::Message(it) => is_exit(it),
            Incoming::Broken(_) => false,
            Incoming::Lost(_) => true,
        };
        unread.add(size);
        if sender.send((next, size)).is_err() || is_last {
            return;
        }
    }
}

fn is_exit(message: &Message) -> bool {
    matches!(message, Message::Notification(it) if it.method == "exit")
}

/// The outgoing messages.
pub(super) struct Outbox<W> {
    output: W,
}

impl<W: Write> Outbox<W> {
    pub(super) fn new(output: W) -> Self {
        Self { output }
    }

    pub(super) fn send(&mut self, message: impl Into<Message>) -> io::Result<()> {
        message.into().write(&mut self.output)
    }

    pub(super) fn notify<N: lsp_types::notification::Notification>(
        &mut self,
        params: N::Params,
    ) -> io::Result<()> {
        self.send(Notification::new(N::METHOD.to_owned(), params))
    }

    pub(super) fn fail(&mut self, id: RequestId, code: ErrorCode, message: &str) -> io::Result<()> {
        self.send(Response::new_err(id, code as i32, message.to_owned()))
    }

    /// Sends the error response for a message without a readable id, as JSON-RPC requires.
    pub(super) fn broken(&mut self, why: &str) -> io::Result<()> {
        let error = json!({ "code": ErrorCode::ParseError as i32, "message": why });
        let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.output.flush()
    }
}
