//! The record types of components.

use std::sync::Arc;

use super::{Field, FieldScheme};
use crate::value::Text;

/// A struct declared with [`record!`](crate::record), or with `#[derive(svc::Record)]`.
pub trait RecordDef: Field {
    const NAME: &'static str;
    const DOC: &'static str;
    const FIELDS: &'static [FieldScheme];

    /// The field names, shared by all records of this kind.
    fn names() -> Arc<[Text]>;
}

/// Declares a record type of the language as a Rust struct, which is `Clone` and `Debug`. Its fields
/// are public, with or without `pub`.
#[macro_export]
macro_rules! record {
    ($(#[doc = $doc:literal])* $vis:vis struct $name:ident {
        $($(#[doc = $field_doc:literal])* $field_vis:vis $field:ident: $ty:ty),* $(,)?
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
        }

        impl $crate::registry::RecordDef for $name {
            const NAME: &'static str = stringify!($name);
            const DOC: &'static str = concat!($($doc, "\n"),*);
            const FIELDS: &'static [$crate::registry::FieldScheme] = &[
                $($crate::registry::FieldScheme {
                    name: $crate::registry::plain_name(stringify!($field)),
                    doc: concat!($($field_doc, "\n"),*),
                    scheme: <$ty as $crate::registry::Field>::SCHEME,
                }),*
            ];

            fn names() -> std::sync::Arc<[$crate::value::Text]> {
                static NAMES: std::sync::LazyLock<std::sync::Arc<[$crate::value::Text]>> =
                    std::sync::LazyLock::new(|| {
                        [$($crate::registry::plain_name(stringify!($field)).into()),*].into()
                    });
                NAMES.clone()
            }
        }

        impl $crate::registry::Field for $name {
            const SCHEME: $crate::registry::Scheme = $crate::registry::Scheme::Record(
                stringify!($name),
                <Self as $crate::registry::RecordDef>::FIELDS,
            );

            fn decode(value: $crate::value::Value) -> Option<Self> {
                let record = value.as_record()?;
                Some(Self {
                    $($field: {
                        let name = $crate::registry::plain_name(stringify!($field));
                        let value = record.get(name).cloned().unwrap_or_default();
                        <$ty as $crate::registry::Field>::decode(value)?
                    },)*
                })
            }

            fn encode(self) -> $crate::value::Value {
                $crate::value::Value::Record($crate::value::Record::new(
                    <Self as $crate::registry::RecordDef>::names(),
                    vec![$($crate::registry::Field::encode(self.$field)),*],
                ))
            }
        }

        impl From<$name> for $crate::value::Value {
            fn from(it: $name) -> Self {
                $crate::registry::Field::encode(it)
            }
        }
    };
    // Anything else is a mistake; the rest finds out which.
    (@why #[doc = $doc:literal] $($rest:tt)*) => { $crate::record! { @why $($rest)* } };
    (@why #[$($other:tt)*] $($rest:tt)*) => {
        compile_error!(concat!(
            "expected doc comments before the struct, found `#[", stringify!($($other)*), "]`: ",
            "`#[derive(svc::Record)]` makes a struct with attributes of your own a record type",
        ));
    };
    (@why $vis:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::record! { @field $($fields)* }
    };
    (@why $($other:tt)*) => {
        compile_error!("expected `struct Name { name: Type, .. }` in `record!`");
    };
    (@field #[doc = $doc:literal] $($rest:tt)*) => { $crate::record! { @field $($rest)* } };
    (@field #[$($other:tt)*] $($rest:tt)*) => {
        compile_error!(concat!(
            "expected doc comments before a field, found `#[", stringify!($($other)*), "]`",
        ));
    };
    (@field $vis:vis $field:ident: $ty:ty = $default:expr $(, $($rest:tt)*)?) => {
        compile_error!(concat!(
            "a field of a record has no default, found `", stringify!($field), " = ",
            stringify!($default), "`: `Option<T>` is for a field that may be missing",
        ));
    };
    (@field $vis:vis $field:ident: $ty:ty, $($rest:tt)*) => {
        $crate::record! { @field $($rest)* }
    };
    (@field $($other:tt)*) => {
        compile_error!(concat!(
            "expected `name: Type` as a field, found `", stringify!($($other)*), "`",
        ));
    };
    (@$($other:tt)*) => { compile_error!("expected `struct Name { .. }` in `record!`, found `@`"); };
    ($($other:tt)*) => { $crate::record! { @why $($other)* } };
}
