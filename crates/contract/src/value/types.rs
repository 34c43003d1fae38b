//! Types: the checker's knowledge of a value before it exists.

use std::sync::Arc;

use super::{OpaqueType, Text, Value};

/// A type of the language.
///
/// Three types exist only inside the checker: [`Type::Never`], of expressions without a value,
/// [`Type::Unknown`], of parts with an error that must not cause a second message, and
/// [`Type::Var`], a type parameter in the body of a generic flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Unknown,
    Never,
    Bool,
    /// Whole numbers, optionally with an inclusive range.
    Int(Option<(i64, i64)>),
    Float(Option<(f64, f64)>),
    Text,
    Duration,
    /// An instant, to the nanosecond.
    Time,
    /// A day of the calendar, without a time zone.
    Date,
    Money,
    Size,
    Path,
    Bytes,
    Json,
    /// A list, with its maximum length if it is known.
    List(Arc<Type>, Option<u64>),
    Record(Arc<RecordType>),
    /// Values of one type by keys that only the run knows. Its values are records.
    Map(Arc<Type>),
    Enum(Arc<EnumType>),
    Optional(Arc<Type>),
    /// A text that must not be shown.
    Secret,
    /// A flow or component, as an argument.
    Flow(Arc<FlowType>),
    /// What the component of this name has learnt.
    Model(Text),
    /// A value of the embedding program, which scripts pass on.
    Opaque(OpaqueType),
    /// The type parameter of this name: any type, so nothing is known of its values.
    Var(Text),
}

/// The input type and result type of a flow argument.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowType {
    pub takes: Type,
    pub gives: Type,
}

/// The fields of a record, in order. A name is for messages only: records match by
/// their fields.
#[derive(Clone, Debug)]
pub struct RecordType {
    pub name: Option<Text>,
    pub fields: Vec<(Text, Type)>,
}

impl RecordType {
    pub fn get(&self, name: &str) -> Option<&Type> {
        self.fields.iter().find(|(it, _)| it.as_ref() == name).map(|(_, ty)| ty)
    }

    /// Looks up a field that most likely is at `place`: compared records mostly have the same
    /// order of fields.
    fn near(&self, place: usize, name: &str) -> Option<&Type> {
        match self.fields.get(place) {
            Some((it, ty)) if it.as_ref() == name => Some(ty),
            _ => self.get(name),
        }
    }
}

impl PartialEq for RecordType {
    fn eq(&self, other: &Self) -> bool {
        self.fields.len() == other.fields.len()
            && self
                .fields
                .iter()
                .enumerate()
                .all(|(idx, (name, ty))| other.near(idx, name) == Some(ty))
    }
}

/// A closed set of strings.
#[derive(Clone, Debug)]
pub struct EnumType {
    pub name: Option<Text>,
    pub variants: Vec<Text>,
}

impl EnumType {
    pub fn contains(&self, variant: &str) -> bool {
        self.variants.iter().any(|it| it.as_ref() == variant)
    }

    fn within(&self, other: &Self) -> bool {
        let stands = |place: usize, it: &Text| other.variants.get(place) == Some(it);
        self.variants.iter().enumerate().all(|(idx, it)| stands(idx, it) || other.contains(it))
    }
}

impl PartialEq for EnumType {
    fn eq(&self, other: &Self) -> bool {
        self.within(other) && other.within(self)
    }
}

impl Type {
    pub const INT: Self = Self::Int(None);
    pub const FLOAT: Self = Self::Float(None);

    pub fn list(item: Self) -> Self {
        Self::List(Arc::new(item), None)
    }

    pub fn record(fields: Vec<(Text, Self)>) -> Self {
        Self::Record(Arc::new(RecordType { name: None, fields }))
    }

    /// `T?`; `T??` is `T?` too.
    #[must_use]
    pub fn optional(self) -> Self {
        match self {
            Self::Optional(_) | Self::Unknown => self,
            other => Self::Optional(Arc::new(other)),
        }
    }

