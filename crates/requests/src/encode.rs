//! Queries, forms and headers out of records.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use svc_contract::{
    registry::OpError,
    value::{Record, Value},
};

/// All but the unreserved characters of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Headers that the connection sets: others could smuggle a second request or name another host.
const RESERVED: [&str; 6] =
    ["connection", "content-length", "host", "te", "transfer-encoding", "upgrade"];

/// The fields of a record as `a=1&b=x%20y`; a list stands for several fields of that name, and a
/// null for none.
pub fn pairs(what: &str, given: Option<&Record>) -> Result<String, OpError> {
    let mut text = String::new();
    for (name, value) in given.into_iter().flat_map(Record::iter) {
        let items = match value {
            Value::List(items) => items.iter().collect(),
            value => vec![value],
        };
        for item in items {
            if let Some(item) = written(&format!("{what}.{name}"), item)? {
                let (name, item) = (escaped(name), escaped(&item));
                let sep = if text.is_empty() { "" } else { "&" };
                text.push_str(&format!("{sep}{name}={item}"));
            }
        }
    }
    Ok(text)
}

/// An address with further fields in its query.
pub fn with_query(url: &str, query: &str) -> String {
    if query.is_empty() {
        return url.to_owned();
    }
    let (url, _) = url.split_once('#').unwrap_or((url, ""));
    let sep = match url.split_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some(_) => "&",
    };
    format!("{url}{sep}{query}")
}

/// Pairs of names and values as `a=1&b=x%20y`.
pub fn fields(pairs: &[(String, String)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The headers in a record. A `_` in a name stands for `-`, as names in scripts have no `-`.
pub fn headers(given: Option<&Record>) -> Result<Vec<(String, String)>, OpError> {
    let mut all = Vec::new();
    for (name, value) in given.into_iter().flat_map(Record::iter) {
        let Some(value) = written(&format!("headers.{name}"), value)? else { continue };
        let name = name.to_ascii_lowercase().replace('_', "-");
        all.push(header(name, value)?);
    }
    Ok(all)
}

/// A header, if a request may have it.
pub fn header(name: String, value: String) -> Result<(String, String), OpError> {
    if RESERVED.contains(&name.as_str()) {
        let message = format!("the header `{name}` cannot be set: the connection sets it");
        return Err(OpError::invalid_input(message).help("leave it out"));
    }
    let is_token = |it: char| it.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(it);
    if name.is_empty() || !name.chars().all(is_token) {
        return Err(OpError::invalid_input(format!("invalid header name `{name}`")));
    }
    if value.chars().any(char::is_control) {
        let message = format!("the header `{name}` contains a control character");
        return Err(OpError::invalid_input(message));
    }
    Ok((name, value))
}

/// A value as text; none for null.
pub fn written(place: &str, value: &Value) -> Result<Option<String>, OpError> {
    match value {
        Value::Null => Ok(None),
        Value::Text(text) | Value::Path(text) => Ok(Some(text.as_ref().to_owned())),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => Ok(Some(value.to_string())),
        other => {
            let message =
                format!("expected a string or a number for `{place}`, found {}", other.kind());
            Err(OpError::invalid_input(message).help("convert it to a string first"))
        }
    }
}

/// The text with all but unreserved characters escaped.
pub fn escaped(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;

    fn of(text: &str) -> Record {
        json::read(text).unwrap().as_record().unwrap().clone()
    }

    #[test]
    fn fields_are_escaped_and_nothing_can_be_smuggled() {
        let query =
            of(r#"{"q": "a b&c=d#", "n": 1.5, "ok": true, "none": null, "id": [1, 2], "ä": "%"}"#);
        let wanted = "q=a%20b%26c%3Dd%23&n=1.5&ok=true&id=1&id=2&%C3%A4=%25";
        assert_eq!(pairs("query", Some(&query)).unwrap(), wanted);
        for (url, wanted) in [
            ("http://a/", "http://a/?x=1"),
            ("http://a/?", "http://a/?x=1"),
            ("http://a/?b=2", "http://a/?b=2&x=1"),
            ("http://a/b#c", "http://a/b?x=1"),
        ] {
            assert_eq!(with_query(url, "x=1"), wanted);
        }
        assert!(pairs("query", Some(&of(r#"{"a": {"b": 1}}"#))).is_err());
    }

    #[test]
    fn headers_that_the_connection_sets_are_refused() {
        let good = headers(Some(&of(r#"{"X-A": "b", "Accept": "text/plain"}"#))).unwrap();
        assert_eq!(good[0], ("x-a".to_owned(), "b".to_owned()));
        for bad in [
            r#"{"Host": "a"}"#,
            r#"{"content-length": 1}"#,
            r#"{"a b": "c"}"#,
            r#"{"a": "b\r\nhost: c"}"#,
            r#"{"": "a"}"#,
        ] {
            assert!(headers(Some(&of(bad))).is_err(), "{bad}");
        }
    }
}
