//! Equality and order of values.

use std::{cmp::Ordering, collections::HashMap};

use super::{List, Record, Text, Value};

impl PartialEq for Value {
    /// Numbers of different kinds are equal if they have the same numeric value.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Model(a), Self::Model(b)) => a.id() == b.id(),
            (Self::Opaque(a), Self::Opaque(b)) => a.is_same(b),
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Record(a), Self::Record(b)) => a == b,
            _ => self.order(other) == Some(Ordering::Equal),
        }
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl PartialEq for Record {
    /// Equal by names and values; the order of the fields does not matter, and a missing field
    /// equals null.
    fn eq(&self, other: &Self) -> bool {
        if self.names() == other.names() {
            return self.iter().map(|(_, it)| it).eq(other.iter().map(|(_, it)| it));
        }
        let mut theirs: HashMap<&Text, &Value> = other.iter().collect();
        let is_same = |(name, value): (&Text, &Value)| match theirs.remove(name) {
            Some(it) => it == value,
            None => value.is_null(),
        };
        self.iter().all(is_same) && theirs.values().all(|it| it.is_null())
    }
}

impl Value {
    /// The order of two values of the same ordered kind: numbers, text, units, times, dates, booleans.
    ///
    /// Other values have no order; a script that compares them does not pass the check.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            (Self::Int(a), Self::Float(b)) => order_mixed(*a, *b),
            (Self::Float(a), Self::Int(b)) => order_mixed(*b, *a).map(Ordering::reverse),
            (Self::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            (Self::Duration(a), Self::Duration(b)) => Some(a.cmp(b)),
            (Self::Time(a), Self::Time(b)) => Some(a.cmp(b)),
            (Self::Date(a), Self::Date(b)) => Some(a.cmp(b)),
            (Self::Money(a), Self::Money(b)) => Some(a.cmp(b)),
            (Self::Size(a), Self::Size(b)) => Some(a.cmp(b)),
            (Self::Text(a) | Self::Path(a), Self::Text(b) | Self::Path(b)) => Some(a.cmp(b)),
            (Self::Null, Self::Null) => Some(Ordering::Equal),
            (Self::Null, _) => Some(Ordering::Less),
            (_, Self::Null) => Some(Ordering::Greater),
            _ => None,
        }
    }
}

/// Compares exactly: an `i64` beyond 2^53 must not be rounded to the nearest float.
fn order_mixed(int: i64, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was tested above")]
    let whole = float.trunc() as i64;
    match int.cmp(&whole) {
        Ordering::Equal => 0.0_f64.partial_cmp(&float.fract()),
        unequal => Some(unequal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_exactly() {
        assert_eq!(Value::Int(2), Value::Float(2.0));
        assert_eq!(Value::Int(0), Value::Float(-0.0));
        assert!(Value::Int(i64::MAX) != Value::Float(9_223_372_036_854_775_807.0));
        assert_eq!(Value::Int(2).order(&Value::Float(2.5)), Some(Ordering::Less));
        assert_eq!(Value::Int(-2).order(&Value::Float(-2.5)), Some(Ordering::Greater));
        assert_eq!(Value::Float(1.0).order(&Value::Float(f64::NAN)), None);
    }

    #[test]
    fn an_absent_field_is_null() {
        let record = |fields: &[(&str, Value)]| {
            let fields = fields.iter().map(|(name, it)| (Text::from(*name), it.clone()));
            Value::Record(fields.collect())
        };
        let bare = record(&[("a", Value::Int(1))]);
        let full = record(&[("b", Value::Null), ("a", Value::Int(1))]);
        let other = record(&[("a", Value::Int(1)), ("c", Value::Null)]);
        for (a, b) in [(&bare, &full), (&full, &bare), (&full, &other)] {
            assert_eq!(a, b);
        }
        assert!(bare != record(&[("a", Value::Int(1)), ("b", Value::Int(2))]));
        assert!(record(&[("a", 1.into()), ("b", 2.into())]) != full);
    }
}
