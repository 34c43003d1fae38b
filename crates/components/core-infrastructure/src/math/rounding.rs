//! Rounds numbers.

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::Value,
};

use super::super::rounded;

params! {
    /// Rounds a number to the given decimals; halves are rounded away from zero.
    ///
    /// The result is a float, also without decimals: `floor(round(x))` is an int. Negative `digits`
    /// round to tens, hundreds and so on.
    pub(super) struct Round {
        /// The number to round.
        number: f64,
        /// The number of decimals to keep.
        #[range(-15..=15)]
        digits: i64 = 0,
    }
}

impl Op for Round {
    const NAME: &'static str = "round";
    const YIELDS: Scheme = Scheme::Float;
    const SAYS: &'static [&'static str] = &[
        "round to two decimals",
        "the nearest whole number",
        "fewer digits after the point",
        "to the nearest hundred",
        "round off a measurement",
        "to so many decimal places",
        "nearest integer",
        "not so many digits",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("To the nearest", "round(2.5)", "3.0"),
        Example::ok("Two decimals", "3.14159 >> round(digits: 2)", "3.14"),
        Example::ok("Hundreds", "round(1250, -2)", "1300.0"),
    ];
}

impl Inline for Round {
    fn run(self) -> Result<Value, OpError> {
        Ok(rounded(self.number, self.digits).into())
    }
}

params! {
    /// Returns the greatest whole number that is not greater than a number.
    ///
    /// Fails if the result is out of the range of int.
    pub(super) struct Floor {
        /// The number.
        number: f64,
    }
}

impl Op for Floor {
    const NAME: &'static str = "floor";
    const YIELDS: Scheme = Scheme::Int;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "round down to the integer underneath",
        "largest integer not above a number",
        "how many full boxes can be filled",
        "drop the decimals of a positive number",
        "cut off the fraction, always downwards",
        "9.99 becomes 9",
        "chop decimals",
        "ignore what is after the point",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Down", "floor(2.9)", "2"),
        Example::ok("A negative number", "floor(-2.1)", "-3"),
        Example::err("Out of range", "floor(pow(10, 19))", "beyond the range of int"),
    ];
}

impl Inline for Floor {
    fn run(self) -> Result<Value, OpError> {
        whole(self.number.floor())
    }
}

params! {
    /// Returns the least whole number that is not less than a number.
    ///
    /// Fails if the result is out of the range of int.
    pub(super) struct Ceil {
        /// The number.
        number: f64,
    }
}

impl Op for Ceil {
    const NAME: &'static str = "ceil";
    const YIELDS: Scheme = Scheme::Int;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "round up to a full unit",
        "the next larger whole number",
        "smallest integer not below a number",
        "how many pages are needed",
        "always charge the full hour",
        "never downwards, to the next integer above",
        "always up to a whole number",
        "4.2 counts as five",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Up", "ceil(2.1)", "3"),
        Example::ok("Pages of ten", "ceil(25 / 10)", "3"),
        Example::err("Out of range", "ceil(pow(10, 19))", "beyond the range of int"),
    ];
}

impl Inline for Ceil {
    fn run(self) -> Result<Value, OpError> {
        whole(self.number.ceil())
    }
}

/// Converts a float without a fraction to an int.
fn whole(it: f64) -> Result<Value, OpError> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if !(-BEYOND..BEYOND).contains(&it) {
        return Err(OpError::failed(format!("{} is beyond the range of int", Value::Float(it))));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was tested above")]
    Ok(Value::Int(it as i64))
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives};

    use super::*;

    #[test]
    fn halves_go_away_from_zero() {
        gives::<Round>("[0.5]", "1.0");
        gives::<Round>("[-2.5]", "-3.0");
        gives::<Round>("[0.125, 2]", "0.13");
        gives::<Round>("[7]", "7.0");
        gives::<Round>("[-0.4]", "0.0");
    }

    #[test]
    fn large_and_small_numbers_round() {
        gives::<Round>("[1e300, 15]", "1e+300");
        gives::<Round>("[0.1, 15]", "0.1");
        gives::<Round>("[1e-300, 15]", "0.0");
        gives::<Round>("[4, -15]", "0.0");
        gives::<Round>("[1.79e308, -15]", "1.79e+308");
        gives::<Round>("[1500000000000000, -15]", "2000000000000000.0");
        assert!(fails::<Round>("[1, 16]").message.contains("`digits`"));
    }

    #[test]
    fn ints_end_where_they_end() {
        gives::<Floor>("[-9223372036854775808.0]", "-9223372036854775808");
        gives::<Floor>("[-0.0]", "0");
        gives::<Ceil>("[-0.5]", "0");
        assert_eq!(fails::<Ceil>("[9223372036854775808.0]").kind, ErrorKind::Failed);
        assert_eq!(fails_with::<Floor>(vec![f64::NAN.into()]).kind, ErrorKind::Failed);
        assert_eq!(fails_with::<Floor>(vec![f64::INFINITY.into()]).kind, ErrorKind::Failed);
    }
}
