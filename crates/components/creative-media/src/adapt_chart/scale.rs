//! From values to places: ticks at round numbers and dates, and how they are written.

use std::time::Duration;

use svc_contract::value::Date;

/// What the numbers of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Number,
    /// Seconds since 1970.
    Time,
}

/// A line through the values of an axis.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub low: f64,
    pub high: f64,
    /// Where the ends are, in pixels.
    pub from: f64,
    pub to: f64,
    pub ticks: Vec<(f64, String)>,
}

impl Scale {
    /// A scale with about `count` ticks. The ends of an axis of numbers become ticks if `is_nice`.
    pub(super) fn new(
        (low, high): (f64, f64),
        (from, to): (f64, f64),
        unit: Unit,
        count: usize,
        is_nice: bool,
    ) -> Self {
        let (low, high) = match high - low {
            width if width > 0.0 && width.is_finite() => (low, high),
            _ if unit == Unit::Time => (low - 43_200.0, low + 43_200.0),
            _ if low == 0.0 => (0.0, 1.0),
            _ => (low - low.abs() / 2.0, low + low.abs() / 2.0),
        };
        if unit == Unit::Time {
            return Self { low, high, from, to, ticks: time_ticks(low, high, count) };
        }
        let step = nice_step((high - low) / as_float(count.max(1)));
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let (low, high) = if is_nice { (first * step, last * step) } else { (low, high) };
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last && ticks.len() < 200 {
            let value = at * step;
            if value >= low - step * 1e-9 && value <= high + step * 1e-9 {
                ticks.push((value, number(value, step)));
            }
            at += 1.0;
        }
        Self { low, high, from, to, ticks }
    }

    /// The pixel of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn as_float(it: usize) -> f64 {
    it as f64
}

/// The next one of 1, 2, 5, 10, .. at or above a number.
pub(super) fn nice_step(rough: f64) -> f64 {
    let rough = if rough.is_finite() && rough > 1e-300 { rough } else { 1.0 };
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|it| it * power >= rough * 0.999_999);
    factor.unwrap_or(10.0) * power
}

/// A number of an axis whose ticks are `step` apart.
pub(super) fn number(value: f64, step: f64) -> String {
    let size = value.abs();
    let (unit, sign) = match size.max(step) {
        it if it >= 1e15 || (it < 1e-6 && it > 0.0) => return format!("{value:.1e}"),
        _ if value == 0.0 => return "0".to_owned(),
        it if it >= 1e12 => (1e12, "T"),
        it if it >= 1e9 => (1e9, "G"),
        it if it >= 1e6 => (1e6, "M"),
        it if it >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let digits = (-(step / unit).log10().floor()).clamp(0.0, 9.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
    let digits = digits as usize;
    let text = format!("{:.digits$}", value / unit);
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{}{sign}", text.replace('-', "−"))
}

/// A number that stands alone, as in a description.
pub(super) fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if value.abs() >= 1e15 || (value != 0.0 && value.abs() < 1e-6) {
        return format!("{value:.3e}");
    }
    // Six digits are enough.
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits <= 7 {
        text.to_owned()
    } else {
        format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

const DAY: i64 = 86_400;

/// Distances between ticks, in seconds; months and years follow.
const STEPS: [i64; 15] =
    [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, DAY, 2 * DAY, 7 * DAY];

fn time_ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let width = high - low;
    let most = as_float(count.max(1));
    #[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
    let fits = |step: i64| width / step as f64 <= most;
    if let Some(step) = STEPS.into_iter().find(|it| fits(*it)) {
        #[expect(clippy::cast_possible_truncation, reason = "a time fits")]
        let first = (low as i64).div_euclid(step) * step;
        #[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
        let all = (0..200).map(|it| first + it * step).map(|it| (it, it as f64));
        let inside = all.filter(|it| it.1 >= low - 1e-6 && it.1 <= high + 1e-6);
        return inside.map(|(it, at)| (at, moment(it, step))).collect();
    }
    let months = [1_i32, 2, 3, 6].into_iter();
    let years = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000].into_iter().map(|it| it * 12);
    let step = months.chain(years).find(|it| width / (f64::from(*it) * 30.44 * 86_400.0) <= most);
    let step = step.unwrap_or(24_000);
    let Some(start) = date(low) else { return Vec::new() };
    let month = i32::from(start.year()) * 12 + i32::from(start.month()) - 1;
    let mut ticks = Vec::new();
    for at in 0..200 {
        let month = month.div_euclid(step) * step + at * step;
        let (year, of_year) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let (Ok(year), Ok(of_year)) = (i16::try_from(year), i8::try_from(of_year)) else { break };
        let Ok(day) = Date::new(year, of_year, 1) else { break };
        let at = seconds(day);
        if at > high + 1e-6 {
            break;
        }
        if at >= low - 1e-6 {
            let text = if step >= 12 { format!("{year}") } else { format!("{year}-{of_year:02}") };
            ticks.push((at, text));
        }
    }
    ticks
}

/// Midnight of a day, in seconds since 1970.
pub(super) fn seconds(day: Date) -> f64 {
    let start = Date::constant(1970, 1, 1);
    f64::from(day.since(start).map_or(0, |it| it.get_days())) * 86_400.0
}

/// The day and the clock of a time in UTC. The calendar has some hours more than the times that an instant
/// may have.
fn civil(seconds: i64) -> Option<(Date, String)> {
    let (days, clock) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let start = Date::constant(1970, 1, 1);
    let by = Duration::from_secs((days * DAY).unsigned_abs());
    let day = if days < 0 { start.checked_sub(by) } else { start.checked_add(by) };
    let clock = format!("{:02}:{:02}:{:02}", clock / 3_600, clock / 60 % 60, clock % 60);
    Some((day.ok()?, clock))
}

fn date(seconds: f64) -> Option<Date> {
    #[expect(clippy::cast_possible_truncation, reason = "days of a calendar fit")]
    let days = (seconds / 86_400.0).floor() as i32;
    civil(i64::from(days) * DAY).map(|it| it.0)
}

/// A time as the ticks of this distance show it.
fn moment(seconds: i64, step: i64) -> String {
    let Some((day, clock)) = civil(seconds) else { return String::new() };
    match step {
        DAY.. => day.to_string(),
        60.. if clock.starts_with("00:00") => day.to_string(),
        60.. => clock.get(..5).unwrap_or(&clock).to_owned(),
        _ => clock,
    }
}

/// A time that stands alone.
pub(super) fn moment_alone(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a time fits")]
    let whole = seconds.round() as i64;
    match civil(whole) {
        None => String::new(),
        Some((day, clock)) if clock == "00:00:00" => day.to_string(),
        Some((day, clock)) => format!("{day}T{clock}Z"),
    }
}
