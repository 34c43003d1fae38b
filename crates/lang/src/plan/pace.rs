//! What every run keeps to, and what is foreseen of a run counts on.

use std::time::Duration;

/// How long a cancelled computation may take to end.
pub const GRACE: Duration = Duration::from_secs(1);

/// How many items of an `each` run at the same time when nothing is said.
pub const ITEMS_AT_ONCE: usize = 64;
