//! Returns parts of a list.

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Items, Max, Op, OpError, Scheme, Var, params},
    value::Value,
};

const ITEM: Scheme = Scheme::Var('T');

/// Converts a number that was checked to be at least 0.
fn count(n: i64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

params! {
    /// Returns the first items of a list, or all items if there are fewer.
    ///
    /// It also sets a bound for the checker: the next stage gets at most `n` items.
    pub(super) struct Take {
        /// The list to take from.
        items: Items<Var<'T'>>,
        /// The number of items to take.
        #[range(0..=1_000_000_000)]
        n: i64,
    }
}

impl Op for Take {
    const NAME: &'static str = "take";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::InputOr("n"));
    const SAYS: &'static [&'static str] = &[
        "the first ten",
        "keep only the top five",
        "no more than three entries",
        "the five biggest after sorting",
        "at most twenty rows",
        "a handful from the start of a list",
        "leading elements of an array, not the others",
        "a few from the beginning, ignore the others",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The first two", "[1, 2, 3] >> take(n: 2)", "[1,2]"),
        Example::ok("Fewer items than `n`", "take([1], 5)", "[1]"),
    ];
}

impl Inline for Take {
    fn run(self) -> Result<Value, OpError> {
        Ok(Value::List(self.items.0.part(0, count(self.n))))
    }
}

params! {
    /// Returns a list without its first items; the result is empty if nothing is left.
    pub(super) struct Skip {
        /// The list to take from.
        items: Items<Var<'T'>>,
        /// The number of items to leave out.
        #[range(0..=1_000_000_000)]
        n: i64,
    }
}

impl Op for Skip {
    const NAME: &'static str = "skip";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::Input);
    const SAYS: &'static [&'static str] = &[
        "leave out the first items",
        "everything after the second entry",
        "ignore the leading rows",
        "jump over the beginning of a list",
        "the rest of a list",
        "discard the beginning of an array",
        "all but the first few elements",
        "ignore the title row",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Without the heading", "[1, 2, 3] >> skip(n: 1)", "[2,3]")];
}

impl Inline for Skip {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0;
        Ok(Value::List(items.part(count(self.n), items.len())))
    }
}

params! {
    /// Cuts a list into lists of a fixed size, in order; the last one may be shorter.
    pub(super) struct Chunk {
        /// The list to cut.
        items: Items<Var<'T'>>,
        /// The maximum number of items per part.
        #[range(1..=1_000_000_000)]
        size: i64,
    }
}

impl Op for Chunk {
    const NAME: &'static str = "chunk";
    const YIELDS: Scheme = Scheme::List(&Scheme::List(&ITEM, Max::InputOr("size")), Max::Input);
    const SAYS: &'static [&'static str] = &[
        "split a list into batches",
        "pages of twenty entries",
        "process a hundred at a time",
        "cut a list into portions of a fixed size",
        "groups of ten",
        "bundle elements into lots of equal size",
        "batches of an array for a bulk call",
        "make teams of three",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Pairs", "[1, 2, 3] >> chunk(size: 2)", "[[1,2],[3]]")];
}

impl Inline for Chunk {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0.into_vec();
        let parts = items.chunks(count(self.size).max(1));
        Ok(Value::List(parts.map(|it| Value::List(it.iter().cloned().collect())).collect()))
    }
}

params! {
    /// Returns a list unchanged if it has at most `n` items, and fails otherwise.
    ///
    /// It sets a bound for the checker without dropping anything: the next stage gets at most `n`
    /// items.
    pub(super) struct AtMost {
        /// The list that should be short.
        items: Items<Var<'T'>>,
        /// The maximum number of items.
        #[range(0..=1_000_000_000)]
        n: i64,
    }
}

impl Op for AtMost {
    const NAME: &'static str = "at_most";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::InputOr("n"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "fail if there are too many items",
        "make sure the list is short",
        "bound the number of calls without losing rows",
        "stop when more than a hundred arrive",
        "assert the length of a list",
        "complain when a list exceeds a limit",
        "guard against too many results",
        "upper bound on the size of an array",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Few enough", "[1, 2] >> at_most(n: 3)", "[1,2]"),
        Example::err("Too many", "at_most([1, 2, 3], 2)", "too many items: 3 (limit 2)"),
    ];
}

impl Inline for AtMost {
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0;
        if items.len() <= count(self.n) {
            return Ok(Value::List(items));
        }
        let message = format!("too many items: {} (limit {})", items.len(), self.n);
        let help = format!("`take(n: {})` keeps the first {} and drops the rest", self.n, self.n);
        Err(OpError::failed(message).help(help))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn cuts_beyond_the_end_are_no_error() {
        gives::<Take>("[[1, 2], 0]", "[]");
        gives::<Take>("[[1, 2], 1000000000]", "[1,2]");
        gives::<Skip>("[[1, 2], 0]", "[1,2]");
        gives::<Skip>("[[1, 2], 3]", "[]");
        gives::<AtMost>("[[], 0]", "[]");
        gives::<AtMost>("[[1, 2], 2]", "[1,2]");
        gives::<Chunk>("[[], 3]", "[]");
        gives::<Chunk>("[[1, 2], 9]", "[[1,2]]");
    }

    #[test]
    fn counts_have_a_range() {
        assert!(fails::<Take>("[[1], -1]").message.contains("`n`"));
        let err = fails::<AtMost>("[[1], 0]");
        assert_eq!((err.kind, err.help.is_some()), (ErrorKind::Failed, true));
        assert!(fails::<Skip>("[[1], -9223372036854775808]").message.contains("`n`"));
        assert!(fails::<Chunk>("[[1], 0]").message.contains("`size`"));
    }
}
