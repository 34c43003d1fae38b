//! Arithmetic beyond the operators.

use std::cmp::Ordering;

use svc_contract::{
    registry::{Amount, CheckCall, ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::{Money, Value},
};

use super::finite;

params! {
    /// Returns a number or an amount of money without its sign.
    ///
    /// Fails for the smallest int, whose opposite is out of range. Durations and sizes have no sign
    /// and stay unchanged.
    pub(super) struct Abs {
        /// The number or amount.
        number: Amount<'N'>,
    }
}

impl Op for Abs {
    const NAME: &'static str = "abs";
    const YIELDS: Scheme = Scheme::Amount('N');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the absolute value",
        "drop the minus sign",
        "how far apart two numbers are",
        "make a negative amount positive",
        "size of a change, whether a gain or a loss",
        "distance from zero",
        "ignore the sign",
        "never mind whether plus or minus",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("An int", "abs(3 - 5)", "2"),
        Example::ok("A float", "abs(-0.5)", "0.5"),
        Example::err("The smallest int", "abs(-9223372036854775807 - 1)", "out of range"),
    ];
}

impl Inline for Abs {
    fn run(self) -> Result<Value, OpError> {
        let positive = match self.number.0 {
            Value::Int(it) => it.checked_abs().map(Value::Int),
            Value::Float(it) => Some(Value::Float(it.abs())),
            Value::Money(it) => {
                it.nanos().checked_abs().map(|it| Value::Money(Money::from_nanos(it)))
            }
            unsigned @ (Value::Duration(_) | Value::Size(_)) => Some(unsigned),
            other => return Err(no_amount(&other)),
        };
        positive.ok_or_else(|| OpError::failed("the result is out of range"))
    }
}

fn no_amount(value: &Value) -> OpError {
    OpError::invalid_input(format!("expected a number or an amount, found {}", value.kind()))
}

params! {
    /// Returns the square root of a number. Fails for a negative number.
    pub(super) struct Sqrt {
        /// The number, not negative.
        number: f64,
    }
}

impl Op for Sqrt {
    const NAME: &'static str = "sqrt";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "square root of a number",
        "the side of a square from its area",
        "standard deviation from a variance",
        "undo squaring",
        "which number times itself gives this",
        "root of an area",
        "sqrt",
        "opposite of squaring",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A root", "sqrt(9)", "3.0"),
        Example::err("A negative number", "sqrt(-1)", "has no square root"),
    ];
}

impl Inline for Sqrt {
    fn run(self) -> Result<Value, OpError> {
        if self.number < 0.0 {
            let shown = Value::Float(self.number);
            return Err(OpError::failed(format!("{shown} is negative and has no square root")));
        }
        Ok(finite(self.number.sqrt())?.into())
    }
}

params! {
    /// Raises a number to a power, as a float.
    ///
    /// Fails if the result is not a number or out of range: `pow(0, -1)`, `pow(-8, 0.5)`, `pow(10,
    /// 400)`.
    pub(super) struct Pow {
        /// The number to raise.
        number: f64,
        /// The exponent, which may be negative or a fraction.
        exponent: f64,
    }
}

impl Op for Pow {
    const NAME: &'static str = "pow";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "raise a number to a power",
        "square a number",
        "two to the tenth",
        "cube of a side length",
        "compound interest",
        "exponential growth",
        "exponent of a base, such as x squared",
        "times itself several times",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A power", "2 >> pow(exponent: 10)", "1024.0"),
        Example::ok("A cube root", "round(pow(27, 1 / 3))", "3.0"),
        Example::err("Out of range", "pow(10, 400)", "out of range"),
    ];
}

impl Inline for Pow {
    fn run(self) -> Result<Value, OpError> {
        Ok(finite(self.number.powf(self.exponent))?.into())
    }
}

params! {
    /// Divides whole numbers and cuts off the fraction, towards zero.
    ///
    /// `div(7, 2)` is 3 and `div(-7, 2)` is -3; `floor(-7 / 2)` is -4. Fails for division by zero
    /// and for the only result that is out of range, the smallest int divided by -1.
    pub(super) struct Div {
        /// The number to divide.
        number: i64,
        /// The divisor, not 0.
        by: i64,
    }
}

impl Op for Div {
    const NAME: &'static str = "div";
    const YIELDS: Scheme = Scheme::Int;
    const CHECK: Option<CheckCall> = Some(|call| call.test("by", test_divisor));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "integer division",
        "divide and drop the remainder",
        "quotient of two whole numbers",
        "how often one number goes into another",
        "share a count evenly in whole pieces",
        "whole-number part of a division",
        "how many times does it fit",
        "divide integers without a fraction",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A quotient", "div(7, 2)", "3"),
        Example::ok("Towards zero", "-7 >> div(by: 2)", "-3"),
        Example::err("By zero", "div(1, 0)", "division by zero"),
    ];
}

