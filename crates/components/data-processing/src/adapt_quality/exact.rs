//! Limits of numbers in JSON schemas, compared exactly.
//!
//! `boon` compares numbers as floats: 9007199254740993 is not above a `maximum` of 9007199254740992, and 0.3 is
//! not a multiple of 0.1. Where that matters, a schema gets a `format` of ours instead of the keyword.

use std::{cell::RefCell, cmp::Ordering, error::Error};

use boon::Format;
use serde_json::{Map, Number, Value as Json, json};

/// The address of the schema with the formats. Those of draft 7 are always tested.
pub(super) const ADDRESS: &str = "schema:///numbers";

/// From here on, floats do not keep every int.
const INEXACT: f64 = 9_007_199_254_740_992.0;

/// A keyword with its number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) keyword: &'static str,
    pub(super) number: Number,
}

const KEYWORDS: [&str; 5] =
    ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

thread_local! {
    /// The limits of the schema: a format is a function that knows nothing but its number.
    static LIMITS: RefCell<Vec<Limit>> = const { RefCell::new(Vec::new()) };
}

/// A format tests the limit with its number.
fn test<const N: usize>(value: &Json) -> Result<(), Box<dyn Error>> {
    let Json::Number(value) = value else { return Ok(()) };
    let fits = LIMITS.with_borrow(|all| all.get(N).is_none_or(|it| it.allows(value)));
    if fits { Ok(()) } else { Err("out of its limit".into()) }
}

macro_rules! formats {
    ($($number:literal)*) => {
        [$(Format { name: concat!("svc:number:", $number), func: test::<$number> }),*]
    };
}

const FORMATS: [Format; 64] = formats! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
};

/// Forgets the limits of the last schema on this thread.
pub(super) fn start() {
    LIMITS.with_borrow_mut(Vec::clear);
}

/// The schema with the formats that [`rewrite`] wrote into schemas, and the formats themselves.
pub(super) fn formats() -> (Json, impl Iterator<Item = Format>) {
    let count = LIMITS.with_borrow(Vec::len);
    let all = FORMATS.into_iter().take(count);
    let named = all.clone().enumerate();
    let named = named.map(|(idx, it)| (idx.to_string(), json!({ "format": it.name })));
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": named.collect::<Map<String, Json>>(),
    });
    (schema, all)
}

/// The limit that a format tests, if it is one of ours.
pub(super) fn limit(format: &str) -> Option<Limit> {
    let number: usize = format.strip_prefix("svc:number:")?.parse().ok()?;
    LIMITS.with_borrow(|all| all.get(number).cloned())
}

/// Replaces the keywords of a schema that would be compared as floats.
pub(super) fn rewrite(schema: &mut Json) -> Result<(), String> {
    let Json::Object(schema) = schema else { return Ok(()) };
    for (keyword, it) in schema.iter_mut() {
        match (&**keyword, it) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
                | "dependencies",
                Json::Object(all),
            ) => all.values_mut().try_for_each(rewrite)?,
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Json::Array(all)) => {
                all.iter_mut().try_for_each(rewrite)?;
            }
            (
                "additionalItems"
                | "additionalProperties"
                | "contains"
                | "contentSchema"
                | "else"
                | "if"
                | "items"
                | "not"
                | "propertyNames"
                | "then"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                it,
            ) => rewrite(it)?,
            _ => {}
        }
    }
    let mut formats = Vec::new();
    for keyword in KEYWORDS {
        if let Some(limit) = taken(schema, keyword) {
            formats.push(json!({ "$ref": format!("{ADDRESS}#/definitions/{}", place(limit)?) }));
        }
    }
    if formats.is_empty() {
        return Ok(());
    }
    if let Json::Array(all) = schema.entry("allOf").or_insert_with(|| json!([])) {
        all.extend(formats);
    }
    Ok(())
}

/// Takes a limit out of a schema, if floats are not enough for it.
fn taken(schema: &mut Map<String, Json>, keyword: &'static str) -> Option<Limit> {
    let Some(Json::Number(number)) = schema.get(keyword) else { return None };
    let size = number.as_f64()?;
    let is_inexact = if keyword == "multipleOf" { size > 0.0 } else { size.abs() >= INEXACT };
    if !is_inexact || schema.get("allOf").is_some_and(|it| !it.is_array()) {
        return None;
    }
    let number = number.clone();
    // In draft 4, a boolean excludes the limit itself, and must not stand without a limit.
    let (exclusive, loosest) = match keyword {
        "minimum" => ("exclusiveMinimum", f64::MIN),
        _ => ("exclusiveMaximum", f64::MAX),
    };
    let is_bound = matches!(keyword, "minimum" | "maximum");
    let excludes = schema.get(exclusive).and_then(Json::as_bool).filter(|_| is_bound);
    match excludes {
        Some(_) => schema.insert(keyword.to_owned(), json!(loosest)),
        None => schema.remove(keyword),
    };
    let keyword = if excludes == Some(true) { exclusive } else { keyword };
    Some(Limit { keyword, number })
}

