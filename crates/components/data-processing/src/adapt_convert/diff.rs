//! What makes one JSON value of another one, as a patch of RFC 6902.

use svc_contract::{
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Var, params, record,
    },
    value::{List, Record, Text, Value},
};

use super::{DEEPEST, patch::plain, pointer::escaped, same::is_same, too_deep};

record! {
    /// An operation of a JSON patch (RFC 6902).
    struct PatchOp {
        /// `add`, `remove` or `replace`.
        op: Text,
        /// The place, as a JSON pointer.
        path: Text,
        /// The new value; null where there is none.
        value: Value,
    }
}

params! {
    /// Compares two JSON values, and returns the JSON patch (RFC 6902) that makes the second one of the first one.
    ///
    /// The order of fields, and whether a whole number is written as `1` or `1.0`, do not count. Items
    /// of lists are compared as the lines of a file: what is added or removed does not change the rest.
    /// `patch` applies the result. For texts, see `diff`.
    pub(super) struct Diff {
        /// The value as it was.
        value: Var<'T'>,
        /// The value as it shall be.
        other: Var<'U'>,
    }
}

impl Op for Diff {
    const NAME: &'static str = "diff";
    const YIELDS: Scheme = Scheme::List(&PatchOp::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "compare two json documents",
        "json patch between two objects",
        "which fields changed in a json value",
        "structural difference of two settings objects",
        "rfc 6902 diff",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A field and an item",
            "{ a: 1, b: [1, 3] } >> convert.diff(other: { a: 2, b: [1, 2, 3] })",
            r#"[{"op":"replace","path":"/a","value":2},{"op":"add","path":"/b/1","value":2}]"#,
        ),
        Example::ok(
            "There and back",
            r#"let old = { a: { b: null, c: [1] } }
let new = { a: { c: ["x"] }, d: true }
let changes = old >> convert.diff(other: new)
old >> convert.patch(ops: changes)"#,
            r#"{"a":{"c":["x"]},"d":true}"#,
        ),
    ];
}

impl Compute for Diff {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (old, new) = (plain(self.value.0)?, plain(self.other.0)?);
        let mut differ = Differ { ops: Vec::new(), cx };
        differ.values("", &old, &new, 0)?;
        Ok(differ.ops.encode())
    }
}

struct Differ<'a> {
    ops: Vec<PatchOp>,
    cx: &'a Cx,
}

impl Differ<'_> {
    fn push(&mut self, op: &str, path: String, value: Value) {
        self.ops.push(PatchOp { op: op.into(), path: path.into(), value });
    }

    fn values(
        &mut self,
        path: &str,
        old: &Value,
        new: &Value,
        depth: usize,
    ) -> Result<(), OpError> {
        self.cx.check()?;
        if depth > DEEPEST {
            return Err(too_deep());
        }
        match (old, new) {
            (Value::Record(old), Value::Record(new)) => self.records(path, old, new, depth),
            (Value::List(old), Value::List(new)) => self.lists(path, old, new, depth),
            _ if is_same(old, new) => Ok(()),
            _ => {
                self.push("replace", path.to_owned(), new.clone());
                Ok(())
            }
        }
    }

    fn records(
        &mut self,
        path: &str,
        old: &Record,
        new: &Record,
        depth: usize,
    ) -> Result<(), OpError> {
        for (name, it) in old.iter() {
            let path = format!("{path}/{}", escaped(name));
            match new.get(name) {
                Some(new) => self.values(&path, it, new, depth + 1)?,
                None => self.push("remove", path, Value::Null),
            }
        }
        for (name, it) in new.iter().filter(|(name, _)| !old.has(name)) {
            self.push("add", format!("{path}/{}", escaped(name)), it.clone());
        }
        Ok(())
    }

    /// Between items that are the same in both lists, items at the same place are compared, and the
    /// rest is added or removed.
    fn lists(&mut self, path: &str, old: &List, new: &List, depth: usize) -> Result<(), OpError> {
        let mut place = 0;
        let (mut from, mut to) = (0, 0);
        let kept = common(old, new, self.cx)?;
        for (a, b) in kept.into_iter().chain([(old.len(), new.len())]) {
            let both = (a - from).min(b - to);
            for step in 0..both {
                let (Some(old), Some(new)) = (old.get(from + step), new.get(to + step)) else {
                    continue;
                };
                self.values(&format!("{path}/{place}"), old, new, depth + 1)?;
                place += 1;
            }
            for _ in from + both..a {
                self.push("remove", format!("{path}/{place}"), Value::Null);
            }
            for it in (to + both..b).filter_map(|it| new.get(it)) {
                self.push("add", format!("{path}/{place}"), it.clone());
                place += 1;
            }
            place += 1;
            (from, to) = (a + 1, b + 1);
        }
        Ok(())
    }
}

/// The places of items that both lists have, in order: a longest common subsequence if the lists are
/// short between their common ends, else the common ends.
fn common(old: &List, new: &List, cx: &Cx) -> Result<Vec<(usize, usize)>, OpError> {
    /// The most pairs of items that are compared.
    const MOST: usize = 1 << 22;
    let same = |a: usize, b: usize| match (old.get(a), new.get(b)) {
        (Some(a), Some(b)) => is_same(a, b),
        _ => false,
    };
    let most = old.len().min(new.len());
    let start = (0..most).take_while(|it| same(*it, *it)).count();
    let end = (1..=most - start).take_while(|it| same(old.len() - it, new.len() - it)).count();
    let (rows, columns) = (old.len() - start - end, new.len() - start - end);
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|it| (it, it)).collect();
    if rows.saturating_mul(columns) <= MOST {
        let width = columns + 1;
        // The length of the longest common part of what follows each pair.
        let mut lengths = vec![0_u32; (rows + 1) * width];
        for a in (0..rows).rev() {
            cx.check()?;
            for b in (0..columns).rev() {
                lengths[a * width + b] = if same(start + a, start + b) {
                    lengths[(a + 1) * width + b + 1] + 1
                } else {
                    lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
                };
            }
        }
        let (mut a, mut b) = (0, 0);
        while a < rows && b < columns {
            let here = lengths[a * width + b];
            if here == lengths[(a + 1) * width + b] {
                a += 1;
            } else if here == lengths[a * width + b + 1] {
                b += 1;
            } else {
                pairs.push((start + a, start + b));
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    pairs.extend((0..end).rev().map(|it| (old.len() - 1 - it, new.len() - 1 - it)));
    Ok(pairs)
}
