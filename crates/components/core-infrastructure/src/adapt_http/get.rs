//! `http_get`: one answer with its status and headers.

use svc_contract::{
    registry::{Cx, Effect, ErrorKind, Example, Field, Io, Op, OpError, Scheme, Size, params},
    value::{Secret, Text, Value},
};

use super::{
    HttpResponse, MAX_SIZE, READS,
    call::{Auth, Body, Call},
    keyed,
};
use crate::Keyed;

params! {
    /// Reads an address of an HTTP API: the status, the headers and the text of the answer.
    ///
    /// It works like `request` with the method GET; the text is unchanged. `fetch` returns the text
    /// of a page without its markup instead.
    pub(super) struct Get {
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
        /// The maximum size of the answer.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for Get {
    const NAME: &'static str = "get";
    const YIELDS: Scheme = HttpResponse::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const SAYS: &'static [&'static str] = &[
        "get json from an api",
        "http get with headers",
        "read a rest endpoint",
        "the status code of a url",
        "download raw text over http",
        "what a server replies to a plain request",
        "ask a server for its data",
        "what an api says",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "JSON of an API",
            r#"http_get(url: "https://api.example/items", query: { page: 2 }) >> .text >> parse_json<[int]>() >> sum"#,
            "3",
        )
        .answered(&[], &["[1, 2]"]),
        Example::err(
            "An address without a scheme",
            r#"http_get(url: "api.example")"#,
            "invalid address `api.example`",
        ),
    ];
}

impl Io for Get {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let auth = Auth { secret: self.auth, header: self.auth_header, prefix: self.auth_prefix };
        let call = Call {
            method: "GET",
            url: &self.url,
            query: keyed(self.query.as_ref()),
            headers: keyed(self.headers.as_ref()),
            auth: &auth,
            body: Body::default(),
            check: self.check,
            max_size: self.max_size,
        };
        Ok(call.send(cx).await?.into_response().encode())
    }
}
