//! What is left of the limits of an account, and why a call is refused.

use std::fmt;

use svc_contract::value::Money;

/// What is left of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub limit: u64,
    pub remaining: u64,
    /// Seconds until all of it is there again.
    pub reset: u64,
}

/// Why a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateRefusal {
    /// Too many calls; one may come after this many seconds.
    Minute(Window, u64),
    Day(Window, u64),
    /// As many calls as this are in progress.
    AtOnce(u32),
    /// The money of the day is spent or reserved.
    Money(Money, u64),
}

impl Window {
    /// The headers of an answer.
    pub fn headers(&self) -> [(&'static str, String); 3] {
        [
            ("RateLimit-Limit", self.limit.to_string()),
            ("RateLimit-Remaining", self.remaining.to_string()),
            ("RateLimit-Reset", self.reset.to_string()),
        ]
    }
}

impl RateRefusal {
    /// Seconds after which a call may succeed: the value of `Retry-After`.
    pub fn retry_after(&self) -> u64 {
        match self {
            Self::Minute(_, seconds) | Self::Day(_, seconds) | Self::Money(_, seconds) => *seconds,
            Self::AtOnce(_) => 1,
        }
    }

    /// The limit that was passed, for headers.
    pub fn window(&self) -> Option<Window> {
        match self {
            Self::Minute(window, _) | Self::Day(window, _) => Some(*window),
            Self::AtOnce(_) | Self::Money(..) => None,
        }
    }

    /// The name of the limit, as in `access.toml`.
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Minute(..) => "per_minute",
            Self::Day(..) => "per_day",
            Self::AtOnce(_) => "at_once",
            Self::Money(..) => "max_cost_per_day",
        }
    }
}

impl fmt::Display for RateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.retry_after();
        match self {
            Self::Minute(..) | Self::Day(..) => {
                write!(f, "rate limit exceeded; retry in {seconds} seconds")
            }
            Self::AtOnce(most) => write!(f, "too many calls at once (limit {most})"),
            Self::Money(limit, _) => {
                write!(
                    f,
                    "the budget of the day is used up (limit {limit}); retry in {seconds} seconds"
                )
            }
        }
    }
}
