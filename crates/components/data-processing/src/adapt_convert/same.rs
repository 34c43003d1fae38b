//! When two JSON values are the same: `1` and `1.0` are, and the order of fields does not count.

use std::cmp::Ordering;

use svc_contract::value::Value;

pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b))
        }
        (Value::Record(a), Value::Record(b)) => {
            let has = |name: &str, it| b.get(name).is_some_and(|other| is_same(it, other));
            a.len() == b.len() && a.iter().all(|(name, it)| has(name, it))
        }
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            number_order(a, b) == Some(Ordering::Equal)
        }
        _ => a == b,
    }
}

/// The order of two numbers; none if one is not a number.
pub(super) fn number_order(a: &Value, b: &Value) -> Option<Ordering> {
    #[expect(clippy::cast_precision_loss, reason = "a float is compared with the nearest float")]
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        _ => None,
    }
}
