//! What changes while a client is connected: the served scripts, and runs that it follows.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{Peer, SubscriptionContext},
};
use svc_api::rest::Rest;
use tokio::task::AbortHandle;

/// How often the folder is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The most resources that a session follows.
const MOST: usize = 100;

/// What a session follows. Dropped with it.
#[derive(Default)]
pub(super) struct Watched {
    resources: Mutex<HashMap<String, AbortHandle>>,
    lists: Mutex<Option<AbortHandle>>,
}

impl Watched {
    /// Sends a message whenever the list of tools changes.
    pub(super) fn follow_lists(&self, rest: Rest, peer: Peer<RoleServer>) {
        let task = tokio::spawn(async move {
            loop {
                changed(&rest).await;
                let is_sent = peer.notify_tool_list_changed().await.is_ok()
                    && peer.notify_resource_list_changed().await.is_ok();
                if !is_sent {
                    return;
                }
            }
        });
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = lists.replace(task.abort_handle()) {
            before.abort();
        }
    }

    /// Sends a message whenever a resource changes: a run, or the text of a script.
    pub(super) fn subscribe(&self, rest: Rest, uri: String, peer: Peer<RoleServer>) {
        let mut all = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, it| !it.is_finished());
        if all.len() >= MOST {
            return;
        }
        let name = uri.clone();
        let task = tokio::spawn(async move {
            while updated(&rest, &uri).await {
                let param = ResourceUpdatedNotificationParam::new(uri.clone());
                if peer.notify_resource_updated(param).await.is_err() {
                    return;
                }
            }
        });
        if let Some(before) = all.insert(name, task.abort_handle()) {
            before.abort();
        }
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        let mut all = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = all.remove(uri) {
            task.abort();
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let all = self.resources.get_mut().unwrap_or_else(PoisonError::into_inner);
        let lists = self.lists.get_mut().unwrap_or_else(PoisonError::into_inner);
        all.drain().map(|it| it.1).chain(lists.take()).for_each(|it| it.abort());
    }
}

/// Sends the messages that a subscription has asked for, for ever.
pub(super) async fn listen(rest: &Rest, context: &SubscriptionContext) {
    let (accepted, sink) = (context.accepted(), context.sink());
    let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
    let lists = async {
        loop {
            changed(rest).await;
            let tools = accepted.tools_list_changed == Some(true);
            let resources = accepted.resources_list_changed == Some(true);
            if (tools && sink.notify_tool_list_changed().await.is_err())
                || (resources && sink.notify_resource_list_changed().await.is_err())
            {
                return;
            }
        }
    };
    let followed = uris.iter().take(MOST).map(|uri| async move {
        while updated(rest, uri).await {
            if sink.notify_resource_updated(uri.clone()).await.is_err() {
                return;
            }
        }
    });
    futures_util::future::join(lists, futures_util::future::join_all(followed)).await;
}

/// Waits until other scripts are served than now.
async fn changed(rest: &Rest) {
    let version = || rest.service.folder().map(svc_service::Folder::version);
    let before = version();
    loop {
        tokio::time::sleep(LOOK).await;
        if version() != before {
            return;
        }
    }
}

/// Waits until a resource has changed; false if it cannot change any more.
async fn updated(rest: &Rest, uri: &str) -> bool {
    match uri.strip_prefix("svc://").and_then(|it| it.split_once('/')) {
        Some(("run", id)) => {
            let Some(run) = rest.service.live(id) else { return false };
            if run.outcome().is_some() {
                return false;
            }
            let after = run.latest();
            // Many events are one change.
            tokio::time::sleep(LOOK).await;
            run.next(after).await;
            true
        }
        Some(("script", _)) => {
            changed(rest).await;
            true
        }
        _ => false,
    }
}
