//! Sends a question and reads the streamed answer.

use std::{io, ops::ControlFlow, time::Duration};

use futures_util::{
    StreamExt as _,
    future::{self, Either},
};
use serde_json::Value as Json;
use svc_contract::{
    host::http::{Request, Response},
    registry::{Cx, OpError, Usage},
};

use super::{
    answer::Answer,
    anthropic, failure,
    model::{Model, Provider},
    ollama, openai,
    question::Question,
    stream::{Events, Format},
};

/// After this much silence the connection counts as lost. A model that thinks first may be silent
/// for minutes; the bounds of the script usually end a call much sooner.
const SILENCE: Duration = Duration::from_mins(5);

/// The size limits of an answer, and of an error page, in bytes.
const LARGEST: usize = 64 << 20;
const LARGEST_ERROR: usize = 64 << 10;

/// Returns the whole answer of a model. Dropping the future closes the connection.
pub(super) async fn ask(
    model: &Model,
    question: &Question<'_>,
    cx: &Cx,
) -> Result<Answer, OpError> {
    answer(model, request(model, question)?, cx).await
}

/// The same for a request that is ready.
pub(super) async fn answer(model: &Model, request: Request, cx: &Cx) -> Result<Answer, OpError> {
    let head = opened(model, request, Some(Usage::default()), cx).await?;
    let answer = Reading { model, cx, answer: Answer::default(), reported: 0 }.read(head).await?;
    Ok(answer.without_key(model))
}

/// Returns the whole body of an answer that is not streamed. `spent` is what earlier requests of the
/// same call have used, if it is known.
pub(super) async fn whole(
    model: &Model,
    request: Request,
    spent: Option<Usage>,
    cx: &Cx,
) -> Result<Vec<u8>, OpError> {
    let mut head = opened(model, request, spent, cx).await?;
    let mut body = Vec::new();
    loop {
        let piece = awake(cx, Box::pin(next(&mut head))).await;
        let Some(piece) = piece.map_err(|it| failure::of_connection(model, it))? else {
            return Ok(body);
        };
        body.extend(piece);
        if body.len() > LARGEST {
            return Err(failure::of_protocol(model, "more than 64MiB", "unfinished"));
        }
    }
}

/// Sends a request, and returns the beginning of a successful answer. If the request costs nothing,
/// the call has used what was `spent` before.
async fn opened(
    model: &Model,
    request: Request,
    spent: Option<Usage>,
    cx: &Cx,
) -> Result<Response, OpError> {
    let report = || {
        if let Some(spent) = spent {
            cx.used(spent);
        }
    };
    let head = match awake(cx, cx.host().http(request)).await {
        Ok(head) => head,
        Err(err) => {
            if never_sent(&err) {
                report();
            }
            return Err(failure::of_connection(model, err));
        }
    };
    if head.status == 200 {
        return Ok(head);
    }
    if is_refused(head.status) {
        report();
    }
    Err(refused(model, head, cx).await)
}

fn request(model: &Model, question: &Question<'_>) -> Result<Request, OpError> {
    match model.provider {
        Provider::OpenAi => openai::request(model, question),
        Provider::Anthropic => anthropic::request(model, question),
        Provider::Ollama => ollama::request(model, question),
    }
}

/// Waits for the other side, but not longer than [`SILENCE`].
async fn awake<T>(cx: &Cx, coming: impl Future<Output = io::Result<T>> + Unpin) -> io::Result<T> {
    match future::select(coming, cx.host().sleep(SILENCE)).await {
        Either::Left((came, _)) => came,
        Either::Right(_) => {
            Err(io::Error::new(io::ErrorKind::TimedOut, "no data for five minutes"))
        }
    }
}

/// Whether the connection failed before anything was sent.
fn never_sent(err: &io::Error) -> bool {
    use io::ErrorKind as Io;
    matches!(
        err.kind(),
        Io::InvalidInput | Io::ConnectionRefused | Io::HostUnreachable | Io::NetworkUnreachable
    )
}

