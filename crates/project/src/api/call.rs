//! A call of an operation.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use svc_contract::{
    host::secret_variable,
    registry::{Cx, ErrorKind, OpError, Size},
    value::{Secret, Value, json},
};
use svc_openapi::{Carrier, Media};
use svc_requests::{Answer, Call, Hidden};

use super::{Api, From, Needed};

/// The maximum size of an answer, unless the settings state another one.
const MAX_SIZE: u64 = 16 << 20;

impl Api {
    /// Sends the request of an operation, and returns the value of its answer.
    pub(super) async fn call(
        &self,
        idx: usize,
        cx: Cx,
        mut args: Vec<Value>,
    ) -> Result<Value, OpError> {
        let operation = self.operation(idx).map_err(|err| {
            let message = format!("the lock of the API `{}` has an {err}", self.name);
            OpError::failed(message).help(format!("run `svc api update {}`", self.name))
        })?;
        let entry = &self.lock.entries[idx];
        let secrets = args.split_off(operation.params.len().min(args.len()));
        let parts = self.parts(self.address(entry), operation, &args)?;
        let own = self.settings.of_op(entry.name);
        let mut call = Call {
            method: method(entry.method),
            url: parts.url,
            headers: parts.headers,
            secrets: Vec::new(),
            query_secrets: Vec::new(),
            also_hidden: Vec::new(),
            secret_name: "the secret",
            body: parts.body,
            check: true,
            max_size: Size(own.max_size.unwrap_or(MAX_SIZE)),
        };
        let mut given = secrets.into_iter();
        for needed in self.secrets(idx) {
            let secret = match &needed.from {
                From::Settings(name) => Some(self.configured(&cx, name)?),
                From::Argument { .. } => match given.next() {
                    Some(Value::Secret(secret)) => Some(secret),
                    _ => None,
                },
            };
            if let Some(secret) = secret {
                carried(&mut call, needed, secret);
            }
        }
        let answer = call.send(&cx).await?;
        self.value(idx, operation.answer, &answer)
    }

    /// A secret that the settings name.
    fn configured(&self, cx: &Cx, name: &str) -> Result<Secret, OpError> {
        let text = cx.host().secret(name).map_err(|err| {
            let message = format!("cannot read the secret `{name}`: {err}");
            OpError::new(ErrorKind::Denied, message)
        })?;
        text.map(Secret::new).ok_or_else(|| {
            let variable = secret_variable(name);
            let message = format!("the API `{}` needs the secret `{name}`", self.name);
            OpError::invalid_input(message)
                .help(format!("set `{variable}`, or `{variable}_FILE` to a file that holds it"))
        })
    }

    fn value(&self, idx: usize, media: Media, answer: &Answer) -> Result<Value, OpError> {
        let wrong = |why: String| {
            let op = format!("{}.{}", self.name, self.lock.entries[idx].name);
            let message = format!("the answer of `{op}` is not as its document says: {why}");
            OpError::new(ErrorKind::InvalidOutput, message)
                .help(format!("run `svc api update {}` if the document changed", self.name))
        };
        let value = match media {
            Media::None => Value::Null,
            Media::Bytes => Value::Bytes(answer.content.clone().into()),
            Media::Text | Media::Form | Media::Multipart => Value::text(answer.text()?),
            Media::Json => match answer.text()? {
                text if text.trim().is_empty() => Value::Null,
                text => json::read(text).map_err(|err| wrong(format!("invalid JSON: {err}")))?,
            },
        };
        value.cast(self.result(idx)).map_err(|misfit| wrong(misfit.to_string()))
    }
}

/// Adds a secret to a request.
fn carried(call: &mut Call<'_>, needed: &Needed, secret: Secret) {
    let hidden = |name: &str, prefix: &str, secret: Secret| Hidden {
        name: name.to_owned(),
        prefix: prefix.into(),
        secret,
    };
    match &needed.access.carrier {
        Carrier::Bearer => call.secrets.push(hidden("authorization", "Bearer ", secret)),
        Carrier::Basic => {
            let packed = Secret::new(STANDARD.encode(secret.reveal()));
            call.also_hidden.push(secret);
            call.secrets.push(hidden("authorization", "Basic ", packed));
        }
        Carrier::Header(name) => call.secrets.push(hidden(name, "", secret)),
        Carrier::Cookie(name) => {
            let is_cookie = |it: &(String, String)| it.0 == "cookie";
            let other = call.headers.iter().find(|it| is_cookie(it));
            let other = other.map(|it| format!("{}; ", it.1)).unwrap_or_default();
            call.secrets.push(hidden("cookie", &format!("{other}{name}="), secret));
        }
        Carrier::Query(name) => call.query_secrets.push(hidden(name, "", secret)),
    }
}

fn method(name: &str) -> &'static str {
    match name {
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        "TRACE" => "TRACE",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        "POST" => "POST",
        "PATCH" => "PATCH",
        _ => "GET",
    }
}