    /// `T` for `T?`; any other type is unchanged.
    pub fn required(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner,
            other => other,
        }
    }

    pub fn is_optional(&self) -> bool {
        matches!(self, Self::Optional(_))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Whether the type or a part of it is unknown.
    pub fn has_unknown(&self) -> bool {
        match self {
            Self::Flow(of) => of.takes.has_unknown() || of.gives.has_unknown(),
            Self::Optional(inner) | Self::List(inner, _) | Self::Map(inner) => inner.has_unknown(),
            Self::Record(of) => of.fields.iter().any(|(_, ty)| ty.has_unknown()),
            other => other.is_unknown(),
        }
    }

    /// The type without its range.
    #[must_use]
    pub fn unranged(self) -> Self {
        match self {
            Self::Int(_) => Self::INT,
            Self::Float(_) => Self::FLOAT,
            other => other,
        }
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Float(_))
    }

    /// Whether the type, written out in full, has more parts or levels than these.
    ///
    /// Types share their parts, so a few lines can create a type whose text would fill the
    /// memory; code that walks a type relies on this check.
    pub fn exceeds(&self, parts: usize, levels: usize) -> bool {
        let mut left = parts;
        !self.is_within(&mut left, levels)
    }

    fn is_within(&self, parts: &mut usize, levels: usize) -> bool {
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        match (self, levels.checked_sub(1)) {
            (Self::Optional(inner), _) => inner.is_within(parts, levels),
            (Self::List(item, _) | Self::Map(item), Some(below)) => item.is_within(parts, below),
            (Self::Record(of), Some(below)) => {
                of.fields.iter().all(|(_, ty)| ty.is_within(parts, below))
            }
            (Self::Flow(of), Some(below)) => {
                of.takes.is_within(parts, below) && of.gives.is_within(parts, below)
            }
            (Self::List(..) | Self::Record(_) | Self::Map(_) | Self::Flow(_), None) => false,
            _ => true,
        }
    }

    /// A type whose values are amounts: they add up, compare, and scale by numbers.
    pub fn is_unit(&self) -> bool {
        matches!(self, Self::Duration | Self::Money | Self::Size)
    }

    /// A time or a date. Two of them have a duration between them, and a duration moves them.
    pub fn is_moment(&self) -> bool {
        matches!(self, Self::Time | Self::Date)
    }

    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Enum(_))
    }

    /// Whether values of this type have an order.
    pub fn is_ordered(&self) -> bool {
        self.is_number()
            || self.is_unit()
            || self.is_text()
            || self.is_moment()
            || matches!(self, Self::Bool | Self::Path | Self::Never | Self::Unknown)
    }

    /// Whether a value of this type is accepted where `wanted` is expected.
    ///
    /// A range is a property of values, so it is checked when a value enters, not here. A flow
    /// is called without conversions: its input and result types must fit without being changed
    /// or checked.
    pub fn fits(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Unknown | Self::Never, _) | (_, Self::Unknown) => true,
            (Self::Int(_), Self::Int(_) | Self::Float(_)) => true,
            (Self::Float(_), Self::Float(_)) => true,
            (Self::Enum(_), Self::Text) => true,
            (Self::Enum(a), Self::Enum(b)) => Arc::ptr_eq(a, b) || a.within(b),
            (Self::Optional(a), Self::Optional(b)) => a.fits(b),
            (Self::Optional(a), _) if matches!(**a, Self::Unknown) => true,
            (a, Self::Optional(b)) => a.fits(b),
            (Self::List(a, len), Self::List(b, max)) => {
                a.fits(b) && max.is_none_or(|max| len.is_some_and(|len| len <= max))
            }
            // A nested type has many parts, but few that are not shared.
            (Self::Record(a), Self::Record(b)) if Arc::ptr_eq(a, b) => true,
            (Self::Record(a), Self::Record(b)) => {
                b.fields.iter().enumerate().all(|(idx, (name, wanted))| {
                    a.near(idx, name).map_or(wanted.is_optional(), |given| {
                        given.fits(wanted) || (wanted.required() == &Self::Json && given.is_json())
                    })
                })
            }
            (Self::Map(a), Self::Map(b)) => a.fits(b),
            (Self::Record(a), Self::Map(b)) => a.fields.iter().all(|(_, ty)| ty.fits(b)),
            (Self::Flow(a), Self::Flow(b)) => b.takes.enters(&a.takes) && a.gives.enters(&b.gives),
            (a, b) => a == b,
        }
    }

    /// Whether every value of this type is also one of `json` as it is: data without units, paths and
    /// the like. A field of type `json` accepts it.
    pub fn is_json(&self) -> bool {
        match self {
            Self::Json
            | Self::Bool
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text
            | Self::Enum(_) => true,
            Self::Optional(inner) | Self::List(inner, _) | Self::Map(inner) => inner.is_json(),
            Self::Record(of) => of.fields.iter().all(|(_, ty)| ty.is_json()),
            _ => false,
        }
    }

    /// Whether every value of this type is a value of `wanted` without conversion.
    fn enters(&self, wanted: &Self) -> bool {
        self.fits(wanted) && !self.changes_into(wanted)
    }

    /// Whether `is` holds for this type or a part of it.
    pub fn has(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::Optional(inner) | Self::List(inner, _) | Self::Map(inner) => inner.has(is),
                Self::Record(of) => of.fields.iter().any(|(_, ty)| ty.has(is)),
                _ => false,
            }
    }

    /// The type with another one for each type parameter in it. Records without one are shared.
    #[must_use]
    pub fn with_vars(&self, of: &dyn Fn(&Text) -> Self) -> Self {
        match self {
            Self::Var(name) => of(name),
            Self::Optional(inner) => inner.with_vars(of).optional(),
            Self::List(item, max) => Self::List(Arc::new(item.with_vars(of)), *max),
            Self::Map(item) => Self::Map(Arc::new(item.with_vars(of))),
            Self::Flow(flow) => {
                let (takes, gives) = (flow.takes.with_vars(of), flow.gives.with_vars(of));
                Self::Flow(Arc::new(FlowType { takes, gives }))
            }
            Self::Record(record) if self.has_vars() => {
                let fields = record.fields.iter();
                let fields = fields.map(|(name, ty)| (name.clone(), ty.with_vars(of))).collect();
                Self::Record(Arc::new(RecordType { name: record.name.clone(), fields }))
            }
            other => other.clone(),
        }
    }

    /// The type with lists of any length in place of those with a most.
    #[must_use]
    pub fn with_free_lists(&self) -> Self {
        match self {
            Self::Optional(inner) => inner.with_free_lists().optional(),
            Self::List(item, _) => Self::List(Arc::new(item.with_free_lists()), None),
            Self::Map(item) => Self::Map(Arc::new(item.with_free_lists())),
            Self::Record(record) => {
                let fields = record.fields.iter();
                let fields =
                    fields.map(|(name, ty)| (name.clone(), ty.with_free_lists())).collect();
                Self::Record(Arc::new(RecordType { name: record.name.clone(), fields }))
            }
            other => other.clone(),
        }
    }

    /// A record, or a list of records, with another type for one field.
    #[must_use]
    pub fn with_field(&self, field: &str, ty: &Self) -> Self {
        match self {
            Self::List(item, max) => Self::List(Arc::new(item.with_field(field, ty)), *max),
            Self::Record(record) => {
                let of = |(name, it): &(Text, Self)| {
                    let ty = if name.as_ref() == field { ty } else { it };
                    (name.clone(), ty.clone())
                };
                let fields = record.fields.iter().map(of).collect();
                Self::Record(Arc::new(RecordType { name: record.name.clone(), fields }))
            }
            other => other.clone(),
        }
    }

    /// Whether a type parameter is in it.
    pub fn has_vars(&self) -> bool {
        self.has_var(&|_| true)
    }

    /// Whether a type parameter with such a name is in it.
    pub fn has_var(&self, is: &dyn Fn(&Text) -> bool) -> bool {
        match self {
            Self::Var(name) => is(name),
            Self::Optional(inner) | Self::List(inner, _) | Self::Map(inner) => inner.has_var(is),
            Self::Record(of) => of.fields.iter().any(|(_, ty)| ty.has_var(is)),
            Self::Flow(of) => of.takes.has_var(is) || of.gives.has_var(is),
            _ => false,
        }
    }

    /// Whether a value of this type may contain a secret.
    pub fn holds_secret(&self) -> bool {
        self.has(&|it| matches!(it, Self::Secret))
    }

    /// Whether JSON cannot contain a value of this type, because of a secret, a flow, a model or
    /// a value of the embedding program.
    pub fn is_beyond_json(&self) -> bool {
        let is = |it: &Self| {
            matches!(it, Self::Secret | Self::Flow(_) | Self::Model(_) | Self::Opaque(_))
        };
        self.has(&is)
    }

    /// Whether a value of this type may contain a value of the embedding program.
    pub fn holds_opaque(&self) -> bool {
        self.has(&|it| matches!(it, Self::Opaque(_)))
    }

    /// Whether a value is of this type. Fields that are not computed yet are trusted.
    pub fn admits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Unknown | Self::Json, _) | (Self::Optional(_), Value::Null) => true,
            (Self::Optional(inner), it) => inner.admits(it),
            (Self::Bool, Value::Bool(_))
            | (Self::Text, Value::Text(_))
            | (Self::Duration, Value::Duration(_))
            | (Self::Time, Value::Time(_))
            | (Self::Date, Value::Date(_))
            | (Self::Money, Value::Money(_))
            | (Self::Size, Value::Size(_))
            | (Self::Path, Value::Path(_))
            | (Self::Secret, Value::Secret(_))
            | (Self::Flow(_), Value::Flow(_))
            | (Self::Bytes, Value::Bytes(_)) => true,
            (Self::Model(component), Value::Model(it)) => it.may_be_of(component),
            (Self::Opaque(ty), Value::Opaque(it)) => *ty == it.ty(),
            (Self::Int(range), Value::Int(it)) => {
                range.is_none_or(|(low, high)| low <= *it && *it <= high)
            }
            (Self::Float(range), Value::Float(it)) => {
                it.is_finite() && range.is_none_or(|(low, high)| low <= *it && *it <= high)
            }
            (Self::Enum(of), Value::Text(it)) => of.contains(it),
            (Self::List(item, max), Value::List(items)) => {
                max.is_none_or(|max| items.len() as u64 <= max) && items.all_are(item, Self::admits)
            }
            (Self::Map(item), Value::Record(record)) => {
                record.slots().all(|(_, it)| it.is_none_or(|it| item.admits(it)))
            }
            (Self::Record(of), Value::Record(record)) => {
                of.fields.iter().all(|(name, ty)| match record.ready(name) {
                    Some(it) => ty.admits(it),
                    None => record.has(name) || ty.is_optional(),
                })
            }
            _ => false,
        }
    }

    /// The narrowest type that contains the values of both types, if there is one.
    ///
    /// This is the single rule for `if`, `fallback`, lists and `+`.
    pub fn join(&self, other: &Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Never, ty) | (ty, Self::Never) => ty.clone(),
            (Self::Optional(a), b) => a.join(b.required())?.optional(),
            (a, Self::Optional(b)) => a.join(b)?.optional(),
            (Self::Int(a), Self::Int(b)) => Self::Int(widest(*a, *b)),
            (Self::Float(a), Self::Float(b)) => Self::Float(widest(*a, *b)),
            (a, b) if a.is_number() && b.is_number() => Self::FLOAT,
            (Self::Enum(a), Self::Enum(b)) if a.within(b) => Self::Enum(b.clone()),
            (Self::Enum(a), Self::Enum(b)) if b.within(a) => Self::Enum(a.clone()),
            (a, b) if a.is_text() && b.is_text() => Self::Text,
            (Self::List(a, m), Self::List(b, n)) => {
                Self::List(Arc::new(a.join(b)?), m.zip(*n).map(|(m, n)| m.max(n)))
            }
            (Self::Record(a), Self::Record(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Self::Record(a), Self::Record(b)) => join_records(a, b)?,
            (Self::Map(a), Self::Map(b)) => Self::Map(Arc::new(a.join(b)?)),
            (Self::Map(item), Self::Record(of)) | (Self::Record(of), Self::Map(item)) => {
                let first = Some(item.as_ref().clone());
                let joined = of.fields.iter().fold(first, |all, (_, ty)| all?.join(ty));
                Self::Map(Arc::new(joined?))
            }
            (a, b) if a == b => a.clone(),
            _ => return None,
        })
    }

    /// Whether a value of this type must be converted to become one of `wanted`, which it fits:
    /// an int becomes a float, a record drops fields, and a value that enters a range is
    /// checked.
    pub fn changes_into(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Int(_), Self::Float(_)) => true,
            (Self::Int(a), Self::Int(Some(b))) => !is_inside(*a, *b),
            (Self::Float(a), Self::Float(Some(b))) => !is_inside(*a, *b),
            (Self::Optional(a), Self::Optional(b)) => a.changes_into(b),
            (a, Self::Optional(b)) => a.changes_into(b),
            (Self::List(a, _), Self::List(b, _)) => a.changes_into(b),
            (Self::Record(a), Self::Record(b)) if Arc::ptr_eq(a, b) => false,
            (Self::Map(a), Self::Map(b)) => a.changes_into(b),
            (Self::Record(a), Self::Map(b)) => a.fields.iter().any(|(_, ty)| ty.changes_into(b)),
            // A field that `wanted` lacks is dropped, an absent field becomes null, and the
            // fields get the order of `wanted`.
            (Self::Record(a), Self::Record(b)) => {
                a.fields.len() != b.fields.len()
                    || a.fields.iter().zip(&b.fields).any(
                        |((name, given), (wanted_name, wanted))| {
                            name != wanted_name || given.changes_into(wanted)
                        },
                    )
            }
            _ => false,
        }
    }

    /// Whether a value of this type already has the form in which its JSON would be read:
    /// floats are not ints, and records have the fields of their type, in order. Fields that
    /// are not computed yet are trusted.
    pub fn is_exactly(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Optional(_), Value::Null) => true,
            (Self::Optional(inner), it) => inner.is_exactly(it),
            (Self::Float(_), Value::Int(_)) => false,
            (Self::List(item, _), Value::List(items)) => items.all_are(item, Self::is_exactly),
            (Self::Record(of), Value::Record(record)) => {
                let fields = of.fields.iter().zip(record.slots());
                of.fields.len() == record.len()
                    && fields.clone().all(|((wanted, ty), (name, value))| {
                        wanted == name && value.is_none_or(|it| ty.is_exactly(it))
                    })
            }
            (Self::Map(item), Value::Record(record)) => {
                record.slots().all(|(_, it)| it.is_none_or(|it| item.is_exactly(it)))
            }
            (Self::Json, Value::List(items)) => items.all_are(self, Self::is_exactly),
            (Self::Json, Value::Record(record)) => {
                record.slots().all(|(_, it)| it.is_none_or(|it| self.is_exactly(it)))
            }
            (Self::Json, it) => {
                matches!(
                    it,
                    Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_)
                )
            }
            _ => true,
        }
    }
}

