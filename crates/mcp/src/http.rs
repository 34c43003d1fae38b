//! The streamable HTTP of MCP over the requests of a host, which checks each address.

use std::{borrow::Cow, collections::HashMap, io, sync::Arc};

use futures_util::{StreamExt as _, stream::BoxStream};
use http::{HeaderName, HeaderValue};
use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::{Sse, SseStream};
use svc_contract::{
    host::{
        Host,
        http::{BodyStream, Request, Response, Trust},
        refusal,
    },
    value::units,
};

use crate::server::Server;

const SESSION: &str = "mcp-session-id";
/// The most that is read of an answer which is an error.
const MOST_OF_AN_ERROR: u64 = 16 << 10;
/// How much of it a message shows.
const SHOWN: usize = 200;

type Failed = StreamableHttpError<io::Error>;

/// The client of one server.
#[derive(Clone)]
pub(crate) struct HostClient {
    host: Arc<dyn Host>,
    /// The further headers of each request, with those of secrets.
    headers: Arc<Vec<(String, String)>>,
    has_secrets: bool,
    max_size: u64,
    trust: Trust,
}

impl HostClient {
    pub(crate) fn new(
        host: Arc<dyn Host>,
        server: &Server,
        own: &[(String, String)],
        trust: Trust,
    ) -> Self {
        let mut headers = own.to_vec();
        for (name, secret) in &server.revealed {
            let (name, text) = (name.to_ascii_lowercase(), secret.reveal());
            let is_bare = name == "authorization" && !text.contains(' ');
            let value = if is_bare { format!("Bearer {text}") } else { text.to_owned() };
            headers.retain(|it| it.0 != name);
            headers.push((name, value));
        }
        let has_secrets = !server.revealed.is_empty();
        Self { host, headers: Arc::new(headers), has_secrets, max_size: server.max_size, trust }
    }

    async fn send(
        &self,
        mut request: Request,
        session: Option<&str>,
        others: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Response, Failed> {
        request.trust = self.trust;
        let address = request.address().map_err(Failed::Client)?;
        // An address of this machine or of a private network needs a rule of the user.
        if self.has_secrets && !address.is_secure() && address.refused().is_none() {
            let why = format!("a secret must not be sent to `{address}`, which is not encrypted");
            return Err(Failed::Client(refusal(why)));
        }
        request = request.header("user-agent", concat!("svc/", env!("CARGO_PKG_VERSION")));
        #[expect(clippy::iter_over_hash_type, reason = "each header has another name")]
        for (name, value) in others {
            let Ok(value) = value.to_str() else { continue };
            request = request.header(name.as_str().to_owned(), value);
        }
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        for (name, value) in self.headers.iter() {
            request = request.header(name.clone(), value);
        }
        self.host.http(request).await.map_err(Failed::Client)
    }

    /// The whole body, if it is not larger than `most`.
    async fn body(&self, mut body: BodyStream, most: u64) -> Result<Vec<u8>, Failed> {
        let mut content = Vec::new();
        while let Some(piece) = body.next().await {
            content.extend(piece.map_err(Failed::Client)?);
            if content.len() as u64 > most {
                return Err(Failed::Client(too_large(most)));
            }
        }
        Ok(content)
    }

    /// The events of an answer, none of which may be larger than the limit.
    fn events(&self, body: BodyStream) -> BoxStream<'static, Result<Sse, SseError>> {
        let (most, mut size) = (self.max_size, 0);
        let bounded = body.map(move |piece| {
            let piece = piece?;
            let end = piece.windows(2).rposition(|it| it == b"\n\n" || it == b"\n\r");
            size = end.map_or(size + piece.len(), |it| piece.len() - it);
            if size as u64 > most { Err(too_large(most)) } else { Ok(io::Cursor::new(piece)) }
        });
        SseStream::from_bytes_stream(bounded).boxed()
    }
}

fn too_large(most: u64) -> io::Error {
    let most = units::show_size(most);
    io::Error::new(io::ErrorKind::FileTooLarge, format!("a message is larger than {most}"))
}

/// The error of a status that is not a success, with the start of what the server says.
fn refused(status: u16, content: &[u8]) -> Failed {
    let said = String::from_utf8_lossy(content);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let said: String = said.chars().take(SHOWN).collect();
    let colon = if said.is_empty() { "" } else { ": " };
    Failed::Client(io::Error::other(Status(status, format!("status {status}{colon}{said}"))))
}

/// A status that is not a success.
#[derive(Debug)]
pub(crate) struct Status(pub(crate) u16, String);

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.1)
    }
}

impl std::error::Error for Status {}

impl StreamableHttpClient for HostClient {
    type Error = io::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let awaits_nothing = !matches!(message, JsonRpcMessage::Request(_));
        let body = serde_json::to_vec(&message)?;
        let request = Request::post_json(uri.as_ref(), body)
            .header("accept", "application/json, text/event-stream");
        let answer = self.send(request, session_id.as_deref(), custom_headers).await?;
        if answer.status == 404 && session_id.is_some() {
            return Err(Failed::SessionExpired);
        }
        let session = answer.header(SESSION).map(str::to_owned);
        let kind = answer.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if !(200..300).contains(&answer.status) {
            let status = answer.status;
            let content = self.body(answer.body, MOST_OF_AN_ERROR).await.unwrap_or_default();
            return match serde_json::from_slice::<ServerJsonRpcMessage>(&content) {
                Ok(error @ JsonRpcMessage::Error(_)) if !awaits_nothing => {
                    Ok(StreamableHttpPostResponse::Json(error, session))
                }
                _ => Err(refused(status, &content)),
            };
        }
        if awaits_nothing || matches!(answer.status, 202 | 204) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        match kind.as_str() {
            "text/event-stream" => {
                Ok(StreamableHttpPostResponse::Sse(self.events(answer.body), session))
            }
            "application/json" => {
                let content = self.body(answer.body, self.max_size).await?;
                match serde_json::from_slice(&content) {
                    Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                    Err(err) => {
                        let why = format!("sent a message that is not valid: {err}");
                        Err(Failed::UnexpectedServerResponse(Cow::Owned(why)))
                    }
                }
            }
            other => Err(Failed::UnexpectedContentType(Some(other.to_owned()))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let request = Request { method: "DELETE", ..Request::get(uri.as_ref()) };
        let answer = self.send(request, Some(&session_id), custom_headers).await?;
        match answer.status {
            405 => Err(Failed::ServerDoesNotSupportDeleteSession),
            status if !(200..300).contains(&status) => Err(refused(status, b"")),
            _ => Ok(()),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let mut request = Request::get(uri.as_ref()).header("accept", "text/event-stream");
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        let answer = self.send(request, session_id.as_deref(), custom_headers).await?;
        let is_stream = answer.header("content-type").is_some_and(|it| it.contains("event-stream"));
        match answer.status {
            200..300 if is_stream => Ok(self.events(answer.body)),
            405 | 200..300 => Err(Failed::ServerDoesNotSupportSse),
            status => Err(refused(status, b"")),
        }
    }
}
