//! What the checker knows of a value before it exists.

use std::{fmt, sync::Arc};

use super::{Text, Value};

/// A type of the language.
///
/// Two types live only inside the checker: [`Type::Never`], of what gives no value, and
/// [`Type::Unknown`], of what is wrong already and must not cause a second message.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Unknown,
    Never,
    Bool,
    /// Whole numbers, perhaps of a range that includes both ends.
    Int(Option<(i64, i64)>),
    Float(Option<(f64, f64)>),
    Text,
    Duration,
    Money,
    Size,
    Path,
    Bytes,
    Json,
    /// A list, and the most items it can have where that is known.
    List(Arc<Type>, Option<u64>),
    Record(Arc<RecordType>),
    Enum(Arc<EnumType>),
    Optional(Arc<Type>),
    /// A text that must not be seen.
    Secret,
    /// A flow or component, as an argument.
    Flow(Arc<FlowType>),
}

/// What a flow that is an argument takes and gives.
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

    /// The same for a name that most likely stands at `place`: records that are compared
    /// mostly have their fields in one order.
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

    /// `T?`, which is `T??` too.
    #[must_use]
    pub fn optional(self) -> Self {
        match self {
            Self::Optional(_) | Self::Unknown => self,
            other => Self::Optional(Arc::new(other)),
        }
    }

    /// `T` of `T?`; any other type is itself.
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

    /// Whether it, or a part of it, is unknown.
    pub fn has_unknown(&self) -> bool {
        match self {
            Self::Flow(of) => of.takes.has_unknown() || of.gives.has_unknown(),
            Self::Optional(inner) | Self::List(inner, _) => inner.has_unknown(),
            Self::Record(of) => of.fields.iter().any(|(_, ty)| ty.has_unknown()),
            other => other.is_unknown(),
        }
    }

    /// The same without a range.
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
    /// Types share their parts, so a few lines can make one whose text would fill the
    /// memory; whoever walks a type relies on this having been asked.
    pub fn exceeds(&self, parts: usize, levels: usize) -> bool {
        let mut left = parts;
        !self.is_within(&mut left, levels)
    }

    fn is_within(&self, parts: &mut usize, levels: usize) -> bool {
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        match (self, levels.checked_sub(1)) {
            (Self::Optional(inner), _) => inner.is_within(parts, levels),
            (Self::List(item, _), Some(below)) => item.is_within(parts, below),
            (Self::Record(of), Some(below)) => {
                of.fields.iter().all(|(_, ty)| ty.is_within(parts, below))
            }
            (Self::Flow(of), Some(below)) => {
                of.takes.is_within(parts, below) && of.gives.is_within(parts, below)
            }
            (Self::List(..) | Self::Record(_) | Self::Flow(_), None) => false,
            _ => true,
        }
    }

    /// A type whose values are amounts: they add up, compare, and scale by numbers.
    pub fn is_unit(&self) -> bool {
        matches!(self, Self::Duration | Self::Money | Self::Size)
    }

    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Enum(_))
    }

    /// Whether values of this type have an order.
    pub fn is_ordered(&self) -> bool {
        self.is_number()
            || self.is_unit()
            || self.is_text()
            || matches!(self, Self::Bool | Self::Path | Self::Never | Self::Unknown)
    }

    /// Whether a value of this type may stand where `wanted` is due.
    ///
    /// A range is a property of values, so it is tested when a value enters, not here. A flow
    /// is called as it is, by whoever was given it: what it takes and gives must fit without
    /// being changed or tested on the way.
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
            // A type of types of types has many parts, but few that are not shared.
            (Self::Record(a), Self::Record(b)) if Arc::ptr_eq(a, b) => true,
            (Self::Record(a), Self::Record(b)) => {
                b.fields.iter().enumerate().all(|(idx, (name, wanted))| {
                    a.near(idx, name).map_or(wanted.is_optional(), |given| given.fits(wanted))
                })
            }
            (Self::Flow(a), Self::Flow(b)) => b.takes.enters(&a.takes) && a.gives.enters(&b.gives),
            (a, b) => a == b,
        }
    }

    /// Whether every value of this type is one of `wanted` as it stands.
    fn enters(&self, wanted: &Self) -> bool {
        self.fits(wanted) && !self.changes_into(wanted)
    }

    /// Whether values of this type are, or have inside, what `is` says.
    pub fn has(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::Optional(inner) | Self::List(inner, _) => inner.has(is),
                Self::Record(of) => of.fields.iter().any(|(_, ty)| ty.has(is)),
                _ => false,
            }
    }

    /// Whether a secret could be seen in a value of this type.
    pub fn holds_secret(&self) -> bool {
        self.has(&|it| matches!(it, Self::Secret))
    }

    /// Whether no JSON is a value of this type: it asks for a secret or a flow.
    pub fn is_beyond_json(&self) -> bool {
        self.has(&|it| matches!(it, Self::Secret | Self::Flow(_)))
    }

    /// Whether a value is one of this type. Fields that are not made yet are believed.
    pub fn admits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Unknown | Self::Json, _) | (Self::Optional(_), Value::Null) => true,
            (Self::Optional(inner), it) => inner.admits(it),
            (Self::Bool, Value::Bool(_))
            | (Self::Text, Value::Text(_))
            | (Self::Duration, Value::Duration(_))
            | (Self::Money, Value::Money(_))
            | (Self::Size, Value::Size(_))
            | (Self::Path, Value::Path(_))
            | (Self::Secret, Value::Secret(_))
            | (Self::Flow(_), Value::Flow(_))
            | (Self::Bytes, Value::Bytes(_)) => true,
            (Self::Int(range), Value::Int(it)) => {
                range.is_none_or(|(low, high)| low <= *it && *it <= high)
            }
            (Self::Float(range), Value::Float(it)) => {
                it.is_finite() && range.is_none_or(|(low, high)| low <= *it && *it <= high)
            }
            (Self::Enum(of), Value::Text(it)) => of.contains(it),
            (Self::List(item, max), Value::List(items)) => {
                max.is_none_or(|max| items.len() as u64 <= max)
                    && items.iter().all(|it| item.admits(it))
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

    /// The narrowest type that holds the values of both, if there is one.
    ///
    /// The one rule for `if`, `fallback`, lists and `+`.
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
            (a, b) if a == b => a.clone(),
            _ => return None,
        })
    }

    /// Whether a value of this type must be changed to be one of `wanted`, which it fits:
    /// an int becomes a float, a record leaves fields behind, and a value that enters a
    /// range is tested.
    pub fn changes_into(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Int(_), Self::Float(_)) => true,
            (Self::Int(a), Self::Int(Some(b))) => !is_inside(*a, *b),
            (Self::Float(a), Self::Float(Some(b))) => !is_inside(*a, *b),
            (Self::Optional(a), Self::Optional(b)) => a.changes_into(b),
            (a, Self::Optional(b)) => a.changes_into(b),
            (Self::List(a, _), Self::List(b, _)) => a.changes_into(b),
            (Self::Record(a), Self::Record(b)) if Arc::ptr_eq(a, b) => false,
            // A field that the wider type does not name must not come back as another one, one
            // that is absent becomes null, and the fields stand in the order of their type.
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

    /// Whether a value that is of this type is what JSON of it is read as: floats that are
    /// no ints, and records with the fields of their type in their order. Fields that are not
    /// made yet are believed.
    pub fn is_exactly(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Optional(_), Value::Null) => true,
            (Self::Optional(inner), it) => inner.is_exactly(it),
            (Self::Float(_), Value::Int(_)) => false,
            (Self::List(item, _), Value::List(items)) => items.iter().all(|it| item.is_exactly(it)),
            (Self::Record(of), Value::Record(record)) => {
                let fields = of.fields.iter().zip(record.slots());
                of.fields.len() == record.len()
                    && fields.clone().all(|((wanted, ty), (name, value))| {
                        wanted == name && value.is_none_or(|it| ty.is_exactly(it))
                    })
            }
            (Self::Json, Value::List(items)) => items.iter().all(|it| self.is_exactly(it)),
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

