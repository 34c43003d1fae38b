//! Arranges items by what a flow returns for them.

use std::cmp::Ordering;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use svc_contract::{
    registry::{
        Cx, ErrorKind, Example, Field, Flow, Io, Items, Max, Op, OpError, Scheme, Var, params,
        record,
    },
    value::{List, Record, Text, Type, Value},
};

use super::{super::test_list_room, statistics::counts};

/// The number of calls of a flow that run at the same time.
const AT_ONCE: usize = 8;

const ITEM: Scheme = Scheme::Var('T');

/// Flows from an item to a result of the scheme `GIVES`.
macro_rules! flows {
    ($($(#[$doc:meta])* $name:ident => $gives:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name(Flow<Var<'T'>, Var<'K'>>);

        impl Field for $name {
            const SCHEME: Scheme = Scheme::Flow(&ITEM, &$gives, Max::Input);

            fn decode(value: Value) -> Option<Self> {
                Flow::decode(value).map(Self)
            }

            fn encode(self) -> Value {
                self.0.encode()
            }
        }
    )*};
}

flows! {
    /// A yes or no for an item.
    Test => Scheme::Bool;
    /// Any number of values for an item.
    Spread => Scheme::List(&Scheme::Var('K'), Max::Unknown);
    /// A text for an item.
    Name => Scheme::Text;
    /// A value with an order for an item.
    Rank => Scheme::Ordered('K');
}

/// The results of a flow for all items, in their order. The first failure ends it.
async fn results(
    items: Vec<Value>,
    flow: &Flow<Var<'T'>, Var<'K'>>,
) -> Result<Vec<Value>, OpError> {
    let calls = items.into_iter().map(|it| async move { Ok(flow.call(Var(it)).await?.0) });
    stream::iter(calls).buffered(AT_ONCE).try_collect().await
}

record! {
    /// A list in two parts.
    struct Parts {
        /// The items for which the flow returned true.
        matching: Items<Var<'T'>>,
        /// The other items.
        others: Items<Var<'T'>>,
    }
}

params! {
    /// Divides a list into the items for which a flow returns true, and the others.
    ///
    /// The flow is called once per item, up to eight times at the same time; it may be slow, such as
    /// a question to a language model. For a fast test, `where { .. }` is shorter. If the flow fails,
    /// so does the op.
    pub(super) struct Partition {
        /// The list to divide.
        items: Items<Var<'T'>>,
        /// The flow or component, by name.
        by: Test,
    }
}

impl Op for Partition {
    const NAME: &'static str = "partition";
    const YIELDS: Scheme = Parts::SCHEME;
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "split a list into two by a condition",
        "separate the good ones from the bad ones",
        "those that match and those that do not",
        "divide the tickets into urgent and others",
        "keep both halves of a filter",
        "split an array into passes and failures",
        "two piles, yes and no",
        "keep the good ones and set the bad ones aside",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Long words and others",
            "flow long(word: string) -> bool { len(word) > 3 }\n\
             [\"a\", \"pear\", \"fig\", \"plum\"] >> partition(by: long)",
            r#"{"matching":["pear","plum"],"others":["a","fig"]}"#,
        ),
        Example::err(
            "A flow that fails",
            "flow even(n: string) -> bool { to_int(n) % 2 == 0 }\n\
             [\"2\", \"x\"] >> partition(by: even)",
            "`x` is not a whole number",
        ),
    ];
}

impl Io for Partition {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let items = self.items.0.into_vec();
        let passed = results(items.clone(), &self.by.0).await?;
        let (matching, others): (Vec<_>, Vec<_>) =
            items.into_iter().zip(passed).partition(|(_, it)| matches!(it, Value::Bool(true)));
        let list = |part: Vec<(Value, Value)>| {
            let items: Vec<Value> = part.into_iter().map(|(item, _)| item).collect();
            items_of(items.into())
        };
        Ok(Parts { matching: list(matching), others: list(others) }.encode())
    }
}

fn items_of<T: Field>(list: List) -> Items<T> {
    Items::decode(Value::List(list)).expect("a list is a list of items")
}

params! {
    /// Calls a flow for each item, and makes one list of the lists that it returns.
    ///
    /// The flow is called once per item, up to eight times at the same time. The results are in the
    /// order of the items. Fails if the flow does, and beyond 10,000,000 items.
    pub(super) struct FlatMap {
        /// The list to go through.
        items: Items<Var<'T'>>,
        /// The flow or component that returns a list, by name.
        by: Spread,
    }
}

impl Op for FlatMap {
    const NAME: &'static str = "flat_map";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('K'), Max::Unknown);
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "one list of all results of a flow",
        "all words of all lines",
        "expand every item into several",
        "collect what each document contains",
        "map and flatten",
        "each element may give several results",
        "one combined array from a function that returns arrays",
        "concatenate what each produces",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("All words", r#"["a b", "", "c"] >> flat_map(by: words)"#, r#"["a","b","c"]"#),
        Example::err(
            "A flow that fails",
            "flow parts(n: string) -> [int] { [to_int(n)] }\n[\"x\"] >> flat_map(by: parts)",
            "`x` is not a whole number",
        ),
    ];
}

impl Io for FlatMap {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let lists = results(self.items.0.into_vec(), &self.by.0).await?;
        let lists: Vec<&List> = lists.iter().filter_map(Value::as_list).collect();
        let total = lists.iter().fold(0_usize, |sum, it| sum.saturating_add(it.len()));
        test_list_room(total)?;
        let all: Vec<Value> = lists.into_iter().flatten().cloned().collect();
        Ok(all.into())
    }
}

