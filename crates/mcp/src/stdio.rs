//! The standard streams of a program as a transport: one message a line.

use std::{io, sync::Arc};

use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use svc_contract::{registry::ErrorKind, value::units};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::Mutex,
};

use crate::health::Health;

/// The most lines that are not messages: some servers print a greeting or a log there.
const MOST_OTHER_LINES: usize = 1_000;
/// How much of a wrong line a message shows.
const SHOWN: usize = 120;

type Input = Box<dyn AsyncWrite + Send + Unpin>;

pub(crate) struct Stdio {
    input: Arc<Mutex<Option<Input>>>,
    output: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    /// The line that is being read. A dropped `receive` loses nothing of it.
    line: Vec<u8>,
    other_lines: usize,
    max_size: u64,
    health: Arc<Health>,
}

impl Stdio {
    pub(crate) fn new(
        input: Input,
        output: Box<dyn AsyncRead + Send + Unpin>,
        max_size: u64,
        health: Arc<Health>,
    ) -> Self {
        Self {
            input: Arc::new(Mutex::new(Some(input))),
            output: BufReader::with_capacity(64 << 10, output),
            line: Vec::new(),
            other_lines: 0,
            max_size,
            health,
        }
    }

    /// Reads the rest of a line; `false` at the end, or if the line is too large.
    async fn read_line(&mut self) -> bool {
        loop {
            let found = match self.output.fill_buf().await {
                Ok([]) | Err(_) => return false,
                Ok(found) => found,
            };
            let end = found.iter().position(|it| *it == b'\n');
            let length = end.map_or(found.len(), |it| it + 1);
            self.line.extend_from_slice(&found[..length]);
            self.output.consume(length);
            if self.line.len() as u64 > self.max_size {
                let most = units::show_size(self.max_size);
                let why = format!("sent a message that is larger than {most}");
                self.health.fail(ErrorKind::InvalidOutput, why);
                return false;
            }
            if end.is_some() {
                return true;
            }
        }
    }

    /// The message of the line; `None` if it is another text.
    fn message(&mut self) -> Option<Result<RxJsonRpcMessage<RoleClient>, String>> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        if line.first() != Some(&b'{') {
            self.other_lines += 1;
            let is_much = self.other_lines > MOST_OTHER_LINES;
            return is_much.then(|| Err("wrote too many lines that are not messages".to_owned()));
        }
        if is_idle(line) {
            self.health.hears();
            return None;
        }
        Some(serde_json::from_slice(line).map_err(|err| {
            let text = String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN)]);
            let shown: String = text.chars().take(SHOWN).collect();
            let dots = if line.len() > shown.len() { "…" } else { "" };
            format!("sent a message that is not valid: {err}: `{shown}{dots}`")
        }))
    }
}

/// Whether a message is a notice of no consequence: this is known without all of its content, so a flood
/// of them costs little.
fn is_idle(line: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Start<'l> {
        #[serde(borrow)]
        method: Option<std::borrow::Cow<'l, str>>,
        id: Option<serde::de::IgnoredAny>,
    }
    let start: Result<Start<'_>, _> = serde_json::from_slice(line);
    start.is_ok_and(|it| {
        let method = it.method.filter(|_| it.id.is_none());
        method.is_some_and(|it| {
            it.starts_with("notifications/")
                && it != "notifications/progress"
                && it != "notifications/tools/list_changed"
        })
    })
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let input = self.input.clone();
        async move {
            let mut text = serde_json::to_vec(&item).map_err(io::Error::other)?;
            text.push(b'\n');
            let mut input = input.lock().await;
            let Some(input) = input.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            input.write_all(&text).await?;
            input.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if !self.read_line().await {
                return None;
            }
            match self.message() {
                None => {}
                Some(Ok(message)) => return Some(message),
                Some(Err(why)) => {
                    self.health.fail(ErrorKind::InvalidOutput, why);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A send that waits for the server holds the input; it ends with the process.
        if let Ok(mut input) = self.input.try_lock() {
            input.take();
        }
        Ok(())
    }
}
