//! JSON pointers of RFC 6901.

use svc_contract::{
    registry::OpError,
    value::{List, Text, Value},
};

/// The parts of a pointer, without its escapes.
pub(super) fn parts(pointer: &str) -> Result<Vec<Text>, OpError> {
    let Some(rest) = pointer.strip_prefix('/') else {
        if pointer.is_empty() {
            return Ok(Vec::new());
        }
        let message = format!("invalid JSON pointer `{pointer}`: expected `/` at the start");
        return Err(OpError::invalid_input(message).help("write it like `/lines/0/name`"));
    };
    rest.split('/').map(|it| part(it, pointer)).collect()
}

fn part(it: &str, pointer: &str) -> Result<Text, OpError> {
    let mut out = String::with_capacity(it.len());
    let mut letters = it.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '~' => match letters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => {
                    let why = "expected `0` or `1` after `~`";
                    let message = format!("invalid JSON pointer `{pointer}`: {why}");
                    return Err(OpError::invalid_input(message));
                }
            },
            it => it,
        });
    }
    Ok(out.into())
}

/// A part as it is written in a pointer.
pub(super) fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// The place in a list that a part names: digits without leading zeros.
pub(super) fn place(part: &str) -> Option<usize> {
    let is_plain = part == "0" || !part.starts_with(['0', '+']);
    part.parse().ok().filter(|_| is_plain)
}

/// The value at the end of a pointer.
pub(super) fn get<'a>(value: &'a Value, parts: &[Text]) -> Option<&'a Value> {
    parts.iter().try_fold(value, |value, part| match value {
        Value::Record(it) => it.get(part),
        Value::List(it) => child(it, part),
        _ => None,
    })
}

fn child<'a>(list: &'a List, part: &str) -> Option<&'a Value> {
    list.get(place(part)?)
}
