//! Messages in and out. What cannot be read is told of and skipped: it ends nothing.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::mpsc::{self, Receiver, TryRecvError},
    thread,
};

use lsp_server::{ErrorCode, Message, Notification, RequestId, Response};
use serde_json::json;

/// What came in.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Message),
    /// Something that is no message, and why.
    Broken(String),
}

/// What the client said, in its order.
pub(super) struct Inbox {
    incoming: Receiver<Incoming>,
    waiting: VecDeque<Incoming>,
}

/// Broken messages in a row: after so many it is no client that speaks.
const MOST_BROKEN: usize = 1_000;

impl Inbox {
    /// Reads ahead on a thread of its own, so that what is outdated can be skipped.
    pub(super) fn new(mut input: impl BufRead + Send + 'static) -> Self {
        let (sender, incoming) = mpsc::channel();
        thread::spawn(move || {
            let mut broken = 0;
            loop {
                let next = match Message::read(&mut input) {
                    Ok(Some(message)) => Incoming::Message(message),
                    Err(err) if err.kind() == io::ErrorKind::InvalidData => {
                        Incoming::Broken(err.to_string())
                    }
                    Ok(None) | Err(_) => return,
                };
                let is_broken = matches!(next, Incoming::Broken(_));
                broken = if is_broken { broken + 1 } else { 0 };
                let is_last = matches!(&next, Incoming::Message(it) if is_exit(it));
                if sender.send(next).is_err() || is_last || broken == MOST_BROKEN {
                    return;
                }
            }
        });
        Self { incoming, waiting: VecDeque::new() }
    }

    /// What has come in already; nothing where all is read.
    pub(super) fn ready(&mut self) -> Option<Incoming> {
        self.take_in();
        self.waiting.pop_front()
    }

    /// Waits for what comes next; nothing when the client is gone.
    pub(super) fn wait(&mut self) -> Option<Incoming> {
        self.ready().or_else(|| self.incoming.recv().ok())
    }

    /// Takes out a request that was not begun; whether it was there.
    pub(super) fn withdraw(&mut self, id: &RequestId) -> bool {
        let is_it =
            |it: &Incoming| matches!(it, Incoming::Message(Message::Request(it)) if it.id == *id);
        let found = self.waiting.iter().position(is_it);
        found.and_then(|idx| self.waiting.remove(idx)).is_some()
    }

    /// The requests that the client took back and that wait still.
    pub(super) fn withdrawn(&mut self) -> Vec<RequestId> {
        self.take_in();
        let cancelled = |it: &Incoming| match it {
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

fn is_exit(message: &Message) -> bool {
    matches!(message, Message::Notification(it) if it.method == "exit")
}

/// What is said to the client.
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

    /// Answers what had no readable id, as JSON-RPC wants it.
    pub(super) fn broken(&mut self, why: &str) -> io::Result<()> {
        let error = json!({ "code": ErrorCode::ParseError as i32, "message": why });
        let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.output.flush()
    }
}
