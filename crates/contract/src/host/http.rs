//! HTTP as the host offers it: a request, and an answer whose body comes in pieces.

use std::{borrow::Cow, fmt, future::Future, io, pin::Pin};

use futures_util::Stream;

use super::{Host, address::Address, refusal};

/// A request. Its header values and its body may hold secrets, so neither is shown.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    /// The whole address, with `http://` or `https://`.
    pub url: String,
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Vec<u8>,
    pub trust: Trust,
}

/// Who named the address of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Whoever runs this program: it may lead anywhere, also to this machine.
    Configured,
    /// A script or a page: it may lead to the open internet only.
    Open,
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
    /// A GET of an address that a script or a page may have named.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: "GET",
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            trust: Trust::Open,
        }
    }

    /// A POST of JSON, to such an address.
    pub fn post_json(url: impl Into<String>, body: Vec<u8>) -> Self {
        let post = Self { method: "POST", body, ..Self::get(url) };
        post.header("content-type", "application/json")
    }

    /// Says that whoever runs this program named the address.
    #[must_use]
    pub fn configured(self) -> Self {
        Self { trust: Trust::Configured, ..self }
    }

    /// The address, which is refused when an open request may not lead there.
    pub fn look(&self) -> io::Result<Address> {
        let address = self.address()?;
        match address.refused() {
            Some(why) if self.trust == Trust::Open => Err(refusal(why)),
            _ => Ok(address),
        }
    }

    /// The address in its one spelling.
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

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// The headers that are sent to any host that an answer leads on to. Others may hold what
/// is meant for the first one only.
const FOR_ALL: [&str; 2] = ["accept", "user-agent"];

/// Sends a GET and goes where the answers lead on to; gives the last answer and its
/// address. Each step is a request of its own, which the host looks at like the first one.
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
    let message = format!("it leads on more than {MOST_REDIRECTS} times");
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

/// Where an answer leads on to.
fn next(request: &Request, answer: &Response) -> io::Result<Option<Address>> {
    let leads_on = request.method == "GET" && matches!(answer.status, 301..=303 | 307 | 308);
    let Some(reference) = answer.header("location").filter(|_| leads_on) else { return Ok(None) };
    let invalid = |why| {
        let message = format!("it leads on to `{reference}`: {why}");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let from = request.address()?;
    let to = from.join(reference).map_err(invalid)?;
    if from.is_secure() && !to.is_secure() {
        return Err(refusal(format!("it leads on to `{to}`, which is not encrypted")));
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
