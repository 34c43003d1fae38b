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

/// Declares a record type of the language as a Rust struct.
#[macro_export]
macro_rules! record {
    ($(#[doc = $doc:literal])* $vis:vis struct $name:ident {
        $($(#[doc = $field_doc:literal])* $field:ident: $ty:ty),* $(,)?
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
                    name: stringify!($field),
                    doc: concat!($($field_doc, "\n"),*),
                    scheme: <$ty as $crate::registry::Field>::SCHEME,
                }),*
            ];

            fn names() -> std::sync::Arc<[$crate::value::Text]> {
                static NAMES: std::sync::LazyLock<std::sync::Arc<[$crate::value::Text]>> =
                    std::sync::LazyLock::new(|| [$(stringify!($field).into()),*].into());
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
                        let value = record.get(stringify!($field)).cloned().unwrap_or_default();
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
}
