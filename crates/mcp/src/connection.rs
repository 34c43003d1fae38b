//! One connection to a server.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, JsonObject,
        PaginatedRequestParams, ProtocolVersion, ServerResult,
    },
    service::{ClientInitializeError, PeerRequestOptions, RunningService, ServiceError},
    transport::{
        DynamicTransportError, StreamableHttpClientTransport,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use svc_contract::{
    host::{
        self, Host,
        http::Trust,
        program::{OpenProcess, ProgramCall, ProgramError},
    },
    registry::{Cx, ErrorKind, HintId, OpError},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::Mutex,
    task::JoinHandle,
    time::timeout,
};

use crate::{
    client::Listener,
    health::Health,
    http::{HostClient, Status},
    server::{Launch, Server},
    stdio::Stdio,
    tools::{Listing, Tool},
    watched::{Watched, explained},
};

/// The most pages of a list of tools, and the most tools.
const MOST_PAGES: usize = 200;
const MOST_TOOLS: usize = 2_000;
/// How long a server has to end after its input was closed, and then after it was asked to end.
const GRACE: Duration = Duration::from_millis(400);
/// How long a server is given to take the news that a call is cancelled.
const TO_CANCEL: Duration = Duration::from_millis(200);

pub(crate) struct Connection {
    server: Server,
    health: Arc<Health>,
    listener: Listener,
    peer: Peer<RoleClient>,
    service: Mutex<Option<RunningService<RoleClient, Listener>>>,
    process: Process,
    /// The fingerprints of the tools that the server has now.
    tools: Mutex<Option<HashMap<String, String>>>,
}

impl Connection {
    /// Starts the server, or connects to it, and greets it. One that refuses the greeting is asked again
    /// in the revision that has none.
    pub(crate) async fn open(
        server: &Server,
        host: Arc<dyn Host>,
        trust: Trust,
    ) -> Result<Self, OpError> {
        let server = server.with_secrets(host.as_ref())?;
        let greeting = ClientLifecycleMode::Initialize;
        let greeted = Box::pin(Self::greeted(&server, host.clone(), trust, greeting));
        let refused = match greeted.await {
            Ok(connection) => return Ok(connection),
            Err(NotGreeted { error, is_refused: false }) => return Err(error),
            Err(refused) => refused.error,
        };
        let preferred_versions = vec![ProtocolVersion::NO_INITIALIZE];
        let discovery = ClientLifecycleMode::Discover { preferred_versions };
        let asked = Box::pin(Self::greeted(&server, host, trust, discovery));
        asked.await.map_err(|_| refused)
    }

    async fn greeted(
        server: &Server,
        host: Arc<dyn Host>,
        trust: Trust,
        greeting: ClientLifecycleMode,
    ) -> Result<Self, NotGreeted> {
        let (health, listener) = (Arc::<Health>::default(), Listener::default());
        let mut process = None;
        let served = match &server.launch {
            Launch::Command { program, args, env, dir } => {
                let call = ProgramCall {
                    program: program.clone(),
                    args: args.clone(),
                    env: server.environment(env, host.as_ref()),
                    dir: Some(dir.clone()),
                    ..ProgramCall::default()
                };
                let opened = host.open_program(call);
                let opened = opened.map_err(|err| NotGreeted::of(not_started(server, &err)))?;
                let errors = tokio::spawn(listened(opened.stderr, health.clone()));
                process = Some(Started { process: opened.process, errors: Some(errors) });
                let streams =
                    Stdio::new(opened.stdin, opened.stdout, server.max_size, health.clone());
                let streams = Watched::new(streams, health.clone());
                listener.clone().serve_with_lifecycle(streams, greeting).await
            }
            Launch::Url { url, headers } => {
                let client = HostClient::new(host, server, headers, trust);
                let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                let streams = StreamableHttpClientTransport::with_client(client, config);
                let streams = Watched::new(streams, health.clone());
                listener.clone().serve_with_lifecycle(streams, greeting).await
            }
        };
        match served {
            Ok(service) => Ok(Self {
                health,
                listener,
                peer: service.peer().clone(),
                service: Mutex::new(Some(service)),
                process: Mutex::new(process),
                tools: Mutex::new(None),
                server: server.clone(),
            }),
            Err(err) => {
                let process = Mutex::new(process);
                let is_refused = is_refused(&err);
                let error = not_greeted(server, &health, &process, err).await;
                Err(NotGreeted { error, is_refused })
            }
        }
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.health.broken().is_some()
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// What the server says of itself and its tools.
    pub(crate) async fn listing(&self) -> Result<Listing, OpError> {
        let info = self.peer.peer_info();
        let own = info.as_ref().and_then(|it| it.server_info.clone());
        Ok(Listing {
            server: own.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
            version: own.map(|it| it.version).unwrap_or_default(),
            protocol: info.map(|it| it.protocol_version.to_string()).unwrap_or_default(),
            tools: self.list().await?,
        })
    }

    async fn list(&self) -> Result<Vec<Tool>, OpError> {
        let mut tools: Vec<Tool> = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = match self.peer.list_tools(Some(page)).await {
                Ok(page) => page,
                Err(err) => return Err(self.failed(err, "the list of its tools").await),
            };
            tools.extend(page.tools.into_iter().map(Tool::from));
            if tools.len() > MOST_TOOLS {
                let why = format!("has too many tools (limit {MOST_TOOLS})");
                return Err(self.server.error(ErrorKind::InvalidOutput, why));
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        let why = format!("lists its tools without an end (limit {MOST_PAGES} pages)");
        Err(self.server.error(ErrorKind::InvalidOutput, why))
    }

    /// Whether a tool still has the schemas that were locked.
    pub(crate) async fn compare(&self, tool: &str, locked: &str) -> Result<(), OpError> {
        let mut known = self.tools.lock().await;
        if self.health.take_changed() || known.is_none() {
            let tools = self.list().await?;
            *known = Some(tools.iter().map(|it| (it.name.clone(), it.fingerprint())).collect());
        }
        let why = match known.as_ref().and_then(|it| it.get(tool)) {
            Some(now) if now == locked => return Ok(()),
            Some(_) => format!("changed the schemas of its tool `{tool}` since they were locked"),
            None => format!("does not have the tool `{tool}` any more"),
        };
        let help = self.server.help_on_changes();
        Err(self.server.error(ErrorKind::Failed, why).help(help))
    }

    /// Calls a tool; an error if the server does not return a result of a tool.
    pub(crate) async fn call(
        &self,
        cx: &Cx,
        tool: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, OpError> {
        let heard = self.health.heard.load(Ordering::Relaxed);
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let Some(sent) = cx.cancel.run_until_cancelled(sent).await else {
            self.hangs(heard);
            return Err(OpError::cancelled());
        };
        let mut handle = match sent {
            Ok(handle) => handle,
            Err(err) => return Err(self.failed(err, "the result of a tool").await),
        };
        let listening = self.listener.listen(handle.progress_token.clone(), cx.clone());
        let answer = cx.cancel.run_until_cancelled(&mut handle.rx).await;
        drop(listening);
        let Some(answer) = answer else {
            let cancelled = handle.cancel(Some("the call was cancelled".to_owned()));
            let _ = timeout(TO_CANCEL, cancelled).await;
            self.hangs(heard);
            return Err(OpError::cancelled());
        };
        match answer.unwrap_or(Err(ServiceError::TransportClosed)) {
            Ok(ServerResult::CallToolResult(result)) => Ok(result),
            Ok(ServerResult::EmptyResult(_)) => Ok(CallToolResult::default()),
            Ok(ServerResult::InputRequiredResult(_)) => {
                let why = format!("asks for input in the middle of `{tool}`");
                Err(self.server.error(ErrorKind::Unsupported, why))
            }
            Ok(_) => {
                Err(self.failed(ServiceError::UnexpectedResponse, "the result of a tool").await)
            }
            Err(err) => Err(self.failed(err, "the result of a tool").await),
        }
    }

    /// A call was given up. A server that said nothing since then is not asked again.
    fn hangs(&self, heard: u64) {
        if self.health.heard.load(Ordering::Relaxed) == heard {
            let why = "did not answer, and was ended".to_owned();
            self.health.fail(ErrorKind::Unavailable, why);
        }
    }

    async fn failed(&self, err: ServiceError, wanted: &str) -> OpError {
        match err {
            ServiceError::McpError(err) => {
                let why = format!("returned the error {}: {}", err.code.0, err.message);
                let kind = match err.code.0 {
                    -32602 => ErrorKind::InvalidInput,
                    -32601 => ErrorKind::Unsupported,
                    _ => ErrorKind::Failed,
                };
                self.server.error(kind, why)
            }
            ServiceError::UnexpectedResponse => {
                let why = format!("sent something else than {wanted}");
                self.server.error(ErrorKind::InvalidOutput, why)
            }
            ServiceError::TransportSend(err) => {
                not_sent(&self.server, &self.health, &self.process, &err).await
            }
            _ => broken(&self.server, &self.health, &self.process).await,
        }
    }

    /// Ends the connection in good order, and the program: its input is closed, then it is asked to
    /// end, then killed.
    pub(crate) async fn end(&self) {
        let service = self.service.lock().await.take();
        if let Some(mut service) = service {
            let _ = service.close_with_timeout(GRACE).await;
        }
        let process = self.process.lock().await.take();
        if let Some(mut process) = process
            && timeout(GRACE, process.process.ended()).await.is_err()
        {
            process.process.ask_to_end();
            let _ = timeout(GRACE, process.process.ended()).await;
        }
    }
}

/// Why a server was not greeted.
struct NotGreeted {
    error: OpError,
    /// Whether it may be one that is not greeted.
    is_refused: bool,
}

impl NotGreeted {
    fn of(error: OpError) -> Self {
        Self { error, is_refused: false }
    }
}

/// Whether a server answered the greeting with an error of its own.
fn is_refused(err: &ClientInitializeError) -> bool {
    match err {
        ClientInitializeError::JsonRpcError(_) => true,
        ClientInitializeError::TransportError { error, .. } => {
            status_of(error).is_some_and(|it| matches!(it, 400 | 404 | 405 | 501))
        }
        _ => false,
    }
}

/// The status of the answer to a message that could not be sent.
fn status_of(err: &DynamicTransportError) -> Option<u16> {
    match err.error.downcast_ref::<StreamableHttpError<io::Error>>()? {
        StreamableHttpError::Client(err) => Some(err.get_ref()?.downcast_ref::<Status>()?.0),
        _ => None,
    }
}

type Process = Mutex<Option<Started>>;

/// The program of a server. Dropping it kills the program.
struct Started {
    process: Box<dyn OpenProcess>,
    /// Reads the error output to its end.
    errors: Option<JoinHandle<()>>,
}

impl Started {
    /// The exit code, if the program has ended; then its error output was read.
    async fn code(&mut self) -> Option<i64> {
        let code = timeout(GRACE, self.process.ended()).await.ok()?.ok();
        if let Some(errors) = self.errors.take() {
            let _ = timeout(GRACE, errors).await;
        }
        code
    }
}

/// Keeps the end of what a program writes to its error output.
async fn listened(mut errors: Box<dyn AsyncRead + Send + Unpin>, health: Arc<Health>) {
    let mut buffer = vec![0; 4 << 10];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        health.said(&buffer[..count]);
    }
}

fn not_started(server: &Server, err: &ProgramError) -> OpError {
    let Launch::Command { program, .. } = &server.launch else { return OpError::cancelled() };
    let (kind, why) = match err {
        ProgramError::Unsupported => {
            (ErrorKind::Unsupported, "programs are not available here".to_owned())
        }
        ProgramError::Start(err) | ProgramError::Lost(err) => {
            let kind = match err.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::PermissionDenied => ErrorKind::Denied,
                _ => ErrorKind::Failed,
            };
            (kind, err.to_string())
        }
        ProgramError::TooLarge(_) | ProgramError::Cancelled => return OpError::cancelled(),
    };
    server.error(kind, format!("does not start: cannot run `{program}`: {why}"))
}

async fn not_greeted(
    server: &Server,
    health: &Health,
    process: &Process,
    err: ClientInitializeError,
) -> OpError {
    match err {
        ClientInitializeError::TransportError { error, .. } => {
            not_sent(server, health, process, &error).await
        }
        ClientInitializeError::JsonRpcError(err) => {
            let why = format!("refuses to connect: {}", err.message);
            server.error(ErrorKind::Failed, why)
        }
        ClientInitializeError::ConnectionClosed(_) => broken(server, health, process).await,
        _ if health.broken().is_some() => broken(server, health, process).await,
        ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ExpectedInitResponse(_) => {
            let why = "sent something else than the answer to a greeting";
            server.error(ErrorKind::InvalidOutput, why)
        }
        other => {
            let why: String = other.to_string().chars().take(200).collect();
            server.error(ErrorKind::Failed, format!("cannot be used: {why}"))
        }
    }
}

/// A message could not be sent.
async fn not_sent(
    server: &Server,
    health: &Health,
    process: &Process,
    err: &DynamicTransportError,
) -> OpError {
    let Launch::Url { url, .. } = &server.launch else {
        return broken(server, health, process).await;
    };
    let status = status_of(err);
    let failed = err.error.downcast_ref::<StreamableHttpError<io::Error>>();
    let Some(failed) = failed else {
        let why = format!("cannot be reached at `{url}`: {}", explained(err));
        return server.error(ErrorKind::Unavailable, why);
    };
    match failed {
        StreamableHttpError::Client(err) => {
            let kind = match (status, err.kind()) {
                (Some(status), _) => ErrorKind::of_status(status),
                (None, io::ErrorKind::PermissionDenied) => ErrorKind::Denied,
                (None, io::ErrorKind::InvalidInput) => ErrorKind::InvalidInput,
                (None, io::ErrorKind::FileTooLarge) => ErrorKind::InvalidOutput,
                _ => ErrorKind::Unavailable,
            };
            let error = server.error(kind, format!("cannot be reached at `{url}`: {err}"));
            if host::refused(err).is_some() { error.help(HintId::AllowAddress) } else { error }
        }
        StreamableHttpError::UnexpectedServerResponse(why) => {
            server.error(ErrorKind::InvalidOutput, why)
        }
        StreamableHttpError::TransportChannelClosed => broken(server, health, process).await,
        other => {
            let why = format!("cannot be used at `{url}`: {other}");
            server.error(ErrorKind::Unavailable, why)
        }
    }
}

/// The reason why a connection ended.
async fn broken(server: &Server, health: &Health, process: &Process) -> OpError {
    if let Some((kind, why)) = health.broken().filter(|it| !it.1.is_empty()) {
        return server.error(*kind, why);
    }
    health.fail(ErrorKind::Unavailable, String::new());
    let mut process = process.lock().await;
    let ended = match process.as_mut() {
        Some(process) => process.code().await,
        None => None,
    };
    let what = match ended {
        Some(code) => format!("ended with the exit code {code}"),
        None => "closed the connection".to_owned(),
    };
    server.error(ErrorKind::Unavailable, format!("{what}{}", health.last_lines()))
}
