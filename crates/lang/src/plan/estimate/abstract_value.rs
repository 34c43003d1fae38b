//! Extents: the knowledge about a value before it exists, either the value or its size.
//!
//! **Invariant:** every value that a run can have at a place lies within the extent of that
//! place. If nothing better is known, it is the extent of the type of the value.

use std::sync::Arc;

use svc_contract::{
    registry::{Known, Sizes, written},
    value::{Record, Text, Type, Value, json},
};

use crate::check::TypedFlow;

/// The knowledge about a value.
#[derive(Clone, Debug)]
pub(super) enum AbstractValue {
    Known(Value),
    List {
        items: Items,
        item: Arc<AbstractValue>,
    },
    Record(Arc<Fields>),
    /// Any value of a type with this written size; without a size, the type determines it.
    Any {
        ty: Type,
        sizes: Option<Sizes>,
        /// Whether the inputs of the script determine it.
        is_given: bool,
    },
}

/// The knowledge about the fields of a record.
#[derive(Debug)]
pub(super) struct Fields {
    all: Vec<(Text, AbstractValue)>,
    // Values share their parts, so a few lines can create one with too many parts to be
    // counted repeatedly.
    sizes: Sizes,
    parts: u64,
}

/// The number of items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Items {
    pub(super) least: u64,
    pub(super) usual: u64,
    pub(super) most: Option<u64>,
    /// Whether the maximum is known once the inputs are.
    pub(super) is_given: bool,
}

/// The length of a text and the number of items of a list if nothing is known; only used for
/// expected amounts.
const USUAL_TEXT: u64 = 400;
const USUAL_ITEMS: u64 = 10;

/// The greatest written length of numbers and units.
const LONGEST_NUMBER: u64 = 32;
const LONGEST_UNIT: u64 = 48;

/// A time is `2026-11-23T08:00:00Z`, or has nanoseconds and a year of six digits with a sign.
const SHORTEST_TIME: u64 = 20;
const LONGEST_TIME: u64 = 33;
const SHORTEST_DATE: u64 = 10;
const LONGEST_DATE: u64 = 13;

/// The most bytes of a character of a string in JSON.
const ESCAPED: u64 = 6;

/// Of lists with more items, only the type is known.
const MOST_JOINED: usize = 256;

/// Of a value with more parts, or a larger one, only the type and length are known.
const MOST_PARTS: u64 = 4_096;

impl Items {
    pub(super) fn exactly(count: usize) -> Self {
        let count = count as u64;
        Self { least: count, usual: count, most: Some(count), is_given: true }
    }

    pub(super) fn at_most(most: Option<u64>, is_given: bool) -> Self {
        let usual = most.map_or(USUAL_ITEMS, |it| it.min(USUAL_ITEMS));
        Self { least: 0, usual, most, is_given }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            usual: self.usual.saturating_add(other.usual),
            most: self.most.zip(other.most).map(|(a, b)| a.saturating_add(b)),
            is_given: self.is_given && other.is_given,
        }
    }

    /// Applies a second maximum; one that is not known yet has no effect.
    pub(super) fn within(self, most: Option<u64>) -> Self {
        let most = self.most.into_iter().chain(most).min();
        let usual = most.map_or(self.usual, |it| self.usual.min(it));
        Self { least: most.map_or(self.least, |it| self.least.min(it)), usual, most, ..self }
    }

    fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            usual: self.usual.max(other.usual),
            most: self.most.zip(other.most).map(|(a, b)| a.max(b)),
            is_given: self.is_given && other.is_given,
        }
    }
}

impl AbstractValue {
    /// The extent of every value of a type.
    pub(super) fn of(ty: &Type) -> Self {
        Self::Any { ty: ty.clone(), sizes: None, is_given: false }
    }

    /// The extent of an input of the script that is not known yet.
    pub(super) fn given(ty: &Type) -> Self {
        Self::Any { ty: ty.clone(), sizes: None, is_given: true }
    }

    /// The extent of a value with a known written size.
    pub(super) fn sized(ty: &Type, sizes: Sizes) -> Self {
        Self::Any { ty: ty.clone(), sizes: Some(sizes), is_given: false }
    }

    pub(super) fn null() -> Self {
        Self::Known(Value::Null)
    }

    pub(super) fn as_known(&self) -> Option<&Value> {
        match self {
            Self::Known(value) => Some(value),
            _ => None,
        }
    }