/// The number of a limit, which may be one of another place.
fn place(limit: Limit) -> Result<usize, String> {
    LIMITS.with_borrow_mut(|all| {
        if let Some(place) = all.iter().position(|it| *it == limit) {
            return Ok(place);
        }
        if all.len() == FORMATS.len() {
            return Err(format!("too many different limits of numbers (limit {})", all.len()));
        }
        all.push(limit);
        Ok(all.len() - 1)
    })
}

impl Limit {
    /// What it expects, for a message.
    pub(super) fn expected(&self) -> String {
        let what = match self.keyword {
            "minimum" => "at least",
            "maximum" => "at most",
            "exclusiveMinimum" => "more than",
            "exclusiveMaximum" => "less than",
            _ => "a multiple of",
        };
        format!("expected {what} {}", self.number)
    }

    fn allows(&self, value: &Number) -> bool {
        let order = compare(value, &self.number);
        match self.keyword {
            "minimum" => order != Ordering::Less,
            "maximum" => order != Ordering::Greater,
            "exclusiveMinimum" => order == Ordering::Greater,
            "exclusiveMaximum" => order == Ordering::Less,
            _ => is_multiple(value, &self.number),
        }
    }
}

/// An int of JSON.
fn int(it: &Number) -> Option<i128> {
    it.as_i64().map(i128::from).or(it.as_u64().map(i128::from))
}

fn compare(a: &Number, b: &Number) -> Ordering {
    match (int(a), int(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => compare_int(a, b),
        (None, Some(b)) => compare_int(b, a).reverse(),
        (None, None) => {
            let float = |it: &Number| it.as_f64().unwrap_or(f64::NAN);
            float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal)
        }
    }
}

/// An int and a float: the whole part of a float that is not huge is an int.
fn compare_int(a: i128, b: &Number) -> Ordering {
    const HUGE: f64 = 1e30;
    let float = b.as_f64().unwrap_or(0.0);
    if float.abs() > HUGE {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is within i128")]
    let whole = float.floor() as i128;
    a.cmp(&whole).then(if float.fract() == 0.0 { Ordering::Equal } else { Ordering::Less })
}

/// The digits of a number without its point and its last zeros, and the power of ten that they count.
fn decimal(it: &Number) -> Option<(u64, i32)> {
    let text = it.to_string();
    let text = text.trim_start_matches('-');
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    let cut = i32::try_from(digits.len() - kept.len()).ok()?;
    let power = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()? + cut;
    let digits = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    Some((digits, power))
}

/// Whether a number is a whole multiple of another one, in the digits in which both are written.
fn is_multiple(value: &Number, of: &Number) -> bool {
    let (Some((value, power)), Some((of, unit))) = (decimal(value), decimal(of)) else {
        return false;
    };
    if value == 0 || of == 0 {
        return value == 0;
    }
    match u32::try_from(power - unit) {
        Ok(tens) => (u128::from(value) * power_of_ten(tens, of)).is_multiple_of(of.into()),
        // The last digit of `value` is not zero, so that ten does not divide it.
        Err(_) => false,
    }
}

/// A power of ten modulo a number.
fn power_of_ten(power: u32, modulus: u64) -> u128 {
    let modulus = u128::from(modulus);
    let (mut result, mut base) = (1 % modulus, 10 % modulus);
    let mut rest = power;
    while rest > 0 {
        if rest % 2 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        rest /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn multiples_are_decimal() {
        for (value, of, expected) in [
            ("0.3", "0.1", true),
            ("4.35", "0.01", true),
            ("0.35", "0.1", false),
            ("0", "0.1", true),
            ("-1.1", "0.1", true),
            ("9007199254740993", "2", false),
            ("9007199254740992", "2", true),
            ("1e308", "0.5", true),
            ("1e308", "0.123456789", false),
            ("1e-7", "1e-8", true),
            ("1e-8", "1e-7", false),
            ("18", "4.5", true),
            ("30", "20", false),
            ("5", "10", false),
            ("9223372036854775807", "7", true),
            ("9223372036854775806", "7", false),
        ] {
            assert_eq!(is_multiple(&number(value), &number(of)), expected, "{value} of {of}");
        }
    }

    #[test]
    fn numbers_have_an_exact_order() {
        for (a, b, expected) in [
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("9007199254740993", "9007199254740992.0", Ordering::Greater),
            ("9223372036854775807", "9223372036854775808.0", Ordering::Less),
            ("-9223372036854775808", "-9.3e18", Ordering::Greater),
            ("1e300", "9223372036854775807", Ordering::Greater),
            ("18446744073709551615", "9223372036854775807", Ordering::Greater),
            ("3", "3.5", Ordering::Less),
            ("-3", "-3.5", Ordering::Greater),
        ] {
            assert_eq!(compare(&number(a), &number(b)), expected, "{a} and {b}");
            assert_eq!(compare(&number(b), &number(a)), expected.reverse(), "{b} and {a}");
        }
    }
}
