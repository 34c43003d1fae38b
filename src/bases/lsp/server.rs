//! The main loop of the server: it handles messages one after the other, and publishes diagnostics
//! when no message waits.

use std::io::{self, Write};

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::{
    InitializeParams, LogMessageParams, MessageType,
    notification::{
        DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders,
        DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, LogMessage,
        Notification as Method, PublishDiagnostics,
    },
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use svc_assist::Encoding;
use svc_engine::Engine;

use super::{
    capabilities::Agreed,
    diagnostics::Published,
    documents::Documents,
    failure::Failure,
    requests::Requests,
    wire::{Inbox, Incoming, Outbox},
    workspace::Workspace,
};

/// The phase of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    Running,
    /// After `shutdown`.
    Leaving,
}

/// The end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As the protocol requires: `shutdown`, then `exit`.
    Proper,
    Abrupt,
    /// The input of the client became unreadable.
    Lost(String),
}

pub(super) struct Server<W> {
    inbox: Inbox,
    outbox: Outbox<W>,
    phase: Phase,
    snippets: bool,
    /// The commands of lenses that the client knows.
    commands: Vec<String>,
    workspace: Workspace,
    documents: Documents,
    published: Published,
    /// Whether something changed since diagnostics were published.
    is_stale: bool,
}

impl<W: Write> Server<W> {
    pub(super) fn new(engine: &Engine, inbox: Inbox, outbox: Outbox<W>) -> Self {
        Self {
            inbox,
            outbox,
            phase: Phase::New,
            snippets: false,
            commands: Vec::new(),
            workspace: Workspace::default(),
            documents: Documents::new(engine.clone(), Encoding::Utf16),
            published: Published::default(),
            is_stale: false,
        }
    }

    /// Serves until the client exits or disconnects.
    pub(super) fn serve(mut self) -> io::Result<End> {
        loop {
            for id in self.inbox.withdrawn() {
                let message = "the request was cancelled";
                self.outbox.fail(id, ErrorCode::RequestCanceled, message)?;
            }
            let Some(incoming) = self.next()? else { return Ok(End::Abrupt) };
            match incoming {
                Incoming::Broken(why) => self.outbox.broken(&why)?,
                Incoming::Lost(why) => {
                    // A failure to send this does not matter, because the session ends.
                    let _ = self.outbox.broken(&why);
                    return Ok(End::Lost(why));
                }
                Incoming::Message(Message::Notification(it)) if it.method == "exit" => {
                    let is_proper = self.phase == Phase::Leaving;
                    return Ok(if is_proper { End::Proper } else { End::Abrupt });
                }
                Incoming::Message(Message::Notification(it)) => self.hear(it)?,
                Incoming::Message(Message::Request(it)) => self.answer(it)?,
                // The server sends no requests.
                Incoming::Message(Message::Response(_)) => {}
            }
        }
    }

    /// The next message. Diagnostics are published when none waits, so outdated texts are never
    /// checked.
    fn next(&mut self) -> io::Result<Option<Incoming>> {
        if let Some(waiting) = self.inbox.ready() {
            return Ok(Some(waiting));
        }
        if std::mem::take(&mut self.is_stale) {
            for params in self.published.update(&self.documents) {
                self.outbox.notify::<PublishDiagnostics>(params)?;
            }
        }
        Ok(self.inbox.wait())
    }

    fn answer(&mut self, request: Request) -> io::Result<()> {
        let id = request.id.clone();
        let response_result = self.result(request).map_err(Into::into);
        self.outbox.send(Response { id, response_result })
    }

    fn result(&mut self, request: Request) -> Result<Value, Failure> {
        match (self.phase, request.method.as_str()) {
            (Phase::New, "initialize") => self.begin(request.params),
            (Phase::New, _) => {
                let message = "expected `initialize` as the first request";
                Err(Failure::new(ErrorCode::ServerNotInitialized, message))
            }
            (Phase::Running, "initialize") => {
                Err(Failure::new(ErrorCode::InvalidRequest, "duplicate `initialize`"))
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Leaving;
                Ok(Value::Null)
            }
            (Phase::Running, _) => {
                let Self { documents, workspace, commands, snippets, .. } = self;
                let requests = Requests { documents, workspace, snippets: *snippets, commands };
                requests.answer(request)
            }
            (Phase::Leaving, _) => {
                let message = "expected `exit` after `shutdown`";
                Err(Failure::new(ErrorCode::InvalidRequest, message))
            }
        }
    }

    fn begin(&mut self, params: Value) -> Result<Value, Failure> {
        let params: InitializeParams = serde_json::from_value(params)
            .map_err(|err| Failure::params(format!("`initialize`: {err}")))?;
        let agreed = Agreed::with(&params);
        let result = serde_json::to_value(agreed.result())
            .map_err(|err| Failure::new(ErrorCode::InternalError, err.to_string()))?;
        self.phase = Phase::Running;
        self.snippets = agreed.snippets;
        self.commands = agreed.commands;
        self.workspace = Workspace::new(&params);
        let engine = self.workspace.engine(&self.documents.engine);
        self.documents = Documents::new(engine, agreed.encoding);
        self.documents.manual = agreed.manual;
        Ok(result)
    }

    /// Handles a notification. Notifications have no response, so errors are logged.
    fn hear(&mut self, notification: Notification) -> io::Result<()> {
        if self.phase != Phase::Running {
            return Ok(());
        }
        let method = notification.method.clone();
        let Err(failure) = self.note(notification) else { return Ok(()) };
        let message = format!("`{method}`: {}", failure.message());
        self.outbox.notify::<LogMessage>(LogMessageParams { typ: MessageType::ERROR, message })
    }

    fn note(&mut self, notification: Notification) -> Result<(), Failure> {
        let params = notification.params;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let params = read::<DidOpenTextDocument>(params)?;
                self.published.forget(&params.text_document.uri);
                self.documents.open(params.text_document);
            }
            DidChangeTextDocument::METHOD => {
                let params = read::<DidChangeTextDocument>(params)?;
                let document = params.text_document;
                self.documents.change(&document.uri, document.version, params.content_changes)?;
            }
            DidCloseTextDocument::METHOD => {
                let params = read::<DidCloseTextDocument>(params)?;
                self.documents.close(&params.text_document.uri);
            }
            DidChangeWorkspaceFolders::METHOD => {
                self.workspace.change(&read::<DidChangeWorkspaceFolders>(params)?);
                return Ok(());
            }
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                self.documents.files_changed();
            }
            _ => return Ok(()),
        }
        self.is_stale = true;
        Ok(())
    }
}

fn read<N: Method>(params: Value) -> Result<N::Params, Failure>
where
    N::Params: DeserializeOwned,
{
    serde_json::from_value(params).map_err(|err| Failure::params(err.to_string()))
}
