//! What an op does to the world, what it costs, and how much it may take.

use std::{fmt, time::Duration};

use super::OpError;
use crate::{
    host::Host,
    value::{Money, Type, Value},
};

/// One effect of an op. An op without effects is pure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Reads(Scope),
    /// Repeating an idempotent write changes nothing more.
    Writes {
        scope: Scope,
        idempotent: bool,
    },
    /// It may cost money.
    Spends,
    /// It waits for a person.
    Asks,
}

/// The part of the world that an effect is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The file or folder that this argument names.
    Path(&'static str),
    /// The host of the address that this argument is.
    Web(&'static str),
    /// Something with a fixed name: `llm`, `mail`, ...
    Named(&'static str),
}

/// What one call costs.
#[derive(Clone, Copy, Debug)]
pub enum Price {
    Free,
    Fixed(Money),
    Tokens(TokenPrice),
    /// It depends on the arguments and on how the host is configured. A call that cannot
    /// be made fails here as it would when it is made.
    Quoted(fn(&Asking<'_>) -> Result<Quote, OpError>),
    /// It costs something, and nobody knows how much. Never the same as free.
    Unknown,
}

/// The call whose price is asked for.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    pub host: &'a dyn Host,
    /// The type between `<` and `>`.
    pub wanted: Option<&'a Type>,
    /// In the order of the op's parameters.
    pub args: &'a [Value],
}

/// The most that one call can use.
#[derive(Clone, Debug)]
pub struct Quote {
    pub tokens: u64,
    /// Or the error of a call that runs under a cap of money, when nobody knows.
    pub cost: Result<Money, OpError>,
}

/// A price per token, and where the tokens of a call come from.
#[derive(Clone, Copy, Debug)]
pub struct TokenPrice {
    /// For a million tokens of the prompt.
    pub input: Money,
    /// For a million tokens of the answer.
    pub output: Money,
    /// The arguments that make up the prompt.
    pub prompt: &'static [&'static str],
    /// The argument that caps the tokens of the answer.
    pub cap: &'static str,
}

/// How much a call may take when a script says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub max_tokens: Option<u64>,
    pub timeout: Option<Duration>,
    pub max_retries: u32,
}

impl Limits {
    /// The specification's `ResourceBounds`.
    pub const DEFAULT: Self =
        Self { max_tokens: Some(128_000), timeout: Some(Duration::from_mins(1)), max_retries: 3 };

    /// For ops whose time is the run's own affair: they ask a person, or build something
    /// that is built once.
    pub const UNTIMED: Self = Self { timeout: None, ..Self::DEFAULT };
}

/// The most of something that an op's output can have.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    Unknown,
    Fixed(u64),
    /// As much as this argument says.
    Arg(&'static str),
}

impl fmt::Display for Effect {
    /// `reads fs:<source>`, where `source` is the param that names the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads(scope) => write!(f, "reads {scope}"),
            Self::Writes { scope, idempotent: true } => write!(f, "writes {scope}"),
            Self::Writes { scope, idempotent: false } => write!(f, "writes {scope} anew"),
            Self::Spends => f.write_str("spends"),
            Self::Asks => f.write_str("asks"),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(param) => write!(f, "fs:<{param}>"),
            Self::Web(_) => f.write_str("web"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("free"),
            Self::Fixed(cost) => write!(f, "{cost} a call"),
            Self::Tokens(it) => {
                write!(f, "{} for a million tokens in, {} out", it.input, it.output)
            }
            Self::Quoted(_) => f.write_str("what its arguments and the configuration say"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}
