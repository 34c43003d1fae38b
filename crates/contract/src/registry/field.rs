//! Conversion between Rust types and values: the types of parameters and results.

use std::{
    marker::PhantomData,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use jiff::{Timestamp, civil::Date};

use super::{Max, Scheme};
use crate::value::{List, Money, Secret, Text, Value};

/// A Rust type that corresponds to a type of the language.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not correspond to a type of the language",
    label = "expected a type such as `String`, `i64` or `Vec<T>`, found `{Self}`",
    note = "a struct corresponds to a record type with `#[derive(svc::Record)]`, and an enum with `choices!`"
)]
pub trait Field: Sized {
    const SCHEME: Scheme;

    /// Reads it from a value of the language; `None` if the value has another type.
    fn decode(value: Value) -> Option<Self>;

    fn encode(self) -> Value;
}

macro_rules! plain {
    ($($ty:ty, $scheme:ident, $variant:ident;)*) => {$(
        impl Field for $ty {
            const SCHEME: Scheme = Scheme::$scheme;

            fn decode(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(it) => Some(it),
                    _ => None,
                }
            }

            fn encode(self) -> Value {
                Value::$variant(self)
            }
        }
    )*};
}

plain! {
    bool, Bool, Bool;
    i64, Int, Int;
    Duration, Duration, Duration;
    Timestamp, Time, Time;
    Date, Date, Date;
    Money, Money, Money;
    Secret, Secret, Secret;
}

/// A time that a `Timestamp` cannot hold, before the year -9999 or after 9999, becomes the nearest
/// one that it can.
impl Field for SystemTime {
    const SCHEME: Scheme = Scheme::Time;

    fn decode(value: Value) -> Option<Self> {
        Timestamp::decode(value).map(Self::from)
    }

    fn encode(self) -> Value {
        self.into()
    }
}

/// Null, such as the result of an op that only has an effect.
impl Field for () {
    const SCHEME: Scheme = Scheme::Optional(&Scheme::Never);

    fn decode(value: Value) -> Option<Self> {
        value.is_null().then_some(())
    }

    fn encode(self) -> Value {
        Value::Null
    }
}

impl Field for Text {
    const SCHEME: Scheme = Scheme::Text;

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Text(it) => Some(it),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Text(self)
    }
}

impl Field for String {
    const SCHEME: Scheme = Scheme::Text;

    fn decode(value: Value) -> Option<Self> {
        Text::decode(value).map(|it| it.as_ref().to_owned())
    }

    fn encode(self) -> Value {
        Value::from(self)
    }
}

/// Ints of all sizes: the range of the smaller ones is part of their type.
macro_rules! ints {
    ($($ty:ty, $scheme:expr;)*) => {$(
        impl Field for $ty {
            const SCHEME: Scheme = $scheme;

            fn decode(value: Value) -> Option<Self> {
                i64::decode(value).and_then(|it| it.try_into().ok())
            }

            /// Beyond `i64` it is a float, as in JSON, which is accepted nowhere as an int.
            fn encode(self) -> Value {
                self.into()
            }
        }
    )*};
}

ints! {
    i8, Scheme::IntRange(i8::MIN as i64, i8::MAX as i64);
    i16, Scheme::IntRange(i16::MIN as i64, i16::MAX as i64);
    i32, Scheme::IntRange(i32::MIN as i64, i32::MAX as i64);
    isize, Scheme::Int;
    u8, Scheme::IntRange(0, u8::MAX as i64);
    u16, Scheme::IntRange(0, u16::MAX as i64);
    u32, Scheme::IntRange(0, u32::MAX as i64);
    u64, Scheme::IntRange(0, i64::MAX);
    usize, Scheme::Int;
}

impl Field for f64 {
    const SCHEME: Scheme = Scheme::Float;

    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Float(it) => Some(it),
            Value::Int(it) => Some(it as Self),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Float(self)
    }
}

impl Field for PathBuf {
    const SCHEME: Scheme = Scheme::Path;

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Path(it) => Some(it.as_ref().into()),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Path(self.to_string_lossy().into())
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl Field for Size {
    const SCHEME: Scheme = Scheme::Size;

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Size(it) => Some(Self(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Size(self.0)
    }
}

impl Field for Arc<[u8]> {
    const SCHEME: Scheme = Scheme::Bytes;

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Bytes(it) => Some(it),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Bytes(self)
    }
}

impl<T: Field> Field for Option<T> {
    const SCHEME: Scheme = Scheme::Optional(&T::SCHEME);

    fn decode(value: Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::decode(value).map(Some) }
    }

    fn encode(self) -> Value {
        self.map_or(Value::Null, T::encode)
    }
}

impl<T: Field> Field for Vec<T> {
    const SCHEME: Scheme = Scheme::List(&T::SCHEME, Max::Unknown);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::List(items) => items.into_vec().into_iter().map(T::decode).collect(),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::List(self.into_iter().map(T::encode).collect())
    }
}

/// A list that is processed item by item, instead of being converted to Rust types.
#[derive(Clone, Debug)]
pub struct Items<T>(pub List, PhantomData<fn() -> T>);

impl<T: Field> Field for Items<T> {
    const SCHEME: Scheme = Scheme::List(&T::SCHEME, Max::Unknown);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::List(items) => Some(Self(items, PhantomData)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::List(self.0)
    }
}

macro_rules! variables {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<const NAME: char>(pub Value);

        impl<const NAME: char> Field for $name<NAME> {
            const SCHEME: Scheme = Scheme::$name(NAME);

            fn decode(value: Value) -> Option<Self> {
                Some(Self(value))
            }

            fn encode(self) -> Value {
                self.0
            }
        }
    )*};
}

variables! {
    /// A value of any type; the same letter means the same type within one op.
    Var;
    /// A number, a duration, money or a size.
    Amount;
    /// A value of an ordered type.
    Ordered;
}

/// Any value whose type is not known before the run.
impl Field for Value {
    const SCHEME: Scheme = Scheme::Json;

    fn decode(value: Value) -> Option<Self> {
        Some(value)
    }

    fn encode(self) -> Value {
        self
    }
}

/// Declares a closed set of strings as an enum.
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($variant),* }

        impl $crate::registry::Field for $name {
            const SCHEME: $crate::registry::Scheme = $crate::registry::Scheme::Enum(&[$($text),*]);

            fn decode(value: $crate::value::Value) -> Option<Self> {
                match value.as_str()? {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }

            fn encode(self) -> $crate::value::Value {
                $crate::value::Value::text(match self {
                    $(Self::$variant => $text),*
                })
            }
        }
    };
}
