//! What a client learns of a call that takes a while.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use rmcp::{
    RoleServer,
    model::{
        LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    },
    service::{Peer, RequestContext},
};
use svc_engine::{Happened, RunEvent};

use super::{convert::rank, handler::Handler};

/// Progress is sent at most this often.
const BETWEEN: Duration = Duration::from_millis(250);

/// A call shows that it goes on at least this often, so that clients do not give up.
pub(super) const BEAT: Duration = Duration::from_secs(10);

/// The messages of one call.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    /// The least important level of messages that is sent; none if the client wants none.
    level: Option<u8>,
    count: f64,
    sent: Option<Instant>,
}

impl Progress {
    pub(super) fn new(handler: &Handler, context: &RequestContext<RoleServer>) -> Self {
        // Since 2026-07-28, each request says which messages it wants.
        let is_new = is_new(context);
        let level = match context.meta.log_level() {
            Some(level) => Some(rank(level)),
            None if is_new => None,
            None => Some(handler.level.load(Ordering::Relaxed)),
        };
        let token = context.meta.get_progress_token();
        Self { peer: context.peer.clone(), token, level, count: 0.0, sent: None }
    }

    /// Sends what happened in a run, unless something was sent a moment ago.
    pub(super) async fn event(&mut self, event: &RunEvent) {
        if let Happened::Notice { message } = &event.what {
            self.log(LoggingLevel::Warning, message).await;
            return;
        }
        let message = match &event.what {
            Happened::Started { component } => format!("{component} begins"),
            Happened::Finished { component, .. } => format!("{component} is done"),
            Happened::Failed { component, error, .. } => {
                format!("{component} failed: {}", error.message)
            }
            Happened::Retrying { component, attempt, .. } => {
                format!("{component} is tried again after attempt {attempt}")
            }
            Happened::Progress { what, done, total } => {
                let of = total.map(|it| format!(" of {it}")).unwrap_or_default();
                format!("{what}: {done}{of}")
            }
            Happened::ItemEnded { .. } => "an item is done".to_owned(),
            _ => return,
        };
        if self.sent.is_none_or(|at| at.elapsed() >= BETWEEN) {
            self.send(message).await;
        }
    }

    /// Shows that the call goes on, if nothing was sent for a while.
    pub(super) async fn beat(&mut self) {
        if self.sent.is_none_or(|at| at.elapsed() >= BEAT / 2) {
            self.send("still running".to_owned()).await;
        }
    }

    async fn send(&mut self, message: String) {
        let Some(token) = self.token.clone() else { return };
        self.count += 1.0;
        self.sent = Some(Instant::now());
        let progress = ProgressNotificationParam::new(token, self.count).with_message(message);
        // A client that has gone away needs no progress.
        let _ = self.peer.notify_progress(progress).await;
    }

    async fn log(&self, level: LoggingLevel, message: &str) {
        if self.level.is_some_and(|least| rank(level) >= least) {
            let message = LoggingMessageNotificationParam::new(level, message.into());
            let _ = self.peer.notify_logging_message(message.with_logger("svc")).await;
        }
    }
}

/// Whether a request is of the revision that has no sessions and no requests of the server.
pub(super) fn is_new(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|it| it.as_str() >= rmcp::model::ProtocolVersion::V_2026_07_28.as_str())
}
