//! What whoever starts a run allows it to take, whatever its script says.

use std::time::Duration;

use svc_contract::value::Money;

/// The caps of a whole run. They hold beside the bounds of the script, so they can only
/// tighten them; nothing said is no cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    pub cost: Option<Money>,
    pub tokens: Option<u64>,
    /// From the start of the run to its end.
    pub time: Option<Duration>,
    /// The bytes that what it makes may take at one time. Where nothing is said, a share of
    /// the machine's.
    pub memory: Option<u64>,
    /// How old a result of another run may be that stands for a call, where the script says
    /// nothing.
    pub max_age: Option<Duration>,
}
