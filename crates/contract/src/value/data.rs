//! The representation of values.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, OnceLock},
    time::{Duration, SystemTime},
};

use jiff::{Timestamp, civil::Date};

use super::{FlowRef, List, Model, Money, OpaqueRef, Secret, memory, times};

/// Shared text.
pub type Text = Arc<str>;

/// One value of the language.
///
/// A `json` value is not a variant of its own: it is any value built from null,
/// booleans, numbers, text, lists and records, whose type is not yet known.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Duration(Duration),
    /// An instant, to the nanosecond.
    Time(Timestamp),
    /// A day of the calendar, without a time zone.
    Date(Date),
    Money(Money),
    /// A number of bytes.
    Size(u64),
    Text(Text),
    Path(Text),
    Bytes(Arc<[u8]>),
    List(List),
    Record(Record),
    Secret(Secret),
    Flow(FlowRef),
    Model(Model),
    /// A value of the embedding program.
    Opaque(OpaqueRef),
}

// Lists hold millions of values, and every step moves some: rare kinds are boxed.
const _: () = assert!(size_of::<Value>() <= 24);

/// The size of an empty list or record, including the overhead of the allocator.
pub(super) const OVERHEAD: usize = 80;

/// A shared, immutable record: names in order, and a value for each.
///
/// Records of the same origin share their names, so a million rows hold them once.
#[derive(Clone, Debug)]
pub struct Record(Arc<Fields>);

#[derive(Debug)]
struct Fields {
    names: Arc<[Text]>,
    values: Box<[Slot]>,
    /// The places of the names, if there are many and one was looked up.
    places: OnceLock<Places>,
    weight: u64,
    _charge: memory::Charge,
}

#[derive(Debug)]
struct Places {
    of: HashMap<Text, usize>,
    _charge: memory::Charge,
}

/// A record with more fields keeps the places of its names: it may be a map.
const FEW: usize = 32;

impl Fields {
    fn place(&self, name: &str) -> Option<usize> {
        if self.names.len() <= FEW {
            return self.names.iter().position(|it| it.as_ref() == name);
        }
        let places = self.places.get_or_init(|| {
            let all = self.names.iter().enumerate().rev();
            Places {
                of: all.map(|(place, name)| (name.clone(), place)).collect(),
                _charge: memory::Charge::of(self.names.len() * size_of::<(Text, usize, u64)>()),
            }
        });
        places.of.get(name).copied()
    }
}

/// The value of one field: available, or computed at its first use.
pub enum Slot {
    Ready(Value),
    Deferred(LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>),
}

impl Slot {
    /// A value that is expensive to compute and rarely used.
    pub fn deferred(make: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self::Deferred(LazyLock::new(Box::new(make)))
    }

    fn weight(&self) -> u64 {
        match self {
            Self::Ready(value) => value.weight(),
            Self::Deferred(_) => 1,
        }
    }

    fn ready(&self) -> Option<&Value> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Deferred(_) => None,
        }
    }

    fn held(&self) -> usize {
        match self {
            Self::Ready(value) => value.held(),
            Self::Deferred(_) => 0,
        }
    }

    fn value(&self) -> &Value {
        match self {
            Self::Ready(value) => value,
            Self::Deferred(lazy) => lazy,
        }
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value().fmt(f)
    }
}

impl Record {
    /// Creates a record of `names` and `values`, which must have the same length.
    pub fn new(names: Arc<[Text]>, values: Vec<Value>) -> Self {
        Self::of_slots(names, values.into_iter().map(Slot::Ready).collect())
    }

    /// Creates a record with some values that are computed at their first use.
    pub fn of_slots(names: Arc<[Text]>, values: Vec<Slot>) -> Self {
        assert_eq!(names.len(), values.len(), "a record has one value a name");
        let (mut weight, mut held) = (0_u64, OVERHEAD + values.len() * size_of::<Slot>());
        for slot in &values {
            weight = weight.saturating_add(slot.weight());
            held += slot.held();
        }
        if Arc::strong_count(&names) == 1 {
            held += names.iter().map(|it| text_held(it) + size_of::<Text>()).sum::<usize>();
        }
        let charge = memory::Charge::of(held);
        let (values, places) = (values.into(), OnceLock::new());
        Self(Arc::new(Fields { names, values, places, weight, _charge: charge }))
    }

    pub fn names(&self) -> &Arc<[Text]> {
        &self.0.names
    }

    pub fn len(&self) -> usize {
        self.0.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.names.is_empty()
    }

