//! Requests to HTTP APIs.

use svc_contract::{
    record,
    registry::{
        Bias, CallEffects, Component, DecideEffects, Effect, KnownArgs, Scope, Size, compute,
        inline, io,
    },
    value::{Record, Text, Value},
};

use crate::Keyed;

mod call;
mod from_openapi;
mod get;
mod pages;
mod post;
mod request;
mod webhook;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_http",
    cluster: "core-infrastructure",
    summary: "Calls HTTP APIs, lists what they offer, and tests the signatures of webhooks.",
    version: 1,
    bias: Bias::new(
        "one request and its answer; only what changes nothing is repeated",
        &[
            "the address is on the public internet, or the user allowed it with its port",
            "bodies are JSON or text in UTF-8",
            "a status of 400 or more is a failure",
        ],
    ),
    aliases: &[
        ("request", "infer"),
        ("http_get", "get"),
        ("http_post", "post"),
        ("http_pages", "pages"),
        ("openapi_ops", "from_openapi"),
        ("webhook_verify", "webhook_verify"),
    ],
    ops: &[
        io::<request::Infer>(),
        io::<get::Get>(),
        io::<post::Post>(),
        io::<pages::Paged>(),
        compute::<from_openapi::FromOpenapi>(),
        inline::<webhook::WebhookVerify>(),
    ],
};

/// The default maximum size of an answer.
const MAX_SIZE: Size = Size(5 << 20);

/// The fields of a value that may be left out.
fn keyed<const T: char>(given: Option<&Keyed<T>>) -> Option<&Record> {
    given.map(|it| &it.0)
}

const READS: &[Effect] = &[Effect::Reads(Scope::Web("url"))];
const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Web("url"), idempotent: false }];

/// A request that writes, unless the script says that it may be repeated.
const DECIDE_WRITE: Option<DecideEffects> = Some(|args: &KnownArgs<'_, '_>| {
    let is_idempotent = matches!(args.get("idempotent")?, Value::Bool(true));
    Some(CallEffects { effects: WRITES, is_idempotent })
});

record! {
    /// The answer to a request.
    struct HttpResponse {
        /// The status, such as 200.
        status: i64,
        /// The address that answered, after redirects.
        url: Text,
        /// The headers, with names in lower case and `_` for `-`; several of one name are joined by
        /// `, `.
        headers: Value,
        /// The body.
        text: Text,
    }
}
