//! JSON merge patches.

use std::collections::{HashMap, HashSet};

use super::{Text, Value};

/// A value after changes, as a JSON merge patch (RFC 7396): null removes a field, and anything but a
/// record replaces the whole.
#[must_use]
pub fn merge_patch(target: Value, patch: &Value) -> Value {
    let Value::Record(patch) = patch else { return patch.clone() };
    let mut fields: Vec<(Text, Value)> = match target {
        Value::Record(of) => of.iter().map(|(name, it)| (name.clone(), it.clone())).collect(),
        _ => Vec::new(),
    };
    let places: HashMap<Text, usize> =
        fields.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
    let mut removed = HashSet::new();
    for (name, change) in patch.iter() {
        match places.get(name) {
            Some(at) if change.is_null() => {
                removed.insert(*at);
            }
            Some(at) => {
                let before = std::mem::take(&mut fields[*at].1);
                fields[*at].1 = merge_patch(before, change);
            }
            None if change.is_null() => {}
            None => fields.push((name.clone(), merge_patch(Value::Null, change))),
        }
    }
    let kept = fields.into_iter().enumerate().filter(|(at, _)| !removed.contains(at));
    Value::Record(kept.map(|(_, it)| it).collect())
}
