//! The chat of a session.

use std::time::Duration;

use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::{Text, Value, json},
};
use svc_service::{
    Fault,
    desk::{
        Between, Decision, Desk, Exchange, History, MessageView, Received, Resource, SentMessage,
        ToolUse,
    },
    tools,
};
use tokio::sync::mpsc;

use super::{
    super::{Input, Reply, Rest, with_ok},
    get, named, ok, post,
    projects::kept,
    upload::Upload,
};
use crate::rest::route::{Answers, Body, Handle, Route};

/// How often a comment keeps a stream open.
const ALIVE: Duration = Duration::from_secs(15);

/// How often the book is looked at: another process may have changed it.
const LOOK: Duration = Duration::from_secs(1);

/// The most events that wait for a slow reader.
const WAITING: usize = 64;

params! {
    struct Polled {
        /// The message after which they come.
        after: Option<Text> = None,
        /// How long to wait for an answer, in seconds.
        #[range(0..=30)]
        wait_sec: i64 = 0,
    }
}

params! {
    struct Followed {
        /// The number of the last event that the caller has.
        after: i64 = 0,
    }
}

params! {
    /// A file with a question about it; the form has the file as `file`.
    struct FileSent {
        /// The session.
        session_id: Text,
        /// What is asked about it.
        text: Option<Text> = None,
        /// The file.
        file: Text,
    }
}

params! {
    struct Cancelled {
        /// The answer.
        message_id: Text,
    }
}

record! {
    /// A file that was sent, and its answer.
    struct FileReply {
        /// The message.
        message_id: Text,
        /// Its answer.
        reply_id: Text,
        /// The state of the answer.
        state: Text,
        /// How many answers come before it.
        position: i64,
        /// The file.
        resource: Resource,
    }
}

record! {
    /// A message.
    struct MessageReply {
        /// The message.
        message: MessageView,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let sent: fn() -> Value = || tools::output_schema(SentMessage::SCHEME);
    vec![
        Route {
            statuses: &[402, 404],
            ..post(
                "/chat/send",
                "Sends a message, which is answered after those before it.",
                Exchange::PARAMS,
                sent,
                Handle::Io(|rest, input| {
                    Box::pin(async move { ok(rest.desk()?.send(input.read()?).await?) })
                }),
            )
        },
        Route {
            body: Some(Body::Upload(FileSent::PARAMS)),
            statuses: &[402, 404],
            ..post(
                "/chat/sendfile",
                "Sends a file with a question: a form with `session_id`, `text` and `file`.",
                &[],
                || tools::output_schema(FileReply::SCHEME),
                Handle::Io(|rest, input| Box::pin(send_file(rest, input))),
            )
        },
        Route {
            query: Between::PARAMS,
            ..get(
                "/chat/{session}/history",
                "The messages of a session, the first one first.",
                || tools::output_schema(History::SCHEME),
                Handle::Blocking(|rest, input| {
                    ok(rest.desk()?.history(input.part(0), &input.query()?)?)
                }),
            )
        },
        Route {
            query: Polled::PARAMS,
            ..get(
                "/chat/{session}/receive",
                "The messages after one of them; waits for an answer.",
                || tools::output_schema(Received::SCHEME),
                Handle::Io(|rest, input| Box::pin(receive(rest, input))),
            )
        },
        Route {
            query: Followed::PARAMS,
            answers: Answers::Events,
            ..get(
                "/chat/{session}/events",
                "Each message whenever it is new or has changed, as server-sent events.",
                Value::default,
                Handle::Blocking(events),
            )
        },
        Route {
            statuses: &[402, 404],
            ..post(
                "/chat/{session}/decide",
                "Answers the proposal of a message: its script runs, or it never does.",
                Decision::PARAMS,
                sent,
                Handle::Io(|rest, input| {
                    Box::pin(
                        async move { ok(rest.desk()?.decide(input.part(0), input.read()?).await?) },
                    )
                }),
            )
        },
        post(
            "/chat/{session}/cancel",
            "Cancels an answer that is not complete.",
            Cancelled::PARAMS,
            || tools::output_schema(MessageReply::SCHEME),
            Handle::Io(|rest, input| {
                Box::pin(async move {
                    let asked: Cancelled = input.read()?;
                    let desk = rest.desk()?;
                    let done = desk.cancel_message(input.part(0), &asked.message_id).await?;
                    named("message", done)
                })
            }),
        ),
    ]
}

async fn send_file(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let upload = Upload::of(&input, &["session_id", "text"]).await?;
    let missing = || Fault::field("session_id", "missing field `session_id`");
    let session_id = Text::from(upload.text("session_id").ok_or_else(missing)?);
    let text = upload.text("text").map(str::trim).filter(|it| !it.is_empty());
    let text = text.map(Text::from);
    if let Some(text) = &text {
        rest.desk()?.test_text(text)?;
    }
    let project = rest.desk()?.session(&session_id)?.project_id.to_string();
    let resource = kept(rest, project, upload).await?;
    let text = text.unwrap_or_else(|| format!("Summarise {}", resource.name).into());
    let attachments = Some(vec![resource.id.clone()]);
    let message = Exchange { session_id, text, attachments, tools: ToolUse::Auto };
    let sent = rest.desk()?.send(message).await?.encode();
    let fields = sent.as_record().into_iter().flat_map(svc_contract::value::Record::iter);
    let fields = fields.map(|(name, it)| (name.clone(), it.clone()));
    let all = fields.chain([("resource".into(), resource.encode())]);
    Ok(Reply::ok(with_ok(Value::Record(all.collect()))))
}

async fn receive(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: Polled = input.query()?;
    let most = Duration::from_secs(asked.wait_sec.unsigned_abs());
    let received = rest.desk()?.receive(input.part(0), asked.after.as_ref(), most);
    tokio::select! {
        received = received => ok(received?),
        () = rest.service.parting() => {
            ok(rest.desk()?.receive(input.part(0), asked.after.as_ref(), Duration::ZERO).await?)
        }
    }
}

fn events(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Followed = input.query()?;
    let after = input.last_event.and_then(|it| i64::try_from(it).ok()).unwrap_or(asked.after);
    let (desk, session) = (rest.desk()?.clone(), input.part(0).to_owned());
    // A session that is not there is an error now, not an empty stream.
    desk.session(&session)?;
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        follow(&desk, &session, after, &sender).await;
    });
    Ok(Reply::Stream(receiver))
}

/// Sends messages as they change, until the reader goes away or the session is over.
async fn follow(desk: &Desk, session: &str, mut after: i64, sender: &mpsc::Sender<String>) {
    let mut changed = desk.changes();
    let mut said = tokio::time::Instant::now();
    loop {
        let Ok((messages, latest)) = desk.changed_messages(session, after) else { return };
        for message in &messages {
            let data = json::write(&message.clone().encode());
            let event = format!("id: {latest}\nevent: message\ndata: {data}\n\n");
            if sender.send(event).await.is_err() {
                return;
            }
            said = tokio::time::Instant::now();
        }
        after = latest;
        if messages.is_empty() && desk.is_over(session) {
            // A client that connects again gets nothing new.
            let _ = sender.send("event: end\ndata: {}\n\n".to_owned()).await;
            return;
        }
        if said.elapsed() >= ALIVE {
            if sender.send(": ping\n\n".to_owned()).await.is_err() {
                return;
            }
            said = tokio::time::Instant::now();
        }
        tokio::select! {
            () = sender.closed() => return,
            () = desk.service().parting() => return,
            _ = tokio::time::timeout(LOOK, changed.changed()) => {}
        }
    }
}
