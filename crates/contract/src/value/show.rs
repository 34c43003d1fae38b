//! Values as text: in `"${..}"`, and as a program's result; types as messages name them.

use std::fmt;

use super::{Text, Type, Value, json, units};

impl fmt::Display for Value {
    /// A string shows as itself, a list or record as JSON; `{:.2}` fixes the decimals of
    /// a number, and rounds it as `round` does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(it) => write!(f, "{it}"),
            Self::Int(it) => match f.precision() {
                Some(decimals) if decimals > 0 => write!(f, "{it}.{:0<decimals$}", ""),
                _ => write!(f, "{it}"),
            },
            Self::Float(it) => match f.precision() {
                Some(decimals) => {
                    let digits = i32::try_from(decimals).unwrap_or(i32::MAX);
                    write!(f, "{:.decimals$}", unsigned_zero(svc_columns::rounded(*it, digits)))
                }
                None => f.write_str(&show_float(*it)),
            },
            Self::Duration(it) => f.write_str(&units::show_duration(*it)),
            Self::Time(it) => write!(f, "{it}"),
            Self::Date(it) => write!(f, "{it}"),
            Self::Money(it) => match f.precision() {
                Some(decimals) => it.write_rounded(f, decimals),
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
            Self::Time => f.write_str("time"),
            Self::Date => f.write_str("date"),
            Self::Money => f.write_str("money"),
            Self::Size => f.write_str("size"),
            Self::Path => f.write_str("path"),
            Self::Bytes => f.write_str("bytes"),
            Self::Json => f.write_str("json"),
            Self::List(item, None) => write!(f, "[{item}]"),
            Self::List(item, Some(max)) => write!(f, "[{item}; max {max}]"),
            Self::Map(item) => write!(f, "map<{item}>"),
            Self::Optional(inner) if **inner == Self::Never => f.write_str("null"),
            Self::Optional(inner) => write!(f, "{inner}?"),
            Self::Secret => f.write_str("secret<string>"),
            Self::Flow(of) => write!(f, "flow<{} -> {}>", of.takes, of.gives),
            Self::Model(component) => write!(f, "Model<{component}>"),
            Self::Opaque(ty) => ty.fmt(f),
            Self::Var(name) => f.write_str(name),
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
