//! The types of parameters, bodies and results.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A type. In a lock it is written as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Anything that JSON can hold.
    Json,
    /// No value.
    Null,
    Bool,
    Int,
    /// Whole numbers in an inclusive range.
    Ints(i64, i64),
    Float,
    String,
    /// Bytes that are not text.
    Bytes,
    Enum(Vec<String>),
    List(Box<Shape>),
    /// Values by their keys.
    Map(Box<Shape>),
    /// May be left out.
    Opt(Box<Shape>),
    /// Must be given, and may be null.
    Nullable(Box<Shape>),
    Record(Vec<FieldShape>),
    /// A named type of the document.
    Ref(String),
}

/// A field of a record: its name, its type, and its documentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldShape(pub String, pub Shape, pub String);

impl Shape {
    /// This type, or null.
    #[must_use]
    pub fn optional(self) -> Self {
        match self {
            it @ (Self::Opt(_) | Self::Null) => it,
            Self::Nullable(it) => Self::Opt(it),
            it => Self::Opt(Box::new(it)),
        }
    }

    #[must_use]
    pub(crate) fn nullable(self) -> Self {
        match self {
            it @ (Self::Opt(_) | Self::Nullable(_) | Self::Json | Self::Null) => it,
            it => Self::Nullable(Box::new(it)),
        }
    }

    /// The type of values that are not null.
    pub fn required(&self) -> &Self {
        match self {
            Self::Opt(it) | Self::Nullable(it) => it.required(),
            it => it,
        }
    }

    /// The names of the types that it mentions.
    pub fn mentions(&self, names: &mut Vec<String>) {
        match self {
            Self::Ref(name) => names.push(name.clone()),
            Self::List(it) | Self::Map(it) | Self::Opt(it) | Self::Nullable(it) => {
                it.mentions(names);
            }
            Self::Record(fields) => fields.iter().for_each(|it| it.1.mentions(names)),
            _ => {}
        }
    }
}

impl fmt::Display for Shape {
    /// The type as a script writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json => f.write_str("json"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Ints(low, high) => write!(f, "int {low}..{high}"),
            Self::Float => f.write_str("float"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Enum(all) => {
                let all: Vec<String> = all.iter().map(|it| format!("{it:?}")).collect();
                f.write_str(&all.join(" | "))
            }
            Self::List(it) => write!(f, "[{it}]"),
            Self::Map(it) => write!(f, "map<{it}>"),
            Self::Opt(it) | Self::Nullable(it) => write!(f, "{it}?"),
            Self::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|it| format!("{}: {}", it.0, it.1)).collect();
                write!(f, "{{ {} }}", fields.join(", "))
            }
            Self::Ref(name) => f.write_str(name),
        }
    }
}
