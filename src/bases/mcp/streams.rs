//! The standard streams: a message is a line. Two threads read and write, so that many messages
//! are one read or one write of the system.
//!
//! A plain call of a tool, which most messages of a busy client are, is read into values once and
//! made here; everything else is for the SDK. A call that is over in a moment is made by the
//! thread that reads, and answered by it if the client reads: waking another thread costs more than such a
//! call. The answers to calls that arrive together are written together. A tool that usually takes longer
//! has tasks of its own.

use std::{
    borrow::Cow,
    collections::HashMap,
    convert::Infallible,
    io::{self, BufRead as _, BufReader, Read as _, Stdout, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    task::{Context, Poll, Waker},
    thread::JoinHandle,
    time::{Duration, Instant},
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
use svc_host_os::output_is_free;
use svc_service::Args;
use tokio::{
    runtime::Handle,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::AbortHandle,
};

/// What makes plain calls.
pub(super) trait Calls: Send + Sync + 'static {
    /// Whether a tool is called here.
    fn takes(&self, name: &str) -> bool;

    /// The result of a call, without the fields of the newest revision; none if the call is not made,
    /// since its client may have to wait for it, or be asked something.
    fn call(
        &self,
        name: String,
        args: Args,
    ) -> impl Future<Output = Option<Result<CallToolResult, ErrorData>>> + Send;
}

/// The streams as a transport of the SDK.
pub(super) struct Streams {
    lines: UnboundedReceiver<Vec<u8>>,
    out: Out,
    going: Arc<Going>,
    /// Whether the client has greeted, so that calls are allowed.
    is_greeted: Arc<AtomicBool>,
}

/// The calls of a tool that usually take longer are not made by the thread that reads.
const BRIEF: Duration = Duration::from_micros(500);

/// One of so many calls of such a tool is, to see whether they still take so long.
const TRIED_AGAIN: u32 = 64;

/// Answers are not held back for longer, even if more calls wait.
const HELD_BACK: Duration = Duration::from_millis(1);

/// The largest message that a free output takes at once, on every system.
const SMALL: usize = 4096;

/// How often, and how many times, it is looked whether calls have ended after the input has.
const MOMENT: Duration = Duration::from_millis(50);
const DRAIN: usize = 200;

/// The end of all that is written.
pub(super) struct Written {
    writer: JoinHandle<()>,
    later: Sender<Vec<u8>>,
}

impl Written {
    /// Waits until everything is written.
    pub(super) fn wait(self) {
        // An empty line is the last one.
        let _ = self.later.send(Vec::new());
        // What could not be written has no reader any more.
        let _ = self.writer.join();
    }
}

/// Where lines are written: by the thread that has one, if the client reads, else by a thread that
/// may wait.
#[derive(Clone)]
struct Out {
    now: Arc<Mutex<Stdout>>,
    later: Sender<Vec<u8>>,
}

/// What makes the plain calls of the thread that reads.
struct Plainly<C> {
    calls: Arc<C>,
    /// For the SDK.
    lines: UnboundedSender<Vec<u8>>,
    out: Out,
    going: Arc<Going>,
    is_greeted: Arc<AtomicBool>,
    runtime: Handle,
    paces: HashMap<String, Pace>,
    /// The answers that are not written yet, at most [`SMALL`] bytes, and since when.
    answers: Vec<u8>,
    held_since: Option<Instant>,
}

/// How long the calls of a tool take.
#[derive(Default)]
struct Pace {
    /// The latest ones count most. A single one says little: the system may have let others work.
    average: Duration,
    /// The calls since this was measured.
    unmeasured: u32,
}

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

impl Streams {
    /// Reads and writes on threads of their own, until the input ends.
    pub(super) fn new(calls: impl Calls) -> (Self, Written) {
        let (line, lines) = unbounded_channel();
        let (later, waiting) = channel();
        let now = Arc::new(Mutex::new(io::stdout()));
        let (out, writing) = (Out { now: now.clone(), later: later.clone() }, now);
        let writer = std::thread::spawn(move || write(&writing, &waiting));
        let (going, is_greeted) = (Arc::<Going>::default(), Arc::<AtomicBool>::default());
        let plain = Plainly {
            calls: Arc::new(calls),
            lines: line,
            out: out.clone(),
            going: going.clone(),
            is_greeted: is_greeted.clone(),
            runtime: Handle::current(),
            paces: HashMap::new(),
            answers: Vec::with_capacity(SMALL),
            held_since: None,
        };
        std::thread::spawn(move || read(plain));
        (Self { lines, out, going, is_greeted }, Written { writer, later })
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
}

impl<C: Calls> Plainly<C> {
    /// Whether a line is done with: a plain call, or the end of one.
    fn takes(&mut self, line: &[u8]) -> bool {
        self.is_greeted.load(Ordering::Acquire) && (self.made(line) || self.cancelled(line))
    }

    /// Makes the call of a line, if it is a plain one.
    fn made(&mut self, line: &[u8]) -> bool {
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
        let calls = self.calls.clone();
        let tool = name.clone();
        let mut call = Box::pin(async move { calls.call(tool, args).await });
        if !self.paces.entry(name.clone()).or_default().is_brief() {
            self.begin(id, line, call);
            return true;
        }
        let begun = Instant::now();
        let entered = self.runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(&mut context)));
        drop(entered);
        if let Some(pace) = self.paces.get_mut(&name) {
            pace.took(begun.elapsed());
        }
        match polled {
            Ok(Poll::Ready(Some(answer))) => self.answer(line_of(id, answer)),
            Ok(Poll::Ready(None)) => return false,
            Ok(Poll::Pending) => self.begin(id, line, call),
            Err(_) => {
                let error = ErrorData::internal_error("this is a bug in svc", None);
                self.answer(line_of(id, Err(error)));
            }
        }
        true
    }

    /// Keeps an answer until the calls that arrived with its call are made.
    fn answer(&mut self, line: serde_json::Result<Vec<u8>>) {
        let Ok(line) = line else { return };
        if self.answers.len() + line.len() > SMALL {
            self.write();
        }
        if line.len() > SMALL {
            self.out.later(line);
            return;
        }
        self.answers.extend_from_slice(&line);
        let since = *self.held_since.get_or_insert_with(Instant::now);
        if since.elapsed() > HELD_BACK {
            self.write();
        }
    }

    /// Writes the answers that were kept.
    fn write(&mut self) {
        self.held_since = None;
        if !self.answers.is_empty() && !self.out.now(&self.answers) {
            self.out.later(self.answers.clone());
        }
        self.answers.clear();
    }

    /// Goes on with a call in a task of its own.
    fn begin(
        &self,
        id: RequestId,
        line: &[u8],
        call: impl Future<Output = Option<Result<CallToolResult, ErrorData>>> + Send + 'static,
    ) {
        let (out, going, own) = (self.out.clone(), self.going.clone(), id.clone());
        let (lines, line) = (self.lines.clone(), line.to_vec());
        // The task may end before its handle is kept.
        let mut all = self.going.all();
        let task = self.runtime.spawn(async move {
            let answer = call.await;
            if answer.is_none() {
                // It is not read if the client is gone.
                let _ = lines.send(line);
            }
            going.all().remove(&own);
            if let Some(answer) = answer {
                out.send(line_of(own, answer));
            }
        });
        all.insert(id, task.abort_handle());
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

impl Pace {
    /// Whether the next call is made by the thread that reads.
    fn is_brief(&mut self) -> bool {
        self.unmeasured += 1;
        self.average <= BRIEF || self.unmeasured >= TRIED_AGAIN
    }

    fn took(&mut self, time: Duration) {
        const WEIGHT: u32 = 4;
        // One call alone, however long it took, does not make a tool slow.
        let time = time.min(BRIEF * WEIGHT);
        self.average = (self.average * (WEIGHT - 1) + time) / WEIGHT;
        self.unmeasured = 0;
    }
}

impl Out {
    /// Writes a message on the thread that may wait.
    fn send(&self, line: serde_json::Result<Vec<u8>>) {
        if let Ok(line) = line {
            self.later(line);
        }
    }

    fn later(&self, lines: Vec<u8>) {
        // Without a reader, the input ends soon.
        let _ = self.later.send(lines);
    }

    /// Writes whole lines, at most [`SMALL`] bytes, if that does not wait.
    fn now(&self, lines: &[u8]) -> bool {
        let Ok(mut output) = self.now.try_lock() else { return false };
        let is_free = output_is_free();
        if is_free {
            // If the output is closed, the input ends soon.
            let _ = output.write_all(lines).and_then(|()| output.flush());
        }
        is_free
    }
}

/// A message as a line.
fn line(message: serde_json::Result<Vec<u8>>) -> serde_json::Result<Vec<u8>> {
    message.map(|mut line| {
        line.push(b'\n');
        line
    })
}

/// The answer to a call as a line.
fn line_of(
    id: RequestId,
    answer: Result<CallToolResult, ErrorData>,
) -> serde_json::Result<Vec<u8>> {
    match answer {
        Ok(result) => {
            let answer = JsonRpcResponse { jsonrpc: JsonRpcVersion2_0, id, result };
            line(serde_json::to_vec(&answer))
        }
        Err(error) => line(serde_json::to_vec(&JsonRpcError::new(Some(id), error))),
    }
}

impl Transport<RoleServer> for Streams {
    type Error = Infallible;

    fn name() -> Cow<'static, str> {
        "standard streams".into()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.out.send(line(serde_json::to_vec(&message)));
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(line) = self.lines.recv().await else {
                self.settled().await;
                return None;
            };
            match serde_json::from_slice(&line) {
                Ok(message) => {
                    if matches!(message, RxJsonRpcMessage::<RoleServer>::Notification(_)) {
                        self.is_greeted.store(true, Ordering::Release);
                    }
                    return Some(message);
                }
                Err(err) => {
                    let error = JsonRpcError::new(None, wrong(&line, &err));
                    self.out.send(self::line(serde_json::to_vec(&error)));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.lines.close();
        self.going.all().drain().for_each(|(_, task)| task.abort());
        Ok(())
    }
}

/// The error of a line that is not a message.
pub(super) fn wrong(line: &[u8], err: &serde_json::Error) -> ErrorData {
    match serde_json::from_slice::<Value>(line) {
        Ok(_) => ErrorData::invalid_request(format!("not a message: {err}"), None),
        Err(err) => ErrorData::parse_error(format!("not JSON: {err}"), None),
    }
}

/// Reads lines until the end. One that is too long is refused, and left out.
fn read<C: Calls>(mut plain: Plainly<C>) {
    let mut input = BufReader::with_capacity(64 << 10, io::stdin());
    loop {
        // Another line is here already, or reading may wait.
        let has_more = input.buffer().contains(&b'\n');
        if !has_more {
            plain.write();
        }
        let mut line = Vec::new();
        let most = LARGEST_BODY as u64 + 1;
        match input.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LARGEST_BODY => {
                let error = JsonRpcError::new(None, too_large());
                plain.out.send(self::line(serde_json::to_vec(&error)));
                if !line.ends_with(b"\n") && input.skip_until(b'\n').is_err() {
                    return;
                }
                continue;
            }
            Ok(_) => {}
        }
        let is_empty = line.iter().all(u8::is_ascii_whitespace);
        if !is_empty && !plain.takes(&line) && plain.lines.send(line).is_err() {
            return;
        }
    }
}

fn too_large() -> ErrorData {
    let message = format!("the message is larger than {} MiB", LARGEST_BODY >> 20);
    ErrorData::invalid_request(message, None)
}

/// Writes lines, many at once if there are many.
fn write(output: &Mutex<Stdout>, lines: &Receiver<Vec<u8>>) {
    const MOST: usize = 256 << 10;
    let mut is_last = false;
    while !is_last && let Ok(mut all) = lines.recv() {
        is_last = all.is_empty();
        while !is_last
            && all.len() < MOST
            && let Ok(more) = lines.try_recv()
        {
            is_last = more.is_empty();
            all.extend_from_slice(&more);
        }
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.write_all(&all).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
