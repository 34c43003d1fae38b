//! Rearranges the items of a list.

use std::sync::{Arc, LazyLock};

use svc_contract::{
    registry::{
        ErrorKind, Example, Field, FieldScheme, Inline, Items, Max, Op, OpError, Scheme, Var,
        params,
    },
    value::{List, Record, Text, Value},
};

use super::super::test_list_room;

const ITEM: Scheme = Scheme::Var('T');

params! {
    /// Reverses a list: the last item comes first.
    pub(super) struct Reverse {
        /// The list to reverse.
        items: Items<Var<'T'>>,
    }
}

impl Op for Reverse {
    const NAME: &'static str = "reverse";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::Input);
    const SAYS: &'static [&'static str] = &[
        "turn a list round",
        "last one first",
        "put the entries in the opposite order",
        "newest first instead of oldest first",
        "read a list backwards",
        "backwards order of an array",
        "other way round, from the end to the start",
        "from back to front",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Last first", "[1, 2, 3] >> reverse", "[3,2,1]")];
}

impl Inline for Reverse {
    fn run(self) -> Result<Value, OpError> {
        let mut items = self.items.0.into_vec();
        items.reverse();
        Ok(items.into())
    }
}

params! {
    /// Leaves out the items that are null.
    ///
    /// After `each?`, this keeps the successful results.
    pub(super) struct Compact {
        /// The list that may contain nulls.
        items: Items<Option<Var<'T'>>>,
    }
}

impl Op for Compact {
    const NAME: &'static str = "compact";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::Input);
    const SAYS: &'static [&'static str] = &[
        "remove the nulls",
        "drop missing values",
        "leave out the ones that failed",
        "keep only what succeeded",
        "throw away items without a value",
        "filter out null, none and undefined",
        "get rid of empty slots in an array",
        "skip the blanks",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("Without nulls", "[1, null, 2] >> compact", "[1,2]")];
}

impl Inline for Compact {
    fn run(self) -> Result<Value, OpError> {
        let mut items = self.items.0.into_vec();
        items.retain(|it| !it.is_null());
        Ok(items.into())
    }
}

params! {
    /// Makes one list from a list of lists, one level deep.
    ///
    /// Fails if the result would have more than 10,000,000 items.
    pub(super) struct Flatten {
        /// The list of lists.
        lists: Items<Items<Var<'T'>>>,
    }
}

impl Op for Flatten {
    const NAME: &'static str = "flatten";
    const YIELDS: Scheme = Scheme::List(&ITEM, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "one list out of several lists",
        "merge nested lists",
        "combine the results of every file into a single list",
        "put all sublists together",
        "chain lists one after another",
        "concatenate arrays of arrays",
        "one level less of nesting",
        "get rid of one level of brackets",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("One list", "[[1, 2], [], [3]] >> flatten", "[1,2,3]"),
        Example::err(
            "Too many items",
            "let xs = range(0, 10_000)\n\
             xs >> each { xs } >> flatten",
            "more than 10000000 items",
        ),
    ];
}

impl Inline for Flatten {
    fn run(self) -> Result<Value, OpError> {
        let lists = self.lists.0.iter().map(list_of).collect::<Result<Vec<_>, _>>()?;
        let total = lists.iter().fold(0_usize, |sum, it| sum.saturating_add(it.len()));
        test_list_room(total)?;
        let mut items = Vec::with_capacity(total);
        items.extend(lists.into_iter().flatten().cloned());
        Ok(items.into())
    }
}

fn list_of(item: &Value) -> Result<&List, OpError> {
    item.as_list().ok_or_else(|| {
        let kind = item.kind();
        OpError::invalid_input(format!("expected a list of lists, found an item of type {kind}"))
    })
}

params! {
    /// Numbers the items of a list, from 0.
    pub(super) struct Enumerate {
        /// The list to number.
        items: Items<Var<'T'>>,
    }
}

impl Op for Enumerate {
    const NAME: &'static str = "enumerate";
    const YIELDS: Scheme = Scheme::List(
        &Scheme::Record(
            "",
            &[
                FieldScheme { name: "index", doc: "Its position, from 0.", scheme: Scheme::Int },
                FieldScheme { name: "item", doc: "The item itself.", scheme: ITEM },
            ],
        ),
        Max::Input,
    );
    const SAYS: &'static [&'static str] = &[
        "number the items",
        "add an index to each entry",
        "give each line its number",
        "the position of every item",
        "make a numbered list",
        "loop with a counter",
        "index together with its element",
        "give everything a running number",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Numbered", r#"["a"] >> enumerate"#, r#"[{"index":0,"item":"a"}]"#),
        Example::ok(
            "A numbered text",
            r#"["a", "b"] >> enumerate >> each { "${it.index + 1}. ${it.item}" } >> join(sep: " ")"#,
            r#""1. a 2. b""#,
        ),
    ];
}

impl Inline for Enumerate {
    fn run(self) -> Result<Value, OpError> {
        static NAMES: LazyLock<Arc<[Text]>> =
            LazyLock::new(|| ["index".into(), "item".into()].into());
        let items = self.items.0.into_vec().into_iter().enumerate();
        let numbered = |(idx, item): (usize, Value)| {
            Value::Record(Record::new(NAMES.clone(), vec![idx.encode(), item]))
        };
        Ok(Value::List(items.map(numbered).collect()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, fails_with, gives, many};

    use super::*;

    #[test]
    fn empty_lists_stay_empty() {
        gives::<Reverse>("[[]]", "[]");
        gives::<Compact>("[[]]", "[]");
        gives::<Compact>("[[null, null]]", "[]");
        gives::<Flatten>("[[]]", "[]");
        gives::<Enumerate>("[[]]", "[]");
    }

    #[test]
    fn one_level_is_flattened() {
        gives::<Flatten>("[[[[1]], [[2, 3], []]]]", "[[1],[2,3],[]]");
        assert!(fails::<Flatten>("[[[1], 2]]").message.contains("item of type int"));
    }

    #[test]
    fn flattening_too_much_fails_before_memory_does() {
        let err = fails_with::<Flatten>(vec![many(10_001, many(1_000, Value::Null))]);
        assert_eq!(err.kind, ErrorKind::Failed);
    }

    #[test]
    fn a_shared_list_is_not_changed() {
        let shared = many(2, 1.into());
        let turned = crate::testing::call::<Reverse>(vec![shared.clone()]).unwrap();
        assert_eq!(turned, shared);
    }
}
