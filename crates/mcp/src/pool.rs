//! The connections of a run: one to each server, which its calls share.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::Value;
use svc_contract::{
    host::http::Trust,
    registry::{Cx, EndsWithRun, ErrorKind, OpError},
};

use crate::{connection::Connection, server::Server, tools::Listing};

/// How often a server may fail without a call that succeeds, until it is not started again.
const MOST_FAILURES: u32 = 5;
/// The pause before the first restart; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The connections of a run.
#[derive(Default)]
pub struct Pool(Mutex<HashMap<String, Arc<Slot>>>);

#[derive(Default)]
struct Slot {
    live: tokio::sync::Mutex<Option<Arc<Connection>>>,
    /// The failures since the last call that succeeded.
    failures: AtomicU32,
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The value that its output schema describes.
    pub structured: Option<Value>,
    /// What it says: texts, images, links.
    pub content: Vec<Value>,
}

impl Called {
    /// The result as one value of JSON: its structured content, or else its content.
    pub fn value(self) -> Value {
        self.structured.unwrap_or_else(|| plain(self.content))
    }
}

/// The content of a result without structure: its text, if it is one text.
fn plain(mut content: Vec<Value>) -> Value {
    let text = match content.as_slice() {
        [only] if only.get("type").is_some_and(|it| it == "text") => only.get("text").cloned(),
        _ => None,
    };
    text.unwrap_or_else(|| {
        for block in &mut content {
            if let Some(block) = block.as_object_mut() {
                block.remove("_meta");
            }
        }
        Value::Array(content)
    })
}

impl Pool {
    /// Calls a tool of a server, which is started if it does not run yet and `may_start` agrees.
    ///
    /// `locked` is the fingerprint of the tool that was agreed to; a tool that has another one is not
    /// called.
    pub async fn call(
        &self,
        cx: &Cx,
        server: &Server,
        may_start: &(dyn Fn() -> Result<(), OpError> + Sync),
        (tool, locked): (&str, Option<&str>),
        arguments: serde_json::Map<String, Value>,
    ) -> Result<Called, OpError> {
        let slot = self.slot(server);
        let opened = cx.cancel.run_until_cancelled(slot.connection(cx, server, may_start)).await;
        let connection = opened.ok_or_else(OpError::cancelled)??;
        if let Some(locked) = locked {
            let compared = cx.cancel.run_until_cancelled(connection.compare(tool, locked)).await;
            compared.ok_or_else(OpError::cancelled)??;
        }
        let result = connection.call(cx, tool, arguments).await?;
        slot.failures.store(0, Ordering::Relaxed);
        let hidden = |it: Value| -> Value {
            let text = it.to_string();
            let shown = connection.server().hidden(&text);
            if shown == text {
                it
            } else {
                serde_json::from_str(&shown).unwrap_or(Value::String(shown))
            }
        };
        let content = result.content.iter().filter_map(|it| serde_json::to_value(it).ok());
        let content: Vec<Value> = content.map(hidden).collect();
        if result.is_error == Some(true) {
            return Err(failed(tool, server, &content));
        }
        Ok(Called { structured: result.structured_content.map(hidden), content })
    }

    /// What a server at an address says of itself and its tools.
    pub async fn listing(&self, cx: &Cx, server: &Server) -> Result<Listing, OpError> {
        let slot = self.slot(server);
        let opened = slot.connection(cx, server, &|| Ok(()));
        let listed = async { opened.await?.listing().await };
        let listed = cx.cancel.run_until_cancelled(Box::pin(listed)).await;
        listed.ok_or_else(OpError::cancelled)?.map_err(|err| server.redacted(err))
    }

    fn slot(&self, server: &Server) -> Arc<Slot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(server.key()).or_default().clone()
    }
}

impl EndsWithRun for Pool {
    fn end(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let slots = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(async move {
            join_all(slots.values().map(|it| it.end())).await;
        })
    }
}

impl Slot {
    /// The connection, which is opened if there is none, or if it broke.
    async fn connection(
        &self,
        cx: &Cx,
        server: &Server,
        may_start: &(dyn Fn() -> Result<(), OpError> + Sync),
    ) -> Result<Arc<Connection>, OpError> {
        let mut live = self.live.lock().await;
        if let Some(known) = live.as_ref() {
            if !known.is_broken() {
                return Ok(known.clone());
            }
            self.failures.fetch_add(1, Ordering::Relaxed);
            *live = None;
        }
        may_start()?;
        let failures = self.failures.load(Ordering::Relaxed);
        if failures > MOST_FAILURES {
            let why = format!("failed {failures} times in this run, and is not started again");
            return Err(server.error(ErrorKind::Unavailable, why));
        }
        if failures > 0 {
            cx.host().sleep(FIRST_PAUSE * 2_u32.pow(failures - 1)).await;
        }
        let opened = Connection::open(server, cx.shared_host(), Trust::Open).await;
        let opened = opened.inspect_err(|_| {
            self.failures.fetch_add(1, Ordering::Relaxed);
        });
        let opened = Arc::new(opened?);
        *live = Some(opened.clone());
        Ok(opened)
    }

    async fn end(&self) {
        let live = self.live.lock().await.take();
        if let Some(live) = live {
            live.end().await;
        }
    }
}

/// The error that a tool reports.
fn failed(tool: &str, server: &Server, content: &[Value]) -> OpError {
    const SHOWN: usize = 600;
    let texts = content.iter().filter_map(|it| it.get("text").and_then(Value::as_str));
    let text = texts.collect::<Vec<_>>().join(" ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!(": {}…", &text[..end]),
        None if text.is_empty() => String::new(),
        None => format!(": {text}"),
    };
    OpError::failed(format!("`{}` of the MCP server `{}` failed{text}", tool, server.name))
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}
