//! Failures of calls to a model, as errors that a script can handle.

use std::io;

use serde_json::Value as Json;
use svc_contract::{
    host::http::Response,
    registry::{ErrorKind, OpError},
};

use super::model::Model;

/// The maximum length of a provider's message that is shown, in characters.
const SHOWN: usize = 300;

/// The error for a model's server that cannot be reached, or a lost connection.
pub(super) fn of_connection(model: &Model, err: io::Error) -> OpError {
    let base = model.shown_base();
    if err.kind() == io::ErrorKind::InvalidInput {
        let message = format!("cannot call `{model}` at `{base}`: {err}");
        return OpError::invalid_input(message).because(err);
    }
    let message = format!("no answer from {base}: {err}");
    let error = OpError::new(ErrorKind::Unavailable, message).because(err);
    if model.is_official() {
        error
    } else {
        error.help("check that the server is running and that this is its address")
    }
}

/// The error for a response with this status and body.
pub(super) fn of_status(model: &Model, head: &Response, body: &str) -> OpError {
    let error: Option<Json> = serde_json::from_str(body).ok();
    let error = error.as_ref().map(|it| &it["error"]);
    if head.status == 401 {
        return unauthorized(model);
    }
    let spent = error.is_some_and(|it| it["code"] == "insufficient_quota");
    let kind = match head.status {
        429 if spent => ErrorKind::Denied,
        status => kind_of(status),
    };
    let words = error.and_then(words).unwrap_or(body);
    let message = match excerpt(model, words) {
        words if words.is_empty() => format!("`{model}` failed with HTTP status {}", head.status),
        words => format!("`{model}` failed with HTTP status {}: {words}", head.status),
    };
    let error = OpError::new(kind, message);
    match head.retry_after() {
        Some(wait) => error.retry_after(wait),
        None => error,
    }
}

fn kind_of(status: u16) -> ErrorKind {
    match status {
        402 | 403 => ErrorKind::Denied,
        404 => ErrorKind::NotFound,
        408 | 409 | 500 | 502..=599 => ErrorKind::Unavailable,
        429 => ErrorKind::RateLimit,
        400..=499 => ErrorKind::InvalidInput,
        501 => ErrorKind::Unsupported,
        _ => ErrorKind::Failed,
    }
}

/// The provider's own message is left out because it may quote the key.
fn unauthorized(model: &Model) -> OpError {
    let message = format!("{} does not accept the key for `{model}`", model.shown_base());
    let error = OpError::new(ErrorKind::Denied, message);
    match model.key_variable() {
        Some(variable) => error.help(format!("set the environment variable `{variable}`")),
        None => error,
    }
}

/// The error for an error event in a stream.
pub(super) fn of_event(model: &Model, error: &Json) -> OpError {
    let name = ["type", "code"].into_iter().find_map(|it| error[it].as_str()).unwrap_or_default();
    let kind = match name {
        "invalid_request_error" => ErrorKind::InvalidInput,
        "authentication_error" | "permission_error" | "billing_error" => ErrorKind::Denied,
        "not_found_error" => ErrorKind::NotFound,
        "rate_limit_error" | "rate_limit_exceeded" => ErrorKind::RateLimit,
        _ => ErrorKind::Unavailable,
    };
    let words = excerpt(model, words(error).unwrap_or("no reason given"));
    OpError::new(kind, format!("`{model}` stopped: {words}"))
}

/// The error for data that the provider's protocol does not allow.
pub(super) fn of_protocol(model: &Model, what: &str, given: &str) -> OpError {
    let message = format!("`{model}` sent {what}: {}", excerpt(model, given));
    OpError::new(ErrorKind::InvalidOutput, message)
}

/// Returns the message of an error, which may be an object or a string.
fn words(error: &Json) -> Option<&str> {
    error["message"].as_str().or(error.as_str())
}

/// Returns words of a server on one line, shortened and without the key.
pub(super) fn excerpt(model: &Model, words: &str) -> String {
    let words = match &model.key {
        Some(key) => key.hidden_in(words),
        None => words.to_owned(),
    };
    // White space is made one space first, as line ends are control characters, too.
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|it| !it.is_control()).collect();
    svc_text::cut::start(&line, SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    #[test]
    fn a_placeholder_for_a_key_hides_nothing() {
        let host = TestHost::new().env("OPENAI_API_KEY", "none");
        let model = Model::find(&host, "openai/x").unwrap();
        assert_eq!(excerpt(&model, "none of them"), "none of them");
    }

    #[test]
    fn a_servers_words_are_short_and_without_the_key() {
        let host = TestHost::new().env("OPENAI_API_KEY", "sk-secret");
        let model = Model::find(&host, "openai/x").unwrap();
        let head = Response::whole(403, "");
        let body =
            format!(r#"{{"error": {{"message": "no\nway, sk-secret{}"}}}}"#, "!".repeat(999));
        let err = of_status(&model, &head, &body);
        assert_eq!(err.kind, ErrorKind::Denied);
        assert!(err.message.contains("status 403: no way, ***!!"), "{err}");
        assert!(err.message.len() < 400);
    }
}
