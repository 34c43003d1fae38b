//! HTTP as the host offers it: a request, and a response with a streamed body.

use std::{borrow::Cow, fmt, future::Future, io, pin::Pin};

use futures_util::Stream;

use super::{Host, address::Address, refusal};

/// A request. Its header values and its body may contain secrets, so neither is shown.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    /// The complete address, with `http://` or `https://`.
    pub url: String,
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Vec<u8>,
    pub trust: Trust,
}

/// The origin of a request's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The user who runs this program: it may lead anywhere, including this machine.
    Configured,
    /// A script or a page: it may only lead to the open internet.
    Open,
}

/// The head of a response, with its future body.
pub struct Response {
    pub status: u16,
    /// In the order of the response, with lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: BodyStream,
}

/// The pieces of a body. Dropping it ends the connection.
pub type BodyStream = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

/// A future response. Dropping it ends the request.
pub type Answer = Pin<Box<dyn Future<Output = io::Result<Response>> + Send>>;

impl Request {
    /// A GET of an address from a script or a page.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: "GET",
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            trust: Trust::Open,
        }
    }

    /// A POST of JSON to an address from a script or a page.
    pub fn post_json(url: impl Into<String>, body: Vec<u8>) -> Self {
        let post = Self { method: "POST", body, ..Self::get(url) };
        post.header("content-type", "application/json")
    }

    /// Marks the address as configured by the user who runs this program.
    #[must_use]
    pub fn configured(self) -> Self {
        Self { trust: Trust::Configured, ..self }
    }

    /// The address; an error if an open request may not go there.
    pub fn look(&self) -> io::Result<Address> {
        let address = self.address()?;
        match address.refused() {
            Some(why) if self.trust == Trust::Open => Err(refusal(why)),
            _ => Ok(address),
        }
    }

    /// The normalised address.
    pub fn address(&self) -> io::Result<Address> {
        Address::read(&self.url).map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

impl Response {
    /// A response with a complete body.
    pub fn whole(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let piece = Ok(body.into());
        let body = Box::pin(futures_util::stream::once(async move { piece }));
        Self { status, headers: Vec::new(), body }
    }

    /// The first header with a name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// The maximum number of redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// The headers that are sent to every host of a redirect. Others may contain data that is meant
/// only for the first host.
const FOR_ALL: [&str; 2] = ["accept", "user-agent"];

/// Sends a request and follows the redirects of a GET or HEAD; returns the last response and its address. Each step is a
/// separate request, which the host checks like the first one.
pub async fn follow(host: &dyn Host, mut request: Request) -> io::Result<(String, Response)> {
    request.url = request.address()?.to_string();
    for _ in 0..=MOST_REDIRECTS {
        let answer = host.http(request.clone()).await?;
        let Some(next) = next(&request, &answer)? else { return Ok((request.url, answer)) };
        if next.is_elsewhere(&request.address()?) {
            request.headers.retain(|(name, _)| FOR_ALL.contains(&name.as_ref()));
        }
        request.url = next.to_string();
    }
    let message = format!("too many redirects (limit {MOST_REDIRECTS})");
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

/// The target of a redirect.
fn next(request: &Request, answer: &Response) -> io::Result<Option<Address>> {
    let leads_on =
        matches!(request.method, "GET" | "HEAD") && matches!(answer.status, 301..=303 | 307 | 308);
    let Some(reference) = answer.header("location").filter(|_| leads_on) else { return Ok(None) };
    let invalid = |why| {
        let message = format!("it redirects to `{reference}`: {why}");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let from = request.address()?;
    let to = from.join(reference).map_err(invalid)?;
    if from.is_secure() && !to.is_secure() {
        return Err(refusal(format!("it redirects to `{to}`, which is not encrypted")));
    }
    Ok(Some(to))
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_ref()).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .field("body", &self.body.len())
            .field("trust", &self.trust)
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
