//! Values as text: in `"${..}"`, and as a program's result.

use std::fmt;

use super::{Value, json, units};

impl fmt::Display for Value {
    /// A string shows as itself, a list or record as JSON; `{:.2}` fixes the decimals of
    /// a number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(it) => write!(f, "{it}"),
            Self::Int(it) => match f.precision() {
                Some(decimals) if decimals > 0 => write!(f, "{it}.{:0<decimals$}", ""),
                _ => write!(f, "{it}"),
            },
            Self::Float(it) => match f.precision() {
                Some(decimals) => write!(f, "{:.decimals$}", unsigned_zero(*it)),
                None => f.write_str(&show_float(*it)),
            },
            Self::Duration(it) => f.write_str(&units::show_duration(*it)),
            Self::Time(it) => write!(f, "{it}"),
            Self::Date(it) => write!(f, "{it}"),
            Self::Money(it) => match f.precision() {
                Some(decimals) => write!(f, "${:.decimals$}", it.dollars()),
                None => write!(f, "{it}"),
            },
            Self::Size(it) => f.write_str(&units::show_size(*it)),
            Self::Text(it) | Self::Path(it) => f.write_str(it),
            Self::Secret(it) => it.fmt(f),
            Self::Flow(it) => it.fmt(f),
            Self::Model(it) => it.fmt(f),
            Self::Opaque(it) => it.fmt(f),
            Self::Bytes(_) | Self::List(_) | Self::Record(_) => json::write_to(f, self),
        }
    }
}

/// The shortest text that reads back as the same float, never without a decimal point.
fn show_float(it: f64) -> String {
    format!("{:?}", unsigned_zero(it))
}

/// Replaces `-0.0` by `0.0`; the two zeros of floats are one number in the language, so only
/// one of them is ever written.
pub(super) fn unsigned_zero(it: f64) -> f64 {
    it + 0.0
}
