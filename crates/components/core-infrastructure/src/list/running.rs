//! Sums up to each item.

use svc_contract::{
    registry::{Amount, ErrorKind, Example, Inline, Items, Max, Op, OpError, Scheme, params},
    value::Value,
};

use super::{super::test_list_room, totals::Total};

params! {
    /// Replaces each item by the sum of the items up to it: numbers, durations, money or sizes.
    ///
    /// Whole numbers and units are added exactly, floats by Neumaier's compensated summation. If
    /// one item is a float, all sums are. Fails if a sum is out of range.
    pub(super) struct Cumulative {
        /// The amounts to add up.
        items: Items<Amount<'N'>>,
    }
}

impl Op for Cumulative {
    const NAME: &'static str = "cumulative";
    const YIELDS: Scheme = Scheme::List(&Scheme::Amount('N'), Max::Input);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "running total",
        "balance after every booking",
        "cumulative sum of a column",
        "how much it was up to every day",
        "partial sums so far",
        "account balance over time",
        "accumulate figures row after row",
        "how much so far, after every entry",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A running total", "[1, 2, 3] >> cumulative", "[1,3,6]"),
        Example::ok("Durations", "cumulative([2m, 30s])", r#"["2m","2m30s"]"#),
        Example::err(
            "Out of range",
            "[9223372036854775807, 1] >> cumulative",
            "the sum is out of range",
        ),
    ];
}

impl Inline for Cumulative {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0;
        test_list_room(items.len())?;
        let mut total = if items.iter().any(|it| matches!(it, Value::Float(_))) {
            Total::of_floats()
        } else {
            Total::default()
        };
        let sums = items.iter().map(|it| {
            total.add(it)?;
            total.like(it)
        });
        Ok(sums.collect::<Result<Vec<_>, _>>()?.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn sums_keep_one_kind() {
        gives::<Cumulative>("[[]]", "[]");
        gives::<Cumulative>("[[1, 0.5, 2]]", "[1.0,1.5,3.5]");
        gives::<Cumulative>("[[0.1, 0.1, 0.1]]", "[0.1,0.2,0.30000000000000004]");
        gives::<Cumulative>("[[5, -7]]", "[5,-2]");
        assert_eq!(fails::<Cumulative>("[[1e308, 1e308]]").kind, ErrorKind::Failed);
        assert!(fails::<Cumulative>("[[1, null]]").message.contains("found null"));
    }
}
