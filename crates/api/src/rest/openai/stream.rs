//! Streams. The engine has a result at the end of a run, and not before: so the beginning is sent at
//! once, comments keep the connection open while the run goes on, and the text comes in one piece.

use std::{sync::Arc, time::Duration};

use svc_contract::value::json;
use svc_service::{Fault, Live};
use tokio::sync::mpsc;

use super::{CHAT, CancelledOnDrop, Shown, chat, error, of_run, responses::Events};
use crate::rest::fault::WithRequest;

/// How often a comment is sent.
const ALIVE: Duration = Duration::from_secs(10);

/// The most parts that wait for a slow reader.
const WAITING: usize = 16;

/// The stream of a run, which is cancelled when the reader goes away.
pub(super) fn of(run: Arc<Live>, shown: Shown, wants_usage: bool) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let mut writer = Writer { shown, events: Events::default(), wants_usage };
    tokio::spawn(async move {
        let _ends = CancelledOnDrop(run.clone());
        let mut parts = writer.opening();
        loop {
            for part in parts {
                if sender.send(part).await.is_err() {
                    return;
                }
            }
            parts = tokio::select! {
                outcome = run.ended() => {
                    let parts = match outcome {
                        Ok(answer) => writer.closing(&writer.shown.given(&answer)),
                        Err(fault) => writer.failing(&of_run(&run, fault)),
                    };
                    for part in parts {
                        if sender.send(part).await.is_err() {
                            return;
                        }
                    }
                    return;
                }
                () = sender.closed() => return,
                () = tokio::time::sleep(ALIVE) => vec![": the run goes on\n\n".to_owned()],
            };
        }
    });
    receiver
}

struct Writer {
    shown: Shown,
    events: Events,
    wants_usage: bool,
}

impl Writer {
    fn is_chat(&self) -> bool {
        self.shown.path == CHAT
    }

    fn opening(&mut self) -> Vec<String> {
        if self.is_chat() { chat::opening(&self.shown) } else { self.events.opening(&self.shown) }
    }

    fn closing(&mut self, given: &super::Given) -> Vec<String> {
        if self.is_chat() {
            chat::closing(&self.shown, given, self.wants_usage)
        } else {
            self.events.closing(&self.shown, given)
        }
    }

    fn failing(&mut self, fault: &Fault) -> Vec<String> {
        let (_, body) = error::fault(&WithRequest { fault, request_id: &self.shown.run });
        if self.is_chat() {
            return vec![format!("data: {}\n\n", json::write(&body))];
        }
        let (code, message) = (error::kind(fault).code, error::message(fault));
        self.events.failing(&self.shown, code, &message)
    }
}
