//! `/ws`: texts in both directions over a connection that stays open, as WebSocket (RFC 6455).
//!
//! Only frames, limits and the end of a connection are dealt with here; what the texts say is
//! [`Conversation`]'s.

use std::{net::IpAddr, sync::Arc, time::Duration};

use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use http_body_util::{BodyExt as _, Empty};
use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::Incoming,
    header::{self, HeaderValue},
    upgrade::OnUpgrade,
};
use hyper_util::rt::TokioIo;
use svc_api::rest::{Conversation, LARGEST_BODY, MOST_QUEUED, Outgoing, Rest};
use svc_service::{Fault, Why};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::{OwnedSemaphorePermit, mpsc},
    time::{Instant, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error, Message, Utf8Bytes,
        handshake::derive_accept_key,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};
use tokio_util::sync::CancellationToken;

use super::{
    reply::Answer,
    request::{bearer, text},
};

/// The path of the endpoint.
pub(super) const PATH: &str = "/ws";

/// The name of what is spoken, for callers that name it.
const PROTOCOL: &str = "svc";

/// What the key follows, for callers that cannot set headers.
const BEARER: &str = "bearer.";

/// How often a quiet connection is pinged.
const PING: Duration = Duration::from_secs(30);

/// A connection from which nothing came for this long is not there any more.
const DEAD: Duration = Duration::from_secs(75);

/// A connection without messages, of which nothing is open, ends after this time.
const IDLE: Duration = Duration::from_mins(30);

/// How long a reader may take for one text.
const SLOW: Duration = Duration::from_secs(20);

/// How long the other side may take to read why the connection ends.
const ENDING: Duration = Duration::from_secs(1);

/// The first buffer of a connection, which grows with its messages.
const BUFFER: usize = 4 << 10;

/// A request that opens a connection.
pub(super) struct Opening {
    accept: String,
    has_protocol: bool,
    upgrade: OnUpgrade,
    key: Option<String>,
}

impl Opening {
    /// The request as an opening, or why it is not one.
    pub(super) fn of(request: &mut Request<Incoming>) -> Result<Self, Fault> {
        let headers = request.headers();
        let key = text(headers, header::SEC_WEBSOCKET_KEY);
        let is_version = text(headers, header::SEC_WEBSOCKET_VERSION).is_some_and(|it| it == "13");
        let is_upgrade = names(headers, &header::CONNECTION, "upgrade")
            && names(headers, &header::UPGRADE, "websocket");
        let (true, true, "GET", Some(key)) =
            (is_version, is_upgrade, request.method().as_str(), key)
        else {
            let fault = Fault::new(Why::Malformed, "`/ws` is opened as a WebSocket of version 13");
            return Err(fault.help("use a client for WebSockets with the scheme `ws` or `wss`"));
        };
        let offered = offered(headers);
        let of_protocol = offered.iter().find_map(|it| it.strip_prefix(BEARER)).map(str::to_owned);
        Ok(Self {
            accept: derive_accept_key(key.as_bytes()),
            has_protocol: offered.iter().any(|it| it == PROTOCOL),
            key: bearer(headers).or(of_protocol),
            upgrade: hyper::upgrade::on(request),
        })
    }

    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The answer that opens the connection.
    pub(super) fn answer(&self) -> Answer {
        let mut answer = Response::new(Empty::new().boxed());
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = answer.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::from_str(&self.accept) {
            headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        }
        if self.has_protocol {
            let name = HeaderValue::from_static(PROTOCOL);
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, name);
        }
        answer
    }

    /// Carries texts until the connection ends. It keeps its place among the connections.
    pub(super) async fn carry(
        self,
        rest: Rest,
        (address, name): (IpAddr, String),
        over: CancellationToken,
        place: Arc<OwnedSemaphorePermit>,
    ) {
        let Ok(upgraded) = self.upgrade.await else { return };
        let (out, queue) = mpsc::channel(MOST_QUEUED);
        let conversation = Conversation::new(rest, self.key, address, name, out.clone());
        carried(TokioIo::new(upgraded), conversation, (out, queue), over).await;
        drop(place);
    }
}