    /// The form passed to the price function of an op.
    pub(super) fn known(&self) -> Known<'_> {
        match self {
            Self::Known(value) => Known::Value(value),
            Self::List { items, item } => {
                Known::Items { most: items.most, each: item.sizes(), all: self.sizes() }
            }
            other => Known::Sized(other.sizes()),
        }
    }

    /// Whether two extents are the same; large ones are not compared, but count as different.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => is_same_value(a, b),
            (Self::List { items: a, item: of }, Self::List { items: b, item: other }) => {
                a == b && (Arc::ptr_eq(of, other) || of.is_same(other))
            }
            (Self::Record(a), Self::Record(b)) => Arc::ptr_eq(a, b),
            (
                Self::Any { ty: a, sizes: of, is_given },
                Self::Any { ty: b, sizes: other, is_given: is_other },
            ) => is_given == is_other && of == other && a == b,
            _ => false,
        }
    }

    /// Whether it is settled once the inputs of the script are.
    pub(super) fn is_given(&self) -> bool {
        match self {
            Self::Known(_) => true,
            Self::List { items, item } => items.is_given && item.is_given(),
            Self::Record(fields) => fields.all.iter().all(|(_, it)| it.is_given()),
            Self::Any { is_given, .. } => *is_given,
        }
    }

    /// Sets whether the inputs settle it.
    pub(super) fn settled(self, is_given: bool) -> Self {
        match self {
            Self::Any { ty, sizes, .. } => Self::Any { ty, sizes, is_given },
            other => other,
        }
    }

    /// The same value, or null. `expected` is the type of the value if it is not null.
    pub(super) fn optional(&self, expected: &Type) -> Self {
        match self {
            Self::Known(Value::Null) => self.clone(),
            other => Self::Any {
                ty: expected.clone().optional(),
                sizes: Some(join_sizes(other.sizes(), NULL)),
                is_given: other.is_given(),
            },
        }
    }

    /// The number of its parts; shared parts are counted each time.
    fn parts(&self) -> u64 {
        match self {
            Self::Known(value) => value.weight(),
            Self::List { item, .. } => item.parts().saturating_add(1),
            Self::Record(fields) => fields.parts,
            Self::Any { .. } => 1,
        }
    }

    /// Reduces it to its length if it has too many parts. `expected` is its type.
    fn bearable(self, expected: &Type) -> Self {
        if self.parts() <= MOST_PARTS {
            return self;
        }
        let is_given = self.is_given();
        let sizes = match &self {
            Self::Record(fields) => Some(fields.sizes),
            Self::List { .. } => Some(self.sizes()),
            _ => None,
        };
        Self::Any { ty: expected.clone(), sizes, is_given }
    }

    pub(super) fn field(&self, name: &str, expected: &Type) -> Self {
        match self {
            Self::Known(Value::Record(record)) => {
                Self::Known(record.get(name).cloned().unwrap_or_default())
            }
            Self::Known(_) => Self::null(),
            Self::Record(fields) => {
                let found = fields.all.iter().find(|(it, _)| it.as_ref() == name);
                found.map_or(Self::null(), |(_, it)| it.clone())
            }
            Self::Any { .. } | Self::List { .. } => self.part(expected),
        }
    }

    /// A part of a value of which only the type is known: it is at most as long as the whole, or
    /// it is missing and null.
    fn part(&self, ty: &Type) -> Self {
        let Self::Any { sizes, is_given, .. } = self else { return Self::of(ty) };
        let sizes = sizes.as_ref().and_then(|it| it.most).map(|most| {
            let own = sizes_of(ty);
            let most = if ty.is_optional() { most.max(NULL.usual) } else { most };
            let most = own.most.map_or(most, |it| it.min(most));
            Sizes { least: own.least.min(most), usual: own.usual.min(most), most: Some(most) }
        });
        Self::Any { ty: ty.clone(), sizes, is_given: *is_given }
    }

    /// The extent of every item of a list. `expected` is the type of an item.
    pub(super) fn item(&self, expected: &Type) -> Self {
        match self {
            Self::Known(Value::List(items)) if items.len() <= MOST_JOINED => {
                let all = items.iter().map(|it| Self::Known(it.clone()));
                all.reduce(|a, b| a.or(&b, expected))
                    .unwrap_or_else(|| Self::of(expected).settled(true))
            }
            Self::List { item, .. } => item.as_ref().clone(),
            Self::Known(whole) => {
                let sizes = Some(Sizes::exactly(written(whole)));
                Self::Any { ty: expected.clone(), sizes, is_given: true }.part(expected)
            }
            other => other.part(expected),
        }
    }

    /// The number of items of a list.
    pub(super) fn items(&self) -> Items {
        match self {
            Self::Known(Value::List(items)) => Items::exactly(items.len()),
            Self::List { items, .. } => *items,
            // Only its type and its size bound a list, not that the caller chooses its length.
            Self::Any { ty, sizes, .. } => {
                let most = match ty.required() {
                    Type::List(_, most) => *most,
                    _ => None,
                };
                // Every item but the first has a comma before it.
                let written = sizes.and_then(|it| it.most).map(|it| it / 2);
                Items::at_most(most, false).within(written)
            }
            Self::Known(_) | Self::Record(_) => Items::at_most(None, false),
        }
    }

    /// One of the two. `expected` is the type of both.
    pub(super) fn or(&self, other: &Self, expected: &Type) -> Self {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) if a == b => self.clone(),
            (Self::List { .. }, Self::List { .. }) => {
                let item = item_type(expected);
                Self::List {
                    items: self.items().or(other.items()),
                    item: self.item(&item).or(&other.item(&item), &item).into(),
                }
            }
            (a, b) if a.is_record() && b.is_record() && matches!(expected, Type::Record(_)) => {
                let Type::Record(of) = expected else { return Self::of(expected) };
                if a.width() != of.fields.len() || b.width() != of.fields.len() {
                    // Fields that the type does not name are still written.
                    return self.either(other, expected);
                }
                let field = |(name, ty): &(Text, Type)| {
                    (name.clone(), a.field(name, ty).or(&b.field(name, ty), ty))
                };
                record(of.fields.iter().map(field).collect(), expected)
            }
            _ => self.either(other, expected),
        }
    }

    fn either(&self, other: &Self, expected: &Type) -> Self {
        Self::Any {
            ty: expected.clone(),
            sizes: Some(join_sizes(self.sizes(), other.sizes())),
            is_given: self.is_given() && other.is_given(),
        }
    }

    fn is_record(&self) -> bool {
        matches!(self, Self::Record(_) | Self::Known(Value::Record(_)))
    }

    /// The number of fields of a record.
    fn width(&self) -> usize {
        match self {
            Self::Known(Value::Record(record)) => record.len(),
            Self::Record(fields) => fields.all.len(),
            _ => 0,
        }
    }

    /// The concatenation of two lists or texts.
    pub(super) fn then(&self, other: &Self, expected: &Type) -> Self {
        match expected {
            Type::List(item, _) => Self::List {
                items: self.items().plus(other.items()),
                item: self.item(item).or(&other.item(item), item).into(),
            },
            _ => Self::Any {
                ty: expected.clone(),
                sizes: Some(self.sizes().plus(other.sizes())),
                is_given: self.is_given() && other.is_given(),
            },
        }
    }

    /// The number of bytes of the written value.
    pub(super) fn sizes(&self) -> Sizes {
        match self {
            Self::Known(value) => Sizes::exactly(written(value)),
            Self::List { items, item } => list_sizes(*items, item.quoted()),
            Self::Record(fields) => fields.sizes,
            Self::Any { sizes: Some(sizes), .. } => *sizes,
            Self::Any { ty, .. } => sizes_of(ty),
        }
    }

    /// Like [`Self::sizes`], inside JSON, where texts have quotes and escapes.
    fn quoted(&self) -> Sizes {
        match self {
            Self::Known(value) => Sizes::exactly(json::len(value)),
            Self::Any { ty, sizes: Some(sizes), .. } if is_text(ty) => escaped(*sizes),
            Self::Any { ty, sizes: None, .. } => quoted_of(ty),
            other => other.sizes(),
        }
    }
}

