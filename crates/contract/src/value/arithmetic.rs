//! The operators. Types were checked before; only the size of a number can still be wrong.

use std::time::Duration;

use svc_columns::Factor;

use super::{List, Money, Value, memory, times};

/// The reason why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MathError {
    #[error("the result is too large for its type")]
    Overflow,
    #[error("division by zero")]
    DivisionByZero,
    #[error("the result is not a finite number")]
    NotFinite,
    #[error("a duration or size cannot be negative")]
    Negative,
    #[error("a date moves only by whole days; use a time for hours, minutes and seconds")]
    PartOfDay,
    #[error("the first is before the second, and a duration cannot be negative")]
    Backwards,
    #[error("the result is outside of the years -9999 to 9999")]
    BeyondCalendar,
    #[error("the result would be larger than 256MiB, or have more than 10000000 items")]
    TooLong,
    #[error("the operator does not work on these values")]
    Mismatch,
}

/// The longest text in bytes, and the longest list in items, built from smaller ones: one line
/// of a script must not be able to exhaust the memory.
pub const LONGEST_TEXT: usize = 256 << 20;
pub const LONGEST_LIST: usize = 10_000_000;

/// The heaviest value that a script may build: about a gigabyte when written out.
pub const HEAVIEST: u64 = 1 << 27;

use MathError::{DivisionByZero, Mismatch, Negative, NotFinite, Overflow, TooLong};
use Value as V;

type Result = std::result::Result<Value, MathError>;

/// `+`: numbers, amounts of one unit, strings, lists, and a time or date with a duration.
pub fn add(a: Value, b: Value) -> Result {
    match (a, b) {
        (V::Int(a), V::Int(b)) => a.checked_add(b).map(V::Int).ok_or(Overflow),
        (V::Text(a), V::Text(b)) if a.len() + b.len() > LONGEST_TEXT => Err(TooLong),
        // The text is built, and then made shared.
        (V::Text(a), V::Text(b)) if lacks_room(2 * (a.len() + b.len())) => Err(TooLong),
        (V::Text(a), V::Text(b)) => Ok(V::from([a.as_ref(), b.as_ref()].concat())),
        (V::List(a), V::List(b)) if a.len() + b.len() > LONGEST_LIST => Err(TooLong),
        (V::List(a), V::List(b)) if lacks_room((a.len() + b.len()) * size_of::<V>()) => {
            Err(TooLong)
        }
        (a @ V::List(_), b @ V::List(_)) if a.weight() + b.weight() > HEAVIEST => Err(TooLong),
        (V::List(a), V::List(b)) => Ok(V::List(concat(a, b))),
        (V::Duration(a), V::Duration(b)) => a.checked_add(b).map(V::Duration).ok_or(Overflow),
        (V::Money(a), V::Money(b)) => a.checked_add(b).map(V::Money).ok_or(Overflow),
        (V::Size(a), V::Size(b)) => a.checked_add(b).map(V::Size).ok_or(Overflow),
        (V::Time(it), V::Duration(by)) | (V::Duration(by), V::Time(it)) => {
            times::later(it, by).map(V::Time)
        }
        (V::Date(it), V::Duration(by)) | (V::Duration(by), V::Date(it)) => {
            times::day_later(it, by).map(V::Date)
        }
        (a, b) => float(&a, &b, |a, b| a + b),
    }
}

/// Whether the run has no memory left for this many bytes: then it fails anyway, whatever the
/// result.
fn lacks_room(bytes: usize) -> bool {
    memory::room(bytes).is_err()
}

