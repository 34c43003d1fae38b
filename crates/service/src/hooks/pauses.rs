//! When something is sent again.

use std::time::Duration;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// The pauses between eight tries, in milliseconds; with the longest jitter about 20 hours.
const PAUSES: [i64; 7] =
    [5 * SECOND, 30 * SECOND, 2 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 10 * HOUR];

/// The longest jitter, as a share of a pause.
const JITTER: f64 = 0.3;

/// The time of the next try after `tries` of them; `None` if there is none. A receiver may ask for a
/// longer pause.
pub(super) fn next(
    tries: u32,
    now: i64,
    until: i64,
    asked: Option<Duration>,
    chance: f64,
) -> Option<i64> {
    let idx = usize::try_from(tries).ok()?.checked_sub(1)?;
    let pause = *PAUSES.get(idx)?;
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "some hours")]
    let jitter = (pause as f64 * JITTER * chance.clamp(0.0, 1.0)) as i64;
    let asked = asked.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX));
    let at = now.saturating_add((pause + jitter).max(asked));
    (at <= until).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * HOUR;

    #[test]
    fn there_are_eight_tries_within_a_day() {
        for chance in [0.0, 0.5, 1.0] {
            let (mut now, mut tries, mut pauses) = (0, 1, Vec::new());
            while let Some(at) = next(tries, now, DAY, None, chance) {
                pauses.push(at - now);
                (now, tries) = (at, tries + 1);
            }
            assert_eq!(tries, 8);
            assert!(now < DAY && pauses.is_sorted(), "{now} {pauses:?}");
        }
        let spread = |chance| next(1, 0, DAY, None, chance).unwrap();
        assert!(spread(0.0) < spread(0.5) && spread(0.5) < spread(1.0));
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_only() {
        let at = |seconds: u64| next(1, 100, DAY, Some(Duration::from_secs(seconds)), 0.0);
        assert_eq!(at(1), Some(100 + 5 * SECOND));
        assert_eq!(at(60), Some(100 + 60 * SECOND));
        // Nothing is sent earlier than asked, so nothing is sent any more.
        assert_eq!(at(25 * 60 * 60), None);
    }
}
