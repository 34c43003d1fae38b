//! The parameters of an op: a single struct is their declaration, their documentation and their
//! decoder.

use std::collections::BTreeMap;

use super::{Field, OpError, Scheme};
use crate::value::{Value, json};

/// One parameter, for help, checker and schemas.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of the declaration")]
pub struct Param {
    pub name: &'static str,
    pub doc: &'static str,
    pub scheme: Scheme,
    pub default: Option<ParamDefault>,
    /// Whether it takes the input of a stage; true for the first parameter.
    pub is_input: bool,
    /// Whether it changes only how good or how quick a result is, so that it may be tuned
    /// automatically: it is marked `#[tune]`.
    pub is_evolvable: bool,
    /// Whether an empty text or list is refused: it is marked `#[filled]`.
    pub is_filled: bool,
    /// Whether its value is neither recorded nor shown: it is marked `#[masked]`.
    pub is_masked: bool,
}

/// What is recorded and shown in place of a value that must not be known.
pub const MASK: &str = "***";

/// The values of masked params by name, lent to a run whose script has [`MASK`] in their place.
#[derive(Clone, Default)]
pub struct MaskedValues(pub BTreeMap<&'static str, Value>);

/// The value of a parameter that a call leaves out.
#[derive(Clone, Copy, Debug)]
pub enum ParamDefault {
    /// It is made for each call: constant data holds no values.
    Made(fn() -> Value),
    /// The value of an op whose types are known only at run time.
    Is(&'static Value),
    /// For a flow: the op of this name. The fields of the flow's input are its arguments.
    Op(&'static str),
}

impl ParamDefault {
    pub fn value(self) -> Value {
        match self {
            Self::Made(make) => make(),
            Self::Is(value) => value.clone(),
            Self::Op(_) => Value::Null,
        }
    }

    /// As it is shown: a string in quotes, an amount with its unit, an op by its name.
    pub fn shown(self) -> String {
        match self {
            Self::Op(name) => name.to_owned(),
            other => Param::written(&other.value()),
        }
    }
}

/// A struct declared with [`params!`](crate::params).
pub trait Params: Sized {
    const DOC: &'static str;
    const PARAMS: &'static [Param];

    /// Takes the arguments, in the order of the parameters.
    fn decode(args: &mut [Value]) -> Result<Self, OpError>;
}

impl Param {
    /// A param without any marks.
    pub const fn new(
        name: &'static str,
        doc: &'static str,
        scheme: Scheme,
        default: Option<ParamDefault>,
    ) -> Self {
        Self {
            name,
            doc,
            scheme,
            default,
            is_input: false,
            is_evolvable: false,
            is_filled: false,
            is_masked: false,
        }
    }

    /// Whether its default can be changed: it is a number with a range, or marked `#[tune]`.
    pub fn is_tunable(&self) -> bool {
        let is_ranged = matches!(self.scheme, Scheme::IntRange(..) | Scheme::FloatRange(..));
        (is_ranged || self.is_evolvable) && self.default.is_some() && !self.is_input
    }

    /// The value as a default of this param, or why it cannot be one.
    pub(super) fn tuned_value(&self, value: Value) -> Result<Value, OpError> {
        let given = value.to_string();
        value.cast(&self.scheme.plain()).map_err(|_| {
            let wanted = self.scheme.show();
            OpError::invalid_input(format!("expected {wanted} for `{}`, found {given}", self.name))
        })
    }

    /// The documentation as one line.
    pub fn summary(&self) -> String {
        one_line(self.doc)
    }

    /// The parameter with its type and its default, as a script writes them.
    pub fn signature(&self) -> String {
        let default = self.default.map(|it| format!(" = {}", it.shown()));
        format!("{}: {}{}", self.name, self.scheme.show(), default.unwrap_or_default())
    }

    /// A default as it is shown: a string in quotes, an amount with its unit.
    pub fn written(value: &Value) -> String {
        match value {
            Value::Duration(_) | Value::Money(_) | Value::Size(_) => value.to_string(),
            value => json::write(value),
        }
    }

    /// Takes this parameter's argument out of `args`.
    pub fn take<T: Field>(&self, arg: Option<&mut Value>) -> Result<T, OpError> {
        let value = arg.map(std::mem::take).unwrap_or_default();
        self.test_range(&value)?;
        self.test_filled(&value)?;
        let kind = value.kind();
        T::decode(value).ok_or_else(|| {
            let wanted = self.scheme.show();
            OpError::invalid_input(format!("expected {wanted} for `{}`, found {kind}", self.name))
        })
    }

    /// Refuses an empty value, if the param must not be empty.
    pub fn test_filled(&self, value: &Value) -> Result<(), OpError> {
        let what = match value {
            Value::Text(it) | Value::Path(it) if it.is_empty() => "a text",
            Value::List(it) if it.is_empty() => "at least one item",
            _ => return Ok(()),
        };
        if !self.is_filled {
            return Ok(());
        }
        Err(OpError::invalid_input(format!("expected {what} for `{}`, found none", self.name)))
    }

    fn test_range(&self, value: &Value) -> Result<(), OpError> {
        if self.scheme.is_in_range(value) {
            return Ok(());
        }
        let wanted = self.scheme.show();
        Err(OpError::invalid_input(format!("expected {wanted} for `{}`, found {value}", self.name)))
    }
}

impl Scheme {
    /// Whether a number lies in the expected range, if there is one.
    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    fn is_in_range(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Optional(inner), it) => inner.is_in_range(it),
            (Self::IntRange(low, high), Value::Int(it)) => (low..=high).contains(it),
            (Self::FloatRange(low, high), Value::Float(it)) => (low..=high).contains(it),
            (Self::FloatRange(low, high), Value::Int(it)) => (low..=high).contains(&(*it as f64)),
            _ => true,
        }
    }

    /// The same number type with a range.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "ranges are small constants")]
    pub const fn within(self, low: f64, high: f64) -> Self {
        match self {
            Self::Int => Self::IntRange(low as i64, high as i64),
            Self::Float => Self::FloatRange(low, high),
            _ => panic!("expected a param of type `i64` or `f64` after `#[range(..)]`"),
        }
    }
}

/// The name of a field without the mark of one that is a keyword in Rust: `where` for `r#where`.
pub const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// The lines of a doc comment as one line.
pub(super) fn one_line(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Declares the parameters of an op. The first one is its input; `= value` makes a parameter
/// optional; `#[range(low..=high)]` bounds a number; `#[tune]` before it marks a param that
/// changes only how good or how quick a result is, and `#[filled]` after them one that must not be
/// an empty text or list. `#[calls("component.op")]` makes this op the default of a flow, and `#[masked]`
/// keeps a value out of records. A field may be `pub`.
#[macro_export]
macro_rules! params {
    ($(#[doc = $doc:literal])* $vis:vis struct $name:ident {}) => {
        $(#[doc = $doc])*
        $vis struct $name {}

        impl $crate::registry::Params for $name {
            const DOC: &'static str = concat!($($doc, "\n"),*);
            const PARAMS: &'static [$crate::registry::Param] = &[];

            fn decode(
                _: &mut [$crate::value::Value],
            ) -> ::core::result::Result<Self, $crate::registry::OpError> {
                Ok(Self {})
            }
        }
    };
    ($(#[doc = $doc:literal])* $vis:vis struct $name:ident {
        $(
            $(#[doc = $field_doc:literal])*
            $(#[tune $(= $tune:literal)?])?
            $(#[range($low:literal..=$high:literal)])?
            $(#[filled $(= $filled:literal)?])?
            $(#[calls($calls:literal)])?
            $(#[masked $(= $masked:literal)?])?
            $field_vis:vis $field:ident: $ty:ty $(= $default:expr)?
        ),* $(,)?
    }) => {
        $(#[doc = $doc])*
        $vis struct $name {
            $($(#[doc = $field_doc])* $field_vis $field: $ty,)*
        }

        impl $crate::registry::Params for $name {
            const DOC: &'static str = concat!($($doc, "\n"),*);
            const PARAMS: &'static [$crate::registry::Param] = &{
                let mut idx = 0;
                $crate::params!(@all idx; $({
                    name: $crate::registry::plain_name(stringify!($field)),
                    doc: concat!($($field_doc, "\n"),*),
                    scheme: <$ty as $crate::registry::Field>::SCHEME
                        $(.within($low as f64, $high as f64))?,
                    default: $crate::params!(@default $ty $(, $default)? $(; $calls)?),
                    tune: [$(tuned $($tune)?)?],
                    filled: [$(filled $($filled)?)?],
                    masked: [$(masked $($masked)?)?],
                })*)
            };

            fn decode(
                args: &mut [$crate::value::Value],
            ) -> ::core::result::Result<Self, $crate::registry::OpError> {
                let mut _params = Self::PARAMS.iter().zip(args);
                Ok(Self {
                    $($field: {
                        let (param, arg) = _params
                            .next()
                            .ok_or_else(|| $crate::registry::OpError::bug("missing argument"))?;
                        param.take::<$ty>(Some(arg))?
                    },)*
                })
            }
        }

        // Computed here, so that a range of a type that has none is an error here.
        const _: &[$crate::registry::Param] = <$name as $crate::registry::Params>::PARAMS;
    };
    (@all $idx:ident; $({
        name: $name:expr,
        doc: $doc:expr,
        scheme: $scheme:expr,
        default: $default:expr,
        tune: [$($tune:ident)?],
        filled: [$($filled:ident)?],
        masked: [$($masked:ident)?],
    })*) => {
        [$($crate::registry::Param {
            name: $name,
            doc: $doc,
            scheme: $scheme,
            default: $default,
            is_input: { $idx += 1; $idx == 1 },
            is_evolvable: $crate::params!(@tune $($tune)?),
            is_filled: $crate::params!(@filled $($filled)?),
            is_masked: $crate::params!(@masked $($masked)?),
        }),*]
    };
    (@tune) => { false };
    (@tune tuned) => { true };
    (@filled) => { false };
    (@filled filled) => { true };
    (@masked) => { false };
    (@masked masked) => { true };
    (@default $ty:ty) => { None };
    (@default $ty:ty; $calls:literal) => { Some($crate::registry::ParamDefault::Op($calls)) };
    (@default $ty:ty, $default:expr) => {
        Some($crate::registry::ParamDefault::Made(|| {
            <$ty as $crate::registry::Field>::encode($default)
        }))
    };
    // Anything else is a mistake; the rest finds out which.
    (@why #[doc = $doc:literal] $($rest:tt)*) => { $crate::params! { @why $($rest)* } };
    (@why #[$($other:tt)*] $($rest:tt)*) => {
        compile_error!(concat!(
            "expected doc comments before the struct, found `#[", stringify!($($other)*), "]`: ",
            "`params!` writes the struct and its implementations",
        ));
    };
    (@why $vis:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::params! { @field $($fields)* }
    };
    (@why $($other:tt)*) => {
        compile_error!("expected `struct Name { name: Type, .. }` in `params!`");
    };
    (@field #[doc = $doc:literal] $($rest:tt)*) => { $crate::params! { @field $($rest)* } };
    (@field #[tune] $($rest:tt)*) => { $crate::params! { @field $($rest)* } };
    (@field #[filled] $($rest:tt)*) => { $crate::params! { @field $($rest)* } };
    (@field #[calls($op:literal)] $($rest:tt)*) => { $crate::params! { @field $($rest)* } };
    (@field #[masked] $($rest:tt)*) => { $crate::params! { @field $($rest)* } };
    (@field #[range($low:literal..=$high:literal)] #[tune] $($rest:tt)*) => {
        compile_error!("expected `#[tune]` before `#[range(..)]`");
    };
    (@field #[range($low:literal..=$high:literal)] $($rest:tt)*) => {
        $crate::params! { @field $($rest)* }
    };
    (@field #[$($other:tt)*] $($rest:tt)*) => {
        compile_error!(concat!(
            "expected `#[tune]`, `#[range(low..=high)]`, `#[filled]` or `#[masked]` before a param, found `#[",
            stringify!($($other)*), "]`",
        ));
    };
    (@field $vis:vis $field:ident: $ty:ty $(= $default:expr)?, $($rest:tt)*) => {
        $crate::params! { @field $($rest)* }
    };
    (@field $($other:tt)*) => {
        compile_error!(concat!(
            "expected `name: Type` or `name: Type = default` as a param, found `",
            stringify!($($other)*), "`",
        ));
    };
    (@$($other:tt)*) => { compile_error!("expected `struct Name { .. }` in `params!`, found `@`"); };
    ($($other:tt)*) => { $crate::params! { @why $($other)* } };
}
