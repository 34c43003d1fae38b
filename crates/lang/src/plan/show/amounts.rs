//! Human-readable amounts: few digits, rounded to the safe side.

use std::time::Duration;

use svc_contract::value::{Money, units};

use super::super::{Envelope, Range};

/// The text for an unlimited amount.
pub(super) const ANY: &str = "any";

/// The text for an unknown expected amount.
pub(super) const UNKNOWN: &str = "?";

/// The direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    Down,
    Nearest,
    Up,
}

/// An amount that can be written with few digits.
pub(super) trait Amount: Copy + PartialEq + Default {
    fn written(self, rounding: Rounding) -> String;
}

impl Amount for u64 {
    fn written(self, rounding: Rounding) -> String {
        let tokens = u128::from(self);
        if tokens < 10_000 {
            return grouped(self);
        }
        let rounded = rounding.to(tokens, 10_u128.pow(digits(tokens) - 3));
        let (scale, letter) = match digits(rounded) {
            ..=6 => (3, "k"),
            7..=9 => (6, "M"),
            10..=12 => (9, "G"),
            _ => (12, "T"),
        };
        let whole = rounded / 10_u128.pow(scale);
        let finer = format!("{:0width$}", rounded % 10_u128.pow(scale), width = scale as usize);
        match finer.trim_end_matches('0') {
            "" => format!("{whole}{letter}"),
            finer => format!("{whole}.{finer}{letter}"),
        }
    }
}

impl Amount for Money {
    /// Two significant digits, and at least cents.
    fn written(self, rounding: Rounding) -> String {
        const CENT: u128 = 10_000_000;
        let nanos = u128::try_from(self.nanos()).unwrap_or_default();
        let unit = 10_u128.pow(digits(nanos).saturating_sub(2)).min(CENT);
        let rounded = i64::try_from(rounding.to(nanos, unit)).unwrap_or(i64::MAX);
        Self::from_nanos(rounded).to_string()
    }
}

impl Amount for Duration {
    fn written(self, rounding: Rounding) -> String {
        const MILLI: u128 = 1_000_000;
        let unit = match self.as_secs() {
            0 => MILLI,
            1..10 => 100 * MILLI,
            10..3_600 => 1_000 * MILLI,
            3_600..86_400 => 60_000 * MILLI,
            86_400..8_640_000 => 3_600_000 * MILLI,
            _ => 86_400_000 * MILLI,
        };
        let millis = rounding.to(self.as_nanos(), unit) / MILLI;
        if millis > 1_000 && millis < 10_000 && !millis.is_multiple_of(1_000) {
            return format!("{}.{}s", millis / 1_000, millis % 1_000 / 100);
        }
        units::show_duration(Self::from_millis(u64::try_from(millis).unwrap_or(u64::MAX)))
    }
}

impl Rounding {
    fn to(self, amount: u128, unit: u128) -> u128 {
        match self {
            Self::Down => amount / unit * unit,
            Self::Nearest => (amount + unit / 2) / unit * unit,
            Self::Up => amount.div_ceil(unit) * unit,
        }
    }
}

fn digits(number: u128) -> u32 {
    number.checked_ilog10().map_or(1, |it| it + 1)
}

/// A count with separated thousands: `12_288`.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// Whether the amount is always zero.
pub(super) fn is_nothing<T: Amount>(range: &Range<T>) -> bool {
    range.max == Some(T::default())
}

/// The expected amount and the maximum: `~$0.11` and `≤ $0.26`. A redundant one is empty.
pub(super) fn brief<T: Amount>(range: &Range<T>) -> (String, String) {
    let expected = || match range.expected {
        Some(it) => format!("~{}", it.written(Rounding::Nearest)),
        None => UNKNOWN.to_owned(),
    };
    match range.max {
        Some(max) if is_nothing(range) || range.min == max => {
            let exact = if is_nothing(range) { String::new() } else { max.written(Rounding::Up) };
            (String::new(), exact)
        }
        Some(max) if range.expected == Some(max) => (String::new(), most(range)),
        None if range.expected == Some(T::default()) => (String::new(), ANY.to_owned()),
        _ => (expected(), most(range)),
    }
}

/// The maximum: `≤ $0.26`.
fn most<T: Amount>(range: &Range<T>) -> String {
    range.max.map_or_else(|| ANY.to_owned(), |it| format!("≤ {}", it.written(Rounding::Up)))
}