const NULL: Sizes = Sizes::exactly(4);

fn join_sizes(a: Sizes, b: Sizes) -> Sizes {
    Sizes {
        least: a.least.min(b.least),
        usual: a.usual.max(b.usual),
        most: a.most.zip(b.most).map(|(a, b)| a.max(b)),
    }
}

fn between(least: u64, most: u64) -> Sizes {
    Sizes { least, usual: u64::midpoint(least, most), most: Some(most) }
}

fn item_type(list: &Type) -> Type {
    match list.required() {
        Type::List(item, _) => item.as_ref().clone(),
        _ => Type::Json,
    }
}

/// Whether JSON puts quotes around values of a type.
fn is_text(ty: &Type) -> bool {
    !matches!(
        ty.required(),
        Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::List(..)
            | Type::Record(_)
            | Type::Map(_)
    )
}

fn escaped(sizes: Sizes) -> Sizes {
    Sizes {
        // A null has no quotes.
        least: sizes.least,
        usual: sizes.usual.saturating_add(2),
        most: sizes.most.map(|it| it.saturating_mul(ESCAPED).saturating_add(2)),
    }
}

fn list_sizes(items: Items, item: Sizes) -> Sizes {
    let total = |count: u64, item: u64| count.saturating_mul(item.saturating_add(1));
    let (least, usual) = (total(items.least, item.least), total(items.usual, item.usual));
    let most = items.most.zip(item.most).map(|(count, it)| total(count, it).saturating_add(2));
    let most = if items.most == Some(0) { Some(2) } else { most };
    Sizes { least: least.max(1) + 1, usual: usual.saturating_add(2), most }
}

