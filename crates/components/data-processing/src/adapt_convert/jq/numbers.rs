//! Texts as numbers, as jq 1.8 reads them.

use jaq_core::{Error, ValR};
use jaq_json::{Val, read};

use super::natives::text;

/// The number in a text: no space around it, no hexadecimal digits, but `+1`, `.5`, `5.`, `nan` and `infinity`.
pub(super) fn parsed(it: &Val) -> ValR<Val> {
    let misfit = || {
        let kind = match it {
            Val::Null => "null",
            Val::Bool(_) => "boolean",
            Val::Num(_) => "number",
            Val::TStr(_) | Val::BStr(_) => "string",
            Val::Arr(_) => "array",
            Val::Obj(_) => "object",
        };
        Error::str(format_args!("{kind} ({it}) cannot be parsed as a number"))
    };
    let whole = text(it).map_err(|_| misfit())?;
    let (sign, size) = match whole.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", whole.strip_prefix('+').unwrap_or(whole)),
    };
    if let Some(special) = special(size) {
        return Ok(Val::from(if sign.is_empty() { special } else { -special }));
    }
    let number = plain(size).ok_or_else(misfit)?;
    read::parse_single(format!("{sign}{number}").as_bytes()).map_err(|_| misfit())
}

fn special(text: &str) -> Option<f64> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match () {
        () if is("nan") => Some(f64::NAN),
        () if is("infinity") || is("inf") => Some(f64::INFINITY),
        () => None,
    }
}

/// A number without a sign as JSON writes it.
fn plain(text: &str) -> Option<String> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let power = exponent.map(|it| it.strip_prefix(['+', '-']).unwrap_or(it));
    let is_power = power.is_none_or(|it| !it.is_empty() && is_digits(it));
    let has_digits = !(whole.is_empty() && fraction.is_empty());
    if !(has_digits && is_digits(whole) && is_digits(fraction) && is_power) {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    let exponent = exponent.map_or_else(String::new, |it| format!("e{it}"));
    Some(format!("{whole}{fraction}{exponent}"))
}