/// Whether a header names a word, in any case.
fn names(headers: &HeaderMap, name: &header::HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|it| it.to_str().ok());
    values.flat_map(|it| it.split(',')).any(|it| it.trim().eq_ignore_ascii_case(word))
}

/// The protocols that a caller offers.
fn offered(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let values = values.filter_map(|it| it.to_str().ok());
    values.flat_map(|it| it.split(',')).map(|it| it.trim().to_owned()).collect()
}

/// Why a connection ends.
type Ending = (CloseCode, &'static str);

type Queue = (mpsc::Sender<Outgoing>, mpsc::Receiver<Outgoing>);

async fn carried<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    stream: S,
    conversation: Conversation,
    (out, queue): Queue,
    over: CancellationToken,
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_message_size(Some(LARGEST_BODY))
        .max_frame_size(Some(LARGEST_BODY));
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    let (sink, mut texts) = socket.split();
    let (ends, ended) = mpsc::channel(1);
    let stopped = CancellationToken::new();
    let writer = Writer { sink, queue, ended };
    let writing = tokio::spawn(writer.written(stopped.clone()));
    let heard = heard(&mut texts, conversation, over);
    // The queue belongs to the conversation, which has ended.
    drop(out);
    if let Some(Some(ending)) = stopped.run_until_cancelled(heard).await {
        let _ = ends.send(ending).await;
    }
    drop(ends);
    let Ok(sink) = writing.await else { return };
    if let Ok(socket) = sink.reunite(texts) {
        drained(socket.into_inner()).await;
    }
}

/// Reads texts until the connection ends; `None` if the other side has ended it.
async fn heard<S: AsyncRead + AsyncWrite + Unpin>(
    texts: &mut SplitStream<WebSocketStream<S>>,
    mut conversation: Conversation,
    over: CancellationToken,
) -> Option<Ending> {
    let (mut last_heard, mut last_text) = (Instant::now(), Instant::now());
    loop {
        let next = tokio::select! {
            next = timeout(PING, texts.next()) => next,
            () = over.cancelled() => return Some((CloseCode::Away, "the server stops")),
        };
        let is_quiet = next.is_err();
        match next {
            Ok(None) => return None,
            Ok(Some(Ok(Message::Text(text)))) => {
                conversation.take(&text).await;
                last_text = Instant::now();
            }
            Ok(Some(Ok(Message::Binary(_)))) => {
                return Some((CloseCode::Unsupported, "messages are texts"));
            }
            Ok(Some(Ok(_))) => {}
            Ok(Some(Err(error))) => return ending(&error),
            Err(_) => conversation.ping().await,
        }
        if !is_quiet {
            last_heard = Instant::now();
        }
        if last_heard.elapsed() > DEAD {
            return Some((CloseCode::Away, "nothing was heard for too long"));
        }
        if last_text.elapsed() > IDLE && conversation.is_idle() {
            return Some((CloseCode::Away, "no message for too long"));
        }
    }
}

/// How a connection ends by an error of the other side.
fn ending(error: &Error) -> Option<Ending> {
    match error {
        Error::Capacity(_) => Some((CloseCode::Size, "messages have at most 1 MiB")),
        Error::Utf8(_) => Some((CloseCode::Invalid, "not valid UTF-8")),
        Error::Protocol(_) => Some((CloseCode::Protocol, "not a valid frame")),
        _ => None,
    }
}

