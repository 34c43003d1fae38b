//! Errors of serde as misfits.

use std::fmt::{self, Display};

use serde::de::{Expected, Unexpected};

use crate::value::misfit::{Misfit, Step};

impl Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().whole().fmt(f)
    }
}

impl std::error::Error for Misfit {}

impl serde::ser::Error for Misfit {
    fn custom<T: Display>(message: T) -> Self {
        invalid(&message)
    }
}

impl serde::de::Error for Misfit {
    fn custom<T: Display>(message: T) -> Self {
        invalid(&message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(expected.to_string(), kind(&found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Signed(it) => it.to_string(),
            Unexpected::Unsigned(it) => it.to_string(),
            Unexpected::Float(it) => it.to_string(),
            Unexpected::Str(it) => format!("{it:?}"),
            other => kind(&other),
        };
        Self::new(expected.to_string(), found)
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        Self::new(expected.to_string(), format!("{len} items"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(one_of(expected), format!("{variant:?}"))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("a field that is {}", one_of(expected)), format!("{field:?}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new("a value", "nothing").inside(Step::Field(field.into()))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new("one value", "two").inside(Step::Field(field.into()))
    }
}

/// A misfit that the program describes in its own words.
fn invalid(message: &dyn Display) -> Misfit {
    Misfit::new("a valid value", format!("an invalid one ({message})"))
}

/// The word of the language for what serde found.
fn kind(found: &Unexpected<'_>) -> String {
    let word = match found {
        Unexpected::Bool(_) => "bool",
        Unexpected::Signed(_) | Unexpected::Unsigned(_) => "int",
        Unexpected::Float(_) => "float",
        Unexpected::Char(_) | Unexpected::Str(_) => "string",
        Unexpected::Bytes(_) => "bytes",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "list",
        Unexpected::Map => "record",
        other => return other.to_string(),
    };
    word.to_owned()
}

/// The names of the variants of an enum, or of the fields of a record, in words.
pub(super) fn one_of(names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|it| format!("{it:?}")).collect();
    format!("one of {}", all.join(", "))
}
