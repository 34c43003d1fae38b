//! What this client offers to servers: nothing but its name. It listens to progress.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
        ProtocolVersion,
    },
    service::NotificationContext,
};
use svc_contract::registry::Cx;

/// The calls that go on, by the token of their progress.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<HashMap<ProgressToken, Cx>>>);

/// A call that listens, until it is dropped.
pub(crate) struct Listening(Listener, ProgressToken);

impl Listener {
    pub(crate) fn listen(&self, token: ProgressToken, cx: Cx) -> Listening {
        self.calls().insert(token.clone(), cx);
        Listening(self.clone(), token)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, Cx>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.calls().remove(&self.1);
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("svc", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let cx = self.calls().get(&progress.progress_token).cloned();
        if let Some(cx) = cx {
            cx.progress("steps", whole(progress.progress), progress.total.map(whole));
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn whole(number: f64) -> u64 {
    number as u64
}
