//! Sums and means.

use std::time::Duration;

use svc_columns::FloatSum;
use svc_contract::{
    registry::{Amount, ErrorKind, Example, Inline, Items, Op, OpError, Scheme, params},
    value::{Money, Value},
};

use super::ends::empty;

params! {
    /// Adds up numbers, durations, money or sizes.
    ///
    /// Whole numbers and units are added exactly, floats by Neumaier's compensated summation; the
    /// sum of both is a float. Fails if the sum is out of range, and for an empty list without
    /// `start`, because the unit of the sum is then unknown.
    pub(super) struct Sum {
        /// The amounts to add up.
        items: Items<Amount<'N'>>,
        /// The start of the sum, and the result for an empty list: `0`, `0s`, `$0`, `0B`.
        start: Option<Amount<'N'>> = None,
    }
}

impl Op for Sum {
    const NAME: &'static str = "sum";
    const YIELDS: Scheme = Scheme::Amount('N');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "add up the numbers",
        "what it costs altogether",
        "grand total of the invoices",
        "add durations together",
        "sum of a column",
        "how much everything comes to in total",
        "tot up a bill",
        "how much is it all together",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Numbers", "[1, 2, 3] >> sum", "6"),
        Example::ok("Money", "sum([$0.25, $0.50])", r#""$0.75""#),
        Example::ok("A list that may be empty", "[5] >> where { it > 9 } >> sum(start: 0)", "0"),
        Example::err("An empty list", "[5] >> where { it > 9 } >> sum", "the list is empty"),
    ];
}

impl Inline for Sum {
    fn run(self) -> Result<Value, OpError> {
        let start = self.start.map(|it| it.0);
        let mut amounts = start.iter().chain(&self.items.0);
        let Some(first) = amounts.next() else {
            let help =
                "add `start`, the sum of an empty list: `sum(start: 0)`, or `0s`, `$0`, `0B`";
            return Err(empty("sum").help(help));
        };
        let mut total = Total::default();
        total.add(first)?;
        amounts.try_for_each(|it| total.add(it))?;
        total.like(first)
    }
}

params! {
    /// Returns the arithmetic mean of numbers, as a float.
    ///
    /// Fails if the list is empty or the sum is out of range. For durations, money and sizes, write
    /// `sum(xs) / len(xs)`.
    pub(super) struct Avg {
        /// The numbers to average.
        items: Items<f64>,
    }
}

impl Op for Avg {
    const NAME: &'static str = "avg";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the average of the numbers",
        "arithmetic mean",
        "mean rating of the reviews",
        "how much it is per item on average",
        "mean of an array",
        "mean of a group",
        "per-head figure",
        "average score or rating",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A mean", "[1, 2] >> avg", "1.5"),
        Example::err("An empty list", "[5] >> where { it > 9 } >> avg", "the list is empty"),
    ];
}

impl Inline for Avg {
    #[expect(clippy::cast_precision_loss, reason = "no list has 2^53 items")]
    fn run(self) -> Result<Value, OpError> {
        let numbers = self.items.0;
        if numbers.is_empty() {
            return Err(empty("average").help("write `if len(xs) > 0 { avg(xs) } else { null }`"));
        }
        let mut total = Total::default();
        numbers.iter().try_for_each(|it| total.add(it))?;
        Ok((total.float()? / numbers.len() as f64).into())
    }
}

/// A running sum: the exact part in the smallest unit, and the floats.
#[derive(Clone, Copy, Default)]
pub(super) struct Total {
    exact: i128,
    floats: FloatSum,
    has_floats: bool,
}

impl Total {
    /// An empty sum of floats.
    pub(super) fn of_floats() -> Self {
        Self { has_floats: true, ..Self::default() }
    }

    pub(super) fn add(&mut self, amount: &Value) -> Result<(), OpError> {
        let exact = match amount {
            Value::Float(it) => {
                self.floats.add(*it);
                self.has_floats = true;
                return Ok(());
            }
            Value::Int(it) => Some(i128::from(*it)),
            Value::Size(it) => Some(i128::from(*it)),
            Value::Money(it) => Some(i128::from(it.nanos())),
            Value::Duration(it) => i128::try_from(it.as_nanos()).ok(),
            other => {
                let message = format!("expected numbers or amounts to add, found {}", other.kind());
                return Err(OpError::invalid_input(message));
            }
        };
        let sum = exact.and_then(|it| self.exact.checked_add(it));
        self.exact = sum.ok_or_else(out_of_range)?;
        Ok(())
    }

