//! The order of rows, and some of them at random.

use svc_columns::{Key, order};
use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Items, Max, Op, OpError, Scheme, Var, params,
    },
    value::{List, Text, Value},
};

use super::{columns_of, sorted_names, wrong};

params! {
    /// Sorts the rows of a table by some columns.
    ///
    /// A name after `-` sorts in descending order: `["region", "-total"]`. Nulls come first, NaN comes last, the
    /// other way round in descending order; texts are compared letter by letter. Equal rows keep their order.
    pub(super) struct Sort {
        /// The rows.
        rows: Items<Var<'T'>>,
        /// The columns, the most important one first.
        by: Vec<Text>,
        /// The number of rows to keep.
        limit: Option<usize> = None,
    }
}

impl Op for Sort {
    const NAME: &'static str = "sort";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::Input);
    const CHECK: Option<CheckCall> = Some(super::known::sort);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "sort a table by several columns",
        "sort rows by one column descending",
        "order by two columns and keep ten rows",
        "sql order by and limit",
        "rank rows by price",
        "newest rows of a table first",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two columns",
            r#"[{ a: "x", b: 1 }, { a: "y", b: 2 }, { a: "x", b: 3 }] >> table.sort(by: ["a", "-b"])"#,
            r#"[{"a":"x","b":3},{"a":"x","b":1},{"a":"y","b":2}]"#,
        ),
        Example::ok(
            "The first one",
            r#"[{ b: 1 }, { b: 2 }] >> table.sort(by: ["-b"], limit: 1)"#,
            r#"[{"b":2}]"#,
        ),
        Example::err(
            "An unknown column",
            r#"[{ a: 1 }] >> table.sort(by: ["-x"])"#,
            "missing column `x`, found `a`",
        ),
    ];
}

impl Compute for Sort {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = columns_of(&self.rows.0)?;
        let mut keys = Vec::with_capacity(self.by.len());
        // An empty table has no columns to miss.
        for (name, descends) in sorted_names(&self.by).into_iter().filter(|_| !table.is_empty()) {
            let column = table.column(&name).map_err(wrong)?.clone();
            keys.push((column, descends));
        }
        cx.check()?;
        let keys: Vec<Key<'_, Value>> =
            keys.iter().map(|(column, descends)| Key { column, descends: *descends }).collect();
        let mut rows = order(&keys, table.len());
        rows.truncate(self.limit.unwrap_or(usize::MAX));
        Ok(chosen(&self.rows.0, &table, &rows))
    }
}

/// Rows of a list, kept as the list is.
fn chosen(list: &List, table: &super::Frame, rows: &[u32]) -> Value {
    if list.is_columns() {
        return Value::List(List::from(table.take(rows)));
    }
    Value::List(rows.iter().filter_map(|it| list.get(*it as usize).cloned()).collect())
}

params! {
    /// Returns some rows of a table at random, in their order.
    ///
    /// Each row is equally likely. The same `seed` gives the same rows; a table of at most `n` rows is
    /// returned whole.
    pub(super) struct Sample {
        /// The rows.
        rows: Items<Var<'T'>>,
        /// The number of rows to return.
        #[range(0..=10_000_000)]
        n: i64,
        /// The start of the random numbers.
        seed: i64 = 1,
    }
}

impl Op for Sample {
    const NAME: &'static str = "sample";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::InputOr("n"));
    const SAYS: &'static [&'static str] = &[
        "some random rows of a table",
        "a sample of a hundred rows",
        "look at a part of a large table",
        "draw rows with a seed",
        "a random subset of records",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "Two of three",
        "[{ a: 1 }, { a: 2 }, { a: 3 }] >> table.sample(n: 2) >> len",
        "2",
    )];
}

impl Compute for Sample {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let list = &self.rows.0;
        let len = list.len() as u64;
        let mut left = u64::try_from(self.n).unwrap_or(0);
        if left >= len {
            return Ok(Value::List(self.rows.0));
        }
        let mut state = self.seed.cast_unsigned();
        let mut rows = Vec::new();
        for row in 0..len {
            // Each row is taken with the share of rows that are still wanted.
            if below(&mut state, len - row) < left {
                rows.push(u32::try_from(row).unwrap_or(u32::MAX));
                left -= 1;
            }
        }
        cx.check()?;
        if list.is_columns() {
            return Ok(chosen(list, &columns_of(list)?, &rows));
        }
        Ok(Value::List(rows.iter().filter_map(|it| list.get(*it as usize).cloned()).collect()))
    }
}

/// The next random number below `bound`, by splitmix64.
fn below(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut it = *state;
    it = (it ^ (it >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    it ^= it >> 31;
    let scaled = (u128::from(it) * u128::from(bound)) >> 64;
    u64::try_from(scaled).unwrap_or(0)
}
