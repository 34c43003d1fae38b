//! The waits between tries, and those that nobody should begin.

use std::time::Duration;

use svc_contract::{registry::OpError, value::units};

use super::{Run, scope::Scope};

/// The first wait between two tries is up to this long; each further one twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Run {
    /// How long to wait before another try: exponential back-off with full jitter, or what
    /// the other side asks for when that is longer. A wait that ends after the nearest end
    /// of time is useless, so the failure is final, and says so.
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
            format!("it asks to wait {asked}, and {left} of the `timeout` are left")
        }
        None => format!("{left} of the `timeout` are left, too little for another try"),
    }
}