/// Sends what is in the queue.
struct Writer<S> {
    sink: SplitSink<WebSocketStream<S>, Message>,
    queue: mpsc::Receiver<Outgoing>,
    ended: mpsc::Receiver<Ending>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Writer<S> {
    /// Writes until the connection ends, and says why. `stopped` is cancelled then.
    async fn written(
        mut self,
        stopped: CancellationToken,
    ) -> SplitSink<WebSocketStream<S>, Message> {
        let ending = self.last_ending().await;
        stopped.cancel();
        let frame =
            ending.map(|(code, reason)| CloseFrame { code, reason: Utf8Bytes::from(reason) });
        let _ = timeout(ENDING, self.sink.send(Message::Close(frame))).await;
        self.sink
    }

    async fn last_ending(&mut self) -> Option<Ending> {
        loop {
            let message = tokio::select! {
                ending = self.ended.recv() => return ending,
                message = self.queue.recv() => message,
            };
            let message = match message {
                Some(Outgoing::Text(text)) => Message::text(text),
                Some(Outgoing::Ping) => Message::Ping(Vec::new().into()),
                Some(Outgoing::Unauthorized) => {
                    return Some((CloseCode::Policy, "the key is not accepted"));
                }
                None => return self.ended.recv().await,
            };
            match timeout(SLOW, self.sink.send(message)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some((CloseCode::Again, "the reader is too slow")),
            }
        }
    }
}

/// Reads what the other side still sends, so that it can read why the connection ends.
async fn drained(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let _ = timeout(ENDING, async {
        stream.shutdown().await?;
        let mut part = [0; BUFFER];
        while stream.read(&mut part).await? > 0 {}
        std::io::Result::Ok(())
    })
    .await;
}

#[cfg(test)]
mod tests {
    use svc_service::{Options, Service, once::Once};
    use tokio::{io::DuplexStream, task::JoinHandle};

    use super::*;

    /// A connection as its server carries it, and its other end.
    fn opened() -> (DuplexStream, JoinHandle<()>) {
        let engine = crate::engine();
        let once = Once::in_memory(engine.host());
        let service = Service::new(engine, None, Options::new("test")).unwrap();
        let rest = Rest { service, version: "test", once, desk: None };
        let (client, server) = tokio::io::duplex(1 << 16);
        let (out, queue) = mpsc::channel(MOST_QUEUED);
        let address = [127, 0, 0, 1].into();
        let conversation = Conversation::new(rest, None, address, "test".to_owned(), out.clone());
        let over = CancellationToken::new();
        (client, tokio::spawn(carried(server, conversation, (out, queue), over)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_not_there_any_more_ends() {
        let (client, carrying) = opened();
        let begun = Instant::now();
        carrying.await.unwrap();
        let took = begun.elapsed();
        assert!(took > DEAD && took < DEAD + 2 * PING, "{took:?}");
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_messages_ends() {
        let (client, carrying) = opened();
        let mut socket = WebSocketStream::from_raw_socket(client, Role::Client, None).await;
        let begun = Instant::now();
        // Reading answers the pings.
        let code = loop {
            match socket.next().await.unwrap().unwrap() {
                Message::Close(frame) => break frame.unwrap().code,
                other => assert!(other.is_ping(), "{other:?}"),
            }
        };
        let took = begun.elapsed();
        assert_eq!(code, CloseCode::Away);
        assert!(took > IDLE && took < IDLE + 2 * PING, "{took:?}");
        drop(socket);
        carrying.await.unwrap();
    }

    #[test]
    fn words_of_headers_are_found_in_any_case() {
        let mut headers = HeaderMap::new();
        headers.append(header::CONNECTION, HeaderValue::from_static("keep-alive, Upgrade"));
        headers.append("sec-websocket-protocol", HeaderValue::from_static("svc, bearer.a"));
        headers.append("sec-websocket-protocol", HeaderValue::from_static("other"));
        assert!(names(&headers, &header::CONNECTION, "upgrade"));
        assert!(!names(&headers, &header::UPGRADE, "websocket"));
        assert_eq!(offered(&headers), ["svc", "bearer.a", "other"]);
    }
}
