//! The public name of an op outside of scripts.

use std::fmt;

use super::{Effect, OpRef};

/// An op as a tool: other programs call it by this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Lower snake case, unique among all tools.
    pub name: &'static str,
    pub tier: Tier,
    /// How much of a caller's rate limit one call counts, if that does not follow from the op.
    pub weight: Option<u32>,
}

/// Who may call a tool. Each tier up to `Builder` includes the previous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Free,
    Researcher,
    Builder,
    /// The experimental tools for tuning, apart from the other tiers.
    Bias,
    /// Only operators of a server.
    Admin,
}

/// The tier of who calls, which a program that serves others lends to its components. Without it,
/// the caller is the person at this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerTier(pub Tier);

impl CallerTier {
    /// The tier of the caller of an op.
    pub fn of(cx: &super::Cx) -> Tier {
        cx.lent::<Self>().map_or(Tier::Builder, |it| it.0)
    }
}

impl OpRef {
    /// The tier that it needs: that of its own tool; else the lowest of the tools of its component;
    /// else `free` if it computes at once and has no effects, and `builder` otherwise. An op that
    /// runs a program needs `admin`, whatever else it is.
    pub fn tier(self) -> Tier {
        if self.op.effects.iter().any(|it| matches!(it, Effect::Runs(_))) {
            return Tier::Admin;
        }
        let of_component =
            self.component.ops.iter().filter_map(|it| it.tool.map(|it| it.tier)).min();
        match (self.op.tool, of_component) {
            (Some(tool), _) => tool.tier,
            (None, Some(lowest)) => lowest,
            (None, None) if self.op.is_inline() && self.op.is_pure() => Tier::Free,
            (None, None) => Tier::Builder,
        }
    }
}

impl Tool {
    pub const fn free(name: &'static str) -> Self {
        Self::new(name, Tier::Free)
    }

    pub const fn researcher(name: &'static str) -> Self {
        Self::new(name, Tier::Researcher)
    }

    pub const fn builder(name: &'static str) -> Self {
        Self::new(name, Tier::Builder)
    }

    pub const fn bias(name: &'static str) -> Self {
        Self::new(name, Tier::Bias)
    }

    pub const fn admin(name: &'static str) -> Self {
        Self::new(name, Tier::Admin)
    }

    /// Sets its weight in rate limits.
    #[must_use]
    pub const fn weighing(self, weight: u32) -> Self {
        Self { weight: Some(weight), ..self }
    }

    const fn new(name: &'static str, tier: Tier) -> Self {
        Self { name, tier, weight: None }
    }

    /// Whether the name is 2 to 64 lower case letters, digits and `_`, beginning with a letter.
    pub(super) fn has_valid_name(self) -> bool {
        let is_sign = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
        (2..=64).contains(&self.name.len())
            && self.name.as_bytes()[0].is_ascii_lowercase()
            && self.name.bytes().all(is_sign)
    }
}

impl Tier {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Researcher => "researcher",
            Self::Builder => "builder",
            Self::Bias => "bias",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