/// `-`: numbers, amounts of one unit, two times or two dates, and a duration from one of them.
pub fn subtract(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (V::Int(a), V::Int(b)) => a.checked_sub(*b).map(V::Int).ok_or(Overflow),
        (V::Duration(a), V::Duration(b)) => a.checked_sub(*b).map(V::Duration).ok_or(Negative),
        (V::Money(a), V::Money(b)) => a.checked_sub(*b).map(V::Money).ok_or(Overflow),
        (V::Size(a), V::Size(b)) => a.checked_sub(*b).map(V::Size).ok_or(Negative),
        (V::Time(a), V::Time(b)) => times::since(a.duration_since(*b)).map(V::Duration),
        (V::Date(a), V::Date(b)) => times::since(a.duration_since(*b)).map(V::Duration),
        (V::Time(it), V::Duration(by)) => times::earlier(*it, *by).map(V::Time),
        (V::Date(it), V::Duration(by)) => times::day_earlier(*it, *by).map(V::Date),
        (a, b) => float(a, b, |a, b| a - b),
    }
}

/// `*`: numbers, and an amount by a number.
pub fn multiply(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (V::Int(a), V::Int(b)) => a.checked_mul(*b).map(V::Int).ok_or(Overflow),
        (unit @ (V::Duration(_) | V::Money(_) | V::Size(_)), factor)
        | (factor, unit @ (V::Duration(_) | V::Money(_) | V::Size(_))) => {
            scaled(unit, factor, Factor::times)
        }
        (a, b) => float(a, b, |a, b| a * b),
    }
}

/// `/`: numbers return a float, an amount by a number an amount, two amounts a float.
pub fn divide(a: &Value, b: &Value) -> Result {
    if as_float(b).or_else(|| amount(b)) == Some(0.0) {
        return Err(DivisionByZero);
    }
    match (a, b) {
        (V::Duration(_), V::Duration(_))
        | (V::Money(_), V::Money(_))
        | (V::Size(_), V::Size(_)) => {
            finite(amount(a).zip(amount(b)).map(|(a, b)| a / b).ok_or(Mismatch)?)
        }
        (unit @ (V::Duration(_) | V::Money(_) | V::Size(_)), by) => {
            scaled(unit, by, Factor::divide)
        }
        (a, b) => float(a, b, |a, b| a / b),
    }
}

/// `%`: the remainder, with the sign of the left side.
pub fn remainder(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (V::Int(_), V::Int(0)) => Err(DivisionByZero),
        (V::Int(a), V::Int(b)) => a.checked_rem(*b).map(V::Int).ok_or(Overflow),
        (a, b) if as_float(b) == Some(0.0) => {
            as_float(a).map_or(Err(Mismatch), |_| Err(DivisionByZero))
        }
        (a, b) => float(a, b, |a, b| a % b),
    }
}

/// `-x`
pub fn negate(value: &Value) -> Result {
    match value {
        V::Int(it) => it.checked_neg().map(V::Int).ok_or(Overflow),
        V::Float(it) => finite(-it),
        V::Money(it) => Money::ZERO.checked_sub(*it).map(V::Money).ok_or(Overflow),
        _ => Err(Mismatch),
    }
}

fn concat(a: List, b: List) -> List {
    let mut items = a.into_vec();
    items.extend(b.into_vec());
    items.into()
}

/// An amount times or divided by a number, rounded once.
fn scaled(unit: &Value, by: &Value, compute: fn(Factor, i128) -> Option<i128>) -> Result {
    let by = match by {
        V::Int(it) => Factor::of_int(*it),
        V::Float(it) => Factor::of_float(*it).ok_or(Overflow)?,
        _ => return Err(Mismatch),
    };
    let of = |units: i128| compute(by, units).ok_or(Overflow);
    let positive = |units: i128| match of(units)? {
        _ if by.is_negative() && units > 0 => Err(Negative),
        it => Ok(it.unsigned_abs()),
    };
    match unit {
        V::Money(it) => {
            let nanos = i64::try_from(of(it.nanos().into())?).map_err(|_| Overflow)?;
            Ok(V::Money(Money::from_nanos(nanos)))
        }
        V::Size(it) => u64::try_from(positive((*it).into())?).map(V::Size).map_err(|_| Overflow),
        V::Duration(it) => {
            let nanos = positive(i128::try_from(it.as_nanos()).map_err(|_| Overflow)?)?;
            duration(nanos).map(V::Duration).ok_or(Overflow)
        }
        _ => Err(Mismatch),
    }
}

