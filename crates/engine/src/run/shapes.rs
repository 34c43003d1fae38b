//! Lists in another order, or in groups.

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use svc_contract::value::{List, Record, Slot, Text, Value, memory};

/// Sorted ascending and stable by their keys; values without an order keep their places.
pub(super) fn sorted<T>(mut keyed: Vec<(Value, T)>) -> impl Iterator<Item = T> {
    keyed.sort_by(|(a, _), (b, _)| order(a, b));
    keyed.into_iter().map(|(_, it)| it)
}

/// The order of two keys. Those of several values are compared one after another.
fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        // All keys are made in one place, so their fields are in the same order.
        (Value::Record(a), Value::Record(b)) => {
            first_unequal(a.iter().zip(b.iter()).map(|((_, a), (_, b))| order(a, b)))
        }
        (Value::List(a), Value::List(b)) => {
            first_unequal(a.iter().zip(b.iter()).map(|(a, b)| order(a, b)))
                .then(a.len().cmp(&b.len()))
        }
        _ => a.order(b).unwrap_or(Ordering::Equal),
    }
}

fn first_unequal(mut all: impl Iterator<Item = Ordering>) -> Ordering {
    all.find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
}

/// The memory of a group, besides its items.
const GROUP: usize = 320;

/// Groups in the order of their first items, whose lists `of` makes.
pub(super) fn grouped<T>(
    keyed: impl Iterator<Item = (Value, T)>,
    of: impl Fn(Vec<T>) -> List,
) -> List {
    let mut groups: Vec<(Value, Vec<T>)> = Vec::new();
    // Equal keys have equal text, so the text narrows down the groups to compare with.
    let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
    for (key, item) in keyed {
        let candidates = by_text.entry(key_text(&key)).or_default();
        match candidates.iter().find(|it| groups[**it].0 == key) {
            Some(idx) => groups[*idx].1.push(item),
            None => {
                candidates.push(groups.len());
                // A value built without memory for it is never used.
                if memory::make(GROUP).is_err() {
                    break;
                }
                groups.push((key, vec![item]));
            }
        }
    }
    let names: Arc<[Text]> = ["key".into(), "items".into()].into();
    groups
        .into_iter()
        .map(|(key, items)| {
            let slots = vec![Slot::Ready(key), Slot::Ready(Value::List(of(items)))];
            Value::Record(Record::of_slots(names.clone(), slots))
        })
        .collect()
}

/// Returns the same text for equal values: an int and a float of one number have the same text.
fn key_text(key: &Value) -> String {
    match key {
        #[expect(clippy::cast_precision_loss, reason = "it only finds candidates")]
        Value::Int(it) => format!("{:?}", *it as f64),
        Value::Float(it) => format!("{:?}", it + 0.0),
        Value::List(_) | Value::Record(_) => String::new(),
        other => other.to_string(),
    }
}
