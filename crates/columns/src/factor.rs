//! Amounts times and divided by numbers, exactly: money is counted in billionths of a dollar, and no
//! float has so many digits. And the one rule by which numbers are rounded.

/// A number that an amount is multiplied by or divided by, as it is written in decimal: `0.19` is 19
/// hundredths, though no float is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    digits: i128,
    /// The power of ten that the digits are multiplied by.
    exponent: i32,
    float: f64,
}

impl Factor {
    /// An int.
    #[expect(clippy::cast_precision_loss, reason = "only for results beyond all amounts")]
    pub fn of_int(number: i64) -> Self {
        Self { digits: i128::from(number), exponent: 0, float: number as f64 }
    }

    /// The shortest decimal number that is read as this float; `None` if it is not finite.
    pub fn of_float(number: f64) -> Option<Self> {
        let written = format!("{number:e}");
        let (digits, exponent) = written.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let decimals = i32::try_from(fraction.len()).ok()?;
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { digits, exponent: exponent - decimals, float: number })
    }

    pub fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub fn is_negative(self) -> bool {
        self.digits < 0
    }

    /// `units * self`, with halves rounded away from zero; `None` if it is too large.
    pub fn times(self, units: i128) -> Option<i128> {
        let exact = units.checked_mul(self.digits).and_then(|it| match power(self.exponent) {
            (Some(by), true) => it.checked_mul(by),
            (Some(by), false) => Some(divided(it, by)),
            (None, is_large) => (!is_large || it == 0).then_some(0),
        });
        exact.or_else(|| near(units, |it| it * self.float))
    }

    /// `units / self`, with halves rounded away from zero; `None` if it is too large.
    pub fn divide(self, units: i128) -> Option<i128> {
        let exact = match power(self.exponent) {
            (Some(by), true) => self.digits.checked_mul(by).map(|it| divided(units, it)),
            (Some(by), false) => units.checked_mul(by).map(|it| divided(it, self.digits)),
            (None, is_large) => (is_large || units == 0).then_some(0),
        };
        exact.or_else(|| near(units, |it| it / self.float))
    }
}

/// A number with so many decimals, or so many zeros before its point; halves are rounded away from zero.
pub fn rounded(number: f64, digits: i32) -> f64 {
    /// From this value on, all floats are whole numbers.
    const ALL_WHOLE: f64 = 9_007_199_254_740_992.0;
    let scale = 10_f64.powi(digits.saturating_abs());
    let scaled = if digits < 0 { number / scale } else { number * scale };
    // If the scaled number has no fraction, there is nothing to round.
    if scaled.is_nan() || scaled.abs() >= ALL_WHOLE {
        return number;
    }
    let rounded = scaled.round();
    if digits < 0 { rounded * scale } else { rounded / scale }
}

/// A whole number of units, of which one more digit is a tenth, with so many digits less.
pub fn rounded_units(units: i128, digits: u32) -> Option<i128> {
    10_i128.checked_pow(digits).map(|it| divided(units, it))
}

/// Ten to a power without its sign, unless it is too large, and whether the power has none.
fn power(exponent: i32) -> (Option<i128>, bool) {
    (10_i128.checked_pow(exponent.unsigned_abs()), exponent >= 0)
}

/// A quotient; a half is rounded away from zero.
fn divided(number: i128, by: i128) -> i128 {
    let (whole, rest) = (number / by, number % by);
    let is_up = rest.unsigned_abs() >= by.unsigned_abs().div_ceil(2) && rest != 0;
    let step = if (number < 0) == (by < 0) { 1 } else { -1 };
    if is_up { whole + step } else { whole }
}

/// The result as a float: for amounts of years with more digits than 128 bits hold.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tested")]
fn near(units: i128, of: impl Fn(f64) -> f64) -> Option<i128> {
    let result = of(units as f64).round();
    (result.abs() < 1e37).then_some(result as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_all_their_digits() {
        let five = Factor::of_int(5);
        assert_eq!(five.divide(76_632_761_000_000_000), Some(15_326_552_200_000_000));
        assert_eq!(
            Factor::of_int(2).divide(4_611_686_018_500_000_000),
            Some(2_305_843_009_250_000_000)
        );
        let tax = Factor::of_float(0.19).unwrap();
        assert_eq!(tax.times(76_632_761_000_000_000), Some(14_560_224_590_000_000));
        assert_eq!(
            Factor::of_float(1.0).unwrap().times(i128::from(i64::MAX)),
            Some(i64::MAX.into())
        );
        assert_eq!(Factor::of_float(0.1).unwrap().divide(3), Some(30));
        assert_eq!(Factor::of_float(-1e300).unwrap().times(1), None);
        assert_eq!(Factor::of_float(1e300).unwrap().divide(1), Some(0));
        assert_eq!(Factor::of_float(1e-300).unwrap().times(1), Some(0));
        assert_eq!(Factor::of_float(f64::NAN), None);
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (number, by, expected) in [
            (5, 2, 3),
            (-5, 2, -3),
            (5, -2, -3),
            (4, 3, 1),
            (-4, 3, -1),
            (5, 3, 2),
            (0, 7, 0),
            (1, 2, 1),
        ] {
            assert_eq!(divided(number, by), expected, "{number} / {by}");
        }
    }
}