    /// The sum, of the same kind as `first`; the items are all of one kind, or all numbers.
    pub(super) fn like(self, first: &Value) -> Result<Value, OpError> {
        if self.has_floats {
            return self.float().map(Value::Float);
        }
        let sum = match first {
            Value::Size(_) => u64::try_from(self.exact).ok().map(Value::Size),
            Value::Money(_) => {
                i64::try_from(self.exact).ok().map(|it| Value::Money(Money::from_nanos(it)))
            }
            Value::Duration(_) => duration(self.exact).map(Value::Duration),
            _ => i64::try_from(self.exact).ok().map(Value::Int),
        };
        sum.ok_or_else(out_of_range)
    }

    #[expect(clippy::cast_precision_loss, reason = "the sum of ints and floats is a float")]
    pub(super) fn float(mut self) -> Result<f64, OpError> {
        self.floats.add(self.exact as f64);
        let sum = self.floats.value();
        if sum.is_finite() { Ok(sum) } else { Err(out_of_range()) }
    }
}

fn duration(nanos: i128) -> Option<Duration> {
    const SECOND: i128 = 1_000_000_000;
    let seconds = u64::try_from(nanos.div_euclid(SECOND)).ok()?;
    Some(Duration::new(seconds, u32::try_from(nanos.rem_euclid(SECOND)).ok()?))
}

fn out_of_range() -> OpError {
    OpError::failed("the sum is out of range")
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives, gives_with};

    use super::*;

    #[test]
    fn numbers_add_up() {
        gives::<Sum>("[[1, -1, 5]]", "5");
        gives::<Sum>("[[1, 0.5]]", "1.5");
        gives::<Sum>("[[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]]", "1.0");
        gives::<Sum>("[[1e100, 1.0, -1e100]]", "1.0");
        gives::<Sum>("[[], 0]", "0");
        gives::<Sum>("[[1], 0.0]", "1.0");
    }

    #[test]
    fn what_is_out_of_range_fails() {
        assert_eq!(fails::<Sum>("[[9223372036854775807, 1]]").kind, ErrorKind::Failed);
        gives::<Sum>("[[9223372036854775807, 1, -1]]", "9223372036854775807");
        assert_eq!(fails::<Sum>("[[1e308, 1e308]]").message, "the sum is out of range");
        let longest = Value::from(Duration::MAX);
        assert_eq!(
            fails_with::<Sum>(vec![vec![longest.clone(), longest].into()]).kind,
            ErrorKind::Failed
        );
        let all = Value::Size(u64::MAX);
        fails_with::<Sum>(vec![vec![all.clone(), all].into()]);
    }

    #[test]
    fn units_keep_their_kind() {
        let times = vec![Duration::from_millis(1500), Duration::from_millis(500)];
        gives_with::<Sum>(&[times.into()], r#""2s""#);
        let debt = Value::from(Money::cents(-150));
        gives_with::<Sum>(&[vec![debt.clone(), debt].into()], r#""-$3.00""#);
        gives_with::<Sum>(&[Value::List(Vec::new().into()), Duration::ZERO.into()], r#""0s""#);
        gives_with::<Sum>(&[vec![Value::Size(1), Value::Size(2)].into()], "3");
    }

    #[test]
    fn nothing_has_no_sum_and_no_mean() {
        let err = fails::<Sum>("[[]]");
        assert_eq!(err.kind, ErrorKind::Failed);
        assert!(err.help.unwrap().contains("start: 0"));
        assert_eq!(fails::<Avg>("[[]]").kind, ErrorKind::Failed);
        assert!(fails::<Sum>("[[null]]").message.contains("found null"));
    }

    #[test]
    fn means_are_floats() {
        gives::<Avg>("[[1, 2, 6]]", "3.0");
        gives::<Avg>("[[9223372036854775807, 9223372036854775807]]", "9.223372036854776e+18");
        assert_eq!(fails::<Avg>("[[1e308, 1e308]]").kind, ErrorKind::Failed);
    }
}
