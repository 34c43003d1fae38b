//! Changes of JSON values: patches of RFC 6902, and merge patches of RFC 7386.

use svc_contract::{
    choices,
    registry::{Compute, Cx, ErrorKind, Example, Op, OpError, Scheme, Var, params},
    value::{Record, Text, Type, Value, arithmetic::HEAVIEST, memory, merge_patch},
};

use super::{
    DEEPEST,
    pointer::{self, place},
    same::is_same,
    too_deep, too_long,
};

choices! {
    /// What a patch is.
    enum Kind {
        Auto = "auto",
        Json = "json_patch",
        Merge = "merge_patch",
    }
}

params! {
    /// Changes a JSON value by a JSON patch (RFC 6902) or a merge patch (RFC 7386).
    ///
    /// A JSON patch is a list of operations: `add`, `remove`, `replace`, `move`, `copy`, `test`. They are
    /// made in order; if one fails, the whole patch fails, and the message names it. A merge
    /// patch is an object with the fields to set; a field that is null is removed.
    pub(super) struct Patch {
        /// The value to change.
        value: Var<'T'>,
        /// The patch, for example a result of `diff`.
        ops: Var<'U'>,
        /// What the patch is; by default a list is a JSON patch, and anything else a merge patch.
        kind: Kind = Kind::Auto,
    }
}

impl Op for Patch {
    const NAME: &'static str = "patch";
    const YIELDS: Scheme = Scheme::Json;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "apply a json patch",
        "json merge patch",
        "rfc 6902 operations on an object",
        "change some fields of a json document",
        "overlay one settings object on another",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A JSON patch",
            r#"{ a: 1, b: [1, 2] } >> convert.patch(ops: [{ op: "add", path: "/b/-", value: 3 }])"#,
            r#"{"a":1,"b":[1,2,3]}"#,
        ),
        Example::ok(
            "A merge patch",
            "{ a: 1, b: { c: 2, d: 3 } } >> convert.patch(ops: { a: null, b: { c: 4 } })",
            r#"{"b":{"c":4,"d":3}}"#,
        ),
        Example::err(
            "A failed test",
            r#"{ a: 1 } >> convert.patch(ops: [{ op: "test", path: "/a", value: 2 }])"#,
            "operation 1 (`test`): the value at `/a` is another one",
        ),
    ];
}

impl Compute for Patch {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = plain(self.value.0)?;
        let patch = plain(self.ops.0)?;
        let changed = match (self.kind, patch) {
            (Kind::Auto | Kind::Json, Value::List(ops)) => {
                let mut value = value;
                for (idx, op) in ops.iter().enumerate() {
                    cx.check()?;
                    value = changed(value, op).map_err(|why| {
                        let name = op.as_record().and_then(|it| it.get("op")?.as_str());
                        let name = name.map(|it| format!(" (`{it}`)")).unwrap_or_default();
                        let message = format!("operation {}{name}: {}", idx + 1, why.message);
                        OpError { message, ..why }
                    })?;
                    if value.weight() > HEAVIEST {
                        return Err(too_long());
                    }
                }
                value
            }
            (Kind::Json, other) => {
                let message =
                    format!("expected a list of operations for `ops`, found {}", other.kind());
                return Err(OpError::invalid_input(message));
            }
            (_, patch) => merge_patch(value, &patch),
        };
        if depth(&changed, DEEPEST) { Ok(changed) } else { Err(too_deep()) }
    }
}

/// A value with nothing that JSON does not have.
pub(super) fn plain(value: Value) -> Result<Value, OpError> {
    value.cast(&Type::Json).map_err(|err| OpError::invalid_input(err.to_string()))
}

/// Whether a value has at most this many levels.
fn depth(value: &Value, most: usize) -> bool {
    match value {
        Value::List(it) => most > 0 && it.iter().all(|it| depth(it, most - 1)),
        Value::Record(it) => most > 0 && it.iter().all(|(_, it)| depth(it, most - 1)),
        _ => true,
    }
}

fn wrong(why: impl Into<String>) -> OpError {
    OpError::invalid_input(why)
}

