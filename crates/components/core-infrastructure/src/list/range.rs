//! Ranges of whole numbers.

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Max, Op, OpError, Scheme, params},
    value::Value,
};

use super::super::test_list_room;

params! {
    /// Returns the whole numbers from one up to, not including, another.
    ///
    /// The result is empty if `to` is not larger than `from`. Fails beyond 10,000,000 numbers.
    pub(super) struct Range {
        /// The first number.
        from: i64,
        /// The end, which is not included.
        to: i64,
    }
}

impl Op for Range {
    const NAME: &'static str = "range";
    const YIELDS: Scheme = Scheme::List(&Scheme::Int, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "numbers from one to a hundred",
        "count from zero to nine",
        "a sequence of integers",
        "every year between 2000 and 2020",
        "generate consecutive numbers",
        "integers from one bound to the other",
        "an array of numbers to count through",
        "every whole number up to a limit",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Three numbers", "range(0, 3)", "[0,1,2]"),
        Example::ok("None", "range(3, 3)", "[]"),
        Example::err("Too many", "range(0, 10_000_001)", "more than 10000000 items"),
    ];
}

impl Inline for Range {
    fn run(self) -> Result<Value, OpError> {
        if self.from < self.to {
            test_list_room(usize::try_from(self.to.abs_diff(self.from)).unwrap_or(usize::MAX))?;
        }
        Ok(Value::List((self.from..self.to).map(Value::Int).collect()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn ranges_end_before_their_end() {
        gives::<Range>("[-1, 1]", "[-1,0]");
        gives::<Range>("[5, 1]", "[]");
        gives::<Range>("[9223372036854775806, 9223372036854775807]", "[9223372036854775806]");
    }

    #[test]
    fn a_huge_range_fails() {
        let err = fails::<Range>("[-9223372036854775808, 9223372036854775807]");
        assert_eq!(err.kind, ErrorKind::Failed);
        gives::<Range>("[9223372036854775807, -9223372036854775808]", "[]");
    }
}
