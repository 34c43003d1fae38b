//! Maps from lists and from other maps.

use std::collections::HashSet;

use svc_contract::{
    registry::{Example, Field, Inline, Op, OpError, Scheme, params},
    value::{Record, Text, Value},
};

use super::{
    super::{ANY_MAP, Mapped},
    ENTRIES, GROUPS,
};

/// The entries of a map, or the groups of a list.
pub(super) struct Pairs(Vec<(Text, Value)>);

impl Field for Pairs {
    const SCHEME: Scheme = Scheme::OneOf(&[ENTRIES, GROUPS]);

    fn decode(value: Value) -> Option<Self> {
        let Value::List(items) = value else { return None };
        let pair = |it: &Value| {
            let record = it.as_record()?;
            let Some(Value::Text(key)) = record.get("key") else { return None };
            let value = record.get("value").or_else(|| record.get("items"))?;
            Some((key.clone(), value.clone()))
        };
        items.iter().map(pair).collect::<Option<_>>().map(Self)
    }

    fn encode(self) -> Value {
        Value::Record(self.0.into_iter().collect())
    }
}

params! {
    /// Builds a map from a list of records `{ key, value }`, or from the groups of `group`.
    ///
    /// The keys keep the order of the list. A key that occurs twice is an error of kind
    /// `invalid_input`: group the list first, or keep one record of each key.
    pub(super) struct ToMap {
        /// The entries: `{ key, value }`, or `{ key, items }`.
        entries: Pairs,
    }
}

impl Op for ToMap {
    const NAME: &'static str = "to_map";
    const YIELDS: Scheme = ANY_MAP;
    const SAYS: &'static [&'static str] = &[
        "build a map from a list",
        "turn pairs into a dictionary",
        "look up rows by their id",
        "index a list by a key",
        "an object with computed keys",
        "make a map of the groups",
        "make a hash out of tuples",
        "build an object dynamically",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Entries",
            r#"[{ key: "a", value: 1 }, { key: "b", value: 2 }] >> to_map"#,
            r#"{"a":1,"b":2}"#,
        ),
        Example::ok(
            "Groups",
            r#"["tea", "cup", "pot"] >> group { slice(it, 0, 1) } >> to_map"#,
            r#"{"t":["tea"],"c":["cup"],"p":["pot"]}"#,
        ),
        Example::ok("The value of a key", r#"([{ key: "a", value: 1 }] >> to_map)["a"] ?? 0"#, "1"),
        Example::err(
            "A key that occurs twice",
            r#"[{ key: "a", value: 1 }, { key: "a", value: 2 }] >> to_map"#,
            "duplicate key `a`",
        ),
    ];
}

impl Inline for ToMap {
    fn run(self) -> Result<Value, OpError> {
        let mut seen: HashSet<&Text> = HashSet::with_capacity(self.entries.0.len());
        let again = self.entries.0.iter().find(|(key, _)| !seen.insert(key));
        if let Some((key, _)) = again {
            let message = format!("duplicate key `{key}`");
            let help = "group the list by the key first, or keep one entry of each key";
            return Err(OpError::invalid_input(message).help(help));
        }
        Ok(self.entries.encode())
    }
}

params! {
    /// Merges two maps: the second one wins where both have a key.
    ///
    /// The keys of the first map keep their places, and new ones follow.
    pub(super) struct Merge {
        /// The first map.
        map: Mapped,
        /// The second map, whose values win.
        with: Mapped,
    }
}

impl Op for Merge {
    const NAME: &'static str = "merge";
    const YIELDS: Scheme = ANY_MAP;
    const SAYS: &'static [&'static str] = &[
        "merge two maps",
        "combine two dictionaries",
        "override the values of some keys",
        "defaults and overrides",
        "combine settings with default ones",
        "lay one dictionary on top of another",
        "update an object with new fields",
        "the second counts where both have a setting",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The second wins",
            "merge({ a: 1, b: 2 }, { b: 3, c: 4 })",
            r#"{"a":1,"b":3,"c":4}"#,
        ),
        Example::err(
            "Not an object",
            r"merge('[1]' >> parse_json, '{}' >> parse_json)",
            "found list",
        ),
    ];
}

impl Inline for Merge {
    fn run(self) -> Result<Value, OpError> {
        let (first, second) = (self.map.0, self.with.0);
        let kept = first.iter().map(|(key, value)| (key.clone(), second.get(key).unwrap_or(value)));
        let new = second.iter().filter(|(key, _)| !first.has(key));
        let all = kept.chain(new.map(|(key, value)| (key.clone(), value)));
        Ok(Value::Record(all.map(|(key, it)| (key, it.clone())).collect::<Record>()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn empty_and_many_entries() {
        gives::<ToMap>("[[]]", "{}");
        gives::<Merge>("[{}, {}]", "{}");
        gives::<Merge>(r#"[{"a": 1}, {"a": null}]"#, r#"{"a":null}"#);
        let many = |from: usize| -> String {
            let all: Vec<String> = (from..from + 1000)
                .map(|it| format!(r#"{{"key":"k{it}","value":{it}}}"#))
                .collect();
            format!("[[{}]]", all.join(","))
        };
        assert!(fails::<ToMap>(&many(0).replace("k999", "k0")).message.contains("`k0`"));
    }
}
