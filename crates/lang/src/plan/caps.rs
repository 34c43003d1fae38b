//! The caps of a run, set by the caller of the run independently of its script.

use std::time::Duration;

use svc_contract::value::Money;

/// The caps of a whole run. They hold in addition to the bounds of the script, so they can
/// only tighten them; an absent cap does not limit anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    pub cost: Option<Money>,
    pub tokens: Option<u64>,
    /// The time from the start of the run to its end.
    pub time: Option<Duration>,
    /// The bytes that the values of the run may take at one time. The default is a share of
    /// the memory of the machine.
    pub memory: Option<u64>,
    /// The greatest age of a result of another run that may replace a call, unless the script
    /// sets one.
    pub max_age: Option<Duration>,
}
