//! `request`: any method.

use std::sync::{Arc, LazyLock};

use svc_contract::{
    registry::{
        CallEffects, Cx, DecideEffects, Effect, ErrorKind, Example, Generic, Io, KnownArgs, Op,
        OpError, Scheme, Scope, Size, Var, choices, params,
    },
    value::{Record, Secret, Text, Value, json as json_text},
};

use super::{
    MAX_SIZE, READS, WRITES,
    call::{Auth, Body, Call},
    keyed,
};
use crate::Keyed;

choices! {
    /// The method of a request.
    enum Method {
        Get = "GET",
        Head = "HEAD",
        Options = "OPTIONS",
        Put = "PUT",
        Delete = "DELETE",
        Post = "POST",
        Patch = "PATCH",
    }
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Post => "POST",
            Self::Patch => "PATCH",
        }
    }
}

/// Some methods change nothing, and others nothing more when they are repeated (RFC 9110, 9.2).
const DECIDE: Option<DecideEffects> = Some(|args: &KnownArgs<'_, '_>| {
    let (effects, is_safe) = match args.get("method")?.as_str()? {
        "GET" | "HEAD" | "OPTIONS" => (READS, true),
        "PUT" | "DELETE" => (WRITES, true),
        _ => (WRITES, false),
    };
    let is_idempotent = is_safe || matches!(args.get("idempotent")?, Value::Bool(true));
    Some(CallEffects { effects, is_idempotent })
});

params! {
    /// Sends a request to an HTTP API, and returns its answer: `{ status, url, headers, body }`.
    ///
    /// `body` is the value of a JSON body, or else its text. `request<T>` also checks that the answer
    /// is a `T`, which is then the type of the result: `request<{ body: [Order] }>(url: ..)`.
    ///
    /// The body is one of `json`, `form` and `text`. Retries repeat the methods GET, HEAD, OPTIONS,
    /// PUT and DELETE; POST and PATCH only if `idempotent` is true. Up to 5 redirects of GET and HEAD
    /// are followed; headers and `auth` are not sent to other hosts. `auth` is only sent over `https`.
    ///
    /// Addresses of this machine and of private networks are refused with `denied`, unless the user
    /// allows them with their port.
    ///
    /// Unless `check` is false, a status below 200 or from 300 is an error: `not_found`, `denied`,
    /// `rate_limit`, `unavailable`, or `invalid_input` for another 4xx.
    pub(super) struct Infer {
        /// The address, with `http://` or `https://`.
        url: Text,
        /// The method.
        method: Method = Method::Get,
        /// Fields for the query of the address: a record of strings and numbers; a list stands for
        /// several fields of that name.
        query: Option<Keyed<'Q'>> = None,
        /// Headers: a record of strings; `_` in a name stands for `-`.
        headers: Option<Keyed<'H'>> = None,
        /// A value to send as JSON.
        json: Var<'J'> = Var(Value::Null),
        /// Fields to send as a form: a record of strings and numbers.
        form: Option<Keyed<'F'>> = None,
        /// A text to send.
        text: Option<Text> = None,
        /// The secret for authorization.
        auth: Option<Secret> = None,
        /// The header for `auth`.
        auth_header: Text = "Authorization".into(),
        /// The text before the secret in that header.
        auth_prefix: Text = "Bearer ".into(),
        /// Whether a status that is not a success is a failure.
        check: bool = true,
        /// Whether sending it a second time changes nothing further.
        idempotent: bool = false,
        /// The maximum size of the answer.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const EFFECTS: &'static [Effect] = &[
        Effect::Reads(Scope::Web("url")),
        Effect::Writes { scope: Scope::Web("url"), idempotent: false },
    ];
    const DECIDE: Option<DecideEffects> = DECIDE;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const SAYS: &'static [&'static str] = &[
        "call a rest api",
        "send an http request",
        "delete something over http",
        "put json to an endpoint",
        "use a web service with a token",
        "query an http endpoint with headers",
        "put, patch or delete request with my own method and headers",
        "talk to a server, like curl",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A typed answer",
            r#"request<{ status: int, body: { name: string } }>(url: "https://api.example/users/1")"#,
            r#"{"status":200,"body":{"name":"Ada"}}"#,
        )
        .answered(&[], &[r#"{"name": "Ada"}"#]),
        Example::ok(
            "A change",
            r#"request<{ body: string }>(url: "https://api.example/users/1", method: "PUT", json: { name: "Ada" }) >> .body"#,
            r#""saved""#,
        )
        .answered(&[], &["saved"]),
        Example::err(
            "An address of this machine",
            r#"request(url: "http://127.0.0.1:8080/", method: "DELETE")"#,
            "cannot DELETE `http://127.0.0.1:8080/`: `127.0.0.1` is this machine",
        ),
    ];
}

/// The fields of an answer.
static NAMES: LazyLock<Arc<[Text]>> =
    LazyLock::new(|| ["status", "url", "headers", "body"].map(Text::from).into());

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let body = self.body()?;
        let auth = Auth { secret: self.auth, header: self.auth_header, prefix: self.auth_prefix };
        let call = Call {
            method: self.method.name(),
            url: &self.url,
            query: keyed(self.query.as_ref()),
            headers: keyed(self.headers.as_ref()),
            auth: &auth,
            body,
            check: self.check,
            max_size: self.max_size,
        };
        let answer = call.send(cx).await?;
        let (headers, body) = (answer.headers(), answer.body()?);
        let values = vec![answer.status().into(), answer.url.into(), headers, body];
        Ok(Value::Record(Record::new(NAMES.clone(), values)))
    }
}

impl Infer {
    fn body(&self) -> Result<Body, OpError> {
        let is_given = [!self.json.0.is_null(), self.form.is_some(), self.text.is_some()];
        if is_given.into_iter().filter(|it| *it).count() > 1 {
            let message = "more than one of `json`, `form` and `text`";
            return Err(OpError::invalid_input(message).help("keep one of them"));
        }
        let media = |media_type, content: String| Body {
            media_type: Some(media_type),
            content: content.into_bytes(),
        };
        Ok(match &self.text {
            Some(text) => media("text/plain; charset=utf-8", text.as_ref().to_owned()),
            None if self.form.is_some() => media(
                "application/x-www-form-urlencoded",
                svc_requests::pairs("form", keyed(self.form.as_ref()))?,
            ),
            None if !self.json.0.is_null() => {
                media("application/json", json_text::write(&self.json.0))
            }
            None => Body::default(),
        })
    }
}
