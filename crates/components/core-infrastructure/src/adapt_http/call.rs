//! One request and its answer.

use std::io;

use futures_util::StreamExt as _;
use svc_contract::{
    host::{
        self,
        address::Address,
        http::{self, Request, Response, Trust},
    },
    registry::{Cx, ErrorKind, HintId, OpError, Size},
    value::{Record, Secret, Text, Value, units},
};

use super::{HttpResponse, encode};

/// The start of an answer that a message shows, in characters.
const SHOWN: usize = 200;

/// The authorization of a request: a secret in a header.
pub(super) struct Auth {
    pub(super) secret: Option<Secret>,
    pub(super) header: Text,
    pub(super) prefix: Text,
}

/// What a request sends.
#[derive(Default)]
pub(super) struct Body {
    pub(super) media_type: Option<&'static str>,
    pub(super) content: Vec<u8>,
}

/// A request, as a script describes it.
pub(super) struct Call<'a> {
    pub(super) method: &'static str,
    pub(super) url: &'a str,
    pub(super) query: Option<&'a Record>,
    pub(super) headers: Option<&'a Record>,
    pub(super) auth: &'a Auth,
    pub(super) body: Body,
    /// Whether a status that is not a success is a failure.
    pub(super) check: bool,
    pub(super) max_size: Size,
}

/// An answer with its body as text.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) text: String,
}

impl Call<'_> {
    pub(super) async fn send(self, cx: &Cx) -> Result<Answer, OpError> {
        let request = self.request()?;
        let (url, asked) = (request.url.clone(), self.method);
        let sent = http::follow(cx.host(), request).await;
        let (url, mut answer) = sent.map_err(|err| unreachable(asked, &url, err))?;
        let content = body(cx, asked, &url, &mut answer, self.max_size).await?;
        if let Some(packed) = answer.header("content-encoding").filter(|it| *it != "identity") {
            let message = format!("cannot read `{url}`: unsupported content encoding `{packed}`");
            return Err(OpError::new(ErrorKind::Unsupported, message));
        }
        if self.check && !(200..300).contains(&answer.status) {
            return Err(refused(asked, &url, &answer, &content));
        }
        let text = String::from_utf8(content).map_err(|err| {
            let place = err.utf8_error().valid_up_to();
            let message = format!(
                "the answer of `{url}` is not valid UTF-8 (invalid byte at offset {place})"
            );
            OpError::new(ErrorKind::Unsupported, message).help("use `fetch` to read pages and PDFs")
        })?;
        Ok(Answer { status: answer.status, url, headers: answer.headers, text })
    }

    fn request(&self) -> Result<Request, OpError> {
        let url = encode::with_query(self.url, &encode::pairs("query", self.query)?);
        let invalid = |why| OpError::invalid_input(format!("invalid address `{url}`: {why}"));
        let address = Address::read(&url).map_err(invalid)?;
        let mut all =
            vec![("user-agent".to_owned(), agent()), ("accept".to_owned(), "*/*".to_owned())];
        if let Some(media_type) = self.body.media_type {
            all.push(("content-type".to_owned(), media_type.to_owned()));
        }
        for (name, value) in encode::headers(self.headers)? {
            all.retain(|(it, _)| *it != name);
            all.push((name, value));
        }
        if let Some(secret) = &self.auth.secret {
            // An address of this machine or of a private network needs a rule of the user.
            if !address.is_secure() && address.refused().is_none() {
                let message = format!("`auth` must not be sent to `{url}`, which is not encrypted");
                return Err(OpError::new(ErrorKind::Denied, message).help("use `https://`"));
            }
            let name = self.auth.header.to_ascii_lowercase();
            all.retain(|(it, _)| *it != name);
            all.push((name, format!("{}{}", self.auth.prefix, secret.reveal())));
        }
        let headers = all.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let (method, body) = (self.method, self.body.content.clone());
        Ok(Request { method, url, headers, body, trust: Trust::Open })
    }
}