record! {
    /// A key and how often it occurs.
    struct Count {
        /// What the flow returned.
        key: Var<'K'>,
        /// The number of items with this key.
        count: i64,
    }
}

params! {
    /// Counts the items of a list by what a flow returns for them.
    ///
    /// Keys are compared with `==`, and come in the order of their first occurrence. The flow is
    /// called once per item, up to eight times at the same time. If the flow fails, so does the op.
    pub(super) struct CountBy {
        /// The list to count.
        items: Items<Var<'T'>>,
        /// The flow or component that returns the key of an item, by name.
        by: Flow<Var<'T'>, Var<'K'>>,
    }
}

impl Op for CountBy {
    const NAME: &'static str = "count_by";
    const YIELDS: Scheme = Scheme::List(&Count::SCHEME, Max::Input);
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "how many items of each kind",
        "frequency of every value",
        "count the tickets by team",
        "histogram of the answers",
        "number of rows per country",
        "tally how often each value appears",
        "occurrences of every word",
        "who has how many",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Without regard to case",
            r#"["a", "B", "A"] >> count_by(by: lower)"#,
            r#"[{"key":"a","count":2},{"key":"b","count":1}]"#,
        ),
        Example::err(
            "A flow that fails",
            r#"["x"] >> count_by(by: to_int)"#,
            "`x` is not a whole number",
        ),
    ];
}

impl Io for CountBy {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let keys = results(self.items.0.into_vec(), &self.by).await?;
        let counted = counts(&keys.into())?;
        let rows = counted.into_iter().map(|(key, count)| Count { key: Var(key), count }.encode());
        Ok(Value::List(rows.collect()))
    }
}

params! {
    /// Makes a JSON object of a list: the key of each item is what a flow returns for it.
    ///
    /// Useful to look items up by `at`. Two items with the same key are an error of kind
    /// `invalid_input`; `group { .. }` keeps both. The flow is called once per item, up to eight
    /// times at the same time. If the flow fails, so does the op.
    pub(super) struct IndexBy {
        /// The list to index.
        items: Items<Var<'T'>>,
        /// The flow or component that returns the key of an item as a string, by name.
        by: Name,
    }
}

impl Op for IndexBy {
    const NAME: &'static str = "index_by";
    const YIELDS: Scheme = Scheme::Json;
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "look records up by their id",
        "make a dictionary of a list",
        "an object with the names as keys",
        "map from key to record",
        "lookup table by code",
        "key an array of records by a field",
        "hash of records",
        "find somebody quickly by number",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Records by id",
            "flow id(row: { id: string, n: int }) -> string { row.id }\n\
             [{ id: \"a\", n: 1 }, { id: \"b\", n: 2 }] >> index_by(by: id) >> at(path: \"b.n\")",
            "2",
        ),
        Example::err("A key twice", r#"["x", "X"] >> index_by(by: lower)"#, "duplicate key `x`"),
    ];
}

impl Io for IndexBy {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let items = self.items.0.into_vec();
        let keys = results(items.clone(), &self.by.0).await?;
        let mut seen = std::collections::HashSet::new();
        let mut fields: Vec<(Text, Value)> = Vec::with_capacity(items.len());
        for (key, item) in keys.into_iter().zip(items) {
            let key = Text::decode(key).ok_or_else(|| OpError::bug("a key is not a string"))?;
            if !seen.insert(key.clone()) {
                let message = format!("duplicate key `{key}`");
                return Err(OpError::invalid_input(message).help("`group { .. }` keeps all items"));
            }
            let item =
                item.cast(&Type::Json).map_err(|err| OpError::invalid_input(err.to_string()))?;
            fields.push((key, item));
        }
        Ok(Value::Record(fields.into_iter().collect::<Record>()))
    }
}

params! {
    /// Returns the `n` items for which a flow returns the largest values, the largest first.
    ///
    /// Of equal values, the earlier item comes first. The flow is called once per item, up to eight
    /// times at the same time. For a fast key, `sort { -.score } >> take(n: 3)` is the same. If the
    /// flow fails, so does the op.
    pub(super) struct Top {
        /// The list to choose from.
        items: Items<Var<'T'>>,
        /// The number of items to return.
        #[range(0..=1_000_000_000)]
        n: i64,
        /// The flow or component that returns a number, a unit or a string, by name.
        by: Rank,
    }
}

impl Op for Top {
    const NAME: &'static str = "top";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::InputOr("n"));
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "the three best by a score",
        "the longest texts",
        "highest ranked candidates",
        "the ten with the most words",
        "best answers according to a model",
        "leaderboard by a score",
        "best few by some measure",
        "n with the greatest value",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The longest",
            r#"["fig", "apple", "kiwi"] >> top(n: 2, by: len)"#,
            r#"["apple","kiwi"]"#,
        ),
        Example::err(
            "A flow that fails",
            r#"["x"] >> top(n: 1, by: to_int)"#,
            "`x` is not a whole number",
        ),
    ];
}

impl Io for Top {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let items = self.items.0.into_vec();
        let ranks = results(items.clone(), &self.by.0).await?;
        let mut ranked: Vec<(Value, Value)> = ranks.into_iter().zip(items).collect();
        // The sort is stable, so the earlier of equal items stays first.
        ranked.sort_by(|(a, _), (b, _)| b.order(a).unwrap_or(Ordering::Equal));
        let n = usize::try_from(self.n).unwrap_or(usize::MAX);
        let best: Vec<Value> = ranked.into_iter().take(n).map(|(_, item)| item).collect();
        Ok(best.into())
    }
}