/// Whether an optional range lies inside another one.
fn is_inside<N: PartialOrd + Copy>(range: Option<(N, N)>, other: (N, N)) -> bool {
    range.is_some_and(|(low, high)| other.0 <= low && high <= other.1)
}

fn widest<N: PartialOrd + Copy>(a: Option<(N, N)>, b: Option<(N, N)>) -> Option<(N, N)> {
    let ((a_low, a_high), (b_low, b_high)) = a.zip(b)?;
    Some((if a_low < b_low { a_low } else { b_low }, if a_high > b_high { a_high } else { b_high }))
}

/// Two records join when one has all fields of the other; the common fields are kept.
fn join_records(a: &Arc<RecordType>, b: &Arc<RecordType>) -> Option<Type> {
    let (wide, narrow) = if a.fields.len() >= b.fields.len() { (a, b) } else { (b, a) };
    let mut fields = Vec::with_capacity(narrow.fields.len());
    for (idx, (name, ty)) in narrow.fields.iter().enumerate() {
        let joined = match wide.near(idx, name) {
            Some(other) => ty.join(other)?,
            None if ty.is_optional() => ty.clone(),
            None => return None,
        };
        fields.push((name.clone(), joined));
    }
    let name = if a.name == b.name { a.name.clone() } else { narrow.name.clone() };
    Some(Type::Record(Arc::new(RecordType { name, fields })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &[(&str, Type)]) -> Type {
        Type::record(fields.iter().map(|(name, ty)| ((*name).into(), ty.clone())).collect())
    }

    #[test]
    fn a_wider_record_fits_a_narrower_one() {
        let doc = record(&[("title", Type::Text)]);
        let hit = record(&[("title", Type::Text), ("score", Type::FLOAT)]);
        assert!(hit.fits(&doc));
        assert!(!doc.fits(&hit));
        assert_eq!(hit.join(&doc), Some(doc));
    }

    #[test]
    fn shared_parts_count_each_time() {
        let doubled = |ty: Type, _| record(&[("a", ty.clone()), ("b", ty)]);
        let small = (0..3).fold(Type::INT, doubled);
        assert!(!small.exceeds(15, 3));
        assert!(small.exceeds(14, 3));
        assert!(small.exceeds(15, 2));
        assert!((0..64).fold(Type::INT, doubled).exceeds(10_000, 100));
    }

    #[test]
    fn lists_keep_their_bound() {
        let five = Type::List(Arc::new(Type::Text), Some(5));
        assert!(five.fits(&Type::list(Type::Text)));
        assert!(!Type::list(Type::Text).fits(&five));
        assert_eq!(Type::list(Type::Never).join(&five), Some(Type::list(Type::Text)));
    }

    #[test]
    fn null_makes_a_type_optional() {
        let null = Type::Never.optional();
        assert_eq!(null.join(&Type::Text), Some(Type::Text.optional()));
        assert!(null.fits(&Type::Text.optional()));
        assert!(!null.fits(&Type::Text));
    }
}