/// Whether a status means that the model did not answer. Providers do not charge for requests that
/// they refuse, but a success or a gateway that lost the answer does not rule out a charge.
fn is_refused(status: u16) -> bool {
    !matches!(status, 200..=299 | 502 | 504 | 520..=527)
}

async fn refused(model: &Model, mut head: Response, cx: &Cx) -> OpError {
    let mut body = Vec::new();
    while body.len() < LARGEST_ERROR {
        match awake(cx, Box::pin(next(&mut head))).await {
            Ok(Some(piece)) => body.extend(piece),
            // The status is enough.
            Ok(None) | Err(_) => break,
        }
    }
    failure::of_status(model, &head, &String::from_utf8_lossy(&body))
}

async fn next(head: &mut Response) -> io::Result<Option<Vec<u8>>> {
    head.body.next().await.transpose()
}

/// An answer being received.
struct Reading<'a> {
    model: &'a Model,
    cx: &'a Cx,
    answer: Answer,
    /// The length of the text that was last reported as progress.
    reported: usize,
}

impl Reading<'_> {
    async fn read(mut self, mut head: Response) -> Result<Answer, OpError> {
        let mut events = Events::new(match self.model.provider {
            Provider::OpenAi | Provider::Anthropic => Format::EventStream,
            Provider::Ollama => Format::JsonLines,
        });
        let (mut size, mut first) = (0, Vec::new());
        loop {
            let piece = awake(self.cx, Box::pin(next(&mut head))).await;
            let Some(piece) = piece.map_err(|it| failure::of_connection(self.model, it))? else {
                break;
            };
            size += piece.len();
            if size > LARGEST {
                return Err(failure::of_protocol(self.model, "more than 64MiB", "unfinished"));
            }
            if first.len() < LARGEST_ERROR {
                first.extend_from_slice(&piece);
            }
            if self.all(events.push(&piece))?.is_break() {
                return Ok(self.answer);
            }
        }
        // An incomplete rest is not an event.
        let last = events.finish().filter(|it| serde_json::from_str::<Json>(it).is_ok());
        let _ = self.all(last)?;
        self.ended(&first)
    }

    fn all(&mut self, events: impl IntoIterator<Item = String>) -> Result<Flow, OpError> {
        for event in events {
            if self.event(&event)?.is_break() {
                return Ok(Flow::Break(()));
            }
        }
        let done = self.answer.text.len();
        if done > self.reported {
            self.reported = done;
            self.cx.progress("bytes of the answer", done as u64, None);
        }
        Ok(Flow::Continue(()))
    }

    fn event(&mut self, event: &str) -> Result<Flow, OpError> {
        if event.trim() == "[DONE]" {
            return Ok(Flow::Break(()));
        }
        let json: Json = serde_json::from_str(event).map_err(|_| {
            failure::of_protocol(self.model, "an event that is not valid JSON", event)
        })?;
        if !json["error"].is_null() {
            return Err(failure::of_event(self.model, &json["error"]));
        }
        Ok(match self.model.provider {
            Provider::OpenAi => openai::read(&json, &mut self.answer),
            Provider::Anthropic => anthropic::read(&json, &mut self.answer),
            Provider::Ollama => ollama::read(&json, &mut self.answer),
        })
    }

    /// Handles the end of the connection: after an answer, during one, or after something else.
    fn ended(self, first: &[u8]) -> Result<Answer, OpError> {
        let Self { model, answer, .. } = self;
        if answer.end.is_some() {
            return Ok(answer);
        }
        if answer.text.is_empty() && answer.tokens.is_none() {
            let given = String::from_utf8_lossy(first);
            return Err(failure::of_protocol(
                model,
                "something other than a stream of events",
                &given,
            ));
        }
        let cut = io::Error::new(io::ErrorKind::UnexpectedEof, "the answer is incomplete");
        Err(failure::of_connection(model, cut))
    }
}

/// Whether the answer continues.
pub(super) type Flow = ControlFlow<()>;
