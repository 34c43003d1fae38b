//! Puts items next to each other: two lists, neighbours, windows.

use std::sync::{Arc, LazyLock};

use svc_contract::{
    registry::{
        ErrorKind, Example, FieldScheme, Inline, Items, Max, Op, OpError, Scheme, Var, params,
    },
    value::{Record, Text, Value},
};

use super::super::test_list_room;

const ITEM: Scheme = Scheme::Var('T');

/// A record of a left and a right item.
fn pair(left: Value, right: Value) -> Value {
    static NAMES: LazyLock<Arc<[Text]>> = LazyLock::new(|| ["left".into(), "right".into()].into());
    Value::Record(Record::new(NAMES.clone(), vec![left, right]))
}

params! {
    /// Joins two lists of the same length, item by item.
    ///
    /// Lists of different lengths are an error of kind `invalid_input`, so that nothing is dropped
    /// silently.
    pub(super) struct Zip {
        /// The left items.
        items: Items<Var<'T'>>,
        /// The right items, as many.
        with: Items<Var<'U'>>,
    }
}

impl Op for Zip {
    const NAME: &'static str = "zip";
    const YIELDS: Scheme = Scheme::List(
        &Scheme::Record(
            "",
            &[
                FieldScheme { name: "left", doc: "The item of the input.", scheme: ITEM },
                FieldScheme {
                    name: "right",
                    doc: "The item of `with` at the same position.",
                    scheme: Scheme::Var('U'),
                },
            ],
        ),
        Max::Input,
    );
    const SAYS: &'static [&'static str] = &[
        "join two lists item by item",
        "pair questions with their answers",
        "combine names and values of equal length",
        "walk through two lists at once",
        "match each entry with the one at the same position",
        "line up two arrays side by side",
        "combine separate columns into rows",
        "match up entries by index",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Names and ages",
            r#"["Ann", "Bob"] >> zip(with: [31, 40]) >> each { "${.left}: ${.right}" }"#,
            r#"["Ann: 31","Bob: 40"]"#,
        ),
        Example::err(
            "Different lengths",
            "zip([1, 2], [3])",
            "expected 2 items for `with`, found 1",
        ),
    ];
}

impl Inline for Zip {
    fn run(self) -> Result<Value, OpError> {
        let (left, right) = (self.items.0, self.with.0);
        if left.len() != right.len() {
            let (wanted, found) = (left.len(), right.len());
            let message = format!("expected {wanted} items for `with`, found {found}");
            let help = "shorten the longer list before: `take(n: ..)`";
            return Err(OpError::invalid_input(message).help(help));
        }
        test_list_room(left.len())?;
        let joined = left.iter().zip(&right).map(|(a, b)| pair(a.clone(), b.clone()));
        Ok(Value::List(joined.collect()))
    }
}

params! {
    /// Joins each item with the next one.
    ///
    /// The result has one pair less than the list has items; a list of one item has none.
    pub(super) struct Pairs {
        /// The list of neighbours.
        items: Items<Var<'T'>>,
    }
}

impl Op for Pairs {
    const NAME: &'static str = "pairs";
    const YIELDS: Scheme = Scheme::List(
        &Scheme::Record(
            "",
            &[
                FieldScheme { name: "left", doc: "The earlier item.", scheme: ITEM },
                FieldScheme { name: "right", doc: "The item after it.", scheme: ITEM },
            ],
        ),
        Max::Input,
    );
    const SAYS: &'static [&'static str] = &[
        "each item with the one after it",
        "compare every value with the previous one",
        "differences between neighbours",
        "consecutive pairs of a list",
        "how much it changed from day to day",
        "adjacent elements two by two",
        "each element with its successor",
        "how each day differs from the day before",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Changes", "[3, 5, 4] >> pairs >> each { .right - .left }", "[2,-1]"),
        Example::ok("One item", "pairs([1])", "[]"),
    ];
}

impl Inline for Pairs {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0;
        test_list_room(items.len())?;
        let next = items.iter().skip(1);
        Ok(Value::List(items.iter().zip(next).map(|(a, b)| pair(a.clone(), b.clone())).collect()))
    }
}

params! {
    /// Returns every run of `size` neighbouring items, in order.
    ///
    /// Runs overlap unless `step` is at least `size`. A list with fewer than `size` items has none,
    /// and items at the end that do not fill one are left out; `chunk` keeps them. Fails if all runs
    /// together would have more than 10,000,000 items.
    pub(super) struct Window {
        /// The list of neighbours.
        items: Items<Var<'T'>>,
        /// The number of items of a run.
        #[range(1..=1_000_000_000)]
        size: i64,
        /// The number of items from the start of one run to the start of the next.
        #[range(1..=1_000_000_000)]
        step: i64 = 1,
    }
}

impl Op for Window {
    const NAME: &'static str = "window";
    const YIELDS: Scheme = Scheme::List(&Scheme::List(&ITEM, Max::InputOr("size")), Max::Input);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "sliding window over a list",
        "moving average of the last three values",
        "overlapping groups of neighbours",
        "every three consecutive items",
        "rolling window of a time series",
        "moving groups of adjacent elements",
        "rolling averages",
        "overlapping slices of an array",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A moving average",
            "[1, 2, 6, 4] >> window(size: 3) >> each { avg(it) }",
            "[3.0,4.0]",
        ),
        Example::ok("Without overlap", "window([1, 2, 3, 4, 5], 2, 2)", "[[1,2],[3,4]]"),
        Example::err(
            "Too many items",
            "range(0, 100_000) >> window(size: 1_000)",
            "more than 10000000 items",
        ),
    ];
}

impl Inline for Window {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0.into_vec();
        let (size, step) = (length(self.size), length(self.step));
        let runs = items.len().checked_sub(size).map_or(0, |rest| rest / step + 1);
        test_list_room(runs.saturating_mul(size))?;
        let runs = items.windows(size).step_by(step);
        Ok(Value::List(runs.map(|it| Value::List(it.iter().cloned().collect())).collect()))
    }
}

/// Converts a number that was checked to be at least 1.
fn length(n: i64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives, many};

    use super::*;

    #[test]
    fn short_lists_have_no_neighbours() {
        gives::<Zip>("[[], []]", "[]");
        gives::<Pairs>("[[]]", "[]");
        gives::<Pairs>("[[1, null]]", r#"[{"left":1,"right":null}]"#);
        gives::<Window>("[[], 1]", "[]");
        gives::<Window>("[[1, 2], 3]", "[]");
        gives::<Window>("[[1, 2], 2]", "[[1,2]]");
        gives::<Window>("[[1, 2, 3, 4], 1, 3]", "[[1],[4]]");
        gives::<Window>("[[1, 2, 3, 4], 2, 1000000000]", "[[1,2]]");
    }

    #[test]
    fn lists_of_different_lengths_are_not_cut() {
        assert_eq!(fails::<Zip>("[[], [1]]").message, "expected 0 items for `with`, found 1");
    }

    #[test]
    fn overlaps_fail_before_memory_does() {
        let args = vec![many(20_000, Value::Null), 10_000.into(), 1.into()];
        assert_eq!(fails_with::<Window>(args).kind, ErrorKind::Failed);
    }
}
