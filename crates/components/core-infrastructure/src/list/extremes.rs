//! The least and the greatest item.

use std::cmp::Ordering;

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Items, Op, OpError, Ordered, Scheme, params},
    value::{List, Value},
};

use super::ends::empty;

params! {
    /// Gives the least item of a list of numbers, units, strings, paths or booleans.
    ///
    /// Strings are compared by Unicode scalar values. Among equals, the first is given.
    /// Fails when the list is empty.
    pub(super) struct Min {
        /// The items to compare.
        items: Items<Ordered<'T'>>,
    }
}

impl Op for Min {
    const NAME: &'static str = "min";
    const YIELDS: Scheme = Scheme::Ordered('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The least", "[3, 1, 2] >> min", "1"),
        Example::ok("Of two", "min([2m, 90s])", r#""1m30s""#),
        Example::err("Of nothing", "[5] >> where { it > 9 } >> min", "the list is empty"),
    ];
}

impl Inline for Min {
    fn run(self) -> Result<Value, OpError> {
        extreme(&self.items.0, Ordering::Less, "least item")
    }
}

params! {
    /// Gives the greatest item of a list of numbers, units, strings, paths or booleans.
    ///
    /// Strings are compared by Unicode scalar values. Among equals, the first is given.
    /// Fails when the list is empty.
    pub(super) struct Max {
        /// The items to compare.
        items: Items<Ordered<'T'>>,
    }
}

impl Op for Max {
    const NAME: &'static str = "max";
    const YIELDS: Scheme = Scheme::Ordered('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The greatest", "[3, 1, 2] >> max", "3"),
        Example::ok("The last by name", r#"max(["b", "c", "a"])"#, r#""c""#),
        Example::err("Of nothing", "[5] >> where { it > 9 } >> max", "the list is empty"),
    ];
}

impl Inline for Max {
    fn run(self) -> Result<Value, OpError> {
        extreme(&self.items.0, Ordering::Greater, "greatest item")
    }
}

/// The first item that comes before all others, where `before` says which comes before.
fn extreme(items: &List, before: Ordering, what: &str) -> Result<Value, OpError> {
    let mut items = items.iter();
    let Some(mut best) = items.next() else {
        return Err(empty(what).help("`(xs >> sort { it })[0]` gives null instead"));
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
    OpError::invalid_input(format!("{} and {} have no order", a.kind(), b.kind()))
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
        assert_eq!(fails::<Max>("[[]]").message, "the list is empty, so it has no greatest item");
        assert_eq!(fails::<Max>(r#"[[1, "a"]]"#).message, "string and int have no order");
    }
}