impl Inline for Div {
    fn run(self) -> Result<Value, OpError> {
        test_divisor(self.by)?;
        let quotient = self.number.checked_div(self.by);
        quotient.map(Value::Int).ok_or_else(|| OpError::failed("the result is out of range"))
    }
}

fn test_divisor(by: i64) -> Result<(), OpError> {
    if by == 0 { Err(OpError::failed("division by zero")) } else { Ok(()) }
}

params! {
    /// Keeps a number or an amount within two bounds.
    ///
    /// Returns `low` for a smaller value, `high` for a larger one, and otherwise the value itself.
    /// `low` above `high` is an error of kind `invalid_input`.
    pub(super) struct Clamp {
        /// The number or amount to limit.
        number: Amount<'N'>,
        /// The smallest possible result.
        low: Amount<'N'>,
        /// The largest possible result.
        high: Amount<'N'>,
    }
}

impl Op for Clamp {
    const NAME: &'static str = "clamp";
    const YIELDS: Scheme = Scheme::Amount('N');
    const CHECK: Option<CheckCall> = Some(|call| {
        call.test_with("high", "low", |high: Amount<'N'>, low: Amount<'N'>| {
            test_limits(&low.0, &high.0)
        })
    });
    const SAYS: &'static [&'static str] = &[
        "keep a number within limits",
        "not below zero and not above a hundred",
        "limit a score to a range",
        "cap a value at both ends",
        "force an amount between a minimum and a maximum",
        "lower and upper limit for a value",
        "no less than this and no more than that",
        "not too small and not too big",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Too large", "12 >> clamp(low: 0, high: 10)", "10"),
        Example::ok("In the range", "clamp(90s, low: 1s, high: 2m)", r#""1m30s""#),
        Example::err("Swapped limits", "clamp(5, low: 9, high: 1)", "`low` is above `high`"),
    ];
}

impl Inline for Clamp {
    fn run(self) -> Result<Value, OpError> {
        let (number, low, high) = (self.number.0, self.low.0, self.high.0);
        test_limits(&low, &high)?;
        Ok(match (order(&number, &low)?, order(&number, &high)?) {
            (Ordering::Less, _) => low,
            (_, Ordering::Greater) => high,
            _ => number,
        })
    }
}

fn test_limits(low: &Value, high: &Value) -> Result<(), OpError> {
    match order(low, high)? {
        Ordering::Greater => {
            Err(OpError::invalid_input(format!("`low` is above `high`: {low} > {high}")))
        }
        _ => Ok(()),
    }
}

fn order(a: &Value, b: &Value) -> Result<Ordering, OpError> {
    let message = || format!("cannot compare {} and {}", a.kind(), b.kind());
    a.order(b).ok_or_else(|| OpError::invalid_input(message()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::testing::{fails, fails_with, gives, gives_with};

    use super::*;

    #[test]
    fn signs_go() {
        gives::<Abs>("[-9223372036854775807]", "9223372036854775807");
        assert_eq!(fails::<Abs>("[-9223372036854775808]").kind, ErrorKind::Failed);
        gives_with::<Abs>(&[Money::cents(-5).into()], r#""$0.05""#);
        gives_with::<Abs>(&[Duration::from_secs(1).into()], r#""1s""#);
        fails_with::<Abs>(vec![Money::from_nanos(i64::MIN).into()]);
        assert_eq!(fails::<Abs>(r#"["x"]"#).kind, ErrorKind::InvalidInput);
    }

    #[test]
    fn only_numbers_come_out() {
        gives::<Sqrt>("[0]", "0.0");
        assert_eq!(fails::<Sqrt>("[-0.001]").kind, ErrorKind::Failed);
        gives::<Pow>("[0, 0]", "1.0");
        gives::<Pow>("[10, -400]", "0.0");
        assert_eq!(fails::<Pow>("[0, -1]").kind, ErrorKind::Failed);
        assert_eq!(fails::<Pow>("[-8, 0.5]").kind, ErrorKind::Failed);
        assert_eq!(fails_with::<Sqrt>(vec![f64::NAN.into()]).kind, ErrorKind::Failed);
    }

    #[test]
    fn division_cuts_towards_zero() {
        gives::<Div>("[7, -2]", "-3");
        gives::<Div>("[-7, -2]", "3");
        gives::<Div>("[-9223372036854775808, 1]", "-9223372036854775808");
        let err = fails::<Div>("[-9223372036854775808, -1]");
        assert_eq!(err.message, "the result is out of range");
        assert_eq!(fails::<Div>("[0, 0]").message, "division by zero");
    }

    #[test]
    fn clamped_amounts_stay_inside() {
        gives::<Clamp>("[-1, 0, 1]", "0");
        gives::<Clamp>("[1, 0, 1]", "1");
        gives::<Clamp>("[0.5, 0, 1]", "0.5");
        gives::<Clamp>("[5, 5, 5]", "5");
        assert!(fails::<Clamp>("[1, 3, 2]").message.contains("3 > 2"));
        assert!(fails::<Clamp>(r#"[1, "a", 2]"#).message.contains("cannot compare"));
    }
}
