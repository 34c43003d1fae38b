//! HTTP as the host offers it: a request, and an answer whose body comes in pieces.

use std::{fmt, future::Future, io, pin::Pin};

use futures_util::Stream;

/// A request. Its header values and its body may hold secrets, so neither is shown.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    /// The whole address, with `http://` or `https://`.
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// The head of an answer, and its body to come.
pub struct Response {
    pub status: u16,
    /// In the order of the answer, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

/// The pieces of a body. Dropping it ends the connection.
pub type Body = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

/// An answer to come. Dropping it ends the request.
pub type Answer = Pin<Box<dyn Future<Output = io::Result<Response>> + Send>>;

impl Request {
    /// A POST of JSON.
    pub fn post_json(url: impl Into<String>, body: Vec<u8>) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { method: "POST", url: url.into(), headers, body }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl Response {
    /// An answer whose body is there already.
    pub fn whole(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let piece = Ok(body.into());
        let body = Box::pin(futures_util::stream::once(async move { piece }));
        Self { status, headers: Vec::new(), body }
    }

    /// The first header of a name, which is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| *name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .field("body", &self.body.len())
            .finish()
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("status", &self.status).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_shows_no_secret() {
        let request = Request::post_json("http://localhost/v1", b"private".to_vec())
            .header("authorization", "Bearer sk-secret");
        let shown = format!("{request:?}");
        assert!(shown.contains("authorization"), "{shown}");
        assert!(!shown.contains("sk-secret") && !shown.contains("private"), "{shown}");
    }
}
