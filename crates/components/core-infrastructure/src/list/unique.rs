//! Removes duplicates from a list.

use std::{
    collections::HashSet,
    hash::{Hash, Hasher},
};

use svc_contract::{
    registry::{Example, Inline, Items, Max, Op, OpError, Scheme, Var, params},
    value::{Record, Value, memory},
};

params! {
    /// Keeps the first of equal items and leaves out the others.
    ///
    /// Items are compared with `==`: `2` and `2.0` are equal, and so are records with the same
    /// fields in another order. The time is proportional to the size of the list.
    pub(super) struct Unique {
        /// The list that may contain equal items.
        items: Items<Var<'T'>>,
    }
}

impl Op for Unique {
    const NAME: &'static str = "unique";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::Input);
    const SAYS: &'static [&'static str] = &[
        "remove duplicates",
        "only distinct values",
        "discard repeated entries",
        "every name just once",
        "which different words occur",
        "a set without repeats",
        "dedupe an array",
        "each one only once, no matter how often it occurs",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Strings", r#"["b", "a", "b"] >> unique"#, r#"["b","a"]"#),
        Example::ok("Records", "[{ a: 1 }, { a: 1 }] >> unique >> len", "1"),
    ];
}

impl Inline for Unique {
    #[expect(clippy::mutable_key_type, reason = "a deferred field is made once, and equals itself")]
    fn run(self) -> Result<Value, OpError> {
        let items = self.items.0;
        let _held = memory::Charge::ahead(items.len() * 2 * size_of::<Value>())?;
        let mut seen = HashSet::with_capacity(items.len());
        let mut kept = Vec::new();
        for item in &items {
            if seen.insert(Same(item)) {
                kept.push(item.clone());
            }
        }
        Ok(kept.into())
    }
}

/// A value hashed consistently with `==`: equal values have the same hash.
pub(super) struct Same<'a>(pub(super) &'a Value);

impl PartialEq for Same<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Same<'_> {}

impl Hash for Same<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Value::Null => state.write_u8(0),
            Value::Bool(it) => it.hash(state),
            Value::Int(it) => it.hash(state),
            Value::Float(it) => hash_float(*it, state),
            Value::Duration(it) => it.hash(state),
            Value::Time(it) => it.hash(state),
            Value::Date(it) => it.hash(state),
            Value::Money(it) => it.hash(state),
            Value::Size(it) => it.hash(state),
            Value::Text(it) | Value::Path(it) => it.hash(state),
            Value::Bytes(it) => it.hash(state),
            // The check does not allow these in lists that are compared.
            Value::Model(it) => it.id().hash(state),
            Value::Secret(_) | Value::Flow(_) | Value::Opaque(_) => {}
            Value::List(items) => {
                state.write_usize(items.len());
                items.iter().for_each(|it| Same(it).hash(state));
            }
            Value::Record(record) => hash_record(record, state),
        }
    }
}

/// A float that is a whole number hashes as that number.
fn hash_float(it: f64, state: &mut impl Hasher) {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if it.fract() == 0.0 && (-BEYOND..BEYOND).contains(&it) {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and in the range")]
        (it as i64).hash(state);
    } else {
        it.to_bits().hash(state);
    }
}

/// The order of the fields does not matter, so they are hashed sorted by name; an absent field
/// counts as null.
fn hash_record(record: &Record, state: &mut impl Hasher) {
    let mut fields: Vec<_> = record.iter().filter(|(_, it)| !it.is_null()).collect();
    fields.sort_by_key(|(name, _)| *name);
    for (name, value) in fields {
        name.hash(state);
        Same(value).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, gives, gives_with};

    use super::*;

    #[test]
    fn equal_numbers_are_one() {
        gives::<Unique>("[[2, 2.0, 2.5, 2]]", "[2,2.5]");
        gives::<Unique>("[[0, -0.0]]", "[0]");
        gives::<Unique>(
            "[[9223372036854775807, 9223372036854775807.0]]",
            "[9223372036854775807,9.223372036854776e+18]",
        );
    }

    #[test]
    fn kinds_differ() {
        gives::<Unique>(
            r#"[[1, "1", true, null, [1], {"a": 1}, false, null]]"#,
            r#"[1,"1",true,null,[1],{"a":1},false]"#,
        );
    }

    #[test]
    fn records_are_compared_by_name() {
        gives::<Unique>(r#"[[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]]"#, r#"[{"a":1,"b":[2]}]"#);
    }

    #[test]
    fn a_long_list_takes_no_longer_than_its_length() {
        let items: Vec<Value> = (0..400_000).map(|it| (it % 200_000).into()).collect();
        let kept = call::<Unique>(vec![items.into()]).unwrap();
        assert_eq!(kept.as_list().unwrap().len(), 200_000);
        gives_with::<Unique>(&[Value::List(Vec::new().into())], "[]");
    }
}