impl Answer {
    /// The headers as a record, with names that scripts can write; several of one name are joined.
    pub(super) fn headers(&self) -> Value {
        let mut names: Vec<Text> = Vec::new();
        let mut values: Vec<String> = Vec::new();
        for (name, value) in &self.headers {
            let name = name.replace('-', "_");
            match names.iter().position(|it| it.as_ref() == name.as_str()) {
                Some(idx) => values[idx].push_str(&format!(", {value}")),
                None => {
                    names.push(name.as_str().into());
                    values.push(value.clone());
                }
            }
        }
        let values = values.into_iter().map(Value::from).collect();
        Value::Record(Record::new(names.into(), values))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn into_response(self) -> HttpResponse {
        HttpResponse {
            headers: self.headers(),
            status: self.status.into(),
            url: self.url.into(),
            text: self.text.into(),
        }
    }

    /// The body as JSON if it is JSON, or else as text.
    pub(super) fn body(&self) -> Result<Value, OpError> {
        let media_type = self.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let kind = media_type.split(';').next().unwrap_or_default().trim();
        let is_json = kind.ends_with("/json") || kind.ends_with("+json");
        match crate::read_json(&self.text) {
            _ if self.text.trim().is_empty() => Ok(Value::Null),
            Ok(value) if is_json || kind.is_empty() => Ok(value),
            Err(err) if is_json => {
                let message = format!("`{}` returned {}", self.url, err.message);
                Err(OpError::new(ErrorKind::InvalidOutput, message))
            }
            _ => Ok(self.text.as_str().into()),
        }
    }
}

fn agent() -> String {
    concat!("svc/", env!("CARGO_PKG_VERSION")).to_owned()
}

/// The whole body, if it is not larger than `most`.
async fn body(
    cx: &Cx,
    method: &str,
    url: &str,
    answer: &mut Response,
    most: Size,
) -> Result<Vec<u8>, OpError> {
    let mut content = Vec::new();
    while let Some(piece) = answer.body.next().await {
        content.extend(piece.map_err(|err| unreachable(method, url, err))?);
        if content.len() as u64 > most.0 {
            let most = units::show_size(most.0);
            let message = format!("the answer of `{url}` is larger than {most}");
            return Err(OpError::invalid_input(message).help("raise `max_size`"));
        }
        cx.progress("bytes", content.len() as u64, None);
    }
    Ok(content)
}

/// The error of a request without an answer.
fn unreachable(method: &str, url: &str, err: io::Error) -> OpError {
    let kind = match err.kind() {
        io::ErrorKind::InvalidInput => ErrorKind::InvalidInput,
        io::ErrorKind::InvalidData => ErrorKind::Failed,
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        io::ErrorKind::Unsupported => ErrorKind::Unsupported,
        _ => ErrorKind::Unavailable,
    };
    let error = OpError::new(kind, format!("cannot {method} `{url}`: {err}"));
    let error = match host::refused(&err) {
        Some(_) => error.help(HintId::AllowAddress),
        None => error,
    };
    error.because(err)
}

/// The error of a status that is not a success, with the start of what the server says.
fn refused(method: &str, url: &str, answer: &Response, content: &[u8]) -> OpError {
    let status = answer.status;
    let said = String::from_utf8_lossy(content);
    let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = match said.char_indices().nth(SHOWN) {
        Some((end, _)) => format!(": {}…", &said[..end]),
        None if said.is_empty() => String::new(),
        None => format!(": {said}"),
    };
    let to = answer.header("location").filter(|_| (300..400).contains(&status));
    let message = match to {
        Some(to) => format!("cannot {method} `{url}`: it redirects to `{to}`"),
        None => format!("cannot {method} `{url}`: the server returned status {status}{said}"),
    };
    let error = OpError::new(ErrorKind::of_status(status), message);
    let error = match to {
        Some(_) => error.help("use that address, if you trust it"),
        None => error,
    };
    match answer.retry_after() {
        Some(wait) => error.retry_after(wait),
        None => error,
    }
}
