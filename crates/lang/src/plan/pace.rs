//! Constants of every run, which estimates rely on.

use std::time::Duration;

/// The most time for a cancelled computation to end.
pub const GRACE: Duration = Duration::from_secs(1);

/// The default number of items of an `each` that run at the same time.
pub const ITEMS_AT_ONCE: usize = 64;
