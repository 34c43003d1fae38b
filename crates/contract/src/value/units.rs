//! Reading and writing of money, durations and sizes.

use std::{fmt, time::Duration};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Unexpected, Visitor},
};

use super::convert::native;

/// An amount of US dollars, in billionths, so that per-token prices are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    const NANOS_PER_DOLLAR: i64 = 1_000_000_000;

    pub const ZERO: Self = Self(0);

    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Whole cents, for prices written in code.
    pub const fn cents(cents: i64) -> Self {
        Self(cents * (Self::NANOS_PER_DOLLAR / 100))
    }

    pub const fn nanos(self) -> i64 {
        self.0
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The price of `tokens` at `self` per million, rounded up once.
    pub fn per_million(self, tokens: u64) -> Option<Self> {
        let total = i128::from(self.0).checked_mul(i128::from(tokens))?;
        i64::try_from((total + 999_999).div_euclid(1_000_000)).ok().map(Self)
    }

    /// Reads `0.05`; an amount finer than a billionth of a dollar is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        i64::try_from(decimal_nanos(text)?).ok().map(Self)
    }

    /// Reads an amount as it is displayed: `$0.05`, `-$2`.
    pub fn read(text: &str) -> Option<Self> {
        let (is_owed, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let nanos = decimal_nanos(text.strip_prefix('$').unwrap_or(text))?;
        let nanos = i128::try_from(nanos).ok()?;
        i64::try_from(if is_owed { -nanos } else { nanos }).ok().map(Self)
    }

    /// The amount nearest to a number of dollars.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let nanos = dollars * 1e9;
        if !nanos.is_finite() || nanos.abs() >= 9.0e18 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the range was tested above")]
        Some(Self(nanos.round() as i64))
    }

    #[expect(clippy::cast_precision_loss, reason = "for display and ratios only")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The amount with so many decimals; halves are rounded away from zero.
    pub(super) fn write_rounded(self, f: &mut fmt::Formatter<'_>, decimals: usize) -> fmt::Result {
        const DECIMALS: usize = 9;
        let shown = decimals.min(DECIMALS);
        let less = u32::try_from(DECIMALS - shown).unwrap_or_default();
        let units = svc_columns::rounded_units(self.0.into(), less).unwrap_or_default();
        let (sign, digits) = (if units < 0 { "-" } else { "" }, units.unsigned_abs().to_string());
        let digits = format!("{digits:0>width$}", width = shown + 1);
        let (dollars, fraction) = digits.split_at(digits.len() - shown);
        let point = if decimals > 0 { "." } else { "" };
        write!(f, "{sign}${dollars}{point}{fraction:0<decimals$}")
    }
}

impl fmt::Display for Money {
    /// At least two decimals, and as many more as the amount needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let nanos = self.0.unsigned_abs();
        let fraction = format!("{:09}", nanos % 1_000_000_000);
        let (cents, finer) = fraction.split_at(2);
        write!(f, "{sign}${}.{cents}{}", nanos / 1_000_000_000, finer.trim_end_matches('0'))
    }
}

/// Written as it is displayed: `"$0.05"`.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(native::MONEY, &self.to_string())
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(native::MONEY, MoneyVisitor)
    }
}

struct MoneyVisitor;

impl<'de> Visitor<'de> for MoneyVisitor {
    type Value = Money;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("money")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Money, D::Error> {
        inner.deserialize_str(self)
    }

    fn visit_str<E: serde::de::Error>(self, it: &str) -> Result<Money, E> {
        Money::read(it).ok_or_else(|| E::invalid_value(Unexpected::Str(it), &self))
    }
}

/// The units of a duration, longest first.
const DURATION_UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// The units of a size. `kB` is a thousand bytes, `KiB` is 1,024.
const SIZE_UNITS: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("B", 1),
];

