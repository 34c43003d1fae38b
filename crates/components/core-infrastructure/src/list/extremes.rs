//! Finds the smallest and the largest item.

use std::cmp::Ordering;

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Items, Op, OpError, Ordered, Scheme, params},
    value::{List, Value},
};

use super::ends::empty;

params! {
    /// Returns the smallest item of a list of numbers, units, strings, paths or booleans.
    ///
    /// Strings are compared by Unicode scalar values. Among equal items, the first is returned.
    /// Fails if the list is empty.
    pub(super) struct Min {
        /// The items to compare.
        items: Items<Ordered<'T'>>,
    }
}

impl Op for Min {
    const NAME: &'static str = "min";
    const YIELDS: Scheme = Scheme::Ordered('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the smallest value",
        "lowest price",
        "minimum of a list",
        "the shortest of several durations",
        "the earliest iso date",
        "the least of several numbers",
        "the lowest number in an array or a bunch",
        "what costs least",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The smallest", "[3, 1, 2] >> min", "1"),
        Example::ok("Two durations", "min([2m, 90s])", r#""1m30s""#),
        Example::err("An empty list", "[5] >> where { it > 9 } >> min", "the list is empty"),
    ];
}

impl Inline for Min {
    fn run(self) -> Result<Value, OpError> {
        extreme(&self.items.0, Ordering::Less, "smallest item")
    }
}

params! {
    /// Returns the largest item of a list of numbers, units, strings, paths or booleans.
    ///
    /// Strings are compared by Unicode scalar values. Among equal items, the first is returned.
    /// Fails if the list is empty.
    pub(super) struct Max {
        /// The items to compare.
        items: Items<Ordered<'T'>>,
    }
}

impl Op for Max {
    const NAME: &'static str = "max";
    const YIELDS: Scheme = Scheme::Ordered('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the largest value",
        "highest price",
        "maximum of a list",
        "the longest of several durations",
        "the latest iso date",
        "the biggest number",
        "the peak or highest element of an array",
        "the most expensive one",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The largest", "[3, 1, 2] >> max", "3"),
        Example::ok("The last by name", r#"max(["b", "c", "a"])"#, r#""c""#),
        Example::err("An empty list", "[5] >> where { it > 9 } >> max", "the list is empty"),
    ];
}

impl Inline for Max {
    fn run(self) -> Result<Value, OpError> {
        extreme(&self.items.0, Ordering::Greater, "largest item")
    }
}

/// The first item that compares as `before` to all others.
fn extreme(items: &List, before: Ordering, what: &str) -> Result<Value, OpError> {
    let mut items = items.iter();
    let Some(mut best) = items.next() else {
        return Err(empty(what).help("use `(xs >> sort { it })[0]` to get null instead"));
    };
    for item in items {
        let order = item.order(best).ok_or_else(|| no_order(item, best))?;
        if order == before {
            best = item;
        }
    }
    Ok(best.clone())
}

fn no_order(a: &Value, b: &Value) -> OpError {
    OpError::invalid_input(format!("cannot compare {} and {}", a.kind(), b.kind()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        gives::<Min>("[[1, 0.5, -0.5]]", "-0.5");
        gives::<Max>("[[9007199254740992.0, 9007199254740993]]", "9007199254740993");
        gives::<Max>("[[2, 2.0]]", "2");
        gives::<Min>("[[2.0, 2]]", "2.0");
    }

    #[test]
    fn strings_are_compared_by_scalars() {
        gives::<Min>(r#"[["b", "B", "é"]]"#, r#""B""#);
        gives::<Max>(r#"[["", "a"]]"#, r#""a""#);
    }

    #[test]
    fn what_has_no_order_is_refused() {
        assert_eq!(fails::<Min>("[[]]").kind, ErrorKind::Failed);
        assert_eq!(fails::<Max>("[[]]").message, "the list is empty, so it has no largest item");
        assert_eq!(fails::<Max>(r#"[[1, "a"]]"#).message, "cannot compare string and int");
    }
}