    /// The value of the field `name`, if the record has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.values.get(self.0.place(name)?).map(Slot::value)
    }

    /// The value of a field, if it is available without computing it.
    pub fn ready(&self, name: &str) -> Option<&Value> {
        self.0.values.get(self.0.place(name)?)?.ready()
    }

    /// The names, with those values that are available without computing them.
    pub(super) fn slots(&self) -> impl Iterator<Item = (&Text, Option<&Value>)> + Clone {
        self.0.names.iter().zip(self.0.values.iter().map(Slot::ready))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.place(name).is_some()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Value)> {
        self.0.names.iter().zip(self.0.values.iter().map(Slot::value))
    }
}

impl FromIterator<(Text, Value)> for Record {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(fields: I) -> Self {
        let (names, values): (Vec<Text>, Vec<Value>) = fields.into_iter().unzip();
        Self::new(names.into(), values)
    }
}

impl Value {
    /// Text from anything that can be shared as text.
    pub fn text(text: impl Into<Text>) -> Self {
        let text = text.into();
        memory::makes(text.len() + TEXT_OVERHEAD);
        Self::Text(text)
    }

    /// The memory that a holder of the value accounts for, besides the value itself.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Text(it) | Self::Path(it) => text_held(it),
            Self::Bytes(it) => (it.len() + TEXT_OVERHEAD) / Arc::strong_count(it).max(1),
            Self::Model(it) => it.held(),
            _ => 0,
        }
    }

    /// The size of the value when written out, in units of about eight bytes.
    ///
    /// Values share their parts: a value that is small in memory may be endless when written.
    pub fn weight(&self) -> u64 {
        match self {
            Self::Text(it) | Self::Path(it) => it.len() as u64 / 8 + 1,
            Self::Bytes(it) => it.len() as u64 / 4 + 1,
            Self::List(it) => it.weight().saturating_add(1),
            Self::Record(it) => it.0.weight.saturating_add(1),
            _ => 1,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The text of a string or a path.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Path(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&List> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn as_record(&self) -> Option<&Record> {
        match self {
            Self::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The name of the value's kind, for messages about values of an unknown type.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Duration(_) => "duration",
            Self::Time(_) => "time",
            Self::Date(_) => "date",
            Self::Money(_) => "money",
            Self::Size(_) => "size",
            Self::Text(_) => "string",
            Self::Path(_) => "path",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Record(_) => "record",
            Self::Secret(_) => "secret",
            Self::Flow(_) => "flow",
            Self::Model(_) => "model",
            Self::Opaque(it) => it.ty().name,
        }
    }
}

/// The memory of a string besides its bytes.
const TEXT_OVERHEAD: usize = 24;

/// The share of a string that each of its holders accounts for.
fn text_held(text: &Text) -> usize {
    (text.len() + TEXT_OVERHEAD) / Arc::strong_count(text).max(1)
}

/// A whole number; beyond `i64` it is a float, as in JSON, and no int any more.
#[expect(clippy::cast_precision_loss, reason = "beyond i64, numbers are floats")]
fn whole(it: u64) -> Value {
    i64::try_from(it).map_or(Value::Float(it as f64), Value::Int)
}

macro_rules! from {
    ($($ty:ty => $value:ident, $make:expr;)*) => {$(
        impl From<$ty> for Value {
            fn from($value: $ty) -> Self {
                $make
            }
        }
    )*};
}

from! {
    bool => it, Self::Bool(it);
    i8 => it, Self::Int(it.into());
    i16 => it, Self::Int(it.into());
    i32 => it, Self::Int(it.into());
    i64 => it, Self::Int(it);
    isize => it, Self::Int(it as i64);
    u8 => it, Self::Int(it.into());
    u16 => it, Self::Int(it.into());
    u32 => it, Self::Int(it.into());
    u64 => it, whole(it);
    usize => it, whole(it as u64);
    f64 => it, Self::Float(it);
    &str => it, Self::text(it);
    String => it, Self::text(it);
    Text => it, Self::Text(it);
    Duration => it, Self::Duration(it);
    Timestamp => it, Self::Time(it);
    Date => it, Self::Date(it);
    SystemTime => it, Self::Time(times::of_system(it));
    Money => it, Self::Money(it);
    List => it, Self::List(it);
    Record => it, Self::Record(it);
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect::<Vec<Self>>().into())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(it: Option<T>) -> Self {
        it.map_or(Self::Null, Into::into)
    }
}
