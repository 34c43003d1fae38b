//! `http_post`: sends a value as JSON.

use svc_contract::{
    registry::{
        Cx, DecideEffects, Effect, ErrorKind, Example, Field, Io, Op, OpError, Scheme, Size, Var,
        params,
    },
    value::{Secret, Text, Value, json as json_text},
};

use super::{
    DECIDE_WRITE, HttpResponse, MAX_SIZE, WRITES,
    call::{Auth, Body, Call},
    keyed,
};
use crate::Keyed;

params! {
    /// Sends a value as JSON to an address: the status, the headers and the text of the answer.
    ///
    /// It works like `request` with the method POST, which is not repeated unless `idempotent` is
    /// true.
    pub(super) struct Post {
        /// The value to send.
        value: Var<'T'>,
        /// The address, with `http://` or `https://`.
        url: Text,
        /// Fields for the query of the address: a record of strings and numbers; a list stands for
        /// several fields of that name.
        query: Option<Keyed<'Q'>> = None,
        /// Headers: a record of strings; `_` in a name stands for `-`.
        headers: Option<Keyed<'H'>> = None,
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

impl Op for Post {
    const NAME: &'static str = "post";
    const YIELDS: Scheme = HttpResponse::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const DECIDE: Option<DecideEffects> = DECIDE_WRITE;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const SAYS: &'static [&'static str] = &[
        "post json to a url",
        "send data to a webhook",
        "notify a service over http",
        "create something with a rest api",
        "push a payload to a server",
        "upload a form or payload",
        "trigger a hook, such as slack",
        "send json to a web server",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A message to a webhook",
            r#"{ text: "done" } >> http_post(url: "https://hooks.example/1") >> .status"#,
            "200",
        )
        .answered(&[], &["ok"]),
        Example::err(
            "An address of this machine",
            r#"1 >> http_post(url: "http://localhost:9/")"#,
            "cannot POST `http://localhost:9/`: `localhost` is this machine",
        ),
    ];
}

impl Io for Post {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let auth = Auth { secret: self.auth, header: self.auth_header, prefix: self.auth_prefix };
        let content = json_text::write(&self.value.0).into_bytes();
        let call = Call {
            method: "POST",
            url: &self.url,
            query: keyed(self.query.as_ref()),
            headers: keyed(self.headers.as_ref()),
            auth: &auth,
            body: Body { media_type: Some("application/json"), content },
            check: self.check,
            max_size: self.max_size,
        };
        Ok(call.send(cx).await?.into_response().encode())
    }
}
