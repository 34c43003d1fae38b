//! One request and its answer, as text.

use svc_contract::{
    registry::{Cx, ErrorKind, OpError, Size},
    value::{Record, Secret, Text, Value},
};
use svc_requests::{self as requests, Hidden};

use super::HttpResponse;

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
    pub(super) url: String,
    pub(super) text: String,
    whole: requests::Answer,
}

impl Call<'_> {
    pub(super) async fn send(self, cx: &Cx) -> Result<Answer, OpError> {
        let Auth { secret, header, prefix } = self.auth;
        let hidden = secret.iter().map(|it| Hidden {
            name: header.as_ref().to_owned(),
            prefix: prefix.clone(),
            secret: it.clone(),
        });
        let call = requests::Call {
            method: self.method,
            url: requests::with_query(self.url, &requests::pairs("query", self.query)?),
            headers: requests::headers(self.headers)?,
            secrets: hidden.collect(),
            query_secrets: Vec::new(),
            also_hidden: Vec::new(),
            secret_name: "`auth`",
            body: requests::Body {
                media_type: self.body.media_type.map(Into::into),
                content: self.body.content,
            },
            check: self.check,
            max_size: self.max_size,
        };
        let whole = call.send(cx).await?;
        Ok(Answer { url: whole.url.clone(), text: whole.text()?.to_owned(), whole })
    }
}

impl Answer {
    pub(super) fn status(&self) -> i64 {
        self.whole.status.into()
    }

    pub(super) fn headers(&self) -> Value {
        self.whole.headers()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.whole.header(name)
    }

    pub(super) fn into_response(self) -> HttpResponse {
        HttpResponse {
            headers: self.headers(),
            status: self.status(),
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
