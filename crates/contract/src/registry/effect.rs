//! What an op does to the world, and how much it may take.

use std::{fmt, time::Duration};

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

/// The most bytes of an op's result, written out.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    Unknown,
    Fixed(u64),
    /// So many bytes for each that this argument counts.
    Arg(&'static str, u64),
    /// As many as all its arguments have together.
    Args,
}

/// How long a call usually takes, for an estimate.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// What calls of its cost class take.
    Unsaid,
    Usually(Duration),
    /// Exactly as long as this argument says.
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