fn duration(nanos: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    let rest = u32::try_from(nanos % 1_000_000_000).ok()?;
    Some(Duration::new(seconds, rest))
}

fn float(a: &Value, b: &Value, compute: impl Fn(f64, f64) -> f64) -> Result {
    let (a, b) = as_float(a).zip(as_float(b)).ok_or(Mismatch)?;
    finite(compute(a, b))
}

fn finite(it: f64) -> Result {
    // The language has only one zero: adding `0.0` removes the sign of `-0.0`.
    if it.is_finite() { Ok(V::Float(it + 0.0)) } else { Err(NotFinite) }
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
fn as_float(value: &Value) -> Option<f64> {
    match value {
        V::Int(it) => Some(*it as f64),
        V::Float(it) => Some(*it),
        _ => None,
    }
}

/// An amount in the smallest of its units.
#[expect(clippy::cast_precision_loss, reason = "a ratio of amounts is a float")]
fn amount(value: &Value) -> Option<f64> {
    match value {
        V::Duration(it) => Some(it.as_nanos() as f64),
        V::Money(it) => Some(it.nanos() as f64),
        V::Size(it) => Some(*it as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_never_wrap() {
        assert_eq!(add(V::Int(i64::MAX), V::Int(1)), Err(Overflow));
        assert_eq!(divide(&V::Int(7), &V::Int(2)), Ok(V::Float(3.5)));
        assert_eq!(divide(&V::Int(7), &V::Int(0)), Err(DivisionByZero));
        assert_eq!(remainder(&V::Int(i64::MIN), &V::Int(-1)), Err(Overflow));
        assert_eq!(multiply(&V::Float(1e308), &V::Float(10.0)), Err(NotFinite));
    }

    #[test]
    fn units_scale_and_divide() {
        let minute = V::Duration(Duration::from_mins(1));
        assert_eq!(multiply(&V::Int(2), &minute), Ok(V::Duration(Duration::from_mins(2))));
        assert_eq!(divide(&minute, &V::Duration(Duration::from_secs(30))), Ok(V::Float(2.0)));
        assert_eq!(subtract(&V::Size(1), &V::Size(2)), Err(Negative));
        let price = V::Money(Money::cents(5));
        assert_eq!(multiply(&price, &V::Int(3)), Ok(V::Money(Money::cents(15))));
        assert_eq!(
            divide(&V::Money(Money::cents(30)), &V::Money(Money::cents(10))),
            Ok(V::Float(3.0))
        );
    }

    #[test]
    fn amounts_are_scaled_exactly() {
        let money = |text: &str| V::Money(Money::read(text).unwrap());
        for (amount, by, expected) in [
            ("$76632761", V::Int(5), "$15326552.2"),
            ("$4611686018.5", V::Int(2), "$2305843009.25"),
            ("$9007199254", V::Int(1), "$9007199254"),
            ("$0.000000005", V::Int(2), "$0.000000003"),
            ("-$1", V::Float(0.8), "-$1.25"),
        ] {
            assert_eq!(divide(&money(amount), &by), Ok(money(expected)), "{amount}");
        }
        assert_eq!(multiply(&money("$76632761"), &V::Float(0.19)), Ok(money("$14560224.59")));
        assert_eq!(multiply(&money("$9000000000"), &V::Float(1.0)), Ok(money("$9000000000")));
        assert_eq!(multiply(&money("$9000000000"), &V::Float(2.0)), Err(Overflow));
        let days = |it: u64| V::Duration(Duration::from_secs(it * 86_400));
        assert_eq!(divide(&days(106_751_991_167_300), &V::Int(2)), Ok(days(53_375_995_583_650)));
        assert_eq!(multiply(&days(1), &V::Float(-0.5)), Err(Negative));
        assert_eq!(divide(&V::Size(u64::MAX), &V::Int(1)), Ok(V::Size(u64::MAX)));
    }
}
