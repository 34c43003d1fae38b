//! The public name of an op outside of scripts.

use std::fmt;

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
