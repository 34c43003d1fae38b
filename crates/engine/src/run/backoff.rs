//! The waits between attempts, and which waits are too long to begin.

use std::time::Duration;

use svc_contract::{registry::OpError, value::units};

use super::{Run, scope::Scope};

/// The first wait is at most this long; each further one at most twice as long as the one
/// before.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Run {
    /// Returns the wait before the next attempt: exponential back-off with full jitter, or the
    /// wait that the other side asks for if that is longer. A wait beyond the nearest deadline
    /// is useless, so the failure is final, and its help says so.
    pub(super) fn wait_before_next(
        &self,
        attempt: u32,
        err: &mut OpError,
        scope: &Scope,
    ) -> Option<Duration> {
        let doubled = FIRST_WAIT.saturating_mul(1 << (attempt - 1).min(16));
        let longest = doubled.min(LONGEST_WAIT);
        let jittered = longest.mul_f64(self.host.chance().clamp(0.0, 1.0));
        let wait = jittered.max(err.retry_after.unwrap_or_default());
        match scope.time_left().filter(|left| wait >= *left) {
            None => Some(wait),
            Some(left) => {
                let why = no_time(err.retry_after.filter(|it| *it == wait), left);
                err.help = Some(match err.help.take() {
                    Some(help) => format!("{help}; {why}"),
                    None => why,
                });
                None
            }
        }
    }
}

fn no_time(asked: Option<Duration>, left: Duration) -> String {
    let left = units::show_measured(left);
    match asked {
        Some(asked) => {
            let asked = units::show_measured(asked);
            format!("the other side asks to wait {asked}, and {left} of the `timeout` are left")
        }
        None => format!("{left} of the `timeout` are left, too little for another attempt"),
    }
}
