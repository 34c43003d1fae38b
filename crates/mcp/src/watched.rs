//! A transport whose messages are looked at: notices that are of no consequence go no further, so that
//! a flood of them costs little.

use std::{io, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::{JsonRpcMessage, ServerNotification},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use svc_contract::registry::ErrorKind;
use tokio::time::Instant;

use crate::health::Health;

/// The most requests that a server may send: this client answers them, but offers nothing.
const MOST_REQUESTS: usize = 10_000;
/// The time between two reports of progress.
const BETWEEN: Duration = Duration::from_millis(50);

pub(crate) struct Watched<T> {
    inner: T,
    health: Arc<Health>,
    requests: usize,
    progress: Option<Instant>,
}

impl<T> Watched<T> {
    pub(crate) fn new(inner: T, health: Arc<Health>) -> Self {
        Self { inner, health, requests: 0, progress: None }
    }

    /// Whether a message goes on to the client; an error ends the connection.
    fn passes(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> Result<bool, String> {
        Ok(match message {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => true,
            JsonRpcMessage::Request(_) => {
                self.requests += 1;
                if self.requests > MOST_REQUESTS {
                    return Err(format!("sent too many requests (limit {MOST_REQUESTS})"));
                }
                true
            }
            JsonRpcMessage::Notification(it) => match it.notification {
                ServerNotification::ProgressNotification(_) => {
                    let is_time = self.progress.is_none_or(|it| it.elapsed() >= BETWEEN);
                    if is_time {
                        self.progress = Some(Instant::now());
                    }
                    is_time
                }
                ServerNotification::ToolListChangedNotification(_) => {
                    self.health.tools_changed();
                    false
                }
                _ => false,
            },
        })
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.health.fail(ErrorKind::Unavailable, String::new());
                return None;
            };
            self.health.hears();
            match self.passes(&message) {
                Ok(true) => return Some(message),
                // A flood must not keep the thread from other work.
                Ok(false) => tokio::task::yield_now().await,
                Err(why) => {
                    self.health.fail(ErrorKind::InvalidOutput, why);
                    return None;
                }
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// The error of a transport in messages.
pub(crate) fn explained(err: &(dyn std::error::Error + 'static)) -> String {
    let mut source = Some(err);
    while let Some(it) = source {
        if let Some(own) = it.downcast_ref::<io::Error>() {
            return own.to_string();
        }
        source = it.source();
    }
    err.to_string()
}
