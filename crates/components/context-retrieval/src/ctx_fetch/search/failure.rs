//! Failures of searches, as errors that a script can handle.

use std::{io, time::Duration};

use serde_json::Value as Json;
use svc_contract::{
    host::http::Response,
    registry::{ErrorKind, OpError},
};

use super::provider::{Kind, Provider};

/// The maximum length of a provider's message that is shown, in characters.
const SHOWN: usize = 300;

/// The error for a server that cannot be reached, or a lost connection.
pub(super) fn of_connection(provider: &Provider, err: io::Error) -> OpError {
    let (name, base) = (provider.name(), provider.shown_base());
    if err.kind() == io::ErrorKind::InvalidInput {
        let message = format!("cannot ask `{name}` at `{base}`: {err}");
        return OpError::invalid_input(message).because(err);
    }
    if err.kind() == io::ErrorKind::PermissionDenied {
        let message = format!("cannot ask `{name}` at `{base}`: {err}");
        return OpError::new(ErrorKind::Denied, message).because(err);
    }
    let error = OpError::new(ErrorKind::Unavailable, format!("no answer from {base}: {err}"));
    let error = error.because(err);
    if provider.is_official() {
        return error;
    }
    let variable = provider.base_variable();
    error.help(format!("check that the server is running and that `{variable}` is its address"))
}

/// The error for a response with this status and body.
pub(super) fn of_status(provider: &Provider, head: &Response, body: &str) -> OpError {
    let (name, status) = (provider.name(), head.status);
    let json: Json = serde_json::from_str(body).unwrap_or_default();
    let code = json["error"]["code"].as_str().unwrap_or_default();
    let said = words(&json);
    match (provider.kind, status) {
        (_, 401) | (Kind::Serper, 403) => return unauthorized(provider),
        (Kind::Brave, 403 | 422) if code == "SUBSCRIPTION_TOKEN_INVALID" => {
            return unauthorized(provider);
        }
        (Kind::Searxng, 403) => return without_json(provider),
        _ => {}
    }
    let is_used_up = match (provider.kind, status) {
        (_, 402) | (Kind::Tavily, 432 | 433) => true,
        (Kind::Serper, 400) => said.is_some_and(|it| it.contains("credits")),
        (Kind::Brave, 429) => code == "QUOTA_LIMITED",
        _ => false,
    };
    let kind = if is_used_up { ErrorKind::Denied } else { ErrorKind::of_status(status) };
    let said = said.map_or_else(
        || if json.is_null() { excerpt(provider, body) } else { String::new() },
        |it| excerpt(provider, it),
    );
    let said = if said.is_empty() { said } else { format!(": {said}") };
    let error = OpError::new(kind, format!("`{name}` failed with HTTP status {status}{said}"));
    match wait(provider, head).filter(|_| !is_used_up) {
        Some(wait) => error.retry_after(wait),
        None if is_used_up => error.help("the account has no searches left"),
        None => error,
    }
}

/// The wait that a provider asks for. Brave gives the seconds until each of its limits ends, the
/// shortest first.
fn wait(provider: &Provider, head: &Response) -> Option<Duration> {
    let of_brave = || {
        let first = head.header("x-ratelimit-reset")?.split(',').next()?;
        first.trim().parse().ok().map(Duration::from_secs)
    };
    let is_brave = provider.kind == Kind::Brave && head.status == 429;
    head.retry_after().or_else(|| is_brave.then(of_brave).flatten())
}

/// The message of an error, in the forms of the providers.
fn words(json: &Json) -> Option<&str> {
    let places = [
        &json["error"]["detail"],
        &json["error"]["message"],
        &json["detail"]["error"],
        &json["detail"],
        &json["message"],
        &json["error"],
    ];
    places.into_iter().find_map(Json::as_str)
}

/// The provider's own message is left out because it may quote the key.
fn unauthorized(provider: &Provider) -> OpError {
    let (name, base) = (provider.name(), provider.shown_base());
    let message = format!("{base} does not accept the key for `{name}`");
    let error = OpError::new(ErrorKind::Denied, message);
    match provider.key_variable() {
        Some(variable) => error.help(format!("set the environment variable `{variable}`")),
        None => error,
    }
}

fn without_json(provider: &Provider) -> OpError {
    let message = format!("the server {} does not answer in JSON", provider.shown_base());
    OpError::new(ErrorKind::Unsupported, message)
        .help("add `json` to `search.formats` in the settings of the SearXNG server")
}

/// The error of a server whose engines all failed.
pub(super) fn of_engines(provider: &Provider, names: &str) -> OpError {
    let message = format!("no engine of `{}` answered: {names}", provider.name());
    OpError::new(ErrorKind::Unavailable, message)
}

/// The error for data that the provider's protocol does not allow.
pub(super) fn of_protocol(provider: &Provider, what: &str, given: &str) -> OpError {
    let given = excerpt(provider, given);
    let given = if given.is_empty() { given } else { format!(": {given}") };
    OpError::new(ErrorKind::InvalidOutput, format!("`{}` sent {what}{given}", provider.name()))
}

/// Returns words of a server on one line, shortened and without the key.
fn excerpt(provider: &Provider, words: &str) -> String {
    let words = provider.without_key(words);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|it| !it.is_control()).collect();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
