//! The type of a port as declared by a component: constant data, with type variables.

use std::sync::Arc;

use crate::value::{EnumType, FlowType, OpaqueType, RecordType, Type, Value};

/// A type that may contain variables; the checker instantiates it to a [`Type`] at every call.
#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    Never,
    Bool,
    Int,
    /// Whole numbers in an inclusive range.
    IntRange(i64, i64),
    Float,
    FloatRange(f64, f64),
    Text,
    Duration,
    Time,
    Date,
    Money,
    Size,
    Path,
    Bytes,
    Json,
    List(&'static Scheme, Max),
    Record(&'static str, &'static [FieldScheme]),
    /// Values of one type by their keys. A record fits, and `json`, which may be an object.
    Map(&'static Scheme),
    Enum(&'static [&'static str]),
    Optional(&'static Scheme),
    /// A text that must not be shown.
    Secret,
    /// A flow or component from the first type to the second, with the maximum number of its
    /// calls.
    Flow(&'static Scheme, &'static Scheme, Max),
    /// A list of tools: flows and components of any type, which a language model may call with
    /// JSON.
    Tools(ToolCalls),
    /// What the component of this name has learnt.
    Model(&'static str),
    /// A value of the embedding program.
    Opaque(OpaqueType),
    /// Any one of these types; for inputs.
    OneOf(&'static [Scheme]),
    /// Any type, the same one for all uses of the letter.
    Var(char),
    /// A number, a duration, money or a size, the same type for all uses of the letter. A
    /// result of arithmetic has none of the ranges of the arguments.
    Amount(char),
    /// Any type whose values have an order.
    Ordered(char),
    /// A text, for inputs: other uses of the letter must be texts, too.
    TextOf(char),
}

/// A field of a declared record.
#[derive(Clone, Copy, Debug)]
pub struct FieldScheme {
    pub name: &'static str,
    pub doc: &'static str,
    pub scheme: Scheme,
}

/// How an op calls tools.
#[derive(Clone, Copy, Debug)]
pub struct ToolCalls {
    /// The params of which the product is the maximum number of all calls together.
    pub most: (&'static str, &'static str),
    /// The param, a bool that is known before the run, that decides whether a person is asked
    /// before each call of a tool that writes or runs a program.
    pub asks: &'static str,
}

/// The maximum length of a declared list.
#[derive(Clone, Copy, Debug)]
pub enum Max {
    Unknown,
    /// The value of this argument.
    Arg(&'static str),
    /// The length of the input.
    Input,
    /// The length of the input, or the value of this argument, whichever is less.
    InputOr(&'static str),
    /// This number.
    Is(u64),
    /// None: the op keeps the flow and does not call it.
    Never,
}

impl From<u64> for Max {
    fn from(number: u64) -> Self {
        Self::Is(number)
    }
}

/// The value of the argument with this name.
impl From<&'static str> for Max {
    fn from(param: &'static str) -> Self {
        Self::Arg(param)
    }
}

impl Scheme {
    /// The inclusive range of a number.
    pub fn range(self) -> Option<(Value, Value)> {
        match self {
            Self::Optional(inner) => inner.range(),
            Self::IntRange(low, high) => Some((Value::Int(low), Value::Int(high))),
            Self::FloatRange(low, high) => Some((Value::Float(low), Value::Float(high))),
            _ => None,
        }
    }

    /// This scheme without the range of a number.
    #[must_use]
    pub fn unbounded(self) -> Self {
        match self {
            Self::IntRange(..) => Self::Int,
            Self::FloatRange(..) => Self::Float,
            other => other,
        }
    }

    /// The scheme of values that are not null.
    #[must_use]
    pub fn required(self) -> Self {
        match self {
            Self::Optional(inner) => inner.required(),
            other => other,
        }
    }

    /// The variants of an enum.
    pub fn variants(self) -> &'static [&'static str] {
        match self {
            Self::Optional(inner) => inner.variants(),
            Self::Enum(variants) => variants,
            _ => &[],
        }
    }

    /// The type of this scheme without variables; variables become unknown.
    pub fn plain(self) -> Type {
        match self {
            Self::Never => Type::Never,
            Self::Bool => Type::Bool,
            Self::Int => Type::INT,
            Self::IntRange(low, high) => Type::Int(Some((low, high))),
            Self::Float => Type::FLOAT,
            Self::FloatRange(low, high) => Type::Float(Some((low, high))),
            Self::Text | Self::TextOf(_) => Type::Text,
            Self::Duration => Type::Duration,
            Self::Time => Type::Time,
            Self::Date => Type::Date,
            Self::Money => Type::Money,
            Self::Size => Type::Size,
            Self::Path => Type::Path,
            Self::Bytes => Type::Bytes,
            Self::Json => Type::Json,
            Self::List(item, _) => Type::list(item.plain()),
            Self::Record(name, fields) => record_type(name, fields, Scheme::plain),
            Self::Map(item) => Type::Map(Arc::new(item.plain())),
            Self::Enum(variants) => Type::Enum(Arc::new(EnumType {
                name: None,
                variants: variants.iter().map(|it| (*it).into()).collect(),
            })),
            Self::Optional(inner) => inner.plain().optional(),
            Self::Secret => Type::Secret,
            Self::Flow(takes, gives, _) => {
                Type::Flow(Arc::new(FlowType { takes: takes.plain(), gives: gives.plain() }))
            }
            Self::Tools(_) => Type::list(tool_type()),
            Self::Model(component) => Type::Model(component.into()),
            Self::Opaque(of) => Type::Opaque(of),
            Self::OneOf(_) | Self::Var(_) | Self::Amount(_) | Self::Ordered(_) => Type::Unknown,
        }
    }

    /// The expected type for a literal: among several types it may be a path, which a string
    /// literal becomes if no string is accepted.
    pub fn expected(self) -> Type {
        match self {
            Self::OneOf(all)
                if all.iter().any(|it| matches!(it, Self::Path))
                    && !all.iter().any(|it| matches!(it, Self::Text)) =>
            {
                Type::Path
            }
            Self::Optional(inner) => inner.expected().optional(),
            other => other.plain(),
        }
    }

    /// Whether it contains a variable.
    pub fn has_variable(self, name: char) -> bool {
        self.any_variable(&|it| it == name)
    }

    /// Whether it contains a variable that `is` accepts.
    pub fn any_variable(self, is: &dyn Fn(char) -> bool) -> bool {
        match self {
            Self::Var(it) | Self::Amount(it) | Self::Ordered(it) | Self::TextOf(it) => is(it),
            Self::List(inner, _) | Self::Map(inner) | Self::Optional(inner) => {
                inner.any_variable(is)
            }
            Self::Flow(takes, gives, _) => takes.any_variable(is) || gives.any_variable(is),
            Self::Record(_, fields) => fields.iter().any(|it| it.scheme.any_variable(is)),
            Self::OneOf(all) => all.iter().any(|it| it.any_variable(is)),
            _ => false,
        }
    }

    /// Whether it is or contains a model.
    pub fn has_model(self) -> bool {
        match self {
            Self::Model(_) => true,
            Self::List(inner, _) | Self::Map(inner) | Self::Optional(inner) => inner.has_model(),
            Self::Record(_, fields) => fields.iter().any(|it| it.scheme.has_model()),
            Self::OneOf(all) => all.iter().any(|it| it.has_model()),
            _ => false,
        }
    }

    /// Whether it is a single type, without variables and alternatives.
    pub fn is_plain(self) -> bool {
        match self {
            Self::Never
            | Self::OneOf(_)
            | Self::Var(_)
            | Self::Amount(_)
            | Self::Ordered(_)
            | Self::TextOf(_) => false,
            Self::List(inner, _) | Self::Map(inner) | Self::Optional(inner) => inner.is_plain(),
            Self::Flow(takes, gives, _) => takes.is_plain() && gives.is_plain(),
            Self::Record(_, fields) => fields.iter().all(|it| it.scheme.is_plain()),
            _ => true,
        }
    }

    /// If a flow is accepted: its input type, its result type, and the maximum number of its
    /// calls.
    pub fn flow(self) -> Option<(Self, Self, Max)> {
        match self {
            Self::Flow(takes, gives, max) => Some((*takes, *gives, max)),
            Self::Optional(inner) => inner.flow(),
            _ => None,
        }
    }

    /// If tools are accepted: how they are called.
    pub fn tools(self) -> Option<ToolCalls> {
        match self {
            Self::Tools(calls) => Some(calls),
            _ => None,
        }
    }

    /// Whether flows are accepted, alone or as tools.
    pub fn takes_flows(self) -> bool {
        self.flow().is_some() || self.tools().is_some()
    }

    /// The scheme in words, for help and messages.
    pub fn show(self) -> String {
        match self {
            Self::List(item, Max::Arg(name) | Max::InputOr(name)) => {
                format!("[{}; max {name}]", item.show())
            }
            Self::List(item, Max::Is(max)) => format!("[{}; max {max}]", item.show()),
            Self::List(item, _) => format!("[{}]", item.show()),
            Self::Map(item) => format!("map<{}>", item.show()),
            Self::Optional(Self::Never) => self.plain().to_string(),
            Self::Optional(inner) => format!("{}?", inner.show()),
            Self::Flow(takes, gives, _) => format!("flow<{} -> {}>", takes.show(), gives.show()),
            Self::Tools(_) => "[tool]".to_owned(),
            Self::OneOf(all) => match all.split_last() {
                Some((last, [])) => last.show(),
                Some((last, rest)) => {
                    let rest: Vec<String> = rest.iter().map(|it| it.show()).collect();
                    format!("{} or {}", rest.join(", "), last.show())
                }
                None => Type::Never.to_string(),
            },
            Self::Var(name) | Self::Amount(name) | Self::Ordered(name) => name.to_string(),
            Self::Record("", fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|it| format!("{}: {}", it.name, it.scheme.show())).collect();
                format!("{{ {} }}", fields.join(", "))
            }
            // Its fields are not shown, and may be many.
            Self::Record(name, _) => name.to_owned(),
            other => other.plain().to_string(),
        }
    }
}

/// The type of a tool: it is called with any JSON, and may return any.
pub fn tool_type() -> Type {
    Type::Flow(Arc::new(FlowType { takes: Type::Json, gives: Type::Json }))
}

/// A record type with a name and fields; `ty` converts the schemes of the fields.
pub fn record_type(
    name: &'static str,
    fields: &'static [FieldScheme],
    ty: impl Fn(Scheme) -> Type,
) -> Type {
    Type::Record(Arc::new(RecordType {
        name: (!name.is_empty()).then(|| name.into()),
        fields: fields.iter().map(|it| (it.name.into(), ty(it.scheme))).collect(),
    }))
}