fn record_sizes<'a>(fields: impl Iterator<Item = (&'a Text, Sizes)>) -> Sizes {
    fields.fold(Sizes::exactly(2), |sum, (name, it)| {
        let name = json::len(&Value::Text(name.clone()));
        let sum = sum.plus(it).plus(Sizes::exactly(name + 2));
        // The last field has no comma after it.
        Sizes { least: sum.least - 1, ..sum }
    })
}

/// The written sizes of values of a type.
fn sizes_of(ty: &Type) -> Sizes {
    let open = |least, usual| Sizes { least, usual, most: None };
    match ty {
        Type::Bool => between(4, 5),
        Type::Int(None) => between(1, LONGEST_NUMBER),
        Type::Int(Some((low, high))) => {
            let longest = low.to_string().len().max(high.to_string().len());
            between(1, longest as u64)
        }
        Type::Float(_) => between(1, LONGEST_NUMBER),
        Type::Time => between(SHORTEST_TIME, LONGEST_TIME),
        Type::Date => between(SHORTEST_DATE, LONGEST_DATE),
        Type::Duration | Type::Money | Type::Size => between(1, LONGEST_UNIT),
        Type::Enum(of) => {
            let lengths = of.variants.iter().map(|it| it.len() as u64);
            between(lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0))
        }
        Type::Optional(inner) => join_sizes(sizes_of(inner), NULL),
        Type::List(item, most) => list_sizes(Items::at_most(*most, false), quoted_of(item)),
        Type::Record(of) => {
            // Fields that the type does not name are written, too.
            let named = record_sizes(of.fields.iter().map(|(name, it)| (name, quoted_of(it))));
            Sizes { most: None, ..named }
        }
        Type::Never => Sizes::exactly(0),
        Type::Secret => Sizes::exactly(3),
        // The id of a model is 64 digits.
        Type::Model(_) => Sizes::exactly(64),
        Type::Opaque(of) => Sizes::exactly(of.name.len() as u64 + 2),
        Type::Path => open(1, 40),
        Type::Text
        | Type::Json
        | Type::Map(_)
        | Type::Bytes
        | Type::Flow(_)
        | Type::Unknown
        | Type::Var(_) => open(0, USUAL_TEXT),
    }
}

fn quoted_of(ty: &Type) -> Sizes {
    let sizes = sizes_of(ty);
    if is_text(ty) { escaped(sizes) } else { sizes }
}

/// The extent of a record with these fields. `expected` is its type.
pub(super) fn record(fields: Vec<(Text, AbstractValue)>, expected: &Type) -> AbstractValue {
    let known = fields.iter().map(|(name, it)| Some((name.clone(), it.as_known()?.clone())));
    let known: Option<Vec<_>> = known.collect();
    let parts = fields.iter().fold(1, |sum: u64, (_, it)| sum.saturating_add(it.parts()));
    if let Some(known) = known.filter(|_| parts <= MOST_PARTS) {
        return AbstractValue::Known(Value::Record(known.into_iter().collect::<Record>()));
    }
    let sizes = record_sizes(fields.iter().map(|(name, it)| (name, it.quoted())));
    AbstractValue::Record(Arc::new(Fields { all: fields, sizes, parts })).bearable(expected)
}