/// Reads `1h30m`, `500ms`, `1.5s`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let (number, unit, after) = split_unit(rest)?;
        let millis = DURATION_UNITS.iter().find(|(name, _)| *name == unit)?.1;
        total = total.checked_add(scaled_duration(number, millis)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

/// Reads `10MB`, `1.5KiB`.
pub fn parse_size(text: &str) -> Option<u64> {
    let (number, unit, after) = split_unit(text)?;
    let bytes = SIZE_UNITS.iter().find(|(name, _)| *name == unit)?.1;
    if !after.is_empty() {
        return None;
    }
    let nanos = decimal_nanos(number)?.checked_mul(u128::from(bytes))?;
    u64::try_from(nanos / 1_000_000_000).ok()
}

/// Writes a duration as the language reads it, exactly: `1h30m`, `500ms`, `1s0.25ms`.
pub fn show_duration(duration: Duration) -> String {
    const NANOS_PER_MILLI: u32 = 1_000_000;
    let mut millis = duration.as_millis();
    let finer = duration.subsec_nanos() % NANOS_PER_MILLI;
    let mut text = String::new();
    for (unit, length) in DURATION_UNITS {
        let count = millis / u128::from(length);
        millis %= u128::from(length);
        if unit == "ms" && finer > 0 {
            let fraction = format!("{finer:06}");
            text.push_str(&format!("{count}.{}ms", fraction.trim_end_matches('0')));
        } else if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Writes a measured duration in whole milliseconds.
pub fn show_measured(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    show_duration(Duration::from_millis(millis))
}

/// Writes a size in the largest unit that divides it.
pub fn show_size(bytes: u64) -> String {
    let exact = SIZE_UNITS.iter().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    match exact {
        Some((name, unit)) => format!("{}{name}", bytes / unit),
        None => format!("{bytes}B"),
    }
}

fn split_unit(text: &str) -> Option<(&str, &str, &str)> {
    let digits = text.find(|it: char| !matches!(it, '0'..='9' | '.' | '_'))?;
    let (number, rest) = text.split_at(digits);
    let letters = rest.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (unit, after) = rest.split_at(letters);
    (!number.is_empty()).then_some((number, unit, after))
}

fn scaled_duration(number: &str, millis: u64) -> Option<Duration> {
    let nanos = decimal_nanos(number)?.checked_mul(u128::from(millis))? / 1_000;
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
}

/// A decimal number times 10^9, exactly.
fn decimal_nanos(number: &str) -> Option<u128> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    if fraction.len() > 9 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let whole: u128 = whole.parse().ok()?;
    let fraction: u128 = format!("{fraction:0<9}").parse().ok()?;
    whole.checked_mul(1_000_000_000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_read_and_write() {
        assert_eq!(parse_duration("1h30m"), Some(Duration::from_mins(90)));
        assert_eq!(parse_duration("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(parse_duration("5min"), None);
        assert_eq!(show_duration(Duration::from_millis(90_500)), "1m30s500ms");
        for nanos in [1, 250_000, 1_000_000_001, 86_400_000_000_123, 3_600_001_500_000] {
            let exact = Duration::from_nanos(nanos);
            assert_eq!(parse_duration(&show_duration(exact)), Some(exact), "{nanos}");
        }
        assert_eq!(show_duration(Duration::from_secs(1) / 3), "333.333333ms");
        assert_eq!(parse_size("10MiB"), Some(10 << 20));
        assert_eq!(parse_size("10mb"), None);
        assert_eq!(show_size(5 << 20), "5MiB");
    }

    #[test]
    fn money_is_exact() {
        assert_eq!(Money::parse("0.05"), Some(Money::cents(5)));
        assert_eq!(Money::parse("0.0000000001"), None);
        assert_eq!(Money::cents(50).to_string(), "$0.50");
        assert_eq!(Money::from_nanos(1_500).to_string(), "$0.0000015");
        for nanos in [i64::MIN, -1_500_000_000, -500_000_000, -1, 0, 1, i64::MAX] {
            let money = Money::from_nanos(nanos);
            assert_eq!(Money::read(&money.to_string()), Some(money), "{nanos}");
        }
        assert_eq!(Money::read("1.+5").or(Money::read("$-1")).or(Money::read("--1")), None);
        assert_eq!(Money::cents(300).per_million(1), Some(Money::from_nanos(3_000)));
        assert_eq!(Money::from_nanos(1).per_million(1), Some(Money::from_nanos(1)));
    }
}
