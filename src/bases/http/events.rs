//! The events of a run as server-sent events.

use std::{
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::stream;
use http_body_util::{BodyExt as _, StreamBody, combinators::BoxBody};
use hyper::body::{Bytes, Frame};
use svc_api::rest::{EventsOf, event};
use svc_service::{Live, Seen};
use tokio::sync::mpsc;

/// A comment keeps proxies and callers from giving up.
const PING: Duration = Duration::from_secs(15);

/// Progress is sent at most this often.
const PROGRESS: Duration = Duration::from_millis(250);

/// A reader of the events of a run.
struct Reader {
    run: Arc<Live>,
    after: u64,
    cancel_on_close: bool,
    last_progress: Option<Instant>,
    is_over: bool,
}

/// The body of an answer that follows a run.
pub(super) fn body(of: EventsOf) -> BoxBody<Bytes, Infallible> {
    let EventsOf { run, after, cancel_on_close } = of;
    let reader = Reader { run, after, cancel_on_close, last_progress: None, is_over: false };
    let frames = stream::unfold(reader, |mut reader| async move {
        let text = reader.next().await?;
        Some((Ok(Frame::data(Bytes::from(text))), reader))
    });
    StreamBody::new(frames).boxed()
}

/// The body of an answer whose parts are made elsewhere.
pub(super) fn stream(parts: mpsc::Receiver<String>) -> BoxBody<Bytes, Infallible> {
    let frames = stream::unfold(parts, |mut parts| async move {
        let text = parts.recv().await?;
        Some((Ok(Frame::data(Bytes::from(text))), parts))
    });
    StreamBody::new(frames).boxed()
}

impl Reader {
    /// The next event as text; `None` after the end.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.is_over {
                return None;
            }
            let Ok(seen) = tokio::time::timeout(PING, self.run.next(self.after)).await else {
                return Some(": ping\n\n".to_owned());
            };
            match seen {
                Seen::Gap(next) => {
                    self.after = next - 1;
                    return Some(event::gap(&self.run, next));
                }
                Seen::Ended(outcome) => {
                    self.is_over = true;
                    return Some(event::end(&self.run, self.after + 1, *outcome));
                }
                Seen::Event(it) => {
                    self.after = it.number;
                    let is_progress = event::name(&it.event) == "progress";
                    if is_progress && self.last_progress.is_some_and(|at| at.elapsed() < PROGRESS) {
                        continue;
                    }
                    if is_progress {
                        self.last_progress = Some(Instant::now());
                    }
                    return Some(event::text(&it));
                }
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.cancel_on_close && !self.is_over {
            self.run.cancel();
        }
    }
}
