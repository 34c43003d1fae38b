//! The events of a run as server-sent events.

use std::{convert::Infallible, time::Duration};

use futures_util::stream;
use http_body_util::{BodyExt as _, StreamBody, combinators::BoxBody};
use hyper::body::{Bytes, Frame};
use svc_api::rest::{EventsOf, Following};
use tokio::sync::mpsc;

/// A comment keeps proxies and callers from giving up.
const PING: Duration = Duration::from_secs(15);

/// The body of an answer that follows a run.
pub(super) fn body(of: EventsOf) -> BoxBody<Bytes, Infallible> {
    let frames = stream::unfold(Following::new(of), |mut following| async move {
        let text = match tokio::time::timeout(PING, following.next()).await {
            Ok(event) => event?.sse(),
            Err(_) => ": ping\n\n".to_owned(),
        };
        Some((Ok(Frame::data(Bytes::from(text))), following))
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
