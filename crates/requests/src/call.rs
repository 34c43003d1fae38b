//! One request and its answer.

use std::{borrow::Cow, io};

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

use crate::encode;

/// The start of an answer that a message shows, in characters.
const SHOWN: usize = 200;
/// Shorter secrets occur in other text by chance.
const SHORTEST: usize = 6;

/// A secret in a request, with the text before it: `Bearer `.
pub struct Hidden {
    /// The name of the header, or of the field of the query.
    pub name: String,
    pub prefix: Text,
    pub secret: Secret,
}

/// What a request sends.
#[derive(Default)]
pub struct Body {
    pub media_type: Option<Cow<'static, str>>,
    pub content: Vec<u8>,
}

/// A request, as a script or a document describes it.
pub struct Call<'a> {
    pub method: &'static str,
    /// The address, with its query except the secrets.
    pub url: String,
    /// In lower case; `accept` may be replaced.
    pub headers: Vec<(String, String)>,
    /// Secrets in headers.
    pub secrets: Vec<Hidden>,
    /// Secrets in the query.
    pub query_secrets: Vec<Hidden>,
    /// Secrets that are sent in another form.
    pub also_hidden: Vec<Secret>,
    /// The name of the secrets in messages.
    pub secret_name: &'a str,
    pub body: Body,
    /// Whether a status that is not a success is a failure.
    pub check: bool,
    pub max_size: Size,
}

/// An answer with its whole body.
pub struct Answer {
    pub status: u16,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub content: Vec<u8>,
}

impl Call<'_> {
    pub async fn send(self, cx: &Cx) -> Result<Answer, OpError> {
        let sent = self.sent(cx).await;
        match sent {
            Ok(answer) if self.has_secrets() => Ok(self.redacted_answer(answer)),
            Ok(answer) => Ok(answer),
            Err(err) => Err(self.redacted_error(err)),
        }
    }

    async fn sent(&self, cx: &Cx) -> Result<Answer, OpError> {
        let request = self.request()?;
        let (shown, asked) = (request.url.clone(), self.method);
        let sent = http::follow(cx.host(), request).await;
        let (url, mut answer) = sent.map_err(|err| unreachable(asked, &shown, err))?;
        let content = body(cx, asked, &url, &mut answer, self.max_size).await?;
        if let Some(packed) = answer.header("content-encoding").filter(|it| *it != "identity") {
            let message = format!("cannot read `{url}`: unsupported content encoding `{packed}`");
            return Err(OpError::new(ErrorKind::Unsupported, message));
        }
        if self.check && !(200..300).contains(&answer.status) {
            return Err(refused(asked, &url, &answer, &content));
        }
        Ok(Answer { status: answer.status, url, headers: answer.headers, content })
    }

    fn request(&self) -> Result<Request, OpError> {
        let invalid =
            |why| OpError::invalid_input(format!("invalid address `{}`: {why}", self.url));
        let address = Address::read(&self.url).map_err(invalid)?;
        let mut all =
            vec![("user-agent".to_owned(), agent()), ("accept".to_owned(), "*/*".to_owned())];
        if let Some(media_type) = &self.body.media_type {
            all.push(("content-type".to_owned(), media_type.clone().into_owned()));
        }
        for (name, value) in &self.headers {
            all.retain(|(it, _)| it != name);
            all.push((name.clone(), value.clone()));
        }
        // An address of this machine or of a private network needs a rule of the user.
        if self.has_secrets() && !address.is_secure() && address.refused().is_none() {
            let name = self.secret_name;
            let message =
                format!("{name} must not be sent to `{}`, which is not encrypted", self.url);
            return Err(OpError::new(ErrorKind::Denied, message).help("use `https://`"));
        }
        for Hidden { name, prefix, secret } in &self.secrets {
            let name = name.to_ascii_lowercase();
            if secret.reveal().chars().any(char::is_control) {
                let message = format!("{} contains a control character", self.secret_name);
                return Err(OpError::invalid_input(message));
            }
            all.retain(|(it, _)| *it != name);
            all.push((name, format!("{prefix}{}", secret.reveal())));
        }
        let query = self.query_secrets.iter().map(|it| {
            let (name, secret) = (encode::escaped(&it.name), encode::escaped(it.secret.reveal()));
            format!("{name}={secret}")
        });
        let url = encode::with_query(&self.url, &query.collect::<Vec<_>>().join("&"));
        let headers = all.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let (method, body) = (self.method, self.body.content.clone());
        Ok(Request { method, url, headers, body, trust: Trust::Open })
    }

    fn has_secrets(&self) -> bool {
        !self.secrets.is_empty() || !self.query_secrets.is_empty()
    }

    /// The forms in which the secrets may occur in a text.
    fn hidden(&self) -> Vec<String> {
        let all = self.secrets.iter().chain(&self.query_secrets).map(|it| &it.secret);
        let all = all.chain(&self.also_hidden).map(Secret::reveal);
        let long = all.filter(|it| it.len() >= SHORTEST);
        let forms = |it: &str| {
            let json = Value::text(it).to_string();
            [it.to_owned(), encode::escaped(it), json.trim_matches('"').to_owned()]
        };
        let mut all: Vec<String> = long.flat_map(forms).collect();
        all.dedup();
        all
    }

    fn redacted_error(&self, mut err: OpError) -> OpError {
        for secret in self.hidden() {
            err.message = err.message.replace(&secret, "***");
            let shown = |it: &dyn std::error::Error| format!("{it} {it:?}").contains(&secret);
            err.source = err.source.filter(|it| !shown(it));
        }
        err
    }

    fn redacted_answer(&self, mut answer: Answer) -> Answer {
        for secret in self.hidden() {
            answer.url = answer.url.replace(&secret, "***");
            for (_, value) in &mut answer.headers {
                *value = value.replace(&secret, "***");
            }
            let is_in = answer.content.windows(secret.len()).any(|it| it == secret.as_bytes());
            if is_in {
                let text = String::from_utf8_lossy(&answer.content).replace(&secret, "***");
                answer.content = text.into_bytes();
            }
        }
        answer
    }
}

impl Answer {
    /// The headers as a record, with names that scripts can write; several of one name are joined.
    pub fn headers(&self) -> Value {
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

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> Result<&str, OpError> {
        std::str::from_utf8(&self.content).map_err(|err| {
            let message = format!(
                "the answer of `{}` is not valid UTF-8 (invalid byte at offset {})",
                self.url,
                err.valid_up_to()
            );
            OpError::new(ErrorKind::Unsupported, message).help("use `fetch` to read pages and PDFs")
        })
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
