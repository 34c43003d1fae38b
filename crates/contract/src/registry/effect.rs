//! The effects of an op on the world, and the limits of a call.

use std::{fmt, time::Duration};

/// One effect of an op. An op without effects is pure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Reads(Scope),
    /// Repeating an idempotent write changes nothing further.
    Writes {
        scope: Scope,
        idempotent: bool,
    },
    /// The op starts a program or a server, which may do anything.
    Runs(Scope),
    /// The op may cost money.
    Spends,
    /// The op waits for a person.
    Asks,
}

/// The part of the world concerned by an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The file or folder named by this argument.
    Path(&'static str),
    /// The host of the address in this argument.
    Web(&'static str),
    /// The program named by this argument.
    Command(&'static str),
    /// This host of the web.
    Site(&'static str),
    /// Something with a fixed name: `llm`, `mail`, ...
    Named(&'static str),
}

/// The default limits of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub max_tokens: Option<u64>,
    pub timeout: Option<Duration>,
    pub max_retries: u32,
    /// Whether a cancelled call ends its work by itself, within a second: a statement on a server. Other
    /// calls that wait for I/O are dropped, unless they run a program.
    pub ends_itself: bool,
}

impl Limits {
    /// The specification's `ResourceBounds`.
    pub const DEFAULT: Self = Self {
        max_tokens: Some(128_000),
        timeout: Some(Duration::from_mins(1)),
        max_retries: 3,
        ends_itself: false,
    };

    /// For ops whose time should not be limited: they ask a person, or build something that is
    /// built only once.
    pub const UNTIMED: Self = Self { timeout: None, ..Self::DEFAULT };
}

/// The maximum size of an op's result in bytes, written out.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    Unknown,
    Fixed(u64),
    /// This many bytes per unit of this argument.
    Arg(&'static str, u64),
    /// As many bytes as all its arguments together.
    Args,
    /// The items of a list argument, with another argument between them.
    Joined(&'static str, &'static str),
}

/// The usual duration of a call, for an estimate.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// The usual duration of calls of its cost class.
    Unsaid,
    Usually(Duration),
    /// Exactly the duration in this argument.
    Arg(&'static str),
}

impl fmt::Display for Effect {
    /// `reads fs:<source>`, where `source` is the param with the path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads(scope) => write!(f, "reads {scope}"),
            Self::Writes { scope, idempotent: true } => write!(f, "writes {scope}"),
            Self::Writes { scope, idempotent: false } => {
                write!(f, "writes {scope} on every attempt")
            }
            Self::Runs(scope) => write!(f, "runs {scope}"),
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
            Self::Site(host) => write!(f, "web:{}", crate::host::address::authority(host)),
            Self::Command(param) => write!(f, "cmd:<{param}>"),
            Self::Named(name) => f.write_str(name),
        }
    }
}
