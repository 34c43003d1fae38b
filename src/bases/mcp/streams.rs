//! The standard streams: a message is a line. Two threads read and write, so that many messages
//! are one read or one write of the system.
//!
//! A plain call of a tool, which most messages of a busy client are, is read into values once and
//! made here; everything else is for the SDK.

use std::{
    borrow::Cow,
    collections::HashMap,
    convert::Infallible,
    io::{BufRead as _, BufReader, Read, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{
        CallToolResult, ErrorData, JsonRpcError, JsonRpcResponse, JsonRpcVersion2_0, RequestId,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Deserialize;
use svc_api::rest::LARGEST_BODY;
use svc_contract::value::Value;
use svc_service::Args;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::AbortHandle,
};

/// What makes plain calls. It returns none for what is not its own.
pub(super) trait Calls: Send + Sync + 'static {
    /// Whether a tool is called here.
    fn takes(&self, name: &str) -> bool;

    /// The result of a call, without the fields of the newest revision.
    fn call(
        &self,
        name: String,
        args: Args,
    ) -> impl Future<Output = Result<CallToolResult, ErrorData>> + Send;
}

/// The streams as a transport of the SDK.
pub(super) struct Streams<C> {
    lines: UnboundedReceiver<Vec<u8>>,
    out: Out,
    calls: Arc<C>,
    going: Arc<Going>,
    /// Whether the client has greeted, so that calls are allowed.
    is_greeted: bool,
}

/// How often, and how many times, it is looked whether calls have ended after the input has.
const MOMENT: Duration = Duration::from_millis(50);
const DRAIN: usize = 200;

/// The end of all that is written.
pub(super) struct Written(JoinHandle<()>);

impl Written {
    /// Waits until everything is written. The streams must have been dropped.
    pub(super) fn wait(self) {
        // What could not be written has no reader any more.
        let _ = self.0.join();
    }
}

/// The lines to write.
#[derive(Clone)]
struct Out(Sender<Vec<u8>>);

/// The plain calls that have not ended, by their ids.
#[derive(Default)]
struct Going(Mutex<HashMap<RequestId, AbortHandle>>);

/// A plain call: one without anything but a name and arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: CallMethod,
    params: Called,
}

#[derive(Deserialize)]
enum CallMethod {
    #[serde(rename = "tools/call")]
    Call,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Called {
    name: String,
    #[serde(default)]
    arguments: Option<Value>,
}

/// The end of a request that the client does not need any more.
#[derive(Deserialize)]
struct Cancelled {
    method: CancelMethod,
    params: Which,
}

#[derive(Deserialize)]
enum CancelMethod {
    #[serde(rename = "notifications/cancelled")]
    Cancelled,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Which {
    request_id: RequestId,
}

impl<C: Calls> Streams<C> {
    /// Reads and writes on threads of their own, until the input ends.
    pub(super) fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        calls: C,
    ) -> (Self, Written) {
        let (line, lines) = unbounded_channel();
        let (out, written) = channel();
        std::thread::spawn(move || read(input, &line));
        let writer = std::thread::spawn(move || write(output, &written));
        let (calls, going) = (Arc::new(calls), Arc::default());
        let streams = Self { lines, out: Out(out), calls, going, is_greeted: false };
        (streams, Written(writer))
    }

    /// Waits a while for the plain calls that have not ended.
    async fn settled(&self) {
        for _ in 0..DRAIN {
            if self.going.all().is_empty() {
                return;
            }
            tokio::time::sleep(MOMENT).await;
        }
    }

    /// Makes the call of a line, if it is a plain one.
    fn made(&self, line: &[u8]) -> bool {
        let Ok(Plain { id, params, .. }) = serde_json::from_slice(line) else { return false };
        let Called { name, arguments } = params;
        let args = match arguments {
            None => Args::new(),
            Some(Value::Record(of)) => {
                of.iter().map(|(name, it)| (name.to_string(), it.clone())).collect()
            }
            Some(_) => return false,
        };
        if !self.calls.takes(&name) {
            return false;
        }
        let (calls, out, going, own) =
            (self.calls.clone(), self.out.clone(), self.going.clone(), id.clone());
        // The task may end before its handle is kept.
        let mut all = self.going.all();
        let task = tokio::spawn(async move {
            let answer = calls.call(name, args).await;
            going.all().remove(&own);
            match answer {
                Ok(result) => {
                    let answer = JsonRpcResponse { jsonrpc: JsonRpcVersion2_0, id: own, result };
                    out.send(serde_json::to_vec(&answer));
                }
                Err(error) => out.send(serde_json::to_vec(&JsonRpcError::new(Some(own), error))),
            }
        });
        all.insert(id, task.abort_handle());
        true
    }

    /// Cancels the plain call that a line names.
    fn cancelled(&self, line: &[u8]) -> bool {
        let Ok(Cancelled { method: CancelMethod::Cancelled, params }) =
            serde_json::from_slice(line)
        else {
            return false;
        };
        let task = self.going.all().remove(&params.request_id);
        task.inspect(AbortHandle::abort).is_some()
    }
}

impl Going {
    fn all(&self) -> MutexGuard<'_, HashMap<RequestId, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Out {
    fn send(&self, message: serde_json::Result<Vec<u8>>) {
        let Ok(mut line) = message else { return };
        line.push(b'\n');
        // If the output is closed, the input ends soon.
        let _ = self.0.send(line);
    }
}

impl<C: Calls> Transport<RoleServer> for Streams<C> {
    type Error = Infallible;

    fn name() -> Cow<'static, str> {
        "standard streams".into()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.out.send(serde_json::to_vec(&message));
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(line) = self.lines.recv().await else {
                self.settled().await;
                return None;
            };
            if self.is_greeted && (self.made(&line) || self.cancelled(&line)) {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(message) => {
                    self.is_greeted |=
                        matches!(message, RxJsonRpcMessage::<RoleServer>::Notification(_));
                    return Some(message);
                }
                Err(err) => {
                    let error = JsonRpcError::new(None, wrong(&line, &err));
                    self.out.send(serde_json::to_vec(&error));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.lines.close();
        for (_, task) in self.going.all().drain() {
            task.abort();
        }
        Ok(())
    }
}

/// The error of a line that is not a message.
fn wrong(line: &[u8], err: &serde_json::Error) -> ErrorData {
    match serde_json::from_slice::<Value>(line) {
        Ok(_) => ErrorData::invalid_request(format!("not a message: {err}"), None),
        Err(err) => ErrorData::parse_error(err.to_string(), None),
    }
}

/// Reads lines until the end. One that is too long ends the session: what follows it cannot be
/// trusted to be a message.
fn read(input: impl Read, lines: &UnboundedSender<Vec<u8>>) {
    let mut input = BufReader::with_capacity(64 << 10, input);
    loop {
        let mut line = Vec::new();
        let most = LARGEST_BODY as u64 + 1;
        match input.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LARGEST_BODY => return,
            Ok(_) => {}
        }
        if !line.iter().all(u8::is_ascii_whitespace) && lines.send(line).is_err() {
            return;
        }
    }
}

/// Writes lines, many at once if there are many.
fn write(mut output: impl Write, lines: &Receiver<Vec<u8>>) {
    const MOST: usize = 256 << 10;
    while let Ok(mut all) = lines.recv() {
        while all.len() < MOST
            && let Ok(more) = lines.try_recv()
        {
            all.extend_from_slice(&more);
        }
        if output.write_all(&all).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
