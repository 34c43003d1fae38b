//! Core infrastructure: the pure functions, and files.

use crate::registry::{Component, OpError};

mod control;
mod files;
mod json;
mod list;
mod math;
mod text;

pub(super) const ALL: &[&Component] = &[
    &text::COMPONENT,
    &list::COMPONENT,
    &math::COMPONENT,
    &json::COMPONENT,
    &files::COMPONENT,
    &control::COMPONENT,
];

/// The longest text in bytes, and the longest list in items, that one call makes out of
/// smaller ones: a line of script must not be able to use up the memory.
const LONGEST_TEXT: usize = 256 << 20;
const LONGEST_LIST: usize = 10_000_000;

/// Refuses a text of so many bytes that no call may make it.
fn test_text_len(bytes: usize) -> Result<(), OpError> {
    if bytes <= LONGEST_TEXT {
        return Ok(());
    }
    Err(OpError::failed("the result would be larger than 256MiB, the most that one call makes"))
}

/// Refuses a list of so many items that no call may make it.
fn test_list_len(items: usize) -> Result<(), OpError> {
    if items <= LONGEST_LIST {
        return Ok(());
    }
    let message = format!("the result would have more than {LONGEST_LIST} items");
    Err(OpError::failed(message).help("work on it in parts"))
}

/// The start of a text, for messages.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod testing;
