//! Calls over one connection that stays open: messages in, answers and events out.
//!
//! A base carries texts: it gives them to a [`Conversation`], and sends what comes out of its queue. Each
//! message is a request of the table of routes, with the key of the connection: it is let in,
//! counted, authorised and recorded as if it had come by itself.

mod message;

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_contract::value::{Record, Value, json};
use svc_service::{Fault, Turned, Visitor, Why};
use tokio::{sync::mpsc, task::AbortHandle};

use self::message::{Asks, Message};
use super::{
    Input, Reply, Rest,
    event::Following,
    fault::{WithRequest, body},
    object,
    route::Route,
    with_ok,
};

/// The most messages of a connection whose answers or events are not complete.
const MOST_OPEN: usize = 32;

/// The most texts that wait for a slow reader. Then what would make more waits.
pub const MOST_QUEUED: usize = 16;

/// What a base sends.
#[derive(Debug)]
pub enum Outgoing {
    Text(String),
    /// Asks whether the other side is there.
    Ping,
    /// The connection ends: the key is not accepted any more.
    Unauthorized,
}

/// What an open connection asks for. When it is dropped, what is open of it ends: calls of tools and
/// ops are cancelled, runs of scripts go on.
pub struct Conversation {
    shared: Arc<Shared>,
    /// The number of the next message.
    next: u64,
}

struct Shared {
    /// The interface for anyone; each message is let in by itself.
    rest: Rest,
    key: Option<String>,
    address: IpAddr,
    /// The name of the connection, with which those of its requests begin.
    name: String,
    out: mpsc::Sender<Outgoing>,
    open: Mutex<HashMap<String, Option<AbortHandle>>>,
}

impl Conversation {
    /// A connection of a visitor with a key, if it has one. What it answers is put into the queue.
    pub fn new(
        rest: Rest,
        key: Option<String>,
        address: IpAddr,
        name: String,
        out: mpsc::Sender<Outgoing>,
    ) -> Self {
        let shared = Shared { rest, key, address, name, out, open: Mutex::default() };
        Self { shared: Arc::new(shared), next: 1 }
    }

    /// Whether nothing is open.
    pub fn is_idle(&self) -> bool {
        self.shared.open().is_empty()
    }

    /// Asks whether the other side is there.
    pub async fn ping(&self) {
        let _ = self.shared.out.send(Outgoing::Ping).await;
    }

    /// Takes a message. Waits while too many answers wait to be sent.
    pub async fn take(&mut self, text: &str) {
        let request_id = format!("{}.{}", self.shared.name, self.next);
        self.next += 1;
        let Message { id, asks } = Message::read(text);
        let refused = match asks {
            Ok(Asks::Cancel(other)) => {
                self.shared.cancelled(&id, &other, &request_id).await;
                return;
            }
            Ok(Asks::Route(route, input)) => {
                let opened = self.shared.opens(&id);
                match opened {
                    Ok(name) => {
                        let (shared, own) = (self.shared.clone(), name.clone());
                        let task = tokio::spawn(async move {
                            shared.answer(&id, route, *input, &request_id).await;
                            shared.open().remove(&own);
                        });
                        if let Some(place) = self.shared.open().get_mut(&name) {
                            *place = Some(task.abort_handle());
                        }
                        return;
                    }
                    Err(fault) => fault,
                }
            }
            Err(fault) => fault,
        };
        let metrics = self.shared.rest.service.metrics();
        metrics.answered("websocket", refused.why.status(), Duration::ZERO);
        self.shared.fault(&id, &refused, &request_id).await;
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        for task in self.shared.open().values().flatten() {
            task.abort();
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Option<AbortHandle>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a message is open.
    fn opens(&self, id: &Value) -> Result<String, Fault> {
        let name = json::write(id);
        let mut open = self.open();
        if open.contains_key(&name) {
            let message = format!("the message {name} is still open");
            return Err(Fault::new(Why::Conflict, message).help("use another id"));
        }
        if open.len() >= MOST_OPEN {
            let message = format!("too many open messages (limit {MOST_OPEN})");
            return Err(Fault::new(Why::Busy, message).retry_after(Duration::from_secs(1)));
        }
        open.insert(name.clone(), None);
        Ok(name)
    }

    /// Ends what another message began.
    async fn cancelled(&self, id: &Value, other: &Value, request_id: &str) {
        let name = json::write(other);
        let task = self.open().remove(&name);
        match task {
            Some(task) => {
                if let Some(task) = task {
                    task.abort();
                }
                self.send(id, 200, with_ok(object([])), None).await;
            }
            None => {
                let fault = Fault::not_found(format!("the message {name} is not open"));
                self.fault(id, &fault, request_id).await;
            }
        }
    }

    async fn answer(&self, id: &Value, route: &'static Route, input: Input, request_id: &str) {
        let begun = Instant::now();
        let answered = self.answered(route, input, request_id).await;
        let status = match answered {
            Ok(Reply::Json(status, value)) => {
                self.send(id, status, value, None).await;
                status
            }
            Ok(Reply::Repeated(status, _, text)) => {
                let value = json::read(&text).unwrap_or_default();
                self.send(id, status, value, Some(("repeated", true.into()))).await;
                status
            }
            Ok(Reply::Events(of)) => {
                let mut following = Following::new(of);
                while let Some(event) = following.next().await {
                    self.put(event.message(id)).await;
                }
                200
            }
            // No route that a message can ask for gives them.
            Ok(Reply::Text(..) | Reply::File(_) | Reply::Stream(_)) => 500,
            Err(Turned { fault, pause, .. }) => {
                // How long the check of a key took does not show.
                tokio::time::sleep(pause.saturating_sub(begun.elapsed())).await;
                self.fault(id, &fault, request_id).await;
                if fault.why == Why::Unauthorized {
                    let _ = self.out.send(Outgoing::Unauthorized).await;
                }
                fault.why.status()
            }
        };
        self.rest.service.metrics().answered("websocket", status, begun.elapsed());
    }

    async fn answered(
        &self,
        route: &'static Route,
        input: Input,
        request_id: &str,
    ) -> Result<Reply, Turned> {
        let (key, address) = (self.key.as_deref(), self.address);
        let visitor = Visitor { key, address, surface: "websocket" };
        let (rest, _) = self.rest.enter(visitor).await?;
        route.admits(rest.service.caller())?;
        Ok(route.answer_once(&rest, input, request_id).await?)
    }

    async fn fault(&self, id: &Value, fault: &Fault, request_id: &str) {
        let wait = fault.retry_after.map(|it| {
            let seconds = i64::try_from(it.as_secs().max(1)).unwrap_or(i64::MAX);
            ("retry_after", Value::from(seconds))
        });
        let answer = body(&WithRequest { fault, request_id });
        self.send(id, fault.why.status(), answer, wait).await;
    }

    /// `{id, status, answer}`: the answer of the route.
    async fn send(
        &self,
        id: &Value,
        status: u16,
        answer: Value,
        more: Option<(&'static str, Value)>,
    ) {
        let own = [("id", id.clone()), ("status", i64::from(status).into()), ("answer", answer)];
        let all = own.into_iter().chain(more).map(|(name, it)| (name.into(), it));
        self.put(json::write(&Value::Record(all.collect::<Record>()))).await;
    }

    async fn put(&self, text: String) {
        // Without a reader, the connection is about to end.
        let _ = self.out.send(Outgoing::Text(text)).await;
    }
}
