//! Values of a caller.

use std::{cmp::Ordering, hash::Hasher};

use crate::{Cell, Other, Text, codes::Quick};

/// A value of the caller.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val {
    Null,
    Int(i64),
    Float(f64),
    Bool(bool),
    Money(i64),
    Text(Text),
    List(Vec<Val>),
}

impl Other for Val {
    fn of(cell: Cell<'_, Self>) -> Self {
        match cell {
            Cell::Null | Cell::Duration(_) | Cell::Time(_) => Self::Null,
            Cell::Int(it) => Self::Int(it),
            Cell::Float(it) => Self::Float(it),
            Cell::Bool(it) => Self::Bool(it),
            Cell::Money(it) => Self::Money(it),
            Cell::Text(it) => Self::Text(it.clone()),
            Cell::Other(it) => it.clone(),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => match (a.is_nan(), b.is_nan()) {
                (false, false) => a.partial_cmp(b).unwrap(),
                (a, b) => a.cmp(&b),
            },
            (Self::Int(a), Self::Int(b)) | (Self::Money(a), Self::Money(b)) => a.cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (a, b) => {
                a.class().cmp(&b.class()).then_with(|| format!("{a:?}").cmp(&format!("{b:?}")))
            }
        }
    }

    fn hash(&self) -> u64 {
        let mut quick = Quick::default();
        match self {
            Self::Float(it) => quick.write_u64(crate::codes::float_key(*it)),
            other => quick.write(format!("{other:?}").as_bytes()),
        }
        quick.finish()
    }

    fn is_null(&self) -> bool {
        *self == Self::Null
    }

    fn text(cell: Cell<'_, Self>) -> Option<Text> {
        match cell {
            Cell::Text(it) => Some(it.clone()),
            Cell::Money(it) => Some(format!("${it}").into()),
            _ => None,
        }
    }

    fn read(text: &Text, like: &Self) -> Option<Self> {
        let money = text.strip_prefix('$')?.parse().ok()?;
        matches!(like, Self::Money(_)).then_some(Self::Money(money))
    }

    fn amount(text: &Text) -> Option<Self> {
        Some(Self::Money(text.strip_prefix('$')?.parse().ok()?))
    }

    fn kind_name(&self) -> &'static str {
        ["null", "int", "float", "bool", "money", "string", "list"][self.class()]
    }

    fn cell(&self) -> Cell<'_, Self> {
        match self {
            Self::Null => Cell::Null,
            Self::Int(it) => Cell::Int(*it),
            Self::Float(it) => Cell::Float(*it),
            Self::Bool(it) => Cell::Bool(*it),
            Self::Money(it) => Cell::Money(*it),
            Self::Text(it) => Cell::Text(it),
            Self::List(_) => Cell::Other(self),
        }
    }
}

impl Val {
    /// Nulls first, and kinds apart from each other.
    pub(super) fn class(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Int(_) => 1,
            Self::Float(_) => 2,
            Self::Bool(_) => 3,
            Self::Money(_) => 4,
            Self::Text(_) => 5,
            Self::List(_) => 6,
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}
