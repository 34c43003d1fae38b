//! Replacements of rhai functions whose result can be far larger than their arguments: they
//! check the size first.

use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Position};

use super::limits;

type Result<T> = std::result::Result<T, Box<EvalAltResult>>;

/// The assumed smallest number of parts of a list or record that is copied many times.
const PARTS: usize = 8;

pub(super) fn register(engine: &mut Engine) {
    engine.register_fn("replace", |text: &mut ImmutableString, from: &str, to: &str| {
        replace(text, from, to)
    });
    engine.register_fn("replace", |text: &mut ImmutableString, from: &str, to: char| {
        replace(text, from, to.encode_utf8(&mut [0; 4]))
    });
    engine.register_fn("replace", |text: &mut ImmutableString, from: char, to: &str| {
        replace(text, from.encode_utf8(&mut [0; 4]), to)
    });
    engine.register_fn("replace", |text: &mut ImmutableString, from: char, to: char| {
        replace(text, from.encode_utf8(&mut [0; 4]), to.encode_utf8(&mut [0; 4]))
    });
    engine.register_fn("pad", pad);
    engine.register_fn("pad", pad_array);
    engine.register_fn("split", |text: &mut ImmutableString, by: &str| {
        array(text.split(by).map(Dynamic::from_text))
    });
    engine.register_fn("split", |text: &mut ImmutableString, by: char| {
        array(text.split(by).map(Dynamic::from_text))
    });
    engine.register_fn("split", |text: &mut ImmutableString| {
        array(text.split_whitespace().map(Dynamic::from_text))
    });
    engine.register_fn("split_rev", |text: &mut ImmutableString, by: &str| {
        array(text.rsplit(by).map(Dynamic::from_text))
    });
    engine.register_fn("split_rev", |text: &mut ImmutableString, by: char| {
        array(text.rsplit(by).map(Dynamic::from_text))
    });
    engine.register_fn("to_chars", |text: &mut ImmutableString| {
        array(text.chars().map(Dynamic::from))
    });
}

trait FromText {
    fn from_text(text: &str) -> Self;
}

impl FromText for Dynamic {
    fn from_text(text: &str) -> Self {
        ImmutableString::from(text).into()
    }
}

fn replace(text: &mut ImmutableString, from: &str, to: &str) -> Result<()> {
    let found = text.matches(from).count();
    let len = found.checked_mul(to.len()).and_then(|it| it.checked_add(text.len()));
    if len.is_none_or(|it| it > limits::TEXT) {
        return too_large("Length of string");
    }
    *text = text.replace(from, to).into();
    Ok(())
}

/// Pads a text to at least `len` characters, with whole copies of `with`.
fn pad(text: &mut ImmutableString, len: i64, with: &str) -> Result<()> {
    let len = usize::try_from(len).unwrap_or(0);
    let missing = len.saturating_sub(text.chars().count());
    let copies = missing.div_ceil(with.chars().count().max(1));
    let added = copies.checked_mul(with.len()).and_then(|it| it.checked_add(text.len()));
    if with.is_empty() || copies == 0 {
        return Ok(());
    }
    if added.is_none_or(|it| it > limits::TEXT) {
        return too_large("Length of string");
    }
    *text = [text.as_str(), &with.repeat(copies)].concat().into();
    Ok(())
}

/// Pads an array to at least `len` items, with `item`.
fn pad_array(array: &mut Array, len: i64, item: Dynamic) -> Result<()> {
    let len = usize::try_from(len).unwrap_or(0);
    let each = if item.is_array() || item.is_map() { PARTS } else { 1 };
    let added = len.saturating_sub(array.len()).checked_mul(each);
    if added.is_none_or(|it| it > limits::ITEMS) {
        return too_large("Size of array");
    }
    array.resize(array.len().max(len), item);
    Ok(())
}

fn array(items: impl Iterator<Item = Dynamic>) -> Result<Array> {
    let mut array = Array::new();
    for it in items {
        if array.len() >= limits::ITEMS {
            return too_large("Size of array");
        }
        array.push(it);
    }
    Ok(array)
}

fn too_large<T>(what: &str) -> Result<T> {
    Err(EvalAltResult::ErrorDataTooLarge(what.to_owned(), Position::NONE).into())
}