/// Whether a range, where there is one, lies inside another.
fn is_inside<N: PartialOrd + Copy>(range: Option<(N, N)>, other: (N, N)) -> bool {
    range.is_some_and(|(low, high)| other.0 <= low && high <= other.1)
}

fn widest<N: PartialOrd + Copy>(a: Option<(N, N)>, b: Option<(N, N)>) -> Option<(N, N)> {
    let ((a_low, a_high), (b_low, b_high)) = a.zip(b)?;
    Some((if a_low < b_low { a_low } else { b_low }, if a_high > b_high { a_high } else { b_high }))
}

/// Two records join when one has all fields of the other; the common ones are kept.
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

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::Never => f.write_str("never"),
            Self::Bool => f.write_str("bool"),
            Self::Int(None) => f.write_str("int"),
            Self::Int(Some((low, high))) => write!(f, "int {low}..{high}"),
            Self::Float(None) => f.write_str("float"),
            Self::Float(Some((low, high))) => write!(f, "float {low}..{high}"),
            Self::Text => f.write_str("string"),
            Self::Duration => f.write_str("duration"),
            Self::Money => f.write_str("money"),
            Self::Size => f.write_str("size"),
            Self::Path => f.write_str("path"),
            Self::Bytes => f.write_str("bytes"),
            Self::Json => f.write_str("json"),
            Self::List(item, None) => write!(f, "[{item}]"),
            Self::List(item, Some(max)) => write!(f, "[{item}; max {max}]"),
            Self::Optional(inner) => write!(f, "{inner}?"),
            Self::Secret => f.write_str("secret<string>"),
            Self::Flow(of) => write!(f, "flow<{} -> {}>", of.takes, of.gives),
            Self::Enum(it) => match &it.name {
                Some(name) => f.write_str(name),
                None => {
                    let all: Vec<String> = it.variants.iter().map(|it| format!("{it:?}")).collect();
                    f.write_str(&all.join(" | "))
                }
            },
            Self::Record(it) => match &it.name {
                Some(name) => f.write_str(name),
                None => write_fields(f, &it.fields),
            },
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, fields: &[(Text, Type)]) -> fmt::Result {
    f.write_str("{ ")?;
    for (idx, (name, ty)) in fields.iter().enumerate() {
        let comma = if idx == 0 { "" } else { ", " };
        write!(f, "{comma}{name}: {ty}")?;
    }
    f.write_str(" }")
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