/// The extent of a list with these items. `expected` is its type.
pub(super) fn list(items: &[AbstractValue], expected: &Type) -> AbstractValue {
    let known: Option<Vec<Value>> = items.iter().map(|it| it.as_known().cloned()).collect();
    let parts = items.iter().fold(1, |sum: u64, it| sum.saturating_add(it.parts()));
    if let Some(known) = known.filter(|_| parts <= MOST_PARTS) {
        return AbstractValue::Known(known.into());
    }
    let item = item_type(expected);
    let any = items.iter().cloned().reduce(|a, b| a.or(&b, &item));
    let any = any.unwrap_or_else(|| AbstractValue::of(&item));
    AbstractValue::List { items: Items::exactly(items.len()), item: any.into() }.bearable(expected)
}

/// Whether two small values are the same, and of the same kind.
fn is_same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Time(a), Value::Time(b)) => a == b,
        (Value::Date(a), Value::Date(b)) => a == b,
        (Value::Money(a), Value::Money(b)) => a == b,
        (Value::Size(a), Value::Size(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => Arc::ptr_eq(a, b) || a.len() < 256 && a == b,
        (Value::Flow(a), Value::Flow(b)) => {
            match (a.downcast::<TypedFlow>(), b.downcast::<TypedFlow>()) {
                (Some(a), Some(b)) => Arc::ptr_eq(&a, &b),
                _ => false,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(most: u64) -> AbstractValue {
        AbstractValue::sized(&Type::Text, Sizes { least: 0, usual: 1, most: Some(most) })
    }

    #[test]
    fn what_is_written_is_never_longer_than_its_extent() {
        let fields = vec![
            ("a".into(), text(3)),
            ("b".into(), AbstractValue::of(&Type::INT)),
            ("c".into(), AbstractValue::of(&Type::Bool.optional())),
        ];
        let ty = Type::record(vec![
            ("a".into(), Type::Text),
            ("b".into(), Type::INT),
            ("c".into(), Type::Bool.optional()),
        ]);
        let record = record(fields, &ty);
        let value: Record = [
            ("a".into(), Value::text("\u{1}\"\n")),
            ("b".into(), Value::Int(i64::MIN)),
            ("c".into(), Value::Bool(false)),
        ]
        .into_iter()
        .collect();
        let sizes = record.sizes();
        let length = Value::Record(value.clone()).to_string().len() as u64;
        assert!(sizes.least <= length && Some(length) <= sizes.most, "{length} in {sizes:?}");
        let many =
            AbstractValue::List { items: Items::at_most(Some(2), false), item: record.into() };
        let values = Value::from(vec![Value::Record(value.clone()), Value::Record(value)]);
        assert!(Some(values.to_string().len() as u64) <= many.sizes().most);
        assert!(many.sizes().least <= 2);
    }

    #[test]
    fn parts_are_no_longer_than_the_whole() {
        let whole = AbstractValue::sized(
            &Type::list(Type::record(vec![("t".into(), Type::Text)])),
            Sizes { least: 2, usual: 50, most: Some(100) },
        );
        assert_eq!(whole.items().most, Some(50));
        let item = whole.item(&Type::record(vec![("t".into(), Type::Text)]));
        assert_eq!(item.field("t", &Type::Text).sizes().most, Some(100));
    }

    #[test]
    fn either_is_as_long_as_the_longer_one() {
        let one = AbstractValue::Known(Value::text("four"));
        assert_eq!(one.or(&text(9), &Type::Text).sizes().most, Some(9));
        assert_eq!(one.or(&one, &Type::Text).as_known(), Some(&Value::text("four")));
        assert_eq!(one.optional(&Type::Text).sizes(), Sizes::exactly(4));
    }

    #[test]
    fn what_doubles_is_no_longer_counted() {
        let mut extent = text(1);
        for _ in 0..100 {
            let ty = Type::record(vec![("a".into(), Type::Json), ("b".into(), Type::Json)]);
            extent = record(vec![("a".into(), extent.clone()), ("b".into(), extent)], &ty);
        }
        assert_eq!(extent.sizes().most, Some(u64::MAX));
    }
}