/// The maximum of a node, in one line; empty if it is negligible. An unlimited time is left
/// out, because most calls have no limit.
pub(super) fn at_most(envelope: &Envelope) -> String {
    let parts = [
        (!is_nothing(&envelope.cost)).then(|| named(most(&envelope.cost), "cost")),
        (!is_nothing(&envelope.tokens)).then(|| named(most(&envelope.tokens), "tokens")),
        envelope.time.max.filter(|it| !it.is_zero()).map(|_| most(&envelope.time)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

impl Envelope {
    /// The most that it costs, in a few characters: `≤ $0.26`, or the tokens if their price is
    /// unknown. `None` if it costs nothing.
    pub fn cost_at_most(&self) -> Option<String> {
        match (self.cost.max, self.tokens.max) {
            (Some(cost), _) if cost != Money::ZERO => Some(most(&self.cost)),
            (Some(_), Some(0)) => None,
            (Some(_), _) => Some(named(most(&self.tokens), "tokens")),
            (None, Some(tokens)) if tokens > 0 => Some(named(most(&self.tokens), "tokens")),
            (None, _) => Some(named(ANY.to_owned(), "cost")),
        }
    }

    /// The expected amounts and the maxima, in one line.
    pub fn summary(&self) -> String {
        let line = |what: &str, (expected, most): (String, String)| {
            let amounts = [expected, most].into_iter().filter(|it| !it.is_empty());
            let amounts: Vec<String> = amounts.collect();
            (!amounts.is_empty()).then(|| format!("{what} {}", amounts.join(" ")))
        };
        let parts = [
            line("cost", brief(&self.cost)),
            line("tokens", brief(&self.tokens)),
            line("time", brief(&self.time)),
        ];
        let summary: Vec<String> = parts.into_iter().flatten().collect();
        if summary.is_empty() { "negligible".to_owned() } else { summary.join(", ") }
    }
}

/// Adds the unit to a count or `any`; money has one already.
fn named(amount: String, what: &str) -> String {
    if amount == ANY || what == "tokens" { format!("{amount} {what}") } else { amount }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Rounding::{Down, Nearest, Up};

    #[test]
    fn the_most_is_never_shown_as_less() {
        let money = |nanos, rounding| Money::from_nanos(nanos).written(rounding);
        assert_eq!(money(107_100_000, Up), "$0.11");
        assert_eq!(money(107_100_000, Down), "$0.10");
        assert_eq!(money(1_234_000, Up), "$0.0013");
        assert_eq!(money(12_341_000_000, Up), "$12.35");
        assert_eq!(money(999_999, Up), "$0.001");
        assert_eq!(money(3, Up), "$0.000000003");
        assert_eq!(money(0, Up), "$0.00");
        for nanos in [1, 99, 100, 101, 995_000_001, 999_999_999, i64::MAX] {
            let (most, least) = (money(nanos, Up), money(nanos, Down));
            let read = |it: &str| Money::parse(it.trim_start_matches('$')).unwrap().nanos();
            assert!(read(&most) >= nanos && read(&least) <= nanos, "{nanos}: {least} {most}");
        }
    }

    #[test]
    fn tokens_have_three_digits_that_count() {
        assert_eq!(9_999_u64.written(Up), "9_999");
        assert_eq!(12_288_u64.written(Up), "12.3k");
        assert_eq!(12_288_u64.written(Down), "12.2k");
        assert_eq!(128_000_u64.written(Up), "128k");
        assert_eq!(999_999_u64.written(Up), "1M");
        assert_eq!(1_234_567_u64.written(Nearest), "1.23M");
        assert_eq!(u64::MAX.written(Up), "18500000T");
        assert_eq!(grouped(1_234_567), "1_234_567");
    }

    #[test]
    fn durations_have_the_units_that_matter() {
        let shown = |millis, rounding| Duration::from_millis(millis).written(rounding);
        assert_eq!(shown(0, Up), "0s");
        assert_eq!(shown(1_450, Up), "1.5s");
        assert_eq!(shown(1_450, Down), "1.4s");
        assert_eq!(shown(9_990, Up), "10s");
        assert_eq!(shown(61_001, Up), "1m2s");
        assert_eq!(shown(3_600_001, Up), "1h1m");
        assert_eq!(shown(90_000_001, Up), "1d2h");
        assert_eq!(Duration::from_nanos(1).written(Up), "1ms");
        assert!(Duration::MAX.written(Up).contains('d'));
    }

    #[test]
    fn a_cell_says_no_more_than_is_so() {
        let range = |min, expected, max| Range { min, expected: Some(expected), max };
        let shown = |it| brief::<u64>(&it);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(shown(range(0, 0, Some(0))), pair("", ""));
        assert_eq!(shown(range(7, 7, Some(7))), pair("", "7"));
        assert_eq!(shown(range(0, 7, Some(7))), pair("", "≤ 7"));
        assert_eq!(shown(range(0, 3, Some(7))), pair("~3", "≤ 7"));
        assert_eq!(shown(range(0, 0, None)), pair("", "any"));
        assert_eq!(shown(range(0, 3, None)), pair("~3", "any"));
        let open = Range { min: 0, expected: None, max: Some(7) };
        assert_eq!(shown(open), pair("?", "≤ 7"));
    }
}