fn changed(value: Value, op: &Value) -> Result<Value, OpError> {
    let Value::Record(op) = op else {
        return Err(wrong(format!("expected an object, found {}", op.kind())));
    };
    let text = |name: &str| match op.get(name) {
        Some(Value::Text(it)) => Ok(it.clone()),
        Some(other) => {
            Err(wrong(format!("expected a string for `{name}`, found {}", other.kind())))
        }
        None => Err(wrong(format!("missing `{name}`"))),
    };
    let given = || op.get("value").cloned().ok_or_else(|| wrong("missing `value`"));
    let (name, path) = (text("op")?, text("path")?);
    let parts = pointer::parts(&path)?;
    let found = |value: &Value, path: &Text| -> Result<Value, OpError> {
        let parts = pointer::parts(path)?;
        pointer::get(value, &parts).cloned().ok_or_else(|| absent(path))
    };
    match &*name {
        "add" => at(value, &parts, &path, &Change::Add(given()?)),
        "remove" => at(value, &parts, &path, &Change::Remove),
        "replace" => at(value, &parts, &path, &Change::Replace(given()?)),
        "test" => {
            let (found, wanted) = (found(&value, &path)?, given()?);
            if is_same(&found, &wanted) {
                Ok(value)
            } else {
                Err(wrong(format!("the value at `{path}` is another one")))
            }
        }
        "copy" => {
            let copied = found(&value, &text("from")?)?;
            at(value, &parts, &path, &Change::Add(copied))
        }
        "move" => {
            let from = text("from")?;
            if path.strip_prefix(&*from).is_some_and(|it| it.starts_with('/')) {
                return Err(wrong(format!("cannot move `{from}` into itself")));
            }
            let moved = found(&value, &from)?;
            let rest = at(value, &pointer::parts(&from)?, &from, &Change::Remove)?;
            at(rest, &parts, &path, &Change::Add(moved))
        }
        other => {
            let help = "write `add`, `remove`, `replace`, `move`, `copy` or `test`";
            Err(wrong(format!("unknown operation `{other}`")).help(help))
        }
    }
}

fn absent(path: &str) -> OpError {
    wrong(format!("nothing is at `{path}`"))
}

enum Change {
    Add(Value),
    Remove,
    Replace(Value),
}

/// The same value with a change at a place.
fn at(value: Value, parts: &[Text], path: &str, change: &Change) -> Result<Value, OpError> {
    let [part, rest @ ..] = parts else {
        return match change {
            Change::Add(it) | Change::Replace(it) => Ok(it.clone()),
            Change::Remove => Ok(Value::Null),
        };
    };
    match value {
        Value::Record(fields) => {
            memory::make(fields.len() * size_of::<Value>())?;
            let inner = fields.get(part).cloned();
            let new = match (rest, change, inner) {
                ([], Change::Remove, Some(_)) => None,
                ([], Change::Add(it), _) | ([], Change::Replace(it), Some(_)) => Some(it.clone()),
                ([_, ..], _, Some(inner)) => Some(at(inner, rest, path, change)?),
                _ => return Err(absent(path)),
            };
            Ok(Value::Record(with_field(&fields, part, new.as_ref())))
        }
        Value::List(items) => {
            let mut items = items.into_vec();
            let len = items.len();
            let is_added = rest.is_empty() && matches!(change, Change::Add(_));
            let idx = if &**part == "-" && is_added { Some(len) } else { place(part) };
            let most = if is_added { len + 1 } else { len };
            let Some(idx) = idx else {
                return Err(wrong(format!(
                    "expected a place in a list in `{path}`, found `{part}`"
                )));
            };
            if idx >= most {
                return Err(wrong(format!("the list in `{path}` has only {len} items")));
            }
            match (rest, change) {
                ([], Change::Add(it)) => items.insert(idx, it.clone()),
                ([], Change::Replace(it)) => items[idx] = it.clone(),
                ([], Change::Remove) => drop(items.remove(idx)),
                _ => {
                    let inner = std::mem::take(&mut items[idx]);
                    items[idx] = at(inner, rest, path, change)?;
                }
            }
            Ok(Value::from(items))
        }
        _ => Err(absent(path)),
    }
}

/// The same fields with another value of one; without it if there is none.
fn with_field(fields: &Record, name: &Text, new: Option<&Value>) -> Record {
    let is_new = !fields.has(name);
    let added = new.filter(|_| is_new).map(|it| (name.clone(), it.clone()));
    let kept = fields.iter().filter_map(|(own, it)| match new {
        Some(new) if own == name => Some((own.clone(), new.clone())),
        None if own == name => None,
        _ => Some((own.clone(), it.clone())),
    });
    kept.chain(added).collect()
}
