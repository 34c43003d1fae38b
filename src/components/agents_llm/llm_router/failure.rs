//! What goes wrong on the way to a model, as errors that a script can act on.

use std::{io, time::Duration};

use serde_json::Value as Json;

use super::model::Model;
use crate::{
    host::http::Response,
    registry::{ErrorKind, OpError},
};

/// How much of a provider's words is told.
const SHOWN: usize = 300;

/// The failure to reach a model's server, or to keep the connection.
pub(super) fn of_connection(model: &Model, err: io::Error) -> OpError {
    let base = model.shown_base();
    if err.kind() == io::ErrorKind::InvalidInput {
        let message = format!("`{model}` cannot be asked at `{base}`: {err}");
        return OpError::invalid_input(message).because(err);
    }
    let message = format!("no answer from {base}: {err}");
    let error = OpError::new(ErrorKind::Unavailable, message).because(err);
    match model.is_official() {
        true => error,
        false => error.help("is the server running, and is this its address?"),
    }
}

/// The failure that a status and its body tell.
pub(super) fn of_status(model: &Model, head: &Response, body: &str) -> OpError {
    let told: Option<Json> = serde_json::from_str(body).ok();
    let told = told.as_ref().map(|it| &it["error"]);
    if head.status == 401 {
        return unauthorized(model);
    }
    let spent = told.is_some_and(|it| it["code"] == "insufficient_quota");
    let kind = match head.status {
        429 if spent => ErrorKind::Denied,
        status => kind_of(status),
    };
    let words = told.and_then(words).unwrap_or(body);
    let message = match excerpt(model, words) {
        words if words.is_empty() => format!("`{model}` fails with HTTP status {}", head.status),
        words => format!("`{model}` fails with HTTP status {}: {words}", head.status),
    };
    let error = OpError::new(kind, message);
    match retry_after(head) {
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

/// The provider's own words are left out: they may quote the key.
fn unauthorized(model: &Model) -> OpError {
    let message = format!("{} does not accept the key for `{model}`", model.shown_base());
    let error = OpError::new(ErrorKind::Denied, message);
    match model.key_variable() {
        Some(variable) => error.help(format!("set the environment variable `{variable}`")),
        None => error,
    }
}

/// The failure that an event of a stream tells.
pub(super) fn of_event(model: &Model, error: &Json) -> OpError {
    let name = ["type", "code"].into_iter().find_map(|it| error[it].as_str()).unwrap_or_default();
    let kind = match name {
        "invalid_request_error" => ErrorKind::InvalidInput,
        "authentication_error" | "permission_error" | "billing_error" => ErrorKind::Denied,
        "not_found_error" => ErrorKind::NotFound,
        "rate_limit_error" | "rate_limit_exceeded" => ErrorKind::RateLimit,
        _ => ErrorKind::Unavailable,
    };
    let words = excerpt(model, words(error).unwrap_or("without a reason"));
    OpError::new(kind, format!("`{model}` broke off: {words}"))
}

/// What came is nothing that the provider's protocol has.
pub(super) fn of_protocol(model: &Model, what: &str, given: &str) -> OpError {
    let message = format!("`{model}` sent {what}: {}", excerpt(model, given));
    OpError::new(ErrorKind::InvalidOutput, message)
}

/// The message of an error, which may be an object or a text.
fn words(error: &Json) -> Option<&str> {
    error["message"].as_str().or(error.as_str())
}

/// Words of a server on one line, without the key, and not too many.
pub(super) fn excerpt(model: &Model, words: &str) -> String {
    let words = match &model.key {
        Some(key) => key.hidden_in(words),
        None => words.to_owned(),
    };
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|it| !it.is_control()).collect();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// How long the other side asks to wait: in milliseconds, in seconds, or until a date, which
/// is measured on the other side's own clock.
fn retry_after(head: &Response) -> Option<Duration> {
    let number = |name: &str| head.header(name)?.trim().parse::<f64>().ok();
    if let Some(millis) = number("retry-after-ms") {
        return wait_of(millis / 1e3);
    }
    if let Some(seconds) = number("retry-after") {
        return wait_of(seconds);
    }
    let (until, now) = (head.header("retry-after")?.trim(), head.header("date")?.trim());
    let wait = seconds_of(until)?.checked_sub(seconds_of(now)?)?;
    Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0)))
}

fn wait_of(seconds: f64) -> Option<Duration> {
    (!seconds.is_nan()).then(|| Duration::from_secs_f64(seconds.clamp(0.0, MOST)))
}

/// A year in seconds, and more than anybody waits.
const MOST: f64 = 31_536_000.0;

/// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<i64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut parts = date.split_once(", ")?.1.split([' ', ':']);
    let mut number = || parts.next()?.parse::<i64>().ok().filter(|it| (0..=9999).contains(it));
    let day = number()?;
    let month = i64::try_from(MONTHS.find(date.get(8..11)?)?).ok()? / 3 + 1;
    let _ = parts.next();
    let mut number = || parts.next()?.parse::<i64>().ok().filter(|it| (0..=9999).contains(it));
    let (year, hours, minutes, seconds) = (number()?, number()?, number()?, number()?);
    Some(((days(year, month, day) * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// The days from 1970 to a date of the Gregorian calendar, whose years are taken to begin
/// in March so that the leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::test::TestHost;

    fn wait(headers: &[(&str, &str)]) -> Option<Duration> {
        let mut head = Response::whole(429, "");
        head.headers =
            headers.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned())).collect();
        retry_after(&head)
    }

    #[test]
    fn waits_are_read_in_all_their_forms() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        let both = [("retry-after", "7"), ("retry-after-ms", "150")];
        assert_eq!(wait(&both), Some(Duration::from_millis(150)));
        let dates = [
            ("date", "Sun, 28 Feb 2016 23:59:00 GMT"),
            ("retry-after", "Tue, 01 Mar 2016 00:00:30 GMT"),
        ];
        assert_eq!(wait(&dates), Some(Duration::from_secs(86_490)));
        assert_eq!(wait(&dates[1..]), None);
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "-3")]), Some(Duration::ZERO));
        assert_eq!(wait(&[("retry-after", "NaN")]), None);
    }

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of("Sun, 06"), None);
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
